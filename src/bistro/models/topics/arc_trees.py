"""A chart of all projective trees of a sentence, given arc weights.

The input of `ArcTrees` is an array with log p(word d | head h) at [h, d]. The class provides the
best trees, samples, marginals, and the minimum-risk tree, which has the highest expected number of
correct arcs.

>>> arcs = np.log(np.array([[0, 0.9, 0.1], [0, 0, 0.5], [0, 0.2, 0]]) + 1e-9)
>>> ArcTrees(arcs, single_root=True).ranked(1)[0].heads
[0, 1]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bistro._core import Stream, TreeChart

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoredTree:
    """The heads of a tree, with 0 for the root, and the sum of its arc weights."""

    heads: list[int]
    score: float


class ArcTrees:
    """All projective trees of one sentence, given arc weights."""

    def __init__(self, arcs: Floats, *, single_root: bool, temperature: float = 1.0) -> None:
        self._temperature = temperature
        self._single_root = single_root
        self._nodes = len(arcs)
        nodes = np.arange(self._nodes, dtype=np.int32)
        # To enforce a single root, a child only needs to see whether its head already has a child.
        steps = np.zeros((len(arcs), 2, 2, 2))
        if single_root:
            steps[0, :, 1, 1] = -np.inf
        kinds = np.minimum(nodes, 1).astype(np.int32)
        self._chart = TreeChart(
            positions=nodes, kinds=kinds, pairs=np.ascontiguousarray(arcs), steps=steps
        )

    @property
    def log_total(self) -> float:
        """The logarithm of the total weight of all trees."""
        return float(self._chart.log_total())

    def ranked(self, most: int) -> list[ScoredTree]:
        """Return up to `most` trees, in order of decreasing score."""
        return [ScoredTree(head.tolist(), score) for _, head, score in self._chart.ranked(most)]

    def samples(self, number: int, stream: Stream) -> list[ScoredTree]:
        """Draw trees with probabilities proportional to weight^(1/temperature)."""
        drawn = self._chart.samples(number, stream, self._temperature)
        return [ScoredTree(head.tolist(), score) for _, head, score in drawn]

    def head_probabilities(self) -> Floats:
        """Return the probabilities of all arcs, indexed by [head, dependent]."""
        arcs: Floats = self._chart.arc_probabilities(self._temperature)
        return arcs.reshape(self._nodes, self._nodes)

    def least_risk(self) -> list[int]:
        """Return the heads of the tree with the highest expected number of correct arcs."""
        expected = self.head_probabilities()
        return ArcTrees(expected, single_root=self._single_root).ranked(1)[0].heads
