"""Permutations of dependents, some of which may be identical, in random or lexicographic order.

>>> list(distinct_permutations([0, 1, 0]))
[(0, 0, 1), (0, 1, 0), (1, 0, 0)]
>>> sorted(random_permutations([0, 1, 0], Stream(1, "example")))
[(0, 0, 1), (0, 1, 0), (1, 0, 0)]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro.rng import Stream
from bistro.sums import added

Side = tuple[int, ...]
"""A sequence of dependent types on one side of the head."""
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Item = TypeVar("Item")


def log_repeats(counts: Iterable[int]) -> float:
    """Return the log of prod m!, the number of word orders for each order of types."""
    return added(math.lgamma(count + 1) for count in counts)


def expand(counts: Integers) -> list[int]:
    """Return a list in which every type is repeated according to its count."""
    return [kind for kind, count in enumerate(counts.tolist()) for _ in range(count)]


def random_permutations(items: list[int], stream: Stream) -> Iterator[Side]:
    """Yield each distinct permutation of items once, in random order.

    The first half of the permutations are drawn one at a time, because usually only a few are
    needed. In the second half, most draws would be repetitions, so the remaining permutations are
    listed and shuffled.
    """
    total = math.factorial(len(items))
    for item in set(items):
        total //= math.factorial(items.count(item))
    drawn: set[Side] = set()
    while 2 * len(drawn) < total:
        permutation = tuple(shuffled(items, stream))
        if permutation not in drawn:
            drawn.add(permutation)
            yield permutation
    rest = [permutation for permutation in distinct_permutations(items) if permutation not in drawn]
    yield from shuffled(rest, stream)


def distinct_permutations(items: list[int]) -> Iterator[Side]:
    """Yield the distinct permutations of items in lexicographic order."""
    current = sorted(items)
    while True:
        yield tuple(current)
        i = len(current) - 2
        while i >= 0 and current[i] >= current[i + 1]:
            i -= 1
        if i < 0:
            return
        j = len(current) - 1
        while current[j] <= current[i]:
            j -= 1
        current[i], current[j] = current[j], current[i]
        current[i + 1 :] = reversed(current[i + 1 :])


def shuffled(items: Sequence[Item], stream: Stream) -> list[Item]:
    """Return the items in random order."""
    mixed = list(items)
    for i in range(len(mixed) - 1, 0, -1):
        j = stream.below(i + 1)
        mixed[i], mixed[j] = mixed[j], mixed[i]
    return mixed


def draw(log_weights: Floats, stream: Stream) -> int:
    """Draw an index by weight."""
    top = float(log_weights.max())
    summed = np.cumsum(np.exp(log_weights - top))
    place = int(np.searchsorted(summed, stream.uniform() * summed[-1], side="right"))
    return min(place, len(log_weights) - 1)
