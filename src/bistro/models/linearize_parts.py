"""The parts of a mixture of word-order models: n-grams of dependents, and observed orders.

An n-gram of dependents takes dependents from the head outwards until a stop, each side by itself:

    p(order | head) = prod over sides, steps:  p(label or stop | side, head, n - 1 labels before)

Observed orders remember whole families. To what was seen they add `rest` times a base: one for each
order, under add-k, or the weight of an n-gram, under Pitman-Yor smoothing with one table an order:

    weight(order) = (c - d) / (C + theta) + (theta + d t) / (C + theta) * p_ngram(order | head)
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bistro._core import Frozen
from bistro.models.base import Arrays
from bistro.models.linearize_orders import (
    NgramOrders,
    Order,
    Orders,
    UniformOrders,
    UnigramOrders,
    draw,
    shuffled,
)
from bistro.models.linearize_trees import Labels
from bistro.rng import Stream

Numbers = NDArray[np.int32]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
SMALL = 7
"""Families of so many dependents are remembered; the tables of larger ones take much memory."""


class Steps(Protocol):
    """p(label or stop | context)."""

    def table(self, contexts: Numbers, outcomes: Numbers) -> Floats:
        """Return a row a context and a column an outcome."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved of it."""


class CountedSteps:
    """Add-k: (count + k) / (total + k outcomes), for every label of training, unseen, and stop."""

    def __init__(self, arrays: Arrays, outcomes: int, k: float) -> None:
        self._arrays = dict(arrays)
        self._outcomes = outcomes
        self._k = k
        contexts = map(tuple, arrays["contexts"].tolist())
        self._numbers = {context: i for i, context in enumerate(contexts)}
        self._totals = np.append(arrays["totals"], 0)
        self._pairs, self._counts = arrays["pairs"], arrays["counts"]

    @classmethod
    def count(cls, contexts: Numbers, outcomes: Numbers, size: int, k: float) -> CountedSteps:
        """Count events."""
        unique, inverse = np.unique(contexts, axis=0, return_inverse=True)
        inverse = inverse.reshape(-1)
        pairs, counts = np.unique(inverse * size + outcomes, return_counts=True)
        totals = np.bincount(inverse, minlength=len(unique))
        named = {"contexts": unique, "totals": totals, "pairs": pairs, "counts": counts}
        return cls(named, size, k)

    def table(self, contexts: Numbers, outcomes: Numbers) -> Floats:
        """Return smoothed shares."""
        missing = len(self._numbers)
        rows = np.array([self._numbers.get(tuple(c), missing) for c in contexts.tolist()])
        pairs = rows[:, None] * self._outcomes + outcomes
        places = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        counts = np.where(self._pairs[places] == pairs, self._counts[places], 0)
        below = self._totals[rows] + self._k * self._outcomes
        shares: Floats = (counts + self._k) / below[:, None]
        return shares

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the counts."""
        return self._arrays


class ProcessSteps:
    """A frozen Pitman-Yor process."""

    def __init__(self, arrays: Arrays, outcomes: int) -> None:
        self._arrays = dict(arrays)
        self._frozen = Frozen(**self._arrays, dishes=outcomes)

    def table(self, contexts: Numbers, outcomes: Numbers) -> Floats:
        """Return predictive probabilities."""
        rows = np.repeat(contexts, len(outcomes), axis=0)
        logs = self._frozen.log_probabilities(rows, np.tile(outcomes, len(contexts)))
        shares: Floats = np.exp(logs).reshape(len(contexts), len(outcomes))
        return shares

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the frozen form."""
        return self._arrays


def step_contexts(seen: Sequence[str], side: Numbers, head: Numbers, lasts: Numbers) -> Numbers:
    """Return rows of contexts; `lasts` holds the labels before, the nearest first."""
    nearest = lasts[:, :1]
    columns = {"side": side[:, None], "head": head[:, None], "last": nearest}
    rows = np.concatenate([*(columns[name] for name in seen), lasts[:, 1:]], axis=1)
    return np.ascontiguousarray(rows.astype(np.int32))


class Part(Protocol):
    """One model of the orders of a family."""

    labels: Labels

    def orders(self, head: int, labels: Sequence[int], counts: Integers) -> Orders:
        """Return all orders of types, given the label and the number of each."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved of it."""


class DependentNgram:
    """Dependents as two sequences from the head outwards."""

    def __init__(
        self,
        labels: Labels,
        order: int,
        steps: Steps,
        seen: Sequence[str],
        fallback: DependentNgram | None,
        most_cells: int,
    ) -> None:
        self.labels = labels
        self.order = order
        self._steps = steps
        self._seen = tuple(seen)
        self._fallback = fallback
        self._most_cells = most_cells
        self._known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], Orders] = {}

    def orders(self, head: int, labels: Sequence[int], counts: Integers) -> Orders:
        """Return all orders; those of small families are remembered."""
        if counts.sum() > SMALL:
            return self._orders(head, labels, counts)
        key = head, tuple(labels), tuple(counts.tolist())
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._orders(head, labels, counts)
        return known

    def _orders(self, head: int, labels: Sequence[int], counts: Integers) -> Orders:
        """Return all orders; those of the 1-gram, where the table would be too large."""
        order = min(self.order, int(counts.sum()) + 1)
        if self._fallback and NgramOrders.cells(counts, order) > self._most_cells:
            return self._fallback.orders(head, labels, counts)
        steps = self._step_table(head, labels, order)
        return (
            UnigramOrders(counts, steps) if self.order == 1 else NgramOrders(counts, steps, order)
        )

    def _step_table(self, head: int, labels: Sequence[int], order: int) -> Floats:
        """Return p(type or stop | side, the types before) for every context of the family."""
        kinds = len(labels)
        number = (kinds + 1) ** (order - 1)
        places = np.arange(number)[:, None] // (kinds + 1) ** np.arange(self.order - 1)
        names = np.array([self.labels.start, *labels], dtype=np.int32)
        lasts = names[places % (kinds + 1)]
        # The start stands before all dependents: what would be behind it is the start again.
        for column in range(1, lasts.shape[1]):
            begun = lasts[:, column - 1] == self.labels.start
            lasts[begun, column] = self.labels.start
        heads = np.full(2 * number, head, dtype=np.int32)
        sides = np.repeat(np.arange(2, dtype=np.int32), number)
        contexts = step_contexts(self._seen, sides, heads, np.tile(lasts, (2, 1)))
        outcomes = np.array([*labels, self.labels.stop], dtype=np.int32)
        return self._steps.table(contexts, outcomes).reshape(2, number, kinds + 1)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return those of the steps."""
        return self._steps.arrays()


class ObservedOrders:
    """Whole families as they were seen, and a base for all others."""

    def __init__(self, labels: Labels, arrays: Arrays, base: DependentNgram | None) -> None:
        self.labels = labels
        self._arrays = dict(arrays)
        self._base = base
        self._rests = arrays["rests"]
        self._seen: dict[tuple[int, tuple[int, ...]], dict[Order, float]] = {}
        shapes, flat = arrays["shapes"].tolist(), arrays["labels"].tolist()
        begin = 0
        for (head, left, right), mass in zip(shapes, arrays["masses"].tolist(), strict=True):
            middle, end = begin + left, begin + left + right
            order = tuple(flat[begin:middle]), tuple(flat[middle:end])
            bag = head, tuple(sorted(flat[begin:end]))
            self._seen.setdefault(bag, {})[order] = mass
            begin = end

    @classmethod
    def count(
        cls,
        labels: Labels,
        families: Mapping[tuple[int, Order], int],
        base: DependentNgram | None,
        rule: tuple[float, float],
    ) -> ObservedOrders:
        """Weigh what was seen: counts and k (add-k), or discounted with what is left (a base)."""
        totals: Counter[int] = Counter()
        kinds: Counter[int] = Counter()
        for (head, _), count in families.items():
            totals[head] += count
            kinds[head] += 1
        rests = np.full(len(labels.heads) + 1, 1.0)
        if base is None:
            masses = [float(count) for count in families.values()]
            rests[:] = rule[1]
        else:
            discount, strength = rule
            masses = [(c - discount) / (totals[h] + strength) for (h, _), c in families.items()]
            for head, total in totals.items():
                rests[head] = (strength + discount * kinds[head]) / (total + strength)
        shapes = [(head, len(left), len(right)) for head, (left, right) in families]
        flat = [label for _, (left, right) in families for label in left + right]
        arrays = {
            "shapes": np.array(shapes, dtype=np.int32).reshape(-1, 3),
            "labels": np.array(flat, dtype=np.int32),
            "masses": np.array(masses),
            "rests": rests,
        }
        return cls(labels, arrays, base)

    def orders(self, head: int, labels: Sequence[int], counts: Integers) -> Orders:
        """Return all orders."""
        bag = tuple(
            sorted(x for x, n in zip(labels, counts.tolist(), strict=True) for _ in range(n))
        )
        seen = self._seen.get((head, bag), {})
        base = self._base.orders(head, labels, counts) if self._base else UniformOrders(counts)
        return SeenOrders(labels, seen, float(self._rests[head]), base)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return orders, masses and rests."""
        return self._arrays


class SeenOrders(Orders):
    """Masses of some orders of labels, and a share of a base for all orders."""

    def __init__(
        self, labels: Sequence[int], seen: Mapping[Order, float], rest: float, base: Orders
    ) -> None:
        self.counts = base.counts
        self._labels = list(labels)
        self._seen = seen
        self._log_rest = math.log(rest)
        self._base = base
        of_labels: Counter[int] = Counter()
        for label, count in zip(labels, self.counts.tolist(), strict=True):
            of_labels[label] += count
        repeats = sum(math.lgamma(count + 1) for count in of_labels.values())
        # An order of labels is seen; so is every order of types that has these labels.
        ways = repeats - self.log_repeats
        mass = sum(seen.values())
        self._log_seen = math.log(mass) + ways if mass > 0 else -math.inf
        self.log_total = float(np.logaddexp(self._log_seen, self._log_rest + base.log_total))

    def log_weight(self, order: Order) -> float:
        """Return the log of the mass seen and the share of the base."""
        return self._log_sum(self._seen.get(self._labelled(order), 0.0), order)

    def _log_sum(self, mass: float, order: Order) -> float:
        rest = self._log_rest + self._base.log_weight(order)
        return float(np.logaddexp(math.log(mass), rest)) if mass > 0 else rest

    def _labelled(self, order: Order) -> Order:
        left, right = order
        return tuple(self._labels[t] for t in left), tuple(self._labels[t] for t in right)

    def ranked(self) -> Iterator[tuple[float, Order]]:
        """Merge what was seen with the others of the base."""
        seen = sorted(
            ((self._log_sum(m, o), o) for s, m in self._seen.items() for o in self._expanded(s)),
            reverse=True,
        )
        others = (
            (self._log_rest + weight, order)
            for weight, order in self._base.ranked()
            if self._labelled(order) not in self._seen
        )
        return heapq.merge(seen, others, key=lambda pair: -pair[0])

    def _expanded(self, order: Order) -> Iterator[Order]:
        """Yield the orders of types that have the labels of an order."""
        left, right = order

        def fill(slots: Sequence[int], used: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            if not slots:
                yield used
                return
            for kind, label in enumerate(self._labels):
                if label == slots[0] and used.count(kind) < self.counts[kind]:
                    yield from fill(slots[1:], (*used, kind))

        for types in fill(left + right, ()):
            yield types[: len(left)], types[len(left) :]

    def sample(self, stream: Stream) -> Order:
        """Draw from what was seen, or from the base."""
        if draw(np.array([self._log_seen, self._log_rest + self._base.log_total]), stream):
            return self._base.sample(stream)
        orders = list(self._seen)
        left, right = orders[draw(np.log(list(self._seen.values())), stream)]
        pools = {
            label: shuffled(
                [
                    t
                    for t, x in enumerate(self._labels)
                    if x == label
                    for _ in range(self.counts[t])
                ],
                stream,
            )
            for label in set(self._labels)
        }
        return tuple(pools[x].pop() for x in left), tuple(pools[x].pop() for x in right)
