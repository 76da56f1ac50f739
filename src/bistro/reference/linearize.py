"""Enumeration of all orders of dependents, to test `bistro.models.linearize.orders`.

>>> len(all_orders([0, 0, 1]))                         # 4! / 2! orders of labels
12
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

Order = tuple[tuple[int, ...], tuple[int, ...]]
Step = Callable[[int, tuple[int, ...], int], float]
"""A function that returns the probability of a label, or of the stop (-1), given the side and the
preceding labels, nearest first."""
STOP = -1


def all_orders(labels: Sequence[int]) -> list[Order]:
    """Return all distinct orders of labels on both sides of a head, from the head outwards."""
    return sorted(set(orders_of_words(labels)))


def orders_of_words(labels: Sequence[int]) -> Iterator[Order]:
    """Yield every order of the words, treating words with the same label as distinct."""
    for sequence in itertools.permutations(labels):
        for cut in range(len(labels) + 1):
            yield sequence[:cut], sequence[cut:]


def weight(order: Order, step: Step, n: int) -> float:
    """Return the probability that an n-gram model of dependents generates a given order."""
    product = 1.0
    for side, labels in enumerate(order):
        before: tuple[int, ...] = ()
        for label in (*labels, STOP):
            product *= step(side, before[: n - 1], label)
            before = (label, *before)
    return product


def normaliser(labels: Sequence[int], step: Step, n: int) -> float:
    """Return the total weight of all orders of the words.

    Words with the same label are treated as distinct.
    """
    return sum(weight(order, step, n) for order in orders_of_words(labels))
