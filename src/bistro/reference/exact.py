"""Exact predictions for tiny data sets, computed by enumerating every seating of all customers.

The posterior predictive probability of a dish is a weighted mean over all seatings of the observed
events. The weight of a seating is its probability. The computation involves no sampling, so a
correct sampler must agree with the result. The number of seatings grows like the Bell numbers, so
use at most six customers and three levels.

>>> events = [((0,), 0), ((0,), 0), ((1,), 1)]
>>> posterior = predictive(events, ((0,), 0), base=[0.5, 0.5], discount=[0.5, 0.5], strength=[1, 1])
>>> 0.5 < posterior < 1
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

Context: TypeAlias = tuple[int, ...]
Event: TypeAlias = tuple[Context, int]
Tables: TypeAlias = tuple[tuple[int, int], ...]  # (dish, size) of every table, in order of opening
Arrangement: TypeAlias = dict[Context, Tables]


class Priors:
    """The base distribution, and the discount and strength at each depth."""

    def __init__(
        self, base: Sequence[float], discount: Sequence[float], strength: Sequence[float]
    ) -> None:
        self.base, self.discount, self.strength = base, discount, strength

    def outcomes(
        self, seats: Arrangement, context: Context, dish: int
    ) -> Iterator[tuple[float, Arrangement]]:
        """Yield the probability and result of every way to seat a customer who eats `dish`."""
        d, theta = self.discount[len(context)], self.strength[len(context)]
        tables = seats.get(context, ())
        total = sum(size for _, size in tables)
        for i, (served, size) in enumerate(tables):
            if served == dish:
                grown = (*tables[:i], (dish, size + 1), *tables[i + 1 :])
                yield (size - d) / (total + theta), {**seats, context: grown}
        share = (theta + d * len(tables)) / (total + theta) if total else 1.0
        opened = {**seats, context: (*tables, (dish, 1))}
        if not context:
            yield share * self.base[dish], opened
            return
        for probability, after in self.outcomes(opened, context[:-1], dish):
            yield share * probability, after

    def probability(self, seats: Arrangement, context: Context, dish: int) -> float:
        """Return the predictive probability of `dish` given one seating."""
        return sum(probability for probability, _ in self.outcomes(seats, context, dish))


def arrangements(events: Sequence[Event], priors: Priors) -> Iterator[tuple[float, Arrangement]]:
    """Yield every seating of `events` with its probability p(seating, dishes)."""
    if not events:
        yield 1.0, {}
        return
    context, dish = events[-1]
    for probability, seats in arrangements(events[:-1], priors):
        for step, after in priors.outcomes(seats, context, dish):
            yield probability * step, after


def predictive(
    events: Sequence[Event],
    query: Event,
    base: Sequence[float],
    discount: Sequence[float],
    strength: Sequence[float],
) -> float:
    """Return p(query's dish | query's context, events), summed over all seatings."""
    priors = Priors(base, discount, strength)
    total = weighted = 0.0
    for probability, seats in arrangements(events, priors):
        total += probability
        weighted += probability * priors.probability(seats, *query)
    return weighted / total
