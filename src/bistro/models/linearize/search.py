"""Exact search for the best orders under a mixture, without examining all orders.

Each part of the mixture yields a list of orders, sorted by decreasing probability. An order that is
not yet in any list has a probability of at most sum_m w_m p_m(last order of list m). When the k
best orders so far are at least as probable as this bound, they are the k best of all orders
(Fagin's threshold algorithm).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bistro.models.linearize.orders import EQUAL, Order, Orders
from bistro.models.linearize.permutations import shuffled
from bistro.models.results.structures import Family
from bistro.rng import Stream

MOST_LOOKED_AT = 5000
"""Maximum number of orders that are examined for each family. If the search reaches this number,
the best orders found so far are returned."""


def best_orders(
    parts: Sequence[Orders], log_weights: NDArray[np.float64], k: int, stream: Stream
) -> list[tuple[float, Order]]:
    """Return the k most probable orders of a mixture, with their log-probabilities.

    Equally probable orders are returned in the random sequence in which the parts of the mixture
    yield them.
    """
    lists: list[Iterator[tuple[float, Order]] | None] = [part.ranked(stream) for part in parts]
    bounds = np.zeros(len(parts))
    log_probs: dict[Order, float] = {}
    while any(lists) and len(log_probs) < MOST_LOOKED_AT:
        for i, part in enumerate(parts):
            ranked = lists[i]
            step = next(ranked, None) if ranked else None
            if step is None:
                lists[i], bounds[i] = None, -math.inf
                continue
            weight, order = step
            bounds[i] = weight - part.log_total - part.log_repeats
            if order not in log_probs:
                log_probs[order] = mixed_log_prob(parts, log_weights, order)
        if len(log_probs) >= k:
            kth = heapq.nlargest(k, log_probs.values())[-1]
            if kth >= float(np.logaddexp.reduce(log_weights + bounds)) - 1e-12:
                break
    best = heapq.nsmallest(k, log_probs.items(), key=lambda item: -round(item[1], EQUAL))
    return [(log_prob, order) for order, log_prob in best]


def mixed_log_prob(
    parts: Sequence[Orders], log_weights: NDArray[np.float64], order: Order
) -> float:
    """Return the log-probability of an order under a mixture."""
    logs = np.array([part.log_prob(order) for part in parts])
    return float(np.logaddexp.reduce(log_weights + logs))


def preferred(
    ranked: list[tuple[float, Order]], own: tuple[float, Order]
) -> list[tuple[float, Order]]:
    """Move the order `own` ahead of all other orders with the same probability."""
    if round(own[0], EQUAL) < round(ranked[-1][0], EQUAL):
        return ranked
    others = [pair for pair in ranked if pair[1] != own[1]]
    # Sorting is stable, so `own` stays before orders of the same probability.
    return sorted([own, *others], key=lambda pair: -round(pair[0], EQUAL))[: len(ranked)]


def combined(
    choices: Sequence[Sequence[tuple[float, Family]]], k: int
) -> list[tuple[float, list[Family]]]:
    """Return the k best combinations of one order per family."""
    best: list[tuple[float, list[Family]]] = [(0.0, [])]
    for ranked in choices:
        pairs = [(p + q, [*families, family]) for p, families in best for q, family in ranked]
        best = heapq.nlargest(k, pairs, key=lambda pair: pair[0])
    return best


def with_words(
    family: Family,
    labels: Sequence[tuple[int, ...]],
    types: Sequence[tuple[int, ...]],
    order: Order,
    stream: Stream | None,
) -> Family:
    """Replace the dependent types in an order with the words of a family.

    Words of the same type are put in random order, or keep their original order if there is no
    random stream.
    """
    pools = []
    for place, kind in enumerate(types):
        words = [w for w, x in zip(family.dependents, labels, strict=True) if x == kind]
        pools.append(shuffled(words, stream) if stream else _as_they_stood(words, order, place))
    left, right = (tuple(pools[kind].pop() for kind in side) for side in order)
    return Family(family.head, left, right)


def _as_they_stood(words: Sequence[int], order: Order, place: int) -> list[int]:
    """Return the words of a type in reverse order, so that `pop` yields the next word."""
    on_left = order[0].count(place)
    ascending = sorted(words)
    return [*reversed(ascending[on_left:]), *ascending[:on_left]]
