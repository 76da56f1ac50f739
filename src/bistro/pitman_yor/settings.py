"""The parameters of a process, after validation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bistro.errors import ConfigError, nearest
from bistro.inference.settings import SamplerSettings

Seating = Literal["gibbs", "minimal", "maximal"]
Hyper = Literal["slice", "map", "online", "fixed"]
PerLevel = float | Sequence[float]


LEVELS = 11
"""Number of discounts in an unbounded process. Contexts of 0 to 9 elements have separate discounts,
and all longer contexts share one discount."""
TEXT_DISCOUNTS = (0.1, 0.5, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.93, 0.94, 0.96)
"""Recommended initial discounts for an unbounded process over characters or bytes of text. These
values are typical of English text, where short contexts have many customers and long contexts have
few."""


@dataclass(frozen=True)
class Settings:
    """The settings of a process, except its outcomes and base."""

    depth: int | None
    discount: tuple[float, ...]
    strength: tuple[float, ...]
    seating: Seating
    hyper: Hyper
    discount_prior: tuple[float, float]
    strength_prior: tuple[float, float]

    def sampler(self) -> SamplerSettings:
        """Return the settings for learning the hyper-parameters."""
        assert self.hyper != "online"
        return SamplerSettings(
            seating=self.seating,
            hyper=self.hyper,
            discount_prior=self.discount_prior,
            strength_prior=self.strength_prior,
        )


def checked(
    depth: int | None,
    discount: PerLevel,
    strength: PerLevel,
    seating: str,
    hyper: str,
    discount_prior: Sequence[float],
    strength_prior: Sequence[float],
) -> Settings:
    """Return the parameters of a process. Raise an error if a parameter is invalid."""
    if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 0):
        raise ConfigError(
            f"depth is {depth!r}, but must be a whole number that is at least 0, or None for "
            "unbounded contexts"
        )
    _check_choice("seating", seating, get_args(Seating))
    _check_choice("hyper", hyper, get_args(Hyper))
    if hyper == "online" and depth is not None:
        raise ConfigError("hyper = 'online' requires unbounded contexts: set depth = None")
    discounts = per_level("discount", discount, LEVELS if depth is None else depth + 1)
    strengths = per_level("strength", strength, 1 if depth is None else depth + 1)
    for d in discounts:
        if not 0 <= d < 1:
            raise ConfigError(f"discount is {d}, but must lie in [0, 1)")
        if d == 0 and (depth is None or hyper != "fixed"):
            raise ConfigError(
                "a discount of 0 needs hyper = 'fixed' and a fixed depth; otherwise discounts must "
                "be above 0"
            )
    for d, theta in zip(discounts, strengths, strict=False):
        if not -d < theta < math.inf:
            raise ConfigError(f"strength is {theta}, but must be finite and greater than -discount")
        if hyper != "fixed" and theta <= 0:
            raise ConfigError(f"strength is {theta}, but must be above 0 if it is learned")
    for name, prior in (("discount_prior", discount_prior), ("strength_prior", strength_prior)):
        if len(prior) != 2 or not all(0 < x < math.inf for x in prior):
            raise ConfigError(f"{name} is {prior!r}, but must be two numbers above 0")
    (a, b), (shape, rate) = discount_prior, strength_prior
    return Settings(
        depth,
        discounts,
        strengths,
        seating,  # type: ignore[arg-type]
        hyper,  # type: ignore[arg-type]
        (float(a), float(b)),
        (float(shape), float(rate)),
    )


def per_level(name: str, value: PerLevel, levels: int) -> tuple[float, ...]:
    """Return one value per level. A single number applies to all levels."""
    if isinstance(value, int | float):
        return (float(value),) * levels
    values = tuple(float(x) for x in value)
    if len(values) != levels:
        raise ConfigError(
            f"{name} has {len(values)} values: give a single number, or {levels} numbers"
        )
    return values


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        hint = nearest(str(value), choices)
        raise ConfigError(
            f"{name} = {value!r} is not valid{hint}: choose one of {', '.join(choices)}"
        )
