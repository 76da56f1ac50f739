"""How a model with unbounded contexts looks for trees, and what it finds.

    cyk          the best tree of the PCFG alone, the baseline
    astar-local  A*, the rest of a tree guessed from the children of the rule just used
    astar-full   A*, the rest guessed from everything still open
    mcmc         Metropolis-Hastings, the PCFG proposing; then the tree of least risk
    viterbi      chains only (tags): exact for contexts of bounded depth
    beam         chains only: from left to right

>>> SearchOptions(search="astar-local", beam=50).beam
50
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bistro.errors import ConfigError
from bistro.models.infinite_rules import Derivation

SearchName = Literal["cyk", "astar-local", "astar-full", "mcmc", "viterbi", "beam"]


@dataclass(frozen=True)
class SearchOptions:
    """Which search, and how much of it."""

    search: SearchName = "mcmc"
    samples: int = 5000
    """Trees drawn by mcmc, those at the start included that are not counted."""
    burn_in: int = 0
    """How many of them are not counted."""
    beam: int = 200
    """Partial trees, or histories, that are kept."""
    seed: int = 1

    def __post_init__(self) -> None:
        if self.samples < 1 or not 0 <= self.burn_in < self.samples:
            raise ConfigError("samples must be at least 1, and more than burn_in")
        if self.beam < 1:
            raise ConfigError(f"beam = {self.beam} must be at least 1")


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found: a tree, and its log-probability under the model."""

    derivation: Derivation
    log_prob: float
    accepted: float = 1.0
    """The share of the proposals that mcmc accepted."""
