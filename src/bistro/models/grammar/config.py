"""Settings of the treebank grammar."""

from __future__ import annotations

from dataclasses import dataclass

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings


@dataclass(frozen=True)
class GrammarConfig:
    """Settings of the treebank grammar."""

    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(
        100, "Number of suffixes that distinguish classes of unknown words."
    )
    missed_capitals: float = setting(
        0.005, "Probability that an expected capital letter is missing."
    )
    capitals: bool = setting(
        True,
        "Learn the tokens after which a capital letter is expected, and convert the words that "
        "follow them to lower case.",
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(seating="minimal", hyper="map", sweeps=1, samples=1),
        "Settings for learning discounts and strengths. The setting hyper must be map or fixed.",
    )

    def validate(self) -> None:
        """Raise an error unless the settings yield a context-free grammar."""
        if not 0 <= self.missed_capitals < 1:
            raise ConfigError(
                f"missed_capitals is {self.missed_capitals:g}, but must be a probability below 1"
            )
        if self.sampler.seating != "minimal" or self.sampler.hyper not in ("map", "fixed"):
            raise ConfigError(
                "a treebank grammar needs seating = 'minimal' and hyper = 'map' or 'fixed', "
                "because its back-off can be written as context-free rules only with these settings"
            )
