"""Settings for training a franchise, shared by all Pitman-Yor models."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.errors import ConfigError


@dataclass(frozen=True)
class SamplerSettings:
    """Seating, hyper-parameters and the length of the chain."""

    seating: Literal["gibbs", "minimal", "maximal"] = setting(
        "gibbs",
        "Seating of customers: sampled; one table per dish (Kneser-Ney); one table per customer.",
    )
    hyper: Literal["slice", "sequential", "map", "fixed"] = setting(
        "slice",
        "Hyper-parameters: slice-sampled given the seating, or given the sequence of events "
        "(minimal and maximal seating, which do not depend on them); maximised a posteriori; "
        "or fixed.",
    )
    hyper_every: int = setting(
        1, "Hyper-parameters are updated after every n-th sweep (gibbs seating)."
    )
    sweeps: int = setting(60, "Sweeps over the training events.")
    samples: int = setting(40, "Number of last sweeps that are averaged in prediction.")
    dirichlet: bool = setting(
        False, "Discounts are 0, whatever the value of discount: a hierarchical Dirichlet process."
    )
    discount: float = setting(0.5, "Initial discount of every level (final, if fixed).")
    strength: float = setting(1.0, "Initial strength of every level (final, if fixed).")
    discount_prior: tuple[float, float] = setting((1.0, 1.0), "Beta(a, b) prior of the discount.")
    strength_prior: tuple[float, float] = setting(
        (1.0, 1.0), "Gamma(shape, rate) prior of the strength."
    )

    def validate(self) -> None:
        """Raise an error if a value is impossible for a Pitman-Yor process."""
        if not 1 <= self.samples <= self.sweeps:
            raise ConfigError(
                f"samples = {self.samples} must lie between 1 and sweeps = {self.sweeps}: "
                "set both, and leave some sweeps before the first sample"
            )
        if self.hyper_every < 1:
            raise ConfigError(f"hyper_every = {self.hyper_every} must be at least 1")
        if self.hyper_every > 1 and self.seating != "gibbs":
            raise ConfigError("hyper_every applies only to sampled seating: set seating = 'gibbs'")
        if self.hyper == "sequential" and self.seating == "gibbs":
            raise ConfigError(
                "hyper = 'sequential' is for minimal or maximal seating: set hyper = 'slice'"
            )
        if not 0 <= self.discount < 1:
            raise ConfigError(f"discount = {self.discount} must lie in [0, 1)")
        if not -self.first_discount < self.strength < math.inf:
            raise ConfigError(f"strength = {self.strength} must be greater than -discount")
        learned = [self.strength] if self.dirichlet else [self.strength, self.discount]
        if self.hyper != "fixed" and min(learned) <= 0:
            raise ConfigError("the initial values of learned hyper-parameters must be above 0")
        if not all(0 < x < math.inf for x in (*self.discount_prior, *self.strength_prior)):
            raise ConfigError("the parameters of the priors must be above 0")

    @property
    def is_deterministic(self) -> bool:
        """True if nothing is drawn: neither the seating nor the hyper-parameters."""
        return self.seating == "minimal" and self.hyper in ("map", "fixed")

    @property
    def first_discount(self) -> float:
        """The initial discount of every level."""
        return 0.0 if self.dirichlet else self.discount


UnknownSetting = Literal["classes", "single", "spelling"]
UNKNOWN_HELP = (
    "Unknown words: classes by shape and suffix, one <unk>, or none (every word can be spelled)."
)


@dataclass(frozen=True)
class SpellingSettings:
    """Settings for the spelling of words, for unknown = "spelling"."""

    order: int = setting(
        6,
        "Length of the character n-grams: each sees the order - 1 characters before it.",
        most=100,
    )
    tag_after: int = setting(
        2, "If words have tags, the tag follows this many characters in the context."
    )

    def validate(self) -> None:
        """Raise an error if an order is impossible."""
        if self.order < 1:
            raise ConfigError(f"order = {self.order} must be at least 1")
        if self.tag_after < 0:
            raise ConfigError(f"tag_after = {self.tag_after} must be at least 0")
