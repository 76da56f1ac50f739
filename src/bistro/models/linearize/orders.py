"""The orders of one family: their total weight, the best orders, and samples.

Indistinguishable dependents share a *type*. An order is a pair of type sequences, left and right of
the head, from the head outwards. A model assigns a weight to every order. The weight of an order,
divided by the sum of all weights (Z), is its probability. For n-grams with stop symbols, Z is
computed by a recursion over multisets (Algorithm 1 of Futrell & Gibson 2015). The C++ core computes
this recursion, starting with the smallest multiset.

    R(r, c) = [r empty] p_R(stop | c) + sum_i p_R(i | c) R(r - i, c i)
    L(r, c) = p_L(stop | c) R(r, start) + sum_i p_L(i | c) L(r - i, c i),    Z = L(all, start)

An order of types represents prod_t m_t! equally probable orders of words.

>>> half = np.full((2, 1, 3), 1 / 3)                  # two sides, no context, two types and a stop
>>> orders = NgramOrders(np.array([1, 1]), half, 1)
>>> round(math.exp(orders.log_total) * 3**4)          # all 6 orders weigh the same
6
"""

from __future__ import annotations

import heapq
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bistro._core import order_table, pause
from bistro.models.linearize.permutations import (
    Side,
    draw,
    expand,
    log_repeats,
    random_permutations,
    shuffled,
)
from bistro.rng import Stream
from bistro.sums import added

Order = tuple[Side, Side]
"""The types on the left and on the right of the head, from the head outwards."""
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Table = tuple[Floats, Floats]
"""Cells, shape (sides, remaining multisets, contexts), and the logarithms of their scale
factors, shape (sides, remaining multisets)."""
LEFT, RIGHT = 0, 1
HEAD = -1
"""Placeholder for the head when the head is shuffled with its dependents."""
EQUAL = 9
"""Number of decimal places to which log-weights are rounded for comparison. Further digits depend
on the order of summation."""
Unfinished = tuple[int, tuple[int, ...], int, float, Order]
"""A partial order: the current side, the counts of the remaining types, the context, the log-weight
so far, and the order so far."""


class Orders(ABC):
    """All orders of a multiset of dependent types, with their weights."""

    counts: Integers
    """Number of dependents of each type."""
    log_total: float
    """Logarithm of the total weight of all orders."""

    @abstractmethod
    def log_weight(self, order: Order) -> float:
        """Return the log-weight of an order."""

    @abstractmethod
    def ranked(self, stream: Stream) -> Iterator[tuple[float, Order]]:
        """Yield all orders, sorted by decreasing log-weight, with ties in random order."""

    @abstractmethod
    def sample(self, stream: Stream) -> Order:
        """Draw an order with a probability proportional to its weight."""

    @cached_property
    def log_repeats(self) -> float:
        """Logarithm of the number of word orders for each order of types."""
        return log_repeats(self.counts.tolist())

    def log_prob(self, order: Order) -> float:
        """Return the log-probability of one word order with this order of types."""
        return self.log_weight(order) - self.log_total - self.log_repeats


class UniformOrders(Orders):
    """Orders that all have weight 1."""

    def __init__(self, counts: Integers) -> None:
        self.counts = counts
        self.log_total = math.lgamma(int(counts.sum()) + 2) - self.log_repeats

    def log_weight(self, order: Order) -> float:
        """Return log 1."""
        return 0.0

    def ranked(self, stream: Stream) -> Iterator[tuple[float, Order]]:
        """Yield all orders in a random sequence.

        A fixed sequence would look like a preference for some orders.
        """
        for mixed in random_permutations([*expand(self.counts), HEAD], stream):
            yield 0.0, _around_head(mixed)

    def sample(self, stream: Stream) -> Order:
        """Draw an order by shuffling the dependents and the head."""
        return _around_head(shuffled([*expand(self.counts), HEAD], stream))


class SequenceOrders(Orders):
    """Orders whose weight is a product of step probabilities.

    A step generates a dependent or a stop symbol, given a context.
    """

    def __init__(self, counts: Integers, steps: Floats, order: int) -> None:
        """Set the step probabilities, shape (sides, contexts, types + 1).

        The last type is the stop.
        """
        self.counts = counts
        self.size = len(counts)
        self.contexts: int = (self.size + 1) ** (order - 1)
        with np.errstate(divide="ignore"):
            self.log_steps = np.log(steps)

    def next_context(self, context: int, kind: int) -> int:
        """Return the index of the context that follows a dependent of this type.

        Context 0 is the start of a side.
        """
        return (context * (self.size + 1) + kind + 1) % self.contexts

    def log_weight(self, order: Order) -> float:
        """Return the sum of the log-probabilities of all steps."""
        total = 0.0
        for side, types in enumerate(order):
            steps, context = self.log_steps[side], 0
            for kind in types:
                total += float(steps[context, kind])
                context = self.next_context(context, kind)
            total += float(steps[context, self.size])
        return total


class UnigramOrders(SequenceOrders):
    """Orders under Eisner's model C.

    Only the side of each dependent matters, and Z has a closed form.

    Equation 3: p_L(stop) p_R(stop) sum over partitions |l|! |r|! prod p_L prod p_R; the sum over
    partitions with a dependents on the left is a coefficient of prod_w (p_L(w) x + p_R(w)).
    """

    def __init__(self, counts: Integers, steps: Floats) -> None:
        super().__init__(counts, steps, 1)
        self._words = expand(counts)
        size = len(self._words)
        with np.errstate(invalid="ignore"):
            self._sides = np.full((size + 1, size + 1), -np.inf)
            self._sides[0, 0] = 0.0
            for i, kind in enumerate(self._words):
                left, right = self.log_steps[:, 0, kind]
                self._sides[i + 1, 1:] = self._sides[i, :-1] + left
                self._sides[i + 1] = np.logaddexp(self._sides[i + 1], self._sides[i] + right)
        lgamma = np.array([math.lgamma(i + 1) for i in range(size + 1)])
        self._by_left = self._sides[size] + lgamma + lgamma[::-1]
        stops = float(self.log_steps[:, 0, self.size].sum())
        self.log_total = float(np.logaddexp.reduce(self._by_left)) + stops - self.log_repeats

    def ranked(self, stream: Stream) -> Iterator[tuple[float, Order]]:
        """Yield all orders, sorted by decreasing weight.

        The weight depends only on which dependents are on each side.

        The search starts with every dependent on its more probable side. Dependents are then moved
        to the other side, starting with the moves that reduce the weight least. Types are moved in
        a fixed sequence, so that each division into two sides occurs once.
        """
        left, right = self.log_steps[LEFT, 0, : self.size], self.log_steps[RIGHT, 0, : self.size]
        stops = float(self.log_steps[:, 0, self.size].sum())
        best = stops + added(max(left[t], right[t]) for t in self._words)
        costs = np.abs(left - right)
        is_left = left > right
        for t in np.flatnonzero(left == right).tolist():
            is_left[t] = stream.below(2) == LEFT
        waiting = [(0.0, (0,) * self.size)]
        while waiting:
            cost, moved = heapq.heappop(waiting)
            here = np.where(is_left, self.counts - moved, np.array(moved))
            for one in random_permutations(expand(here), stream):
                for other in random_permutations(expand(self.counts - here), stream):
                    yield best - cost, (one, other)
            last = max((t for t, n in enumerate(moved) if n), default=0)
            for t in range(last, self.size):
                if moved[t] < self.counts[t] and costs[t] < math.inf:
                    further = (*moved[:t], moved[t] + 1, *moved[t + 1 :])
                    heapq.heappush(waiting, (cost + float(costs[t]), further))

    def sample(self, stream: Stream) -> Order:
        """Draw the number of left dependents, choose these dependents, and shuffle each side."""
        on_left = draw(self._by_left, stream)
        left: list[int] = []
        right: list[int] = []
        for i in range(len(self._words) - 1, -1, -1):
            kind = self._words[i]
            both = np.array([-np.inf, self._sides[i, on_left] + self.log_steps[RIGHT, 0, kind]])
            if on_left:
                both[0] = self._sides[i, on_left - 1] + self.log_steps[LEFT, 0, kind]
            if draw(both, stream) == LEFT:
                left.append(kind)
                on_left -= 1
            else:
                right.append(kind)
        return tuple(shuffled(left, stream)), tuple(shuffled(right, stream))


class NgramOrders(SequenceOrders):
    """Orders under an n-gram model of dependents, with tables over all multisets and contexts."""

    def __init__(self, counts: Integers, steps: Floats, order: int) -> None:
        super().__init__(counts, steps, order)
        self._radix = np.concatenate(([1], np.cumprod(counts + 1)))[:-1]
        self._steps = steps
        self._sums = self._table(maximise=False)
        self.log_total = _log_cell(self._sums, LEFT, self._row(counts), 0)

    @staticmethod
    def cells(counts: Integers, order: int) -> int:
        """Return the number of table cells for a family with these counts."""
        contexts: int = (len(counts) + 1) ** (order - 1)
        return math.prod(int(c) + 1 for c in counts) * contexts

    def _table(self, *, maximise: bool) -> Table:
        """Return the table of sums (or maxima) over all completions of a partial order."""
        steps = np.ascontiguousarray(self._steps, dtype=np.float64).reshape(-1)
        cells, scales = order_table(self.counts, steps, self.contexts, maximise=maximise)
        return cells.reshape(2, -1, self.contexts), scales.reshape(2, -1)

    @cached_property
    def _best(self) -> Table:
        return self._table(maximise=True)

    def _row(self, rest: Integers | tuple[int, ...]) -> int:
        """Return the index of a multiset in the table."""
        return int(self._radix @ rest)

    def ranked(self, stream: Stream) -> Iterator[tuple[float, Order]]:
        """Yield all orders, sorted by decreasing weight, using A* with exact completion weights."""
        ticket = itertools.count()
        all_types = tuple(self.counts.tolist())
        start: Unfinished = (LEFT, all_types, 0, 0.0, ((), ()))
        # Among ties, the longest and then the latest comes first, so that the search stays narrow.
        waiting = [(-self.best_rest(LEFT, all_types, 0), 0, -next(ticket), start)]
        while waiting:
            pause()
            _, depth, _, (side, rest, context, weight, order) = heapq.heappop(waiting)
            if side > RIGHT:
                yield weight, order
                continue
            for bound, step in self._bounded(side, rest, context, weight, order, stream):
                heapq.heappush(waiting, (-bound, depth - 1, -next(ticket), step))

    def _bounded(
        self,
        side: int,
        rest: tuple[int, ...],
        context: int,
        weight: float,
        order: Order,
        stream: Stream,
    ) -> list[tuple[float, Unfinished]]:
        """Return the possible next steps, each with the log-weight of its best completion."""
        steps = [
            (round(bound, EQUAL), step)
            for step in self._steps_from(side, rest, context, weight, order)
            if (bound := step[3] + self._best_after(step)) > -math.inf
        ]
        is_tied = len({bound for bound, _ in steps}) < len(steps)
        return shuffled(steps, stream) if is_tied else steps

    def _best_after(self, step: Unfinished) -> float:
        side, rest, context = step[:3]
        return 0.0 if side > RIGHT else self.best_rest(side, rest, context)

    def _steps_from(
        self, side: int, rest: tuple[int, ...], context: int, weight: float, order: Order
    ) -> Iterator[Unfinished]:
        steps = self.log_steps[side, context]
        if side == LEFT or not any(rest):
            yield side + 1, rest, 0, weight + float(steps[self.size]), order
        for kind, count in enumerate(rest):
            if count:
                left, right = order
                longer = ((*left, kind), right) if side == LEFT else (left, (*right, kind))
                fewer = (*rest[:kind], count - 1, *rest[kind + 1 :])
                after = weight + float(steps[kind])
                yield side, fewer, self.next_context(context, kind), after, longer

    def best_rest(self, side: int, rest: tuple[int, ...], context: int) -> float:
        """Return the log-weight of the best completion of a partial order."""
        return _log_cell(self._best, side, self._row(rest), context)

    def sample(self, stream: Stream) -> Order:
        """Draw an order step by step.

        The probability of a step is proportional to its weight times the sum over its completions.
        """
        rest, sides = self.counts.copy(), []
        for side in (LEFT, RIGHT):
            types: list[int] = []
            context = 0
            while (kind := draw(self._choices(side, rest, context), stream)) != self.size:
                types.append(kind)
                rest[kind] -= 1
                context = self.next_context(context, kind)
            sides.append(tuple(types))
        return sides[0], sides[1]

    def _choices(self, side: int, rest: Integers, context: int) -> Floats:
        """Return the log of the total weight of all completions for each possible next step."""
        row = self._row(rest)
        choices = np.full(self.size + 1, -np.inf)
        for kind in np.flatnonzero(rest).tolist():
            follows = self.next_context(context, kind)
            choices[kind] = _log_cell(self._sums, side, row - int(self._radix[kind]), follows)
        if side == LEFT:
            choices[self.size] = _log_cell(self._sums, RIGHT, row, 0)
        elif row == 0:
            choices[self.size] = 0.0
        choices += self.log_steps[side, context]
        return choices


def _log_cell(table: Table, side: int, row: int, context: int) -> float:
    cells, scales = table
    value = float(cells[side, row, context])
    return math.log(value) + float(scales[side, row]) if value > 0 else -math.inf


def _around_head(mixed: Sequence[int]) -> Order:
    """Split a sequence at the head, and return the two sides from the head outwards."""
    place = mixed.index(HEAD)
    return tuple(reversed(mixed[:place])), tuple(mixed[place + 1 :])
