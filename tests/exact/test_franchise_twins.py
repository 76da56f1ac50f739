"""The compiled core against the plain Python twin: the same seat for every customer."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import (
    SEATINGS,
    Event,
    Twins,
    contexts,
    core_seats,
    dishes,
    plain_stream,
    reference_seats,
    stream,
)

from bistro import _core
from bistro.reference.hpyp import Franchise, Seating
from bistro.rng import Stream

BASE = [0.4, 0.3, 0.2, 0.1]
LEVELS = 4

elements = st.integers(0, 2)
events = st.lists(
    st.tuples(st.lists(elements, max_size=LEVELS - 1).map(tuple), st.integers(0, len(BASE) - 1)),
    min_size=1,
    max_size=40,
)
parameters = st.lists(
    st.tuples(st.floats(0, 0.95), st.floats(1e-3, 20)), min_size=LEVELS, max_size=LEVELS
)
# (3, 3, 3) and the like were never seen; some of their shorter forms were.
QUERIES: list[Event] = [
    (context, dish)
    for context in [(), (0,), (1, 2), (0, 1, 2), (2, 2, 2), (0, 3), (1, 1, 3), (3, 3, 3)]
    for dish in range(len(BASE))
]


@pytest.mark.parametrize("seating", SEATINGS)
@settings(max_examples=100, deadline=None)
@given(data=events, parameters=parameters, seed=st.integers(0, 2**32), order=st.randoms())
def test_same_seats_through_a_life(
    seating: Seating,
    data: list[Event],
    parameters: list[tuple[float, float]],
    seed: int,
    order: random.Random,
) -> None:
    twins = Twins(data, BASE, LEVELS, seating, parameters, seed)
    everyone = list(range(len(data)))
    twins.add(everyone)
    twins.assert_equal()
    twins.sweep(everyone)
    twins.sweep(everyone)
    twins.assert_equal()
    twins.assert_equal_probabilities([*data, *QUERIES])
    order.shuffle(everyone)
    leaving, staying = everyone[::2], everyone[1::2]
    twins.remove(leaving)
    twins.assert_equal()
    twins.assert_equal_probabilities([*data, *QUERIES])
    twins.add(leaving[:3])
    twins.assert_equal()
    twins.remove([*staying, *leaving[:3]])
    assert core_seats(twins.core, data) == {}


@pytest.mark.parametrize("seating", SEATINGS)
def test_same_seats_on_longer_data(seating: Seating) -> None:
    rng = np.random.default_rng(5)
    words = rng.zipf(1.6, 700) % 9
    data = [(tuple(words[i - 3 : i][::-1].tolist()), int(words[i])) for i in range(3, 700)]
    twins = Twins(
        data, [1 / 9] * 9, LEVELS, seating, [(0.3, 0.5), (0.6, 1.5), (0.7, 0.2), (0.8, 3)]
    )
    everyone = list(range(len(data)))
    twins.add(everyone)
    for _ in range(2):
        twins.sweep(everyone)
    twins.assert_equal()
    twins.assert_equal_probabilities([*data[:60], ((8, 8, 8), 3), ((1, 8, 8), 0)])
    twins.remove(rng.permutation(len(data))[:400].tolist())
    twins.assert_equal()


class Stacked(Franchise):
    """A reference franchise whose base is the restaurant of one context of another."""

    def __init__(self, below: Franchise, context: tuple[int, ...], levels: int) -> None:
        super().__init__(lambda dish: below.probability(context, dish), levels)
        self.below, self.context = below, context

    def add(self, context: tuple[int, ...], dish: int, rng: Stream) -> None:
        before = self.restaurant(()).num_tables(dish)
        super().add(context, dish, rng)
        if not context and self.restaurant(()).num_tables(dish) > before:
            self.below.add(self.context, dish, rng)

    def remove(self, context: tuple[int, ...], dish: int, rng: Stream) -> None:
        before = self.restaurant(()).num_tables(dish)
        super().remove(context, dish, rng)
        if not context and self.restaurant(()).num_tables(dish) < before:
            self.below.remove(self.context, dish, rng)


def test_a_franchise_on_a_franchise_seats_the_same() -> None:
    rng = np.random.default_rng(6)
    data = [((int(a), int(b)), int(x)) for a, b, x in rng.integers(0, 3, (80, 3))]
    shared = _core.Franchise(_core.VectorBase(BASE), 2)
    upper = _core.Franchise(_core.FranchiseBase(shared, [7]), 3)
    plain_shared = Franchise(BASE.__getitem__, 2)
    plain_upper = Stacked(plain_shared, (7,), 3)
    core_rng, plain_rng = stream(), plain_stream()
    ids = upper.resolve(contexts([c for c, _ in data]), dishes([x for _, x in data]))
    upper.add(ids, core_rng)
    upper.sweep(ids, core_rng)
    upper.remove(ids[:30].copy(), core_rng)
    for event in data:
        plain_upper.add(*event, plain_rng)
    for event in data:
        plain_upper.remove(*event, plain_rng)
        plain_upper.add(*event, plain_rng)
    for event in data[:30]:
        plain_upper.remove(*event, plain_rng)
    assert core_rng.uniform() == plain_rng.uniform()
    below = core_seats(shared, [((7,), dish) for dish in range(len(BASE))])
    assert below == reference_seats(plain_shared)
    for context, dish in data:
        core_p = upper.probabilities(contexts([context]), dishes([dish]))[0]
        assert abs(core_p - plain_upper.probability(context, dish)) <= 1e-12
