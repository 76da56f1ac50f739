"""The best orders of a mixture: exact, without looking at all of them.

Each part lists its orders from the likeliest down. An order that no list has reached yet has at
most the probability sum_m w_m p_m(last order taken from list m); once the k best found so far are
above that bound, they are the k best of all (Fagin's threshold algorithm).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bistro.models.linearize.orders import Order, Orders, shuffled
from bistro.models.results.structures import Family
from bistro.rng import Stream

MOST_LOOKED_AT = 5000
"""Orders of one family; when so many were looked at, the best of them are taken for the best."""


def best_orders(
    parts: Sequence[Orders], log_weights: NDArray[np.float64], k: int
) -> list[tuple[float, Order]]:
    """Return the k most probable orders of a mixture, with their log-probabilities."""
    lists: list[Iterator[tuple[float, Order]] | None] = [part.ranked() for part in parts]
    bounds = np.zeros(len(parts))
    found: dict[Order, float] = {}
    while any(lists) and len(found) < MOST_LOOKED_AT:
        for i, part in enumerate(parts):
            ranked = lists[i]
            step = next(ranked, None) if ranked else None
            if step is None:
                lists[i], bounds[i] = None, -math.inf
                continue
            weight, order = step
            bounds[i] = weight - part.log_total - part.log_repeats
            if order not in found:
                logs = np.array([other.log_prob(order) for other in parts])
                found[order] = float(np.logaddexp.reduce(log_weights + logs))
        if len(found) >= k:
            kth = heapq.nlargest(k, found.values())[-1]
            if kth >= float(np.logaddexp.reduce(log_weights + bounds)) - 1e-12:
                break
    best = heapq.nsmallest(k, found.items(), key=lambda item: (-item[1], item[0]))
    return [(log_prob, order) for order, log_prob in best]


def combined(
    choices: Sequence[Sequence[tuple[float, Family]]], k: int
) -> list[tuple[float, list[Family]]]:
    """Return the k best ways to choose one order of every family."""
    best: list[tuple[float, list[Family]]] = [(0.0, [])]
    for ranked in choices:
        pairs = [(p + q, [*chosen, family]) for p, chosen in best for q, family in ranked]
        best = heapq.nlargest(k, pairs, key=lambda pair: pair[0])
    return best


def with_words(
    family: Family,
    labels: Sequence[tuple[int, ...]],
    types: Sequence[tuple[int, ...]],
    order: Order,
    stream: Stream,
) -> Family:
    """Put words in the places of their types; words of one type by lot, not as they stood."""
    pools = [
        shuffled([w for w, x in zip(family.dependents, labels, strict=True) if x == kind], stream)
        for kind in types
    ]
    left, right = (tuple(pools[kind].pop() for kind in side) for side in order)
    return Family(family.head, left, right)
