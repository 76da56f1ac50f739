"""Settings of the model that finds words and sentences in running text."""

from __future__ import annotations

from dataclasses import dataclass

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings


@dataclass(frozen=True)
class TokensConfig:
    """Settings of the model that finds words and sentences in running text."""

    order: int = setting(
        9,
        "Length of the character n-grams. The context of each symbol consists of the preceding "
        "(order - 1) symbols.",
        most=100,
    )
    unknown_below: int = setting(
        2, "Characters seen fewer times than this are represented by their Unicode category."
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=60, samples=40),
        "Settings for learning the distribution of characters.",
    )
    split_sampler: SamplerSettings = setting(
        SamplerSettings(sweeps=10, samples=5),
        "Settings for learning to split tokens into words and to find word and sentence ends.",
    )

    def validate(self) -> None:
        """Raise an error if a setting is out of range."""
        if self.order < 2:
            raise ConfigError(f"order is {self.order}, but must be at least 2")
        if self.unknown_below < 1:
            raise ConfigError(f"unknown_below is {self.unknown_below}, but must be at least 1")
