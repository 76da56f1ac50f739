"""Observed orders of whole families, with a base distribution for unseen orders.

With add-k smoothing, the base weight is 1 for each word order. With Pitman-Yor smoothing and one
table per order, the base weight is the order's probability under an n-gram model of dependents.

    weight(order) = (c - d) / (C + theta) + (theta + d t) / (C + theta) * p_ngram(order | head)

Here C is the number of families with this head label, c of which have this order, and t is the
number of different orders that were seen.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.modelfile import Arrays
from bistro.models.checks import Expected, check_arrays
from bistro.models.linearize.ngrams import DependentNgram
from bistro.models.linearize.orders import EQUAL, Order, Orders, UniformOrders
from bistro.models.linearize.permutations import draw, expand, log_repeats, shuffled
from bistro.rng import Stream
from bistro.sums import added

Integers = NDArray[np.int64]


class ObservedOrders:
    """The orders of whole families seen in training, with a base distribution for unseen orders."""

    def __init__(self, arrays: Arrays, base: DependentNgram | None, num_heads: int) -> None:
        check_arrays(
            arrays,
            {
                "rests": Expected("f", (num_heads,), 1e-300, 1e12),
                "masses": Expected("f", (len(arrays["shapes"]),), 0, 1e12),
                "shapes": Expected("i", (None, 3), 0, len(arrays["labels"])),
                "labels": Expected("i", (None,), 0),
            },
        )
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

    def orders(self, head: int, labels: Sequence[int], counts: Integers) -> Orders:
        """Return all orders of a family, given the label and the count of each dependent type."""
        bag = Counter(np.repeat(labels, counts).tolist())
        seen = self._seen.get((head, tuple(sorted(bag.elements()))), {})
        base = self._base.orders(head, labels, counts) if self._base else UniformOrders(counts)
        repeats = log_repeats(bag.values())
        # k is added to every order of words, and an order of labels comprises several of these.
        log_rest = math.log(self._rests[head]) + (0.0 if self._base else repeats)
        # If an order of labels was seen, so was every order of types with these labels.
        return SeenOrders(labels, seen, repeats - base.log_repeats, log_rest, base)


def counted_orders(
    families: Mapping[tuple[int, Order], int], heads: int, k: float
) -> dict[str, NDArray[Any]]:
    """Return arrays for add-k smoothing of observed orders.

    `heads` is the number of head labels.
    """
    return _arrays(families, list(families.values()), [k] * (heads + 1))


def discounted_orders(
    families: Mapping[tuple[int, Order], int], heads: int, discount: float, strength: float
) -> dict[str, NDArray[Any]]:
    """Return arrays for Pitman-Yor smoothing of observed orders, with one table per order."""
    totals: Counter[int] = Counter()
    tables: Counter[int] = Counter()
    for (head, _), count in families.items():
        totals[head] += count
        tables[head] += 1
    masses = [(c - discount) / (totals[h] + strength) for (h, _), c in families.items()]
    rests = [(strength + discount * tables[h]) / (totals[h] + strength) for h in range(heads + 1)]
    return _arrays(families, masses, rests)


def _arrays(
    families: Iterable[tuple[int, Order]], masses: Sequence[float], rests: Sequence[float]
) -> dict[str, NDArray[Any]]:
    shapes = [(head, len(left), len(right)) for head, (left, right) in families]
    flat = [label for _, (left, right) in families for label in left + right]
    return {
        "shapes": np.array(shapes, dtype=np.int32).reshape(-1, 3),
        "labels": np.array(flat, dtype=np.int32),
        "masses": np.array(masses, dtype=np.float64),
        "rests": np.array(rests, dtype=np.float64),
    }


class SeenOrders(Orders):
    """Orders weighted by the observed mass of their labels plus a share of a base distribution."""

    def __init__(
        self,
        labels: Sequence[int],
        seen: Mapping[Order, float],
        log_ways: float,
        log_rest: float,
        base: Orders,
    ) -> None:
        """Set the labels and masses. `log_ways` is the log of the number of type orders per label
        order."""
        self.counts = base.counts
        self._labels = list(labels)
        self._seen = seen
        self._log_rest = log_rest
        self._base = base
        mass = added(seen.values())
        self._log_seen = math.log(mass) + log_ways if mass > 0 else -math.inf
        self.log_total = float(np.logaddexp(self._log_seen, self._log_rest + base.log_total))

    def log_weight(self, order: Order) -> float:
        """Return the log of an order's observed mass plus its share of the base distribution."""
        return self._log_sum(self._seen.get(self._labelled(order), 0.0), order)

    def _log_sum(self, mass: float, order: Order) -> float:
        rest = self._log_rest + self._base.log_weight(order)
        return float(np.logaddexp(math.log(mass), rest)) if mass > 0 else rest

    def _labelled(self, order: Order) -> Order:
        left, right = order
        return tuple(self._labels[t] for t in left), tuple(self._labels[t] for t in right)

    def ranked(self, stream: Stream) -> Iterator[tuple[float, Order]]:
        """Yield the observed orders and the base orders, sorted by decreasing weight."""
        seen = [(self._log_sum(m, o), o) for s, m in self._seen.items() for o in self._expanded(s)]
        seen = sorted(shuffled(seen, stream), key=lambda pair: -round(pair[0], EQUAL))
        others = (
            (self._log_rest + weight, order)
            for weight, order in self._base.ranked(stream)
            if self._labelled(order) not in self._seen
        )
        return heapq.merge(seen, others, key=lambda pair: -pair[0])

    def _expanded(self, order: Order) -> Iterator[Order]:
        """Yield all type orders whose labels form a given label order."""
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
        """Draw an order from the observed orders or from the base distribution."""
        if draw(np.array([self._log_seen, self._log_rest + self._base.log_total]), stream):
            return self._base.sample(stream)
        orders = list(self._seen)
        left, right = orders[draw(np.log(list(self._seen.values())), stream)]
        pools = {
            label: shuffled([t for t in expand(self.counts) if self._labels[t] == label], stream)
            for label in set(self._labels)
        }
        return tuple(pools[x].pop() for x in left), tuple(pools[x].pop() for x in right)
