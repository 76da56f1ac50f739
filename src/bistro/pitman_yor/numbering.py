"""Ids for hashable outcomes and for the elements of their contexts.

The compiled core uses only integers. The ids of outcomes start at 0 and have a fixed order. The ids
of context elements that are not outcomes start at 2^30.

>>> numbering = Numbering("abc")
>>> numbering.outcomes, numbering.encode_outcomes("cab").tolist()
(('a', 'b', 'c'), [2, 0, 1])
>>> numbering.encode_context(("a", "noun"), add=True) == [0, FIRST_FEATURE]
True
>>> numbering.encode_context(("b", "verb"), add=False) == [1, UNSEEN]
True
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError

Ids = NDArray[np.int32]
FIRST_FEATURE = 2**30
UNSEEN = 2**31 - 1
"""The id shared by all unseen context elements. A context is cut off before the first unseen
element."""


class _Elements(dict[Hashable, int]):
    """A dictionary that maps context elements to ids.

    An unknown element gets the next id if `add` is true, and `UNSEEN` otherwise.
    """

    def __init__(self, numbers: dict[Hashable, int], *, add: bool) -> None:
        super().__init__(numbers)
        self.features: list[Hashable] = []
        self.add = add

    def __missing__(self, element: Hashable) -> int:
        if not self.add:
            return UNSEEN
        number = self[element] = FIRST_FEATURE + len(self.features)
        self.features.append(element)
        return number


class Numbering:
    """The ids of a process's outcomes, and of the other elements of its contexts."""

    def __init__(self, outcomes: Iterable[Hashable]) -> None:
        self._all = list(outcomes)
        self._numbers = {outcome: number for number, outcome in enumerate(self._all)}
        if len(self._numbers) != len(self._all):
            raise BistroError("outcomes must be distinct, but one outcome is given twice")
        self._elements = _Elements(self._numbers, add=False)
        # Whole numbers from 0 on represent themselves: arrays of them need no dictionary.
        self.is_identity = all(type(x) is int and x == i for i, x in enumerate(self._all))

    def __len__(self) -> int:
        return len(self._all)

    def __contains__(self, outcome: Hashable) -> bool:
        return outcome in self._numbers

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """All outcomes, in the order of their ids."""
        return tuple(self._all)

    @property
    def features(self) -> list[Any]:
        """Elements that occur only in contexts, in the order of their ids."""
        return list(self._elements.features)

    def outcome(self, number: int) -> Any:
        """Return the outcome with a given id."""
        return self._all[number]

    def number(self, outcome: Hashable) -> int | None:
        """Return the id of an outcome, or None if there is no such outcome."""
        return self._numbers.get(outcome)

    def append(self, outcome: Hashable) -> int:
        """Number one more outcome."""
        number = self._numbers[outcome] = self._elements[outcome] = len(self._all)
        self._all.append(outcome)
        self.is_identity = False
        return number

    def add_features(self, features: Iterable[Hashable]) -> None:
        """Assign ids to context elements that are not outcomes."""
        self.encode_elements(features, add=True)

    def encode_outcomes(self, outcomes: Iterable[Hashable]) -> Ids:
        """Return the ids of outcomes. Raise an error for an unknown outcome."""
        if self.is_identity and isinstance(outcomes, bytes | bytearray | np.ndarray):
            return self._checked(outcomes)
        if isinstance(outcomes, np.ndarray):
            outcomes = outcomes.tolist()
        try:
            return np.fromiter(map(self._numbers.__getitem__, outcomes), dtype=np.int32)
        except KeyError as error:
            raise BistroError(
                f"{error.args[0]!r} is not among the {len(self)} outcomes of the process"
            ) from None
        except TypeError:
            raise BistroError(
                "an outcome must be hashable: give a tuple instead of a list, for example"
            ) from None

    def _checked(self, outcomes: bytes | bytearray | NDArray[Any]) -> Ids:
        if not isinstance(outcomes, np.ndarray):
            ids = np.frombuffer(outcomes, dtype=np.uint8).astype(np.int32)
        elif outcomes.dtype.kind not in "iu":
            raise BistroError(
                f"outcomes must be whole numbers, but the array has the type {outcomes.dtype}"
            )
        else:
            ids = np.ascontiguousarray(outcomes, dtype=np.int32)
        if ids.size and (ids.min() < 0 or ids.max() >= len(self)):
            wrong = ids[(ids < 0) | (ids >= len(self))][0]
            raise BistroError(f"{wrong} is not among the {len(self)} outcomes of the process")
        return ids

    def encode_context(self, context: Iterable[Hashable], *, add: bool) -> list[int]:
        """Return the ids of a context's elements.

        If `add` is true, new elements get ids.
        """
        numbers: list[int] = self.encode_elements(context, add=add).tolist()
        return numbers

    def encode_elements(self, elements: Iterable[Hashable], *, add: bool) -> Ids:
        """Return the ids of context elements as an array."""
        self._elements.add = add
        try:
            return np.fromiter(map(self._elements.__getitem__, elements), dtype=np.int32)
        except TypeError:
            raise BistroError("an element of a context must be hashable") from None
