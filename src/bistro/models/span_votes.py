"""Votes of constituency parsers: the probabilities of labelled spans and of tags.

A row contains a label, the span of words from `start` (inclusive) to `end` (exclusive), and the
probability that the tree of the sentence contains this constituent. The tag of a word has a
separate row.

>>> from bistro.treebank.brackets import parse_tree
>>> votes = SpanVotes.of_trees([parse_tree("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sleeps))))")])
>>> [(str(votes.names[r.name]), r.start, r.end, r.probability) for r in votes.rows(0)][:3]
[('S', 0, 3, 1.0), ('NP', 0, 2, 1.0), ('DT', 0, 1, 1.0)]
>>> mixed([votes, votes], [0.5, 0.5]).probability.tolist() == votes.probability.tolist()
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bistro.treebank.brackets import Tree

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Name(NamedTuple):
    """The label of a phrase, or the tag of a word."""

    label: str
    is_tag: bool = False

    def __str__(self) -> str:
        return self.label


class Row(NamedTuple):
    """One labelled span of one sentence."""

    name: int
    start: int
    end: int
    probability: float


@dataclass(frozen=True, eq=False)
class SpanVotes:
    """Labelled spans of several sentences, with their probabilities."""

    names: tuple[Name, ...]
    begin: Ints
    """Index of the first row of each sentence, followed by the total number of rows."""
    name: Ints
    start: Ints
    end: Ints
    probability: Floats
    has_tree: NDArray[np.bool_]
    """Whether each sentence has a tree. A sentence for which no tree was found has no rows."""
    accepted: Floats
    """For each sentence, the share of the proposed trees that the sampler accepted."""

    def __len__(self) -> int:
        return self.has_tree.size

    @property
    def sentence(self) -> Ints:
        """Index of the sentence to which each row belongs."""
        return np.repeat(np.arange(len(self)), np.diff(self.begin))

    @property
    def is_tag(self) -> NDArray[np.bool_]:
        """Whether each row describes the tag of a word."""
        return np.array([name.is_tag for name in self.names], dtype=bool)[self.name]

    def rows(self, sentence: int) -> Iterator[Row]:
        """Yield the rows of one sentence."""
        part = slice(*self.begin[sentence : sentence + 2].tolist())
        columns = (self.name, self.start, self.end, self.probability)
        yield from map(Row, *(column[part].tolist() for column in columns))

    def renamed(self, numbers: dict[Name, int]) -> Ints:
        """Return the value in `numbers` for the name of each row, or -1 if the name is missing."""
        new = np.array([numbers.get(name, -1) for name in self.names], dtype=np.int64)
        return new[self.name] if self.name.size else self.name

    @classmethod
    def of_trees(cls, trees: Sequence[Tree]) -> Self:
        """Create votes with probability 1 for the tags and all constituents except the roots."""
        numbers: dict[Name, int] = {}
        columns: list[tuple[int, int, int]] = []
        begin = [0]
        for tree in trees:
            columns += [
                (numbers.setdefault(name, len(numbers)), start, end)
                for name, start, end in _constituents(tree)
            ]
            begin.append(len(columns))
        name, start, end = np.array(columns, dtype=np.int64).reshape(-1, 3).T
        size, ones = len(trees), np.ones(len(trees))
        certain = np.ones(name.size)
        has_tree = np.ones(size, dtype=bool)
        return cls(tuple(numbers), np.array(begin), name, start, end, certain, has_tree, ones)


def _constituents(tree: Tree) -> Iterator[tuple[Name, int, int]]:
    """Yield each labelled span below the root once, parents first."""
    widths: dict[int, int] = {}
    for node in reversed(list(tree.nodes())):
        own = sum(widths[id(child)] for child in node.children)
        widths[id(node)] = 1 if node.word is not None else own
    seen: set[tuple[Name, int, int]] = set()
    waiting = [(tree, 0)]
    while waiting:
        node, start = waiting.pop()
        row = (Name(node.label, node.word is not None), start, start + widths[id(node)])
        if node is not tree and row not in seen:
            seen.add(row)
            yield row
        below = []
        for child in node.children:
            below.append((child, start))
            start += widths[id(child)]
        waiting += reversed(below)


def common_names(votes: Sequence[SpanVotes]) -> tuple[Name, ...]:
    """Return the labels and tags of several parsers, without duplicates."""
    return tuple(dict.fromkeys(name for one in votes for name in one.names))


def mixed(votes: Sequence[SpanVotes], weights: Sequence[float]) -> SpanVotes:
    """Return the weighted mean of votes on the same sentences.

    Parsers that found no tree for a sentence are ignored for that sentence.

    Parameters
    ----------
    votes
        The votes of each parser.
    weights
        The weight of each parser; for each sentence, weights of parsers with a tree sum to 1.
    """
    table = VoteTable.of(votes)
    shares = np.array(weights)[:, None] * np.stack([one.has_tree for one in votes])
    total = shares.sum(axis=0)
    shares /= np.where(total > 0, total, 1.0)
    probability = (shares[:, table.sentence] * table.probability).sum(axis=0)
    accepted = (shares * np.stack([one.accepted for one in votes])).sum(axis=0)
    return table.votes(probability, total > 0, accepted)


@dataclass(frozen=True, eq=False)
class VoteTable:
    """The labelled spans that any of several parsers found, with their probabilities."""

    names: tuple[Name, ...]
    begin: Ints
    sentence: Ints
    name: Ints
    start: Ints
    end: Ints
    probability: Floats
    """Probability of each row under each parser, shape (parsers, rows)."""

    @classmethod
    def of(cls, votes: Sequence[SpanVotes]) -> Self:
        """Collect the rows of all parsers, sorted by sentence, span and name."""
        names = common_names(votes)
        numbers = {name: number for number, name in enumerate(names)}
        columns = [
            np.stack([one.sentence, one.start, one.end, one.renamed(numbers)]) for one in votes
        ]
        rows, place = np.unique(np.concatenate(columns, axis=1), axis=1, return_inverse=True)
        table = np.zeros((len(votes), rows.shape[1]))
        parser = np.repeat(np.arange(len(votes)), [one.name.size for one in votes])
        probabilities: Any = np.concatenate([one.probability for one in votes])
        np.add.at(table, (parser, place.reshape(-1)), probabilities)
        sentence, start, end, name = rows
        begin = np.searchsorted(sentence, np.arange(len(votes[0]) + 1))
        return cls(names, begin, sentence, name, start, end, np.minimum(table, 1.0))

    def votes(
        self, probability: Floats, has_tree: NDArray[np.bool_], accepted: Floats
    ) -> SpanVotes:
        """Return votes that consist of these rows with the given probabilities."""
        columns = (self.name, self.start, self.end)
        return SpanVotes(self.names, self.begin, *columns, probability, has_tree, accepted)
