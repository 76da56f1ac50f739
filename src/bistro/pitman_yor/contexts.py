"""Arrange the elements of contexts in the order in which they are dropped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bistro.errors import ConfigError, nearest

OLDEST, NEWEST = "oldest", "newest"


class Arranged:
    """Reorder the elements of contexts for the core, which drops elements from the front.

    >>> Arranged(2, "oldest").one("abc"), Arranged(3, (1, 0, 2)).one("abc")
    (['b', 'c'], ['b', 'a', 'c'])
    """

    def __init__(self, depth: int | None, backoff: str | Sequence[int]) -> None:
        self._depth = depth
        self._positions: list[int] | None = None
        if isinstance(backoff, str):
            if backoff not in (OLDEST, NEWEST):
                hint = nearest(backoff, (OLDEST, NEWEST))
                raise ConfigError(
                    f"backoff = {backoff!r} is not valid{hint}: give 'oldest', 'newest' or a list "
                    "of positions"
                )
        elif depth is None or sorted(backoff) != list(range(depth)):
            raise ConfigError(
                f"backoff is {backoff!r}, but must list each position of a fixed-depth context "
                "exactly once"
            )
        else:
            self._positions = list(backoff)
        self._reverse = backoff == NEWEST

    def one(self, context: Any) -> list[Any]:
        """Return the relevant elements of a context, in the order in which they are dropped.

        A context that is not a sequence counts as one element.
        """
        if isinstance(context, np.ndarray):
            elements: list[Any] = context.tolist()
        else:
            elements = list(context) if isinstance(context, Sequence) else [context]
        if self._positions is not None:
            if len(elements) != len(self._positions):
                raise ConfigError(
                    f"a context has {len(elements)} elements, but with backoff by position every "
                    f"context must have {len(self._positions)} elements"
                )
            return [elements[position] for position in self._positions]
        if self._depth is not None:
            # The elements beyond the depth are dropped first.
            elements = elements[: self._depth] if self._reverse else self._last(elements)
        return elements[::-1] if self._reverse else elements

    def all(self, contexts: Any) -> Iterable[list[Any]] | np.ndarray[Any, Any]:
        """Arrange many contexts. A matrix remains a matrix."""
        if not (isinstance(contexts, np.ndarray) and contexts.ndim == 2):
            return self._rows(contexts)
        if self._positions is not None and contexts.shape[1] == len(self._positions):
            return contexts[:, self._positions]
        if self._positions is not None or self._reverse:
            return [self.one(context) for context in contexts]
        if self._depth is None:
            return contexts
        return contexts[:, max(0, contexts.shape[1] - self._depth) :]

    def _rows(self, contexts: Iterable[Any]) -> list[Any]:
        rows = list(contexts)
        is_plain = self._positions is None and not self._reverse
        if not is_plain or not all(isinstance(row, tuple | str | list) for row in rows):
            return [self.one(row) for row in rows]
        if self._depth is None:
            return rows
        # Nearly all rows need no change, and there may be millions of them.
        depth = self._depth
        return [row if len(row) <= depth else row[len(row) - depth :] for row in rows]

    def check_sequences(self) -> None:
        """Raise an error unless `backoff` is "oldest", as required for sequences."""
        if self._reverse or self._positions is not None:
            raise ConfigError(
                "sequences need backoff = 'oldest': change backoff, or give contexts and outcomes"
            )

    def _last(self, elements: list[Any]) -> list[Any]:
        assert self._depth is not None
        return elements[max(0, len(elements) - self._depth) :]
