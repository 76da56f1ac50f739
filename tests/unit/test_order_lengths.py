"""Dependency lengths of projective orders, against all orders of small trees."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from bistro.evaluate.order import bleu, optimal_order, random_order, total_length
from bistro.rng import Stream
from bistro.treebank.projectivity import is_projective


def random_heads(stream: Stream, size: int) -> list[int]:
    heads = [0] + [1 + stream.below(w) for w in range(1, size)]
    return heads


def projective(heads: list[int], order: tuple[int, ...]) -> bool:
    place = {word: i for i, word in enumerate(order, start=1)} | {0: 0}
    return is_projective([place[heads[word - 1]] for word in order])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7])
def test_the_optimal_order_is_the_shortest_projective_one(size: int) -> None:
    stream = Stream(1, "test.lengths", size)
    for _ in range(6):
        heads = random_heads(stream, size)
        words = range(1, size + 1)
        found = optimal_order(heads, words)
        assert sorted(found) == list(words)
        assert projective(heads, tuple(found))
        shortest = min(
            total_length(heads, order)
            for order in itertools.permutations(words)
            if projective(heads, order)
        )
        assert total_length(heads, found) == shortest


def test_random_orders_are_all_projective_orders_alike() -> None:
    heads = [0, 1, 1, 2]
    stream = Stream(2, "test.random")
    draws = Counter(tuple(random_order(heads, [1, 2, 3, 4], stream)) for _ in range(3000))
    possible = {o for o in itertools.permutations([1, 2, 3, 4]) if projective(heads, o)}
    assert set(draws) == possible
    expected = 3000 / len(possible)
    # Eleven degrees of freedom: 31.3 is passed once in a thousand.
    assert sum((n - expected) ** 2 / expected for n in draws.values()) < 31.3


def test_bleu_of_the_real_order_is_the_highest() -> None:
    pytest.importorskip("sacrebleu")
    real = [["the", "old", "dog", "barks", "loudly"]]
    assert bleu(real, real) == pytest.approx(100)
    assert bleu([real[0][::-1]], real) < 50
