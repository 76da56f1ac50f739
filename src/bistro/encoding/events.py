"""Training events for Pitman-Yor models; each event is an outcome in a context.

>>> events = Events(np.array([[3, 1], [2, 1]], np.int32), np.array([5, 6], np.int32))
>>> events.sorted().contexts.tolist()
[[2, 1], [3, 1]]
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.vocabulary import Vocabulary


@dataclass(frozen=True)
class Events:
    """Training events, each of which is an outcome in a context.

    The first element of each context is the most informative.
    """

    contexts: NDArray[np.int32]
    outcomes: NDArray[np.int32]

    def __len__(self) -> int:
        return self.outcomes.size

    @property
    def levels(self) -> int:
        """The number of elements in every context."""
        return int(self.contexts.shape[1])

    def sorted(self) -> Events:
        """Return the events sorted by their contexts.

        The customers of a restaurant are exchangeable, so any order is correct. In sorted order,
        neighbouring events share their restaurants, and a sweep accesses memory sequentially
        instead of randomly.
        """
        order = np.lexsort((self.outcomes, *self.contexts.T[::-1]))
        return Events(
            np.ascontiguousarray(self.contexts[order]), np.ascontiguousarray(self.outcomes[order])
        )

    def digest(self) -> str:
        """Return a SHA-256 hash of all contexts and outcomes."""
        shape = np.array(self.contexts.shape, dtype=np.int64)
        parts = (shape, np.ascontiguousarray(self.contexts), self.outcomes)
        return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def text_events(texts: Sequence[Sequence[str]], vocabulary: Vocabulary, order: int) -> Events:
    """Return an event for each word and each sentence end.

    The context of an event consists of the last `order - 1` words.
    """
    ids, offsets = vocabulary.encode_all(texts)
    return padded_events(ids, offsets, order, start=vocabulary.start, end=vocabulary.end)


def padded_events(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], order: int, *, start: int, end: int
) -> Events:
    """Return an event for each id and each sequence end.

    The context of an event consists of the last `order - 1` ids.
    """
    pad = order - 1
    lengths = np.diff(offsets)
    begins = np.concatenate(([0], np.cumsum(lengths + pad + 1)))[:-1]
    sequence = np.full(int((lengths + pad + 1).sum()), start, dtype=np.int32)
    sentence = np.repeat(np.arange(lengths.size), lengths)
    sequence[begins[sentence] + pad + np.arange(ids.size) - offsets[sentence]] = ids
    sequence[begins + pad + lengths] = end
    targets = np.ones(sequence.size, dtype=np.bool_)
    targets[(begins[:, None] + np.arange(pad)).ravel()] = False
    places = np.flatnonzero(targets)
    return Events(sequence[places[:, None] - 1 - np.arange(pad)], sequence[places])
