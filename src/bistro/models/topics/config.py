"""Settings of syntactic topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.models.defaults import DEFAULTS_HELP, OptionDefaults


@dataclass(frozen=True)
class TopicsConfig:
    """Settings of syntactic topics."""

    source: Literal["latent", "upos", "xpos"] = setting(
        "latent", "Where states come from: found by the sampler, or the tags of a column."
    )
    states: int | None = setting(
        50, "How many latent states; none: as many as the data ask for (a Dirichlet process)."
    )
    directed: bool = setting(
        True, "Parents have one distribution for dependents before them and one for those after."
    )
    stops: bool = setting(
        True, "Each parent stops once on each side; otherwise dependents come without an end."
    )
    roots: Literal["auto", "one", "several"] = setting(
        "auto", "How many words may hang on the root; auto: as in the training data."
    )
    unknown: Literal["classes", "single"] = setting(
        "classes", "Unknown words: classes by shape and suffix, or one <unk>."
    )
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(100, "How many suffixes tell classes of unknown words apart.")
    sweeps: int = setting(200, "Sweeps over the words.")
    samples: int = setting(5, "How many samples, from the last half of the sweeps, are kept.")
    chains: int = setting(
        1, "Chains from different starts, which find different states; each keeps its samples."
    )
    strength: float = setting(1.0, "How firmly parents follow the common weights, at the start.")
    smoothing: float = setting(0.01, "Added to the count of every word in a state, at the start.")
    gamma: float = setting(1.0, "Concentration of the common weights, at the start.")
    hyper: Literal["slice", "fixed"] = setting(
        "slice", "The three numbers above are slice-sampled, or stay as they are."
    )
    prior: tuple[float, float] = setting((1.0, 1.0), "Their Gamma(shape, rate) prior.")
    defaults: OptionDefaults = setting(OptionDefaults(), DEFAULTS_HELP)

    def validate(self) -> None:
        """Refuse what no such model has."""
        if self.states is not None and self.states < 1:
            raise ConfigError(f"states = {self.states} must be at least 1, or none")
        if not 1 <= self.samples <= max(1, self.sweeps // 2):
            raise ConfigError(
                f"samples = {self.samples} must lie between 1 and half of sweeps = {self.sweeps}"
            )
        if self.chains < 1:
            raise ConfigError(f"chains = {self.chains} must be at least 1")
        for name in ("strength", "smoothing", "gamma"):
            if not 0 < getattr(self, name) < math.inf:
                raise ConfigError(f"{name} = {getattr(self, name)} must be above 0")
        if not all(0 < x < math.inf for x in self.prior):
            raise ConfigError("the parameters of a prior must be above 0")
