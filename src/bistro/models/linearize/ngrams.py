"""N-grams of dependents, as parts of a mixture of word-order models.

An n-gram model of dependents generates the dependents on each side of the head separately, from the
head outwards, until it generates a stop symbol.

    p(order | head) = prod over sides, steps:  p(label or stop | side, head, n - 1 labels before)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bistro.models.linearize.orders import NgramOrders, Orders, UnigramOrders
from bistro.models.linearize.steps import Steps, step_contexts
from bistro.models.linearize.trees import Labels

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
SMALL = 1200
"""Maximum number of cells in a cached table. A cell takes 32 bytes."""
MOST_REMEMBERED = 500
"""Maximum number of cached tables. Without a limit, the cache of a server would keep growing."""


class Part(Protocol):
    """A part of the mixture that assigns weights to the orders of a family."""

    def orders(self, head: int, labels: Sequence[int], counts: Integers) -> Orders:
        """Return all orders of a family, given the label and the count of each dependent type."""


@dataclass(eq=False)
class DependentNgram:
    """An n-gram model of the dependents on each side, from the head outwards."""

    labels: Labels
    order: int
    steps: Steps
    seen: Sequence[str]
    fallback: DependentNgram | None
    """The 1-gram model, which is used for families whose table would have more than `most_cells`
    cells."""
    most_cells: int

    def __post_init__(self) -> None:
        self._remembered = lru_cache(maxsize=MOST_REMEMBERED)(self._orders_of_key)

    def orders(self, head: int, labels: Sequence[int], counts: Integers) -> Orders:
        """Return all orders of a family. The orders of small families are cached."""
        if NgramOrders.cells(counts, self.order) > SMALL:
            return self._orders(head, labels, counts)
        return self._remembered(head, tuple(labels), tuple(counts.tolist()))

    def _orders_of_key(self, head: int, labels: tuple[int, ...], counts: tuple[int, ...]) -> Orders:
        return self._orders(head, labels, np.array(counts, dtype=np.int64))

    def _orders(self, head: int, labels: Sequence[int], counts: Integers) -> Orders:
        """Return all orders of a family, using the 1-gram model if the table would be too large."""
        order = min(self.order, int(counts.sum()) + 1)
        if self.fallback and NgramOrders.cells(counts, order) > self.most_cells:
            return self.fallback.orders(head, labels, counts)
        steps = self._step_table(head, labels, order)
        is_unigram = self.order == 1
        return UnigramOrders(counts, steps) if is_unigram else NgramOrders(counts, steps, order)

    def _step_table(self, head: int, labels: Sequence[int], order: int) -> Floats:
        """Return p(type or stop | side, the types before) for every context of the family."""
        kinds = len(labels)
        number = (kinds + 1) ** (order - 1)
        places = np.arange(number)[:, None] // (kinds + 1) ** np.arange(self.order - 1)
        names = np.array([self.labels.start, *labels], dtype=np.int32)
        lasts = names[places % (kinds + 1)]
        # Before the start symbol, the context contains only further start symbols.
        for column in range(1, lasts.shape[1]):
            begun = lasts[:, column - 1] == self.labels.start
            lasts[begun, column] = self.labels.start
        heads = np.full(2 * number, head, dtype=np.int32)
        sides = np.repeat(np.arange(2, dtype=np.int32), number)
        contexts = step_contexts(self.seen, sides, heads, np.tile(lasts, (2, 1)))
        outcomes = np.array([*labels, self.labels.stop], dtype=np.int32)
        return self.steps.table(contexts, outcomes).reshape(2, number, kinds + 1)
