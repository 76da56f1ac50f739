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
"""Name of the model's only distribution."""
MOST_ORDER = 100
"""Maximum order. The number of contexts kept in memory for each word is equal to the order.
Orders above 12 do not improve the model."""


@dataclass(frozen=True)
class NgramConfig:
    """Settings of the n-gram model."""

    units: Literal["words", "characters", "bytes"] = setting(
        "words", "Units that the model predicts: words, characters or UTF-8 bytes."
    )
    order: int = setting(
        5,
        "Length of the n-grams. The context of each unit consists of the preceding (order - 1) "
        "units. For characters and bytes, order 0 means that all preceding units are used, and "
        "the model is trained in one pass.",
    )
    unknown: UnknownSetting = setting("classes", UNKNOWN_HELP)
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(
        100, "Number of suffixes that are used to distinguish classes of unknown words."
    )
    spelling: SpellingSettings = setting(
        SpellingSettings(), "Settings of the spelling model, for unknown = spelling."
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(), "Settings of the sampler that trains the distribution."
    )

    def validate(self) -> None:
        """Raise an error if the order is out of range."""
        least = 1 if self.units == "words" else 0
        if not least <= self.order <= MOST_ORDER:
            unbounded = "" if least else " (0: unbounded)"
            raise ConfigError(
                f"order is {self.order}, but must lie between {least}{unbounded} and {MOST_ORDER}"
            )
        if self.units != "words" and self.sampler.hyper == "sequential":
            raise ConfigError(
                "hyper = 'sequential' is available only for units = 'words': set hyper to "
                "'map', 'slice' or 'fixed'"
            )
        if self.units != "words" and self.sampler.dirichlet and self.sampler.hyper != "fixed":
            raise ConfigError("for characters and bytes, dirichlet requires hyper = 'fixed'")
