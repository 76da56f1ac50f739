"""Frequent spines that are found: ties broken by lot, against every order of what is tied."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest

from experiments.papers.spines import matched


def lists(counts: Counter[str], most: int) -> list[set[str]]:
    """Return the most frequent ones for every order of those with equal counts."""
    return [
        set(sorted(order, key=lambda spine: -counts[spine])[:most])
        for order in permutations(sorted(counts))
    ]


@pytest.mark.parametrize("seed", range(8))
def test_ties_are_broken_by_lot(seed: int) -> None:
    rng = random.Random(seed)
    gold, found = (Counter(rng.choices("abcdef", k=8)) for _ in range(2))
    most = rng.randint(1, 5)
    pairs = [(a, b) for a in lists(gold, most) for b in lists(found, most)]
    shares = [len(a & b) / len(a) for a, b in pairs]
    assert matched(gold, found, most) == pytest.approx(100 * sum(shares) / len(shares))


def test_right_trees_match_themselves_where_nothing_is_tied() -> None:
    counts = Counter({"a": 3, "b": 2, "c": 1})
    assert matched(counts, counts, most=2) == 100
    assert matched(counts, counts) == 100
