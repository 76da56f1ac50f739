"""Laws of the franchise: sums to 1, passes through, comes back to its state, is Kneser-Ney."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import (
    FLAT,
    SEATINGS,
    Context,
    Event,
    Seats,
    contexts,
    core_distribution,
    core_probability,
    core_seats,
    dishes,
    invariants,
    resolve,
    stream,
)

from bistro import _core
from bistro.reference.hpyp import Seating
from bistro.reference.kneser_ney import KneserNey

DISHES, LEVELS = 5, 3
ALL_CONTEXTS: list[Context] = [
    context for length in range(LEVELS) for context in itertools.product(range(4), repeat=length)
]

contexts_of_any_length = st.lists(st.integers(0, 2), max_size=LEVELS - 1).map(tuple)
events = st.lists(st.tuples(contexts_of_any_length, st.integers(0, DISHES - 1)), max_size=30)


def zipf_events(n: int, seed: int) -> list[Event]:
    rng = np.random.default_rng(seed)
    rows = rng.zipf(1.7, (n, LEVELS)) % DISHES
    return [((int(a) % 3, int(b) % 3), int(x)) for a, b, x in rows]


def bases() -> dict[str, _core.Base]:
    shared = _core.Franchise(_core.VectorBase([0.1, 0.2, 0.3, 0.25, 0.15]), 2)
    stacked = _core.Franchise(_core.FranchiseBase(shared, [3]), 1)
    return {
        "uniform": _core.UniformBase(DISHES),
        "vector": _core.VectorBase([0.5, 0.0, 0.25, 0.125, 0.125]),
        "franchise": _core.FranchiseBase(shared, []),
        "franchise on franchise": _core.FranchiseBase(stacked, []),
    }


def assert_sums_to_one(core: _core.Franchise) -> None:
    for context in ALL_CONTEXTS:
        distribution = core_distribution(core, context, DISHES)
        assert distribution.min() >= 0
        assert abs(distribution.sum() - 1) < 1e-12


@pytest.mark.parametrize("seating", SEATINGS)
@pytest.mark.parametrize("base", ["uniform", "vector", "franchise", "franchise on franchise"])
def test_predictions_sum_to_one_all_along(base: str, seating: Seating) -> None:
    core = _core.Franchise(bases()[base], LEVELS, seating)
    rng = stream()
    assert_sums_to_one(core)
    data = [event for event in zipf_events(120, 3) if base != "vector" or event[1] != 1]
    ids = resolve(core, data)
    assert_sums_to_one(core)
    core.add(ids, rng)
    assert_sums_to_one(core)
    for _ in range(3):
        core.sweep(ids, rng)
        core.slice_hyperparameters(FLAT, dirichlet=False, rng=rng)
        assert_sums_to_one(core)
    core.slice_hyperparameters(FLAT, dirichlet=True, rng=rng)
    assert all(discount == 0 for discount, _ in core.parameters())
    assert_sums_to_one(core)


def test_an_empty_restaurant_passes_its_parent_through() -> None:
    core = _core.Franchise(_core.VectorBase([0.5, 0.3, 0.2]), 3)
    core.add(resolve(core, [((), 0), ((1,), 2)]), stream())
    ids = resolve(core, [((1, 1), 0), ((2, 0), 1)])  # restaurants without a customer
    for dish in range(3):
        parent = core_probability(core, (1,), dish)
        assert core_probability(core, (1, 1), dish) == parent
        assert core_probability(core, (1, 3), dish) == parent
        root = core_probability(core, (), dish)
        assert core_probability(core, (2, 0), dish) == root
    rng = stream(1)
    core.add(ids, rng)
    assert core_probability(core, (1, 1), 0) != core_probability(core, (1,), 0)
    core.remove(ids, rng)
    assert core_probability(core, (1, 1), 0) == core_probability(core, (1,), 0)


@pytest.mark.parametrize("seating", ["minimal", "maximal"])
@settings(max_examples=50, deadline=None)
@given(first=events, second=events, order=st.randoms())
def test_adding_then_removing_restores_the_state(
    seating: Seating, first: list[Event], second: list[Event], order: random.Random
) -> None:
    core = _core.Franchise(_core.UniformBase(DISHES), LEVELS, seating)
    rng = stream()
    core.add(resolve(core, first), rng)
    resolve(core, second)
    before = [array.tolist() for array in core.state()]
    core.add(resolve(core, second), rng)
    order.shuffle(second)
    core.remove(resolve(core, second), rng)
    assert [array.tolist() for array in core.state()] == before


@settings(max_examples=50, deadline=None)
@given(data=events, order=st.randoms())
def test_gibbs_seating_keeps_its_invariants_and_empties(
    data: list[Event], order: random.Random
) -> None:
    core = _core.Franchise(_core.UniformBase(DISHES), LEVELS)
    rng = stream()
    for event in data:
        core.add(resolve(core, [event]), rng)
        invariants(core_seats(core, data))
    order.shuffle(data)
    for event in data:
        core.remove(resolve(core, [event]), rng)
        invariants(core_seats(core, data))
    assert core_seats(core, data) == {}
    assert core.counts_by_level() == [(r, 0, 0) for r, _, _ in core.counts_by_level()]


def seats_after_add_and_remove(
    before: list[Event], event: Event, index: int
) -> tuple[Seats, Seats]:
    """The state before one customer comes in and goes out again, and after."""
    core = _core.Franchise(_core.UniformBase(DISHES), LEVELS)
    rng = stream(index)
    core.add(resolve(core, before), rng)
    everything = [*before, event]
    old = core_seats(core, everything)
    core.add(resolve(core, [event]), rng)
    core.remove(resolve(core, [event]), rng)
    return old, core_seats(core, everything)


@pytest.mark.parametrize("index", range(30))
def test_a_lone_customer_of_a_dish_leaves_no_trace(index: int) -> None:
    """Removal draws among the customers of the dish; where there is one, it must be the same."""
    others = [event for event in zipf_events(40, index) if event[1] != 4]
    old, new = seats_after_add_and_remove(others, ((1, 2), 4), index)
    assert old == new


@pytest.mark.parametrize("index", range(30))
def test_one_customer_more_or_less_moves_one_customer(index: int) -> None:
    """With others of the same dish another may leave, but the number of customers comes back."""
    data = zipf_events(40, index)
    event = data[0]
    old, new = seats_after_add_and_remove(data, event, index)
    customers = [sum(size * n for size, n in seats[event].items()) for seats in (old, new)]
    assert customers[0] == customers[1]
    others = [{p: s for p, s in seats.items() if p[1] != event[1]} for seats in (old, new)]
    assert others[0] == others[1]
    invariants(new)


@pytest.mark.parametrize("seed", range(4))
def test_minimal_seating_without_strength_is_kneser_ney(seed: int) -> None:
    data = zipf_events(300, seed)
    discounts = [0.35, 0.6, 0.8]
    core = _core.Franchise(_core.UniformBase(DISHES), LEVELS, "minimal")
    for level, discount in enumerate(discounts):
        core.set_parameters(level, discount, 0.0)
    core.add(core.resolve(contexts([c for c, _ in data]), dishes([x for _, x in data])), stream())
    kneser_ney = KneserNey(data, discounts, DISHES)
    for context in ALL_CONTEXTS:
        expected = [kneser_ney.probability(context, dish) for dish in range(DISHES)]
        assert np.abs(core_distribution(core, context, DISHES) - expected).max() <= 1e-12


def test_maximal_seating_is_a_dirichlet_on_raw_counts() -> None:
    """With one table a customer and d = 0, every depth sees the raw counts of its context."""
    data = zipf_events(200, 9)
    core = _core.Franchise(_core.UniformBase(DISHES), LEVELS, "maximal")
    strengths = [2.0, 0.5, 3.0]
    for level, strength in enumerate(strengths):
        core.set_parameters(level, 0.0, strength)
    core.add(resolve(core, data), stream())
    for context in ALL_CONTEXTS:
        expected = np.full(DISHES, 1 / DISHES)
        for length in range(len(context) + 1):
            seen = [x for c, x in data if c[:length] == context[:length]]
            counts = np.bincount(np.array(seen, dtype=np.int64), minlength=DISHES)
            weight = strengths[length]
            expected = (counts + weight * expected) / (len(seen) + weight)
        assert np.abs(core_distribution(core, context, DISHES) - expected).max() <= 1e-12


@pytest.mark.parametrize("seating", SEATINGS)
def test_a_restored_chain_goes_on_identically(seating: Seating) -> None:
    data = zipf_events(300, 4)
    original, copy = (_core.Franchise(_core.UniformBase(DISHES), LEVELS, seating) for _ in range(2))
    ids = resolve(original, data)
    assert (resolve(copy, data) == ids).all()
    original.add(ids, stream(0))
    original.sweep(ids, stream(1))
    original.slice_hyperparameters(FLAT, dirichlet=False, rng=stream(2))
    copy.restore(*original.state())
    for level, (discount, strength) in enumerate(original.parameters()):
        copy.set_parameters(level, discount, strength)
    for chain in (original, copy):
        chain.sweep(ids, stream(3))
        chain.slice_hyperparameters(FLAT, dirichlet=False, rng=stream(4))
        chain.sweep(ids, stream(5))
    assert core_seats(original, data) == core_seats(copy, data)
    assert original.parameters() == copy.parameters()
    assert original.log_likelihood() == copy.log_likelihood()
    assert original.counts_by_level() == copy.counts_by_level()
