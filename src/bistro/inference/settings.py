"""Settings for training a franchise, shared by all Pitman-Yor models."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.errors import ConfigError


@dataclass(frozen=True)
class SamplerSettings:
    """The settings for seating, hyper-parameters and the length of the chain."""

    seating: Literal["gibbs", "minimal", "maximal"] = setting(
        "gibbs",
        "How customers are seated: gibbs samples the tables, minimal uses one table per dish "
        "(Kneser-Ney), and maximal uses one table per customer.",
    )
    hyper: Literal["slice", "sequential", "map", "fixed"] = setting(
        "slice",
        "How hyper-parameters are set: sampled given the seating (slice), sampled given the "
        "sequence of events (sequential, for minimal and maximal seating), set to the maximum of "
        "the posterior (map), or kept at their initial values (fixed).",
    )
    hyper_every: int = setting(
        1, "Interval between updates of the hyper-parameters, in sweeps (gibbs only)."
    )
    sweeps: int = setting(60, "Number of sweeps over the training events.")
    samples: int = setting(40, "Number of final sweeps whose samples are averaged for prediction.")
    dirichlet: bool = setting(
        False, "Use a hierarchical Dirichlet process, in which all discounts are 0."
    )
    discount: float = setting(
        0.5, "Initial discount of every level, which does not change if hyper is fixed."
    )
    strength: float = setting(
        1.0, "Initial strength of every level, which does not change if hyper is fixed."
    )
    discount_prior: tuple[float, float] = setting(
        (1.0, 1.0), "Parameters of the Beta prior on the discount."
    )
    strength_prior: tuple[float, float] = setting(
        (1.0, 1.0), "Shape and rate of the Gamma prior on the strength."
    )

    def validate(self) -> None:
        """Raise an error if a value is invalid for a Pitman-Yor process."""
        if not 1 <= self.samples <= self.sweeps:
            raise ConfigError(
                f"samples is {self.samples}, but must lie between 1 and sweeps = {self.sweeps}: "
                "set both, and leave some sweeps before the first sample"
            )
        if self.hyper_every < 1:
            raise ConfigError(f"hyper_every is {self.hyper_every}, but must be at least 1")
        if self.hyper_every > 1 and self.seating != "gibbs":
            raise ConfigError("hyper_every applies only to sampled seating: set seating = 'gibbs'")
        if self.hyper == "sequential" and self.seating == "gibbs":
            raise ConfigError(
                "hyper = 'sequential' requires minimal or maximal seating: set hyper = 'slice'"
            )
        if not 0 <= self.discount < 1:
            raise ConfigError(f"discount is {self.discount}, but must lie in [0, 1)")
        if not -self.first_discount < self.strength < math.inf:
            raise ConfigError(f"strength is {self.strength}, but must be greater than -discount")
        learned = [self.strength] if self.dirichlet else [self.strength, self.discount]
        if self.hyper != "fixed" and min(learned) <= 0:
            raise ConfigError("the initial values of learned hyper-parameters must be above 0")
        if not all(0 < x < math.inf for x in (*self.discount_prior, *self.strength_prior)):
            raise ConfigError("the parameters of the priors must be above 0")

    @property
    def is_deterministic(self) -> bool:
        """True if neither the seating nor the hyper-parameters are sampled."""
        return self.seating == "minimal" and self.hyper in ("map", "fixed")

    @property
    def first_discount(self) -> float:
        """The initial discount of every level."""
        return 0.0 if self.dirichlet else self.discount


UnknownSetting = Literal["classes", "single", "spelling"]
UNKNOWN_HELP = (
    "How to represent unknown words: by classes based on shape and suffix (classes), by a single "
    "symbol <unk> (single), or by their spelling, so that every word has a probability (spelling)."
)


@dataclass(frozen=True)
class SpellingSettings:
    """The settings for spelling, used if unknown = "spelling"."""

    order: int = setting(
        6,
        "Length of the character n-grams. Each character depends on the preceding "
        "(order - 1) characters.",
        most=100,
    )
    tag_after: int = setting(
        2, "Number of characters that precede the tag in the context, if words have tags."
    )

    def validate(self) -> None:
        """Raise an error if `order` or `tag_after` is out of range."""
        if self.order < 1:
            raise ConfigError(f"order is {self.order}, but must be at least 1")
        if self.tag_after < 0:
            raise ConfigError(f"tag_after is {self.tag_after}, but must be at least 0")
