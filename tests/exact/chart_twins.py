"""Random weights of projective trees, for the compiled chart and for enumeration."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bistro import _core
from bistro.reference.eisner import Choice, Step, enumerate_trees


@dataclass(frozen=True)
class Forest:
    """Weights over nodes, and all trees with their log-weights."""

    positions: NDArray[np.int32]
    kinds: NDArray[np.int32]
    pairs: NDArray[np.float64]
    steps: NDArray[np.float64]
    single_root: bool
    trees: dict[tuple[tuple[int, ...], Choice], float] = field(default_factory=dict)

    def chart(self) -> _core.TreeChart:
        return _core.TreeChart(
            positions=self.positions, kinds=self.kinds, pairs=self.pairs, steps=self.steps
        )

    def log_weight(self, step: Step, choice: Choice) -> float:
        """The weight of a step; a node stands in `choice` for every word."""
        nodes = (0, *choice)
        head, sibling = nodes[step.head], self.kinds[nodes[step.sibling]] if step.sibling else 0
        child, side = nodes[step.child], int(step.side == "right")
        kind = self.kinds[child] if step.child else 0
        weight = self.steps[head, side, kind, sibling]
        return float(weight + self.pairs[head, child] if step.child else weight)

    def tree(self, nodes: NDArray[np.int32], heads: NDArray[np.int32]) -> tuple[Choice, Choice]:
        """A tree of the chart as enumeration has it."""
        return tuple(int(self.positions[h]) for h in heads), tuple(nodes.tolist())

    @property
    def log_total(self) -> float:
        return math.log(math.fsum(math.exp(w) for w in self.trees.values()))


def random_forest(
    words: int,
    seed: int,
    *,
    most_candidates: int = 1,
    kinds: int = 4,
    single_root: bool = True,
    forbidden: float = 0.0,
) -> Forest:
    """Weights over `words` words; a share of the arcs may be impossible."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(1, most_candidates + 1, size=words)
    positions = np.concatenate([[0], np.repeat(np.arange(1, words + 1), numbers)]).astype(np.int32)
    nodes = len(positions)
    kind = rng.integers(1, kinds, size=nodes).astype(np.int32)
    kind[0] = 0
    pairs = rng.normal(-2, 2, size=(nodes, nodes))
    pairs[rng.random((nodes, nodes)) < forbidden] = -np.inf
    # Whatever is forbidden, one flat tree is left.
    first = np.flatnonzero(positions == 1)
    pairs[0, first] = rng.normal(-2, 2, size=len(first))
    pairs[first] = rng.normal(-2, 2, size=(len(first), nodes))
    steps = rng.normal(-1, 1, size=(nodes, 2, kinds, kinds))
    if single_root:
        steps[0, :, 1:, 1:] = -np.inf
    forest = Forest(positions, kind, pairs, steps, single_root, {})
    candidates = [np.flatnonzero(positions == p).tolist() for p in range(1, words + 1)]
    for heads, choice, weight in enumerate_trees(
        candidates, forest.log_weight, single_root=single_root
    ):
        if weight > -math.inf:
            forest.trees[heads, choice] = weight
    return forest
