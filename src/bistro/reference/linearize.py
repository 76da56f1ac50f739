"""Orders of dependents by full enumeration: the plain twin of `models.linearize_orders`.

>>> len(all_orders([0, 0, 1]))                         # 4! / 2! orders of labels
12
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

Order = tuple[tuple[int, ...], tuple[int, ...]]
Step = Callable[[int, tuple[int, ...], int], float]
"""p(label, or stop = -1 | side, earlier labels starting with the nearest)."""
STOP = -1


def all_orders(labels: Sequence[int]) -> list[Order]:
    """Return the distinct ways to place labels left and right of a head, from it outwards."""
    return sorted(set(orders_of_words(labels)))


def orders_of_words(labels: Sequence[int]) -> Iterator[Order]:
    """Yield every order of the words; equal labels are different words."""
    for sequence in itertools.permutations(labels):
        for cut in range(len(labels) + 1):
            yield sequence[:cut], sequence[cut:]


def weight(order: Order, step: Step, n: int) -> float:
    """Return the probability that an n-gram of dependents generates an order."""
    product = 1.0
    for side, labels in enumerate(order):
        before: tuple[int, ...] = ()
        for label in (*labels, STOP):
            product *= step(side, before[: n - 1], label)
            before = (label, *before)
    return product


def normaliser(labels: Sequence[int], step: Step, n: int) -> float:
    """Return the sum over all orders of the words; equal labels are different words."""
    return sum(weight(order, step, n) for order in orders_of_words(labels))
