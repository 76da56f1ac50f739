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
        "latent",
        "Source of the states: the sampler (latent), or the tags of a treebank column "
        "(upos, xpos).",
    )
    states: int | None = setting(
        50,
        "Number of latent states. If the value is none, a Dirichlet process infers the number of "
        "states from the data.",
        most=100_000,
    )
    directed: bool = setting(
        True, "Use separate distributions for the dependents before and after a parent."
    )
    stops: bool = setting(
        True, "Generate a stop symbol after the dependents on each side of a parent."
    )
    roots: Literal["auto", "one", "several"] = setting(
        "auto",
        "How many words of a sentence may depend on the root: only one, or several. With auto, "
        "the training data determines whether several words are allowed.",
    )
    unknown: Literal["classes", "single"] = setting(
        "classes",
        "How to represent unknown words: by classes based on shape and suffix (classes), or by "
        "a single symbol <unk> (single).",
    )
    unknown_below: int = setting(2, "Words seen fewer times than this in training are unknown.")
    unknown_suffixes: int = setting(
        100, "Number of suffixes that are used to distinguish classes of unknown words."
    )
    sweeps: int = setting(200, "Number of sweeps over the words of the treebank.")
    samples: int = setting(
        5, "Number of samples that each chain keeps from the second half of its sweeps."
    )
    chains: int = setting(
        1,
        "Number of chains with different initial states. Each chain infers its own states and "
        "keeps its own samples.",
        most=1_000,
    )
    strength: float = setting(
        1.0,
        "Initial strength with which the common weights of states influence the distribution of "
        "each parent.",
    )
    smoothing: float = setting(
        0.01, "Initial value of the constant that is added to the count of every word in a state."
    )
    gamma: float = setting(
        1.0, "Initial concentration of the prior on the common weights of states."
    )
    hyper: Literal["slice", "fixed"] = setting(
        "slice", "Whether strength, smoothing and gamma are slice-sampled or fixed."
    )
    prior: tuple[float, float] = setting(
        (1.0, 1.0), "Shape and rate of the Gamma prior on strength, smoothing and gamma."
    )
    defaults: OptionDefaults = setting(OptionDefaults(), DEFAULTS_HELP)

    def validate(self) -> None:
        """Raise an error if a setting is out of range."""
        if self.states is not None and self.states < 1:
            raise ConfigError(f"states is {self.states}, but must be at least 1, or none")
        if not 1 <= self.samples <= max(1, self.sweeps // 2):
            raise ConfigError(
                f"samples is {self.samples}, but must lie between 1 and half the number of "
                f"sweeps (sweeps = {self.sweeps})"
            )
        if self.chains < 1:
            raise ConfigError(f"chains is {self.chains}, but must be at least 1")
        for name in ("strength", "smoothing", "gamma"):
            if not 0 < getattr(self, name) < math.inf:
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be above 0")
        if not all(0 < x < math.inf for x in self.prior):
            raise ConfigError("the parameters of the priors must be above 0")
