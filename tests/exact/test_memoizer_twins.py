"""The sequence memoizer against a franchise that keeps every context, however long.

Where seating is not drawn, leaving out contexts that do not branch must change nothing: the twin is
the franchise with one level for each length, compiled and in plain Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import plain_stream, stream

from bistro import _core
from bistro.reference.hpyp import Franchise, Seating

LONGEST, SYMBOLS = 12, 3
Ids = npt.NDArray[np.int32]

symbols = st.integers(0, SYMBOLS - 1)
texts = st.lists(st.lists(symbols, min_size=1, max_size=LONGEST), min_size=1, max_size=5)
discounts = st.lists(st.floats(0.05, 0.95), min_size=2, max_size=5)
queries = st.lists(st.lists(symbols, max_size=LONGEST), min_size=1, max_size=8)


def packed(sequences: list[list[int]]) -> tuple[Ids, npt.NDArray[np.int64]]:
    offsets = np.cumsum([0, *map(len, sequences)]).astype(np.int64)
    return np.array([x for s in sequences for x in s], dtype=np.int32), offsets


def levels(discount: list[float], strength: float) -> list[tuple[float, float]]:
    """Discount and strength of every length of contexts."""
    made, theta = [], strength
    for length in range(LONGEST + 1):
        d = discount[min(length, len(discount) - 1)]
        theta *= d if length else 1
        made.append((d, theta))
    return made


def twins(
    discount: list[float], strength: float, seating: Seating
) -> tuple[_core.Memoizer, _core.OnlineFranchise]:
    memoizer = _core.Memoizer(_core.UniformBase(SYMBOLS), discount, strength, seating)
    franchise = _core.Franchise(_core.UniformBase(SYMBOLS), LONGEST + 1, seating)
    for level, (d, theta) in enumerate(levels(discount, strength)):
        franchise.set_parameters(level, d, theta)
    return memoizer, _core.OnlineFranchise(franchise)


@pytest.mark.parametrize("seating", ["minimal", "maximal"])
@settings(max_examples=150, deadline=None)
@given(sequences=texts, discount=discounts, strength=st.floats(0, 2), asked=queries)
def test_contexts_that_do_not_branch_can_be_left_out(
    seating: Seating,
    sequences: list[list[int]],
    discount: list[float],
    strength: float,
    asked: list[list[int]],
) -> None:
    memoizer, franchise = twins(discount, strength, seating)
    data = packed(sequences)
    ours = memoizer.observe(*data, last_only=False, rng=stream())
    theirs = franchise.observe(*data, last_only=False, rng=stream())
    assert np.allclose(ours, theirs, rtol=1e-10)
    contexts = [np.array(c, dtype=np.int32) for c in (*asked, *sequences)]
    for context in contexts:
        expected = franchise.distribution(context)
        assert np.allclose(memoizer.distribution(context), expected, rtol=1e-10)
        assert np.isclose(memoizer.base_weight(context), franchise.base_weight(context))
    for process in (memoizer, franchise):
        process.forget(*packed(sequences[:1]), last_only=False, rng=stream())
    for context in contexts:
        expected = franchise.distribution(context)
        assert np.allclose(memoizer.distribution(context), expected, rtol=1e-10)


@settings(max_examples=30, deadline=None)
@given(sequences=texts, discount=discounts, strength=st.floats(0, 2))
def test_the_plain_franchise_says_the_same(
    sequences: list[list[int]], discount: list[float], strength: float
) -> None:
    memoizer, _ = twins(discount, strength, "minimal")
    made = levels(discount, strength)
    plain = Franchise(
        [1 / SYMBOLS] * SYMBOLS,
        LONGEST + 1,
        "minimal",
        discount=[d for d, _ in made],
        strength=[theta for _, theta in made],
    )
    rng = plain_stream()
    expected = []
    for sequence in sequences:
        for i, symbol in enumerate(sequence):
            context = tuple(reversed(sequence[:i]))
            expected.append(plain.probability(context, symbol))
            plain.add(context, symbol, rng)
    observed = memoizer.observe(*packed(sequences), last_only=False, rng=stream())
    assert np.allclose(observed, expected, rtol=1e-9)


@pytest.mark.parametrize("seating", ["gibbs", "minimal", "maximal"])
@settings(max_examples=60, deadline=None)
@given(sequences=texts, more=texts)
def test_a_restored_memoizer_goes_on_identically(
    seating: Seating, sequences: list[list[int]], more: list[list[int]]
) -> None:
    (memoizer, _), (copy, _) = (twins([0.4, 0.6, 0.8], 0.5, seating) for _ in range(2))
    memoizer.observe(*packed(sequences), last_only=False, rng=stream())
    memoizer.forget(*packed(sequences[:1]), last_only=False, rng=stream(1))
    copy.restore(*memoizer.state())
    for process in (memoizer, copy):
        process.sweep(stream(2))
        process.observe(*packed(more), last_only=False, rng=stream(3))
    for ours, theirs in zip(memoizer.state(), copy.state(), strict=True):
        assert np.array_equal(ours, theirs)
    assert memoizer.counts_by_level() == copy.counts_by_level()


def test_damaged_states_are_refused() -> None:
    """Every array with one number changed is refused, or describes another proper memoizer."""
    memoizer, _ = twins([0.4, 0.6, 0.8], 0.5, "gibbs")
    data = [[0, 1, 0, 1, 0, 1, 2, 0, 1, 0], [0, 1, 0, 1, 1], [0, 1, 0, 1, 0]]
    memoizer.observe(*packed(data), last_only=False, rng=stream())
    memoizer.sweep(stream(1))
    state = memoizer.state()
    refused = tried = 0
    for part in range(len(state)):
        for place in range(len(state[part])):
            for value in (0, 1, 7, 2**31 - 1):
                arrays: list[Any] = [array.copy() for array in state]
                arrays[part][place] = value
                tried += 1
                other, _ = twins([0.4, 0.6, 0.8], 0.5, "gibbs")
                try:
                    other.restore(*arrays)
                except ValueError:
                    refused += 1
                    continue
                other.sweep(stream(2))
                total = other.distribution(np.array([0, 1], dtype=np.int32)).sum()
                assert np.isclose(total, 1)
    assert refused > tried / 2


@settings(max_examples=60, deadline=None)
@given(sequences=texts, discount=discounts, strength=st.floats(0.1, 2))
def test_the_gradient_is_that_of_the_likelihood(
    sequences: list[list[int]], discount: list[float], strength: float
) -> None:
    memoizer, _ = twins(discount, strength, "gibbs")
    memoizer.observe(*packed(sequences), last_only=False, rng=stream())
    likelihood = _core.MemoizerLikelihood(memoizer)
    value, slopes = likelihood.gradient(discount, strength)
    assert value == likelihood(discount, strength)
    step = 1e-6
    for i in range(len(discount) + 1):
        values = []
        for sign in (1, -1):
            scaled = [*discount, strength]
            scaled[i] *= np.exp(sign * step)
            values.append(likelihood(scaled[:-1], scaled[-1]))
        assert np.isclose((values[0] - values[1]) / (2 * step), slopes[i], rtol=1e-3, atol=1e-3)


def test_long_repetitions_need_no_stack() -> None:
    memoizer, _ = twins([0.4, 0.6, 0.8], 0.5, "gibbs")
    text = np.zeros(3000, dtype=np.int32)
    memoizer.observe(text, np.array([0, 3000]), last_only=False, rng=stream())
    memoizer.sweep(stream(1))
    assert memoizer.num_nodes <= 3001
