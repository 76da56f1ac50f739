"""Interpolated Kneser-Ney smoothing, implemented from its definition.

With one table per dish and strength 0, the Pitman-Yor predictive rule is Kneser-Ney with discount
d. The longest context uses event counts. Shorter contexts use continuation counts, which
are the numbers of distinct longer contexts.

>>> model = KneserNey([((0,), 1), ((0,), 2), ((1,), 1)], discount=[0.5, 0.5], dishes=3)
>>> round(sum(model.probability((0,), dish) for dish in range(3)), 12)
1.0
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypeAlias

Context: TypeAlias = tuple[int, ...]


class KneserNey:
    """A Kneser-Ney model, in which each context is interpolated with the next shorter context."""

    def __init__(
        self, events: Sequence[tuple[Context, int]], discount: Sequence[float], dishes: int
    ) -> None:
        self.discount = discount
        self.dishes = dishes
        self.counts: dict[Context, Counter[int]] = defaultdict(Counter)
        for context, dish in events:
            self.counts[context][dish] += 1
        longest = max(len(context) for context, _ in events)
        for length in range(longest, 0, -1):
            seen = [
                (c, dish)
                for c, counter in self.counts.items()
                if len(c) == length
                for dish in counter
            ]
            for context, dish in seen:
                self.counts[context[:-1]][dish] += 1

    def probability(self, context: Context, dish: int) -> float:
        """Return the smoothed probability of `dish` in `context`."""
        lower = self.probability(context[:-1], dish) if context else 1 / self.dishes
        counter = self.counts.get(context)
        if not counter:
            return lower
        d, total = self.discount[len(context)], counter.total()
        discounted = max(counter[dish] - d, 0) if dish in counter else 0.0
        return (discounted + d * len(counter) * lower) / total
