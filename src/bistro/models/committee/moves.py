"""Crossing arcs in a committee's trees. A word is moved if the votes for a crossing arc prevail.

The members find only projective trees, in which labels encode crossing arcs. A vote for (h, d↑x)
means that the word depends, with label d, on a descendant t of h whose own label is x. Such a vote
is rarely the most probable one, because the member must predict x in addition to d. Some word
patterns have a crossing arc more often than not (`bistro.models.committee.crossing`), but members
do not use these patterns.

A vote for a crossing arc is multiplied by `weight` times the square root of the odds that its
pattern has a crossing arc, but always by at least 1. A vote for (h, d↑y), with a label y other
than x, also counts for t, but is multiplied by OTHER_NOTES. A word is moved if the votes for a
crossing arc outweigh the votes for its current head in the tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bistro.models.committee.crossing import LEAST_SHARE, Crossing, Tree
from bistro.models.committee.mixture import Mixture
from bistro.models.results.parses import Analysis
from bistro.treebank.projectivity import LIFTED

LEAST_VOTE = 0.01
"""Minimum total probability of all votes for crossing arcs with the same word and the same head. If
the total is lower, these votes are ignored."""
OTHER_NOTES = 0.3
MOST_SHARE = 0.99


def with_crossing_arcs(
    analysis: Analysis,
    mixture: Mixture,
    number: int,
    forms: Sequence[str],
    crossing: Crossing,
    weight: float,
) -> Analysis:
    """Return the tree after moving the words for which the votes for a crossing arc prevail."""
    votes = _Votes.of(mixture, number)
    tree = Tree(analysis.heads, analysis.labels, analysis.tags)
    lifted = votes.lifted(tree, forms, crossing, weight)
    heads, labels = list(analysis.heads), list(analysis.labels)

    def total(word: int, head: int) -> float:
        arc = lifted.get((word, head))
        return votes.of_head(word, head) + (arc.count if arc else 0.0)

    def margin(word: int, target: int) -> float:
        return total(word, target) - total(word, heads[word - 1])

    for word, target in sorted(lifted, key=lambda arc: (-margin(*arc), arc)):
        is_new = heads[word - 1] != target
        if is_new and margin(word, target) > 0 and not _is_above(word, target, heads):
            heads[word - 1], labels[word - 1] = target, lifted[word, target].label
    return replace(analysis, heads=heads, labels=labels)


def with_lifted_votes(mixture: Mixture) -> list[bool]:
    """Return, for each sentence, whether a vote for a crossing arc could prevail."""
    arcs = mixture.arcs
    likely = mixture.symbols.is_lifted[mixture.code.label(arcs.what)] & (
        arcs.probability >= LEAST_VOTE
    )
    words = np.zeros(len(arcs) + 1, dtype=np.int64)
    np.cumsum(np.bincount(arcs.row[likely], minlength=len(arcs)), out=words[1:])
    has_votes: list[bool] = (np.diff(words[mixture.offsets]) > 0).tolist()
    return has_votes


def _is_above(word: int, other: int, heads: Sequence[int]) -> bool:
    """Return whether a word is an ancestor of another word, or is the same word."""
    while other and other != word:
        other = heads[other - 1]
    return other == word


@dataclass
class _Arc:
    """The weighted votes for one crossing arc."""

    label: str
    count: float = 0.0


@dataclass(frozen=True)
class _Votes:
    """The votes on one sentence."""

    mixture: Mixture
    span: slice
    """The words of the sentence."""

    @classmethod
    def of(cls, mixture: Mixture, number: int) -> _Votes:
        return cls(mixture, mixture.span(number))

    def row(self, word: int) -> list[tuple[int, str, float]]:
        """Return the votes on a word as tuples (head, label, probability)."""
        arcs, code = self.mixture.arcs, self.mixture.code
        names = self.mixture.symbols.labels
        begin, end = arcs.begin[self.span.start + word - 1 : self.span.start + word + 1].tolist()
        what = arcs.what[begin:end]
        heads, labels = code.head(what).tolist(), code.label(what).tolist()
        probabilities = arcs.probability[begin:end].tolist()
        return [
            (head, names[label] if label >= 0 else "", p)
            for head, label, p in zip(heads, labels, probabilities, strict=True)
        ]

    def noted(self) -> list[int]:
        """Return the words that have at least one vote for a crossing arc."""
        mixture, first = self.mixture, self.span.start
        begin = mixture.arcs.begin[first : self.span.stop + 1]
        what = mixture.arcs.what[int(begin[0]) : int(begin[-1])]
        places = np.flatnonzero(mixture.symbols.is_lifted[mixture.code.label(what)]) + begin[0]
        words: list[int] = np.unique(np.searchsorted(begin, places, side="right")).tolist()
        return words

    def of_head(self, word: int, head: int) -> float:
        """Return the probability that a word is attached to a head.

        Votes for a crossing arc from a word below this head are not counted.
        """
        return sum(p for h, la, p in self.row(word) if h == head and LIFTED not in la)

    def lifted(
        self, tree: Tree, forms: Sequence[str], crossing: Crossing, weight: float
    ) -> dict[tuple[int, int], _Arc]:
        """Return the weighted votes for crossing arcs, keyed by word and new head."""
        arcs: dict[tuple[int, int], _Arc] = {}
        for word in self.noted():
            for head, notes in _notes(self.row(word)).items():
                for target, pattern in crossing.candidates(tree, word, head):
                    share = crossing.share(
                        pattern, forms[target - 1].lower(), forms[word - 1].lower()
                    )
                    if share >= LEAST_SHARE:
                        label, votes = _for_target(notes, tree.labels[target - 1])
                        arc = arcs.setdefault((word, target), _Arc(label))
                        arc.count += votes * _times(share, weight)
        return arcs


def _notes(row: Sequence[tuple[int, str, float]]) -> dict[int, list[tuple[float, str, str]]]:
    """Return likely votes for crossing arcs, keyed by head.

    A vote is a tuple (probability, label, label of t).
    """
    votes: dict[int, list[tuple[float, str, str]]] = {}
    for head, noted, probability in row:
        label, arrow, below = noted.partition(LIFTED)
        if arrow:
            votes.setdefault(head, []).append((probability, label, below))
    return {head: notes for head, notes in votes.items() if sum(p for p, *_ in notes) >= LEAST_VOTE}


def _for_target(notes: Sequence[tuple[float, str, str]], target_label: str) -> tuple[str, float]:
    """Return the likeliest label of a crossing arc from a target, and the votes for the arc."""
    exact = [(p, label) for p, label, below in notes if below == target_label]
    others = [(p, label) for p, label, below in notes if below != target_label]
    votes = sum(p for p, _ in exact) + OTHER_NOTES * sum(p for p, _ in others)
    return max(exact or others)[1], votes


def _times(share: float, weight: float) -> float:
    """Return the factor for a vote, given the proportion of crossing arcs in its pattern."""
    share = min(share, MOST_SHARE)
    return max(1.0, weight * math.sqrt(share / (1 - share)))
