"""Settings of the n-gram model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True)
class NgramConfig:
    """Settings of the n-gram model."""

    units: Literal["words", "characters", "bytes"] = setting(
        "words", "What is predicted: words, or the characters or UTF-8 bytes of the sentence."
    )
    order: int = setting(
        5,
        "Length of the n-grams: each unit sees the order - 1 units before it; 0: all of them, for "
        "characters and bytes, learned in one pass.",
    )
    unknown: UnknownSetting = setting("classes", UNKNOWN_HELP)
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(100, "How many suffixes tell classes of unknown words apart.")
    spelling: SpellingSettings = setting(SpellingSettings(), "Where unknown = spelling.")
    sampler: SamplerSettings = setting(SamplerSettings(), "How the distribution is learned.")

    def validate(self) -> None:
        """Refuse impossible orders."""
        if self.order < 0 or (self.order == 0 and self.units == "words"):
            raise ConfigError(
                f"order = {self.order} must be at least 1 (or 0, unbounded, with units = "
                "characters or bytes)"
            )
        if self.units != "words" and self.sampler.hyper == "sequential":
            raise ConfigError("hyper = 'sequential' is for words: set map, slice or fixed")
        if self.units != "words" and self.sampler.dirichlet and self.sampler.hyper != "fixed":
            raise ConfigError("dirichlet with characters or bytes needs hyper = 'fixed'")
