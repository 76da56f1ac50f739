"""Draw trees from a prior with unbounded contexts, for simulation-based calibration.

Nodes are rewritten in pre-order, given their own symbol and all their ancestors, until there are
enough nodes. The last tree may be incomplete. The base distribution is uniform over the rules of a
symbol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import Franchise, RuleBase
from bistro.inference.gibbs import Learned
from bistro.inference.prior_draws import Urn
from bistro.inference.simulated import Quantities, Simulated
from bistro.models.unbounded.config import UnboundedConfig
from bistro.models.unbounded.model import bound, context_elements
from bistro.models.unbounded.rules import NOTHING
from bistro.models.unbounded.task import Task
from bistro.models.unbounded.train import AS_STRONG_AS_NEEDED, NAME, ContextChain
from bistro.sums import added

C = TypeVar("C", bound=UnboundedConfig)
NODES, MOST_DEPTH, SHARED_FROM = 40, 4, 2
"""Sizes of the simulated data. With these sizes, a run takes about a minute, and contexts of all
lengths up to the maximum occur."""


def simulate_trees(task: Task[Any], config: UnboundedConfig, seed: int) -> Simulated:
    """Draw hyper-parameters and trees from the prior, and return a chain over the trees.

    `task` provides the grammar. If the configuration specifies minimal seating, which involves no
    sampling, Gibbs seating is used instead.
    """
    config = _small(config)
    drawn = TreeDraws(task, config, seed)
    chain = ContextChain(drawn.events(), drawn.base, config, seed)
    chain.seat()
    return Simulated.of_chain(
        level_quantities(drawn.franchise),
        chain,
        lambda: level_quantities(chain.franchise),
    )


def _small(config: C) -> C:
    sampler = config.sampler
    if sampler.seating == "minimal":
        sampler = replace(sampler, seating="gibbs", hyper="slice")
    depth = min(MOST_DEPTH, bound(replace(config, sampler=sampler)))
    return replace(config, sampler=sampler, depth=depth, shared_from=SHARED_FROM)


@dataclass
class TreeDraws:
    """Hyper-parameters and trees drawn from the prior, with the context and rule of each node."""

    task: Task[Any]
    config: UnboundedConfig
    seed: int

    def __post_init__(self) -> None:
        rules, depth = self.task.rules, bound(self.config)
        counts = np.zeros(len(rules), dtype=np.int64)
        self.base = self.task.base(counts, self.config.base_smoothing)
        base = RuleBase(self.base.tolist())
        learned = Learned(NAME, depth + 1, base, self.config.sampler, self.seed)
        self.franchise = learned.franchise
        self.franchise.set_parameters(0, 0.0, AS_STRONG_AS_NEEDED)
        groups = [[1], range(SHARED_FROM, depth + 1)]
        urn = Urn(learned, seed=self.seed, groups=groups)
        self.nodes: list[tuple[list[int], int]] = []
        for context in self._places(depth):
            of_symbol = np.flatnonzero(rules.left == context[0]).tolist()
            self.nodes.append((context, urn.draw(context, of_symbol)))

    def _places(self, depth: int) -> Iterator[list[int]]:
        """Yield the context of each node.

        The caller must append the rule of a node to `nodes` before it requests the next context.
        """
        rules = self.task.rules
        by_rules = context_elements(self.config, self.task) == "rules"
        waiting: list[tuple[int, list[int]]] = []
        while len(self.nodes) < NODES:
            symbol, above = waiting.pop() if waiting else (rules.top, [])
            yield [symbol, *above][:depth]
            rule = self.nodes[-1][1]
            below = [rule if by_rules else symbol, *above]
            children = (int(rules.second[rule]), int(rules.first[rule]))
            waiting += [(child, below) for child in children if child > NOTHING]

    def events(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Return the concatenated contexts, their offsets, and the rules."""
        elements = [element for context, _ in self.nodes for element in context]
        ends = np.cumsum([0, *(len(context) for context, _ in self.nodes)])
        rules = [rule for _, rule in self.nodes]
        return (
            np.array(elements, dtype=np.int32),
            ends.astype(np.int64),
            np.array(rules, dtype=np.int32),
        )


def level_quantities(franchise: Franchise) -> Quantities:
    """Return the log-likelihood, and the hyper-parameters and table counts by context length."""
    parameters = franchise.parameters()
    tables = [tables for _, _, tables in franchise.counts_by_level()]
    levels = list(zip(franchise.level_likelihoods(), parameters, strict=True))
    return {
        "rules.discount[1]": parameters[1][0],
        "rules.strength[1]": parameters[1][1],
        "rules.tables[1]": tables[1],
        "rules.discount[2+]": parameters[2][0],
        "rules.strength[2+]": parameters[2][1],
        "rules.tables[2+]": sum(tables[2:]),
        "rules.log_likelihood": float(added(level(*pair) for level, pair in levels[1:])),
    }
