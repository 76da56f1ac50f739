"""Settings of the n-gram model."""

from __future__ import annotations

from dataclasses import dataclass

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.inference.settings import (
    UNKNOWN_HELP,
    SamplerSettings,
    SpellingSettings,
    UnknownSetting,
)

WORDS = "words"
"""The name of the model's distribution."""
MOST_ORDER = 100
"""Every word has so many contexts, each of which takes memory; beyond a dozen nothing is gained."""


@dataclass(frozen=True)
class NgramConfig:
    """Settings of the n-gram model."""

    order: int = setting(5, "Length of the n-grams: each word sees the order - 1 words before it.")
    unknown: UnknownSetting = setting("classes", UNKNOWN_HELP)
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(100, "How many suffixes tell classes of unknown words apart.")
    spelling: SpellingSettings = setting(SpellingSettings(), "Where unknown = spelling.")
    sampler: SamplerSettings = setting(SamplerSettings(), "How the distribution is learned.")

    def validate(self) -> None:
        """Refuse impossible orders."""
        if not 1 <= self.order <= MOST_ORDER:
            raise ConfigError(f"order = {self.order} must lie between 1 and {MOST_ORDER}")
