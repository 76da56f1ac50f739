"""The settings that the model kinds `tags`, `trees` and `morphology` share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.config import setting
from bistro.errors import ConfigError
from bistro.inference.settings import SamplerSettings
from bistro.models.defaults import DEFAULTS_HELP, OptionDefaults

ContextElements = Literal["symbols", "rules"]


@dataclass(frozen=True)
class UnboundedConfig:
    """Settings of a model with unbounded contexts."""

    contexts: Literal["auto", "symbols", "rules"] = setting(
        "auto",
        "Elements of a context: the symbols above a node (symbols), or the node's own symbol and "
        "the rules above the node (rules). With auto, the elements depend on the kind of model.",
    )
    depth: int | None = setting(
        None,
        "Maximum number of elements in a context, including the node's own symbol, or none for no "
        "limit.",
    )
    base: Literal["pcfg", "uniform"] = setting(
        "pcfg",
        "Base distribution of the shortest contexts: the rule frequencies (pcfg), or a uniform "
        "distribution (uniform).",
    )
    base_smoothing: float = setting(
        0.0, "Number added to the frequency of every rule in the base distribution."
    )
    shared_from: int = setting(
        8, "Contexts of this length and longer share one discount and one strength."
    )
    fit: Literal["left-out", "seating"] = setting(
        "left-out",
        "Likelihood for fitting hyper-parameters with minimal seating: the likelihood of blocks "
        "of trees that are left out in turn (left-out), or the likelihood of the seating "
        "(seating), as in the paper.",
    )
    blocks: int = setting(
        10, "Number of blocks of neighbouring trees that are left out in turn.", most=100_000
    )
    gibbs_depth: int = setting(
        6, "Maximum length of a context with sampler.seating = gibbs, which stores whole contexts."
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(seating="minimal", hyper="map", sweeps=1, samples=1),
        "Settings for learning the distributions. The seating must be minimal or gibbs.",
    )
    defaults: OptionDefaults = setting(OptionDefaults(), DEFAULTS_HELP)

    def validate(self) -> None:
        """Raise an error if a setting is out of range."""
        for name in ("depth", "shared_from", "gibbs_depth"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise ConfigError(f"{name} is {value}, but must be at least 1")
        if self.blocks < 2:
            raise ConfigError(f"blocks is {self.blocks}, but must be at least 2")
        if not self.base_smoothing >= 0:
            raise ConfigError(f"base_smoothing is {self.base_smoothing}, but must be at least 0")
        sampler = self.sampler
        if sampler.seating == "maximal" or sampler.hyper == "sequential":
            raise ConfigError(
                "unbounded contexts require seating = 'minimal' with hyper = 'map' or 'fixed', or "
                "seating = 'gibbs' with hyper = 'slice', 'map' or 'fixed'"
            )
        if sampler.seating == "minimal" and sampler.hyper == "slice":
            raise ConfigError("with minimal seating, hyper must be 'map' or 'fixed'")
