"""The trace of a training run, stored compactly: one row of named numbers per sweep.

One dictionary per sweep would take several kilobytes, mostly for floats, and would be the main
cause of growing memory use in long runs. Rows with the same names share one layout, and all numbers
are in one array.

>>> trace = Trace([{"sweep": 1, "log_likelihood": -2.5, "customers": [3.0, 4.0]}])
>>> trace.append({"sweep": 2, "log_likelihood": -2.0, "customers": [3.0, 5.0]})
>>> len(trace), trace.rows()[1]
(2, {'sweep': 2, 'log_likelihood': -2.0, 'customers': [3.0, 5.0]})
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

LARGEST_INTEGER = 2**53
"""Integers up to this number are represented exactly by floats."""
Layout = tuple[tuple[str, tuple[type, ...] | type], ...]
"""The names in a row, each with the type of its number or the types of the numbers in its list."""


class Trace:
    """The rows of a trace. Every appended number is returned with the same value and type."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self._layouts: dict[Layout, int] = {}
        self._layout_of_row = array("q")
        self._numbers = array("d")
        self._other_rows: dict[int, Mapping[str, Any]] = {}
        """Rows that contain values other than numbers and lists of numbers, by index."""
        for row in rows:
            self.append(row)

    def __len__(self) -> int:
        return len(self._layout_of_row)

    def append(self, row: Mapping[str, Any]) -> None:
        """Append the values of a sweep."""
        if not isinstance(row, Mapping):
            raise TypeError("a row of a trace must be a mapping")
        numbers = list(_numbers(row.values()))
        layout: Layout = ()
        if all(map(_is_exact, numbers)):
            layout = tuple((name, _type_of(value)) for name, value in row.items())
            self._numbers.extend(numbers)
        else:
            self._other_rows[len(self)] = row
        self._layout_of_row.append(self._layouts.setdefault(layout, len(self._layouts)))

    def rows(self) -> list[dict[str, Any]]:
        """Return all rows as dictionaries, which JSON can store."""
        layouts = list(self._layouts)
        numbers = iter(self._numbers)
        return [
            dict(self._other_rows[index])
            if index in self._other_rows
            else {name: _value(types, numbers) for name, types in layouts[layout]}
            for index, layout in enumerate(self._layout_of_row)
        ]


def _numbers(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield from value if isinstance(value, list) else (value,)


def _is_exact(number: Any) -> bool:
    """Return whether a value is a number that an array of floats stores without loss."""
    if type(number) is int:
        return abs(number) <= LARGEST_INTEGER
    return isinstance(number, float)


def _type_of(value: Any) -> tuple[type, ...] | type:
    if isinstance(value, list):
        return tuple(map(_number_type, value))
    return _number_type(value)


def _number_type(number: Any) -> type:
    return int if type(number) is int else float


def _value(types: tuple[type, ...] | type, numbers: Iterator[float]) -> Any:
    if isinstance(types, tuple):
        return [one(next(numbers)) for one in types]
    return types(next(numbers))
