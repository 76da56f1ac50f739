"""Symbols and histories of the latent-variable parser in plain Python (see `reference.isbn`)."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LEFT_ARC, RIGHT_ARC, REDUCE, SHIFT, START = range(5)
NO_STATE = -1
RELATIONS = ("input", "stack", "s1.rc", "s1.lc", "b.lc", "s1.head", "s1.front")


@dataclass(frozen=True)
class TwinSymbols:
    """The numbers of symbols in the model, and lists that relate the symbols to each other."""

    words: int
    tags: int
    labels: int
    components: int
    tag_of: list[int]
    components_of: list[list[int]]
    words_of: list[list[int]]
    """For each cluster, the words that are separate outcomes."""
    counts_of: list[dict[int, float]]
    """For each cluster, the counts of words that are not separate outcomes."""
    frequency: list[float]
    root_labels: list[int]
    single_root: bool
    coarse_of: list[int]
    """The coarse tag of each cluster."""
    lemma_of: list[int]
    """The default lemma of each word, for sentences without lemmas."""
    coarse_tags: int
    lemmas: int

    def share(self, cluster: int, word: int) -> float:
        """Return the probability of a word among the words that are not separate outcomes."""
        listed, counts = self.words_of[cluster], self.counts_of[cluster]
        others = [w for w in range(self.words) if w not in listed]
        frequency = sum(self.frequency[w] for w in others)
        types = max(1, len(counts))
        weights = {w: counts.get(w, 0) + types * self.frequency[w] / frequency for w in others}
        return weights[word] / sum(weights.values())

    @property
    def sizes(self) -> list[int]:
        """Return the number of outcomes in each group of decisions."""
        bundles = [max(1, self.tag_of.count(tag)) for tag in range(self.tags)]
        listed = [len(own) + (len(own) < self.words) for own in self.words_of]
        labels = [self.labels, self.labels, len(self.root_labels)]
        return [4, *labels, self.tags + 1, *bundles, *listed]


@dataclass
class History:
    """The history of a partial derivation."""

    clusters: dict[int, int] = field(default_factory=dict)
    stack: list[int] = field(default_factory=list)
    front: int = 0
    heads: dict[int, int] = field(default_factory=dict)
    labels: dict[int, int] = field(default_factory=dict)
    last_action: int = START
    ended: bool = False
    states: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    """The stack and the front of the queue in every state."""
    decided: list[tuple[int, int]] = field(default_factory=list)
    """The action chosen in every state so far, and the label of the arc it adds (0 if it adds
    none)."""
    potentials: list[Floats] = field(default_factory=list)
    """The potentials of every state, updated by the decisions made so far."""

    @property
    def top(self) -> int:
        """The word on top of the stack, or 0 if the stack is empty."""
        return self.stack[-1] if self.stack else 0

    def copy(self) -> History:
        """Return a copy of the history that can be continued independently."""
        return History(**{name: copy(value) for name, value in vars(self).items()})

    def children(self, word: int) -> list[int]:
        """Return the children that a word has so far, from left to right."""
        return sorted(child for child, head in self.heads.items() if head == word and word > 0)

    def outermost(self, word: int, side: int) -> int:
        """Return the outermost left (-1) or right (1) child of a word, or 0 if there is none."""
        own = [child for child in self.children(word) if (child - word) * side > 0]
        return (own[0] if side < 0 else own[-1]) if own else 0

    def last_state(self, wanted: Any) -> int:
        """Return the index of the last state for which `wanted(stack, front)` is true."""
        for number in reversed(range(len(self.states))):
            if wanted(*self.states[number]):
                return number
        return NO_STATE

    def links(self) -> list[int]:
        """Return the states that the next state depends on, one per relation in the paper."""
        stack, front, top = tuple(self.stack), self.front, self.top

        def on_top(word: int) -> int:
            return self.last_state(lambda s, f: bool(word) and s[-1:] == (word,))

        return [
            self.last_state(lambda s, f: f == front),
            self.last_state(lambda s, f: s == stack),
            on_top(self.outermost(top, 1)),
            on_top(self.outermost(top, -1)),
            on_top(self.outermost(front, -1)),
            on_top(self.heads.get(top, 0)),
            self.last_state(lambda s, f: top > 0 and f == top),
        ]

    def possible(self) -> list[int]:
        """Return the actions that are possible in the current state."""
        if not self.front or not self.stack or self.front in self.heads:
            return [SHIFT]
        return sorted([SHIFT, RIGHT_ARC, REDUCE if self.top in self.heads else LEFT_ARC])

    def roots(self) -> list[int]:
        """Return the words that become roots if the sentence ends at the next shift."""
        return [word for word in (*self.stack, self.front) if word not in self.heads]

    def arc(self, action: int, label: int) -> None:
        """Add an arc between the top of the stack and the front of the queue."""
        dependent, head = (self.top, self.front) if action == LEFT_ARC else (self.front, self.top)
        self.heads[dependent] = head
        self.labels[dependent] = label
        if action == LEFT_ARC:
            self.stack.pop()
        self.last_action = action
        self.decided.append((action, label))

    def reduce(self) -> None:
        """Pop the top of the stack.

        The reduction counts as a decision unless the sentence has ended.
        """
        self.stack.pop()
        if not self.ended:
            self.decided.append((REDUCE, 0))
        self.last_action = REDUCE

    def shift(self, cluster: int | None) -> None:
        """Push the front word. Move to the next word, or to the end if `cluster` is None."""
        if self.front:
            self.stack.append(self.front)
        self.front += 1
        self.decided.append((SHIFT, 0))
        self.ended = cluster is None
        if cluster is not None:
            self.clusters[self.front] = cluster
        self.last_action = SHIFT
