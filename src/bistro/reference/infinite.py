"""An uncompressed model of rules in contexts of any length, in plain Python.

A context is a tuple with the nearest element first. With minimal seating a context has one table
for each rule that was seen in it, and each of its tables is a customer of the context that is one
element shorter:

    n_u(r) = events of r in exactly u  +  number of contexts one longer than u that have r
    P(r | u) = (n_u(r) - d [n_u(r) > 0])/(n_u + c) + (c + d t_u)/(n_u + c) P(r | u without its last)

The empty context has no restaurant: P(r | ()) = H(r | left-hand side of r).

>>> trie = PlainTrie([((0,), 0), ((0,), 1), ((0, 1), 0)], base=[0.5, 0.5], parameters=[(0.5, 1.0)])
>>> trie.customers[(0,)] == {0: 2, 1: 1}, round(trie.probability((0, 1), 0), 4)
(True, 0.7188)
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass

Context = tuple[int, ...]


@dataclass
class PlainTrie:
    """A trie of contexts with minimal seating, and its predictive probabilities."""

    events: InitVar[Iterable[tuple[Context, int]]]
    base: Sequence[float]
    parameters: Sequence[tuple[float, float]]
    """(discount, strength) of contexts of length 1, 2, ...; longer contexts use the last pair."""
    depth: int | None = None

    def __post_init__(self, events: Iterable[tuple[Context, int]]) -> None:
        self.customers: dict[Context, Counter[int]] = defaultdict(Counter)
        for context, rule in events:
            self._add(context[: self.depth], rule)

    def _add(self, context: Context, rule: int) -> None:
        while context:
            self.customers[context][rule] += 1
            if self.customers[context][rule] > 1:
                return
            context = context[:-1]

    def probability(self, context: Context, rule: int) -> float:
        """Return P(rule | context)."""
        context = context[: self.depth]
        if not context:
            return self.base[rule]
        shorter = self.probability(context[:-1], rule)
        here = self.customers.get(context)
        if here is None:
            return shorter
        discount, strength = self._parameters(len(context))
        own = here[rule] - discount if here[rule] else 0.0
        return (own + (strength + discount * len(here)) * shorter) / (here.total() + strength)

    def log_likelihood(self, level: int) -> float:
        """Return the log-likelihood of the seating in all contexts at one level."""
        return sum(
            _restaurant(list(here.values()), *self.parameters[level])
            for context, here in self.customers.items()
            if min(len(context), len(self.parameters)) == level + 1
        )

    def _parameters(self, length: int) -> tuple[float, float]:
        return self.parameters[min(length, len(self.parameters)) - 1]


def _restaurant(sizes: list[int], discount: float, strength: float) -> float:
    tables = sum(math.log(strength + i * discount) for i in range(1, len(sizes)))
    customers = sum(math.log(strength + i) for i in range(1, sum(sizes)))
    inside = sum(math.log(i - discount) for size in sizes for i in range(1, size))
    return tables - customers + inside
