"""Observations in the form that the compiled core expects.

Data are either sequences, in which the context of an element consists of the elements before it, or
parallel lists of contexts and outcomes. Both forms are converted to a single array of ids and the
offsets of the sequences. A context and its outcome become a sequence in which only the last element
is observed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.pitman_yor.numbering import Ids, Numbering


class End:
    """The outcome that ends a sequence. `END` is the only instance of this class."""

    def __repr__(self) -> str:
        return "END"

    def __reduce__(self) -> str:
        return "END"


END = End()
"""The outcome after the last element of a sequence, if ends are predicted."""


@dataclass(frozen=True)
class Events:
    """Encoded observations, with the ids of all elements and the offset of each sequence."""

    elements: Ids
    offsets: NDArray[np.int64]
    last_only: bool
    num_context: int = 0
    """Number of elements at the start of every sequence that serve only as context."""

    @property
    def size(self) -> int:
        """The number of observed elements."""
        if self.last_only:
            return int(np.count_nonzero(np.diff(self.offsets)))
        return int(np.maximum(np.diff(self.offsets) - self.num_context, 0).sum())


def is_one_sequence(data: Any) -> bool:
    """Return whether the data are a single sequence."""
    return isinstance(data, str | bytes | bytearray) or (
        isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype != object
    )


def listed(data: Any) -> list[Any]:
    """Return the data as a list of sequences.

    A string, a `bytes` object or an array of numbers is treated as one sequence.
    """
    sequences = [data] if is_one_sequence(data) else list(data)
    for sequence in sequences:
        if not isinstance(sequence, Sequence | bytearray | np.ndarray):
            raise BistroError(
                f"expected a sequence, not {type(sequence).__name__}: give a list of sequences, or "
                "contexts and outcomes"
            )
    return sequences


def sequence_events(numbering: Numbering, sequences: list[Any], *, ends: bool) -> Events:
    """Return one event for every element, in the context of the elements before it."""
    parts = [numbering.encode_outcomes(sequence) for sequence in sequences]
    if ends:
        end = numbering.encode_outcomes([END])
        parts = [np.concatenate([part, end]) for part in parts]
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([part.size for part in parts], out=offsets[1:])
    whole = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
    return Events(whole.astype(np.int32, copy=False), offsets, last_only=False)


def context_events(
    numbering: Numbering, contexts: Iterable[Sequence[Hashable]], outcomes: Ids, *, add: bool
) -> Events:
    """Return one event for each pair of a context and an outcome.

    The nearest element of a context comes last.
    """
    if isinstance(contexts, np.ndarray) and contexts.ndim == 2 and contexts.dtype.kind in "iu":
        return _matrix_events(numbering, contexts, outcomes, add=add)
    rows = contexts if isinstance(contexts, list) else list(contexts)
    if len(rows) != outcomes.size:
        raise _uneven(len(rows), outcomes.size)
    # The outcome of a row follows its context.
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)) + 1, out=offsets[1:])
    elements = np.empty(int(offsets[-1]), dtype=np.int32)
    is_context = np.ones(elements.size, dtype=np.bool_)
    is_context[offsets[1:] - 1] = False
    elements[offsets[1:] - 1] = outcomes
    elements[is_context] = numbering.encode_elements(chain.from_iterable(rows), add=add)
    return Events(elements, offsets, last_only=True)


def _matrix_events(
    numbering: Numbering, contexts: NDArray[Any], outcomes: Ids, *, add: bool
) -> Events:
    """Return events whose contexts are the rows of an integer matrix."""
    rows, length = contexts.shape
    if rows != outcomes.size:
        raise _uneven(rows, outcomes.size)
    elements = np.empty((rows, length + 1), dtype=np.int32)
    elements[:, -1] = outcomes
    inside = numbering.is_identity and (
        not contexts.size or (contexts.min() >= 0 and contexts.max() < len(numbering))
    )
    if inside:
        elements[:, :-1] = contexts
    else:
        values, places = np.unique(contexts, return_inverse=True)
        numbers = numbering.encode_context(values.tolist(), add=add)
        elements[:, :-1] = np.array(numbers, dtype=np.int32)[places].reshape(rows, length)
    offsets = np.arange(rows + 1, dtype=np.int64) * (length + 1)
    return Events(elements.reshape(-1), offsets, last_only=True)


def _uneven(contexts: int, outcomes: int) -> BistroError:
    return BistroError(f"{contexts} contexts, but {outcomes} outcomes: one context for each")
