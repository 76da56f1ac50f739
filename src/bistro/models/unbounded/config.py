"""The settings that `tags`, `trees` and `morphology` share."""

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
        "What a context is made of: the symbols above a node, or its own symbol and the rules "
        "above it; auto: what suits the kind.",
    )
    depth: int | None = setting(
        None, "How much of a context is seen, the node's own symbol counted; none: all of it."
    )
    base: Literal["pcfg", "uniform"] = setting(
        "pcfg", "What the shortest contexts back off to: rule frequencies, or all rules alike."
    )
    base_smoothing: float = setting(
        0.0, "Added to the frequency of every rule of a symbol, in the base."
    )
    shared_from: int = setting(
        8, "Contexts of this length and longer share one discount and one strength."
    )
    fit: Literal["left-out", "seating"] = setting(
        "left-out",
        "What maximised hyper-parameters make probable, under minimal seating: blocks of trees "
        "left out in turn, or the seating (as in the paper).",
    )
    blocks: int = setting(10, "How many blocks, each of neighbouring trees, are left out in turn.")
    gibbs_depth: int = setting(
        6, "How much of a context is seen where sampler.seating = gibbs, which stores all of it."
    )
    sampler: SamplerSettings = setting(
        SamplerSettings(seating="minimal", hyper="map", sweeps=1, samples=1),
        "How the distributions are learned; minimal or gibbs seating.",
    )
    defaults: OptionDefaults = setting(OptionDefaults(), DEFAULTS_HELP)

    def validate(self) -> None:
        """Refuse what no such model has."""
        for name in ("depth", "shared_from", "gibbs_depth"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise ConfigError(f"{name} = {value} must be at least 1")
        if self.blocks < 2:
            raise ConfigError(f"blocks = {self.blocks} must be at least 2")
        if not self.base_smoothing >= 0:
            raise ConfigError(f"base_smoothing = {self.base_smoothing} must be at least 0")
        sampler = self.sampler
        if sampler.seating == "maximal" or sampler.hyper == "sequential":
            raise ConfigError(
                "unbounded contexts are learned with minimal seating (hyper = 'map' or 'fixed') "
                "or with gibbs seating (hyper = 'slice', 'map' or 'fixed')"
            )
        if sampler.seating == "minimal" and sampler.hyper == "slice":
            raise ConfigError("with minimal seating hyper is 'map' or 'fixed'")
