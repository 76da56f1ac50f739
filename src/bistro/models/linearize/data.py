"""The training data for word-order models, as arrays of the families in a treebank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from bistro.encoding.events import Events, padded_events
from bistro.models.linearize.config import Labelling
from bistro.models.linearize.orders import Order
from bistro.models.linearize.steps import step_contexts
from bistro.models.linearize.trees import Labels, UnorderedTree


class TreebankFamilies:
    """The families of all trees in a treebank. Words are numbered from 0 across all sentences."""

    def __init__(self, trees: Sequence[UnorderedTree], *, leaves: bool) -> None:
        """Collect the families. Words without dependents are included if `leaves` is true."""
        self._trees = trees
        by_tree = [tree.families + tree.leaves if leaves else tree.families for tree in trees]
        families = [family for of_tree in by_tree for family in of_tree]
        before = np.cumsum([-1, *(len(tree.heads) for tree in trees)])[:-1]
        before = np.repeat(before, [len(of_tree) for of_tree in by_tree])
        sides = [len(side) for _, left, right in families for side in (left, right)]
        self.lengths = np.array(sides, dtype=np.int64)
        """For each head, the number of left dependents, followed by the number of right
        dependents."""
        self.heads = [family.head for family in families] + before
        words = [word for _, left, right in families for word in left + right]
        sizes = self.lengths[::2] + self.lengths[1::2]
        self.dependents = np.array(words, dtype=np.int64) + np.repeat(before, sizes)

    def names(self, words: Sequence[int], columns: Sequence[str]) -> list[str]:
        """Return the values of the given columns for the given words."""
        texts = [text for tree in self._trees for text in tree.names(columns)]
        return [texts[word] for word in words]


class LabelledFamilies:
    """All families, with their labels under one labelling.

    The dependents on each side are listed from the head outwards.
    """

    def __init__(self, labelling: Labelling, families: TreebankFamilies) -> None:
        heads = families.names(families.heads.tolist(), labelling.head)
        dependents = families.names(families.dependents.tolist(), labelling.dependent)
        self.labels = Labels(labelling, sorted(set(heads)), sorted(set(dependents)))
        self._heads = np.array(self.labels.of_heads(heads), dtype=np.int32)
        self._ids = np.array(self.labels.of_dependents(dependents), dtype=np.int32)
        self._lengths = families.lengths

    @cached_property
    def observed(self) -> Counter[tuple[int, Order]]:
        """How often each order of dependents occurs with each head label."""
        ids, ends = self._ids.tolist(), np.cumsum(self._lengths).tolist()
        begins, middles, ends = [0, *ends[1:-1:2]], ends[::2], ends[1::2]
        return Counter(
            (head, (tuple(ids[begin:middle]), tuple(ids[middle:end])))
            for head, begin, middle, end in zip(
                self._heads.tolist(), begins, middles, ends, strict=True
            )
            if begin < end
        )

    def events(self, order: int, seen: Sequence[str]) -> Events:
        """Return the training events of an n-gram model of dependents."""
        offsets = np.concatenate(([0], np.cumsum(self._lengths)))
        labels = self.labels
        sequences = padded_events(self._ids, offsets, order, start=labels.start, end=labels.stop)
        steps = self._lengths + 1
        head = np.repeat(np.repeat(self._heads, 2), steps)
        side = np.repeat(np.arange(len(self._lengths), dtype=np.int32) % 2, steps)
        contexts = step_contexts(seen, side, head, sequences.contexts)
        return Events(contexts, sequences.outcomes)
