"""Frequent spines that are found: ties are broken by one lot for both lists."""

from __future__ import annotations

import doctest
import random
from collections import Counter

import pytest

from experiments.papers import spines
from experiments.papers.spines import chances, matched


def test_examples() -> None:
    assert doctest.testmod(spines).failed == 0


@pytest.mark.parametrize("seed", range(8))
def test_every_lot_is_counted(seed: int) -> None:
    """The expectation is the mean over a fine grid of numbers that a spine may draw."""
    rng = random.Random(seed)
    gold, found = (Counter(rng.choices("abcdef", k=8)) for _ in range(2))
    most = rng.randint(1, 5)
    right, guessed = chances(gold, most), chances(found, most)
    grid = [(i + 0.5) / 5040 for i in range(5040)]
    both = sum(
        sum(u < right[spine] and u < guessed.get(spine, 0.0) for u in grid) / len(grid)
        for spine in right
    )
    assert matched(gold, found, most) == pytest.approx(100 * both / sum(right.values()))


def test_lists_have_their_length() -> None:
    counts = Counter({"a": 3, "b": 2, "c": 1, "d": 1, "e": 1})
    assert chances(counts, 3) == {"a": 1.0, "b": 1.0, "c": 1 / 3, "d": 1 / 3, "e": 1 / 3}
    assert chances(counts, 9) == dict.fromkeys("abcde", 1.0)
    assert matched(counts, counts, most=3) == 100
