"""The minimum-risk tree under mixed votes (Goodman 1996), and its expected accuracy.

The score of a tree is a sum over its constituents. Every constituent adds its probability minus a
fixed cost.

    argmax over trees of  Σ over constituents of  p(label, start, end) - cost

With cost = 1/2, a wrong constituent is as bad as a missing one. The score is maximised over all
trees for the sentence, including trees that no grammar generates. A span may have every label that
increases the score, and spans must not cross (`cpp/infinite/span_tree.hpp`). Each word receives its
most probable tag.

>>> from bistro.treebank.brackets import format_tree, parse_tree
>>> from bistro.models.span_votes import SpanVotes, mixed
>>> texts = ["(TOP (S (A a) (X (B b) (C c))))", "(TOP (S (A a) (B b) (C c)))"]
>>> trees = [parse_tree(text) for text in texts]
>>> votes = mixed([SpanVotes.of_trees([tree]) for tree in trees], [0.6, 0.4])
>>> found = least_risk(votes, [["a", "b", "c"]], cost=0.5, ranks={"S": 1, "X": 0})[0]
>>> format_tree(found.tree), round(found.expected_f1, 3)
('(TOP (S (A a) (X (B b) (C c))))', 0.889)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bistro._core import least_risk_spans
from bistro.inference.mixture_weights import mixture_weights
from bistro.models.span_votes import Floats, Name, Row, SpanVotes, VoteTable
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import ROOT

CERTAIN = 1e-6
"""Probabilities are clipped to at least this value, and to at most 1 minus this value, before their
logarithms are taken."""
Ranks = Mapping[str, float]


class Risked(NamedTuple):
    """The minimum-risk tree of a sentence."""

    tree: Tree
    expected_f1: float
    """The expected F1 score. It is twice the expected number of correct constituents, divided by
    the number of constituents in the tree plus the expected number of constituents in the correct
    tree. Punctuation is included."""


def ranks_of(trees: Iterable[Tree]) -> dict[str, float]:
    """Return how often each label is the parent in unary rules, minus how often it is the child.

    >>> from bistro.treebank.brackets import parse_tree
    >>> ranks_of([parse_tree("(TOP (S (VP (VB go))))")])
    {'TOP': 1.0, 'S': 0.0, 'VP': -1.0}
    """
    ranks = Counter[str]()
    for tree in trees:
        for node in tree.nodes():
            if len(node.children) == 1 and node.children[0].word is None:
                ranks[node.label] += 1
                ranks[node.children[0].label] -= 1
    return {label: float(rank) for label, rank in ranks.items()}


def least_risk(
    votes: SpanVotes,
    sentences: Sequence[Sequence[str]],
    *,
    cost: float,
    ranks: Ranks,
    threads: int = 1,
) -> list[Risked]:
    """Return the minimum-risk tree of every sentence.

    Parameters
    ----------
    votes
        Probabilities of labelled spans and tags.
    sentences
        The words.
    cost
        Minimum probability of a constituent that is worth including; 0.5 minimises the expected
        number of wrong and missing constituents.
    ranks
        The order of labels over the same words, the lowest innermost.
    threads
        Number of threads, which does not change the result.
    """
    gains = ~votes.is_tag & (votes.probability > cost)
    lengths = np.array([len(words) for words in sentences], dtype=np.int32)
    keys = np.stack([votes.sentence[gains], votes.start[gains], votes.end[gains]])
    spans, place = np.unique(keys, axis=1, return_inverse=True)
    place = place.reshape(-1)
    worth = np.bincount(place, votes.probability[gains] - cost, minlength=spans.shape[1])
    in_tree = least_risk_spans(
        lengths=lengths,
        offsets=np.searchsorted(spans[0], np.arange(lengths.size + 1)).astype(np.int64),
        start=np.ascontiguousarray(spans[1], dtype=np.int32),
        end=np.ascontiguousarray(spans[2], dtype=np.int32),
        gain=worth.astype(np.float64),  # an empty array would have integer type
        threads=threads,
    )
    taken = np.zeros(gains.size, dtype=bool)
    taken[gains] = in_tree[place] > 0
    return [
        _risked(list(votes.rows(i)), own.tolist(), votes.names, words, ranks)
        for i, (words, own) in enumerate(
            zip(sentences, np.split(taken, votes.begin[1:-1]), strict=True)
        )
    ]


def _risked(
    rows: Sequence[Row],
    taken: Sequence[bool],
    names: Sequence[Name],
    words: Sequence[str],
    ranks: Ranks,
) -> Risked:
    """Build the tree from the selected rows, and return it with its expected F1 score."""
    tags = ["" for _ in words]
    highest = [0.0 for _ in words]
    phrases: list[tuple[int, int, str]] = []
    right = possible = 0.0
    for row, is_taken in zip(rows, taken, strict=True):
        name = names[row.name]
        if name.is_tag:
            if row.probability > highest[row.start]:
                tags[row.start], highest[row.start] = name.label, row.probability
            continue
        possible += row.probability
        if is_taken:
            right += row.probability
            phrases.append((row.start, row.end, name.label))
    size = len(phrases) + possible
    # Outer phrases come first; phrases over the same words are sorted by their usual order.
    phrases.sort(key=lambda one: (one[0], -one[1], -ranks.get(one[2], 0.0), one[2]))
    return Risked(nested(phrases, words, tags), 2 * right / size if size else 1.0)


def nested(
    phrases: Sequence[tuple[int, int, str]], words: Sequence[str], tags: Sequence[str]
) -> Tree:
    """Build a tree from phrases (start, end, label) in pre-order.

    >>> from bistro.treebank.brackets import format_tree
    >>> format_tree(nested([(0, 2, "S"), (1, 2, "VP")], ["it", "rains"], ["PRP", "VBZ"]))
    '(TOP (S (PRP it) (VP (VBZ rains))))'
    """
    root = Tree(ROOT)
    waiting = list(reversed(phrases))
    inside = [(root, len(words))]
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        while inside[-1][1] <= place:
            inside.pop()
        while waiting and waiting[-1][0] == place:
            _, end, label = waiting.pop()
            node = Tree(label)
            inside[-1][0].children.append(node)
            inside.append((node, end))
        inside[-1][0].children.append(Tree(tag, word=word))
    return root


def log_prob(votes: SpanVotes, sentence: int, tree: Tree) -> float:
    """Return the log-probability of a tree, treating its constituents as independent.

    Σ over constituents of the tree of log p + Σ over other possible ones of log(1 - p)
        + Σ over words of log p(tag)
    """
    own = SpanVotes.of_trees([tree])
    missing = {(own.names[row.name], row.start, row.end) for row in own.rows(0)}
    total = 0.0
    for row in votes.rows(sentence):
        key = (votes.names[row.name], row.start, row.end)
        p = min(max(row.probability, CERTAIN), 1 - CERTAIN)
        if key in missing:
            missing.remove(key)
            total += math.log(p)
        elif not key[0].is_tag:
            total += math.log1p(-p)
    return total + len(missing) * math.log(CERTAIN)


def likely_weights(votes: Sequence[SpanVotes], golds: Sequence[Tree]) -> Floats:
    """Return the parser weights that maximise the probability of the correct trees.

    Every labelled span that occurs in the votes or in the correct tree is a binary event: the
    correct tree either contains the span or does not.
    """
    gold = SpanVotes.of_trees(golds)
    table = VoteTable.of([*votes, gold])
    is_phrase = np.array([not name.is_tag for name in table.names], dtype=bool)[table.name]
    probabilities = np.clip(table.probability[:-1, is_phrase], CERTAIN, 1 - CERTAIN)
    return mixture_weights(
        np.where(table.probability[-1, is_phrase] > 0, probabilities, 1 - probabilities)
    )
