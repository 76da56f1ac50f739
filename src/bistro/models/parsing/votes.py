"""The predictions of committee members for many words, and the mixture of these predictions.

For every word, a member predicts a distribution over labelled heads and a distribution over tags.
The distributions for a batch of words are ragged rows, in which word i has the entries
``begin[i]:begin[i+1]``. The rows of several members are mixed entry by entry.

    p(x) = Σ_m w_m p_m(x)

A power makes the mixture sharper or flatter: p'(x) = p(x)^γ / Σ_y p(y)^γ.

>>> word = np.array([0, 2])
>>> first, second = (Rows(word, word, np.array([p, 1 - p])) for p in (0.5, 1.0))
>>> both = mixed([first, second], [0.5, 0.5])
>>> both.what.tolist(), both.probability.tolist()
([0, 2], [0.75, 0.25])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """A distribution over entries (heads, labels or tags) for each word, sorted by entry."""

    begin: Ints
    what: Ints
    probability: Floats

    def __len__(self) -> int:
        return self.begin.size - 1

    @property
    def row(self) -> Ints:
        """Index of the word to which each entry belongs."""
        return np.repeat(np.arange(len(self)), np.diff(self.begin))

    def reordered(self, order: Ints) -> Rows:
        """Reorder the rows. Row i of the result is row ``order[i]`` of the original."""
        lengths = np.diff(self.begin)[order]
        begin = np.concatenate(([0], np.cumsum(lengths)))
        entries = np.repeat(self.begin[:-1][order] - begin[:-1], lengths) + np.arange(begin[-1])
        return Rows(begin, self.what[entries], self.probability[entries])

    def spread(self, places: NDArray[np.bool_]) -> Rows:
        """Place the rows at the positions where a mask is true. All other rows are empty."""
        lengths = np.zeros(places.size, dtype=np.int64)
        lengths[places] = np.diff(self.begin)
        return Rows(np.concatenate(([0], np.cumsum(lengths))), self.what, self.probability)

    def renamed(self, what: Ints) -> Rows:
        """Return the rows with new entries and the same probabilities.

        A row may then contain the same entry several times.
        """
        return Rows(self.begin, what, self.probability)

    def mapped(self, what: Ints) -> Rows:
        """Return the rows with new entries. The probabilities of equal entries are added up."""
        return gathered(self.row, what, self.probability, len(self))

    def probability_of(self, wanted: Ints) -> Floats:
        """Return the probability of one given entry per word, or 0 if it is not listed."""
        row = self.row
        is_wanted = self.what == wanted[row]
        sums = np.bincount(row[is_wanted], self.probability[is_wanted], minlength=len(self))
        return sums.astype(np.float64)

    def likeliest(self) -> Ints:
        """Return the most probable entry of each word, or -1 for a word without entries."""
        best = np.full(len(self), -1)
        filled = np.flatnonzero(np.diff(self.begin))
        highest = np.maximum.reduceat(self.probability, self.begin[filled])
        is_highest = self.probability == np.repeat(highest, np.diff(self.begin)[filled])
        # Among equal entries, the first one is written last and therefore kept.
        places = np.flatnonzero(is_highest)[::-1]
        best[self.row[places]] = self.what[places]
        return best

    def among(self, mask: NDArray[np.bool_]) -> Rows:
        """Return rows that contain only the selected entries."""
        kept = np.concatenate(([0], np.cumsum(mask)))
        return Rows(kept[self.begin], self.what[mask], self.probability[mask])

    def sharpened(self, power: float) -> Rows:
        """Raise the probabilities to a power and rescale each row to its original sum."""
        if power == 1:
            return self
        row, raised = self.row, self.probability**power
        before = np.bincount(row, self.probability, minlength=len(self))
        after = np.bincount(row, raised, minlength=len(self))
        return Rows(self.begin, self.what, raised * (before / np.where(after > 0, after, 1))[row])

    def listed(self, first: int, last: int) -> list[list[tuple[int, float]]]:
        """Return a range of rows as lists of (entry, probability), most probable entry first."""
        rows = []
        for a, b in zip(
            self.begin[first:last].tolist(), self.begin[first + 1 : last + 1].tolist(), strict=True
        ):
            pairs = zip(self.what[a:b].tolist(), self.probability[a:b].tolist(), strict=True)
            rows.append(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))
        return rows


@dataclass(frozen=True)
class ArcCode:
    """An encoding of a head and a label as one integer.

    The label -1 represents the part of a head's probability that is not assigned to any label.
    """

    num_labels: int

    def join(self, head: Ints, label: Ints) -> Ints:
        """Return the integers that encode the given heads and labels."""
        return head * (self.num_labels + 1) + label + 1

    def head(self, arc: Ints) -> Ints:
        """Return the heads of encoded arcs."""
        return arc // (self.num_labels + 1)

    def label(self, arc: Ints) -> Ints:
        """Return the labels of encoded arcs."""
        return arc % (self.num_labels + 1) - 1


@dataclass(frozen=True)
class Votes:
    """The predictions of one model for all words in a batch of sentences, in written order."""

    arcs: Rows
    """The probabilities of labelled heads, encoded with an `ArcCode` for the model's labels."""
    tags: Rows
    relaxed: NDArray[np.bool_]
    """For each sentence, whether the given heads are ignored because no tree is consistent with
    them."""


def gathered(row: Ints, what: Ints, probability: Floats, num_rows: int) -> Rows:
    """Group entries into rows, and add up the probabilities of equal entries."""
    span = int(what.max(initial=0)) + 1
    key = row * span + what
    if not (key[1:] >= key[:-1]).all():
        # The keys usually consist of a few sorted runs, which a stable sort merges quickly.
        order = np.argsort(key, kind="stable")
        key, probability = key[order], probability[order]
    first = np.flatnonzero(np.concatenate((key[:1] == key[:1], key[1:] != key[:-1])))
    sums = np.add.reduceat(probability, first) if first.size else probability
    key = key[first]
    return Rows(np.searchsorted(key, np.arange(num_rows + 1) * span), key % span, sums)


def mixed(members: Sequence[Rows], weights: Sequence[float | Floats]) -> Rows:
    """Return the weighted mixture of several members' rows.

    A weight is a scalar or one value per row.
    """
    rows = [member.row for member in members]
    parts = [
        member.probability * (weight[row] if isinstance(weight, np.ndarray) else weight)
        for member, row, weight in zip(members, rows, weights, strict=True)
    ]
    what = np.concatenate([member.what for member in members])
    return gathered(np.concatenate(rows), what, np.concatenate(parts), len(members[0]))
