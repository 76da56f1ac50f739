"""What a caller can do wrong: an exception each time, and the franchise as it was."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from twins import (
    SEATINGS,
    Event,
    contexts,
    core_distribution,
    core_seats,
    dishes,
    resolve,
    stream,
)

from bistro import _core
from bistro.reference.hpyp import Seating

DATA: list[Event] = [((0, 0), 0), ((0, 0), 0), ((0, 1), 1), ((0, 0), 2), ((1, 1), 0), ((0, 0), 0)]
DISHES = 4


def trained(seating: Seating = "gibbs") -> tuple[_core.Franchise, np.ndarray]:
    core = _core.Franchise(_core.UniformBase(DISHES), 3, seating)
    ids = resolve(core, DATA)
    core.add(ids, stream())
    core.sweep(ids, stream(1))
    return core, ids


def snapshot(core: _core.Franchise) -> tuple[list[list[int]], list[tuple[float, float]], int, int]:
    state = [array.tolist() for array in core.state()]
    return state, core.parameters(), core.num_entries, core.num_restaurants


def ids_of(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint32)


WRONG_EVENTS: dict[str, Callable[[_core.Franchise], object]] = {
    "negative dish": lambda f: f.resolve(contexts([(9, 9)]), dishes([-1])),
    "negative context": lambda f: f.resolve(contexts([(9, -9)]), dishes([1])),
    "too long": lambda f: f.resolve(contexts([(0, 0, 0)]), dishes([1])),
    "more contexts than dishes": lambda f: f.resolve(contexts([(9, 9)] * 2), dishes([1])),
    "second of two is bad": lambda f: f.resolve(contexts([(9, 9), (9, 9)]), dishes([1, -1])),
    "dish beyond the base": lambda f: f.resolve(contexts([(9, 9)]), dishes([DISHES])),
    "queries of unequal number": lambda f: f.probabilities(contexts([(0, 0)] * 2), dishes([1])),
    "discount of 1": lambda f: f.set_parameters(0, 1.0, 1.0),
    "negative discount": lambda f: f.set_parameters(0, -0.1, 1.0),
    "strength of -discount": lambda f: f.set_parameters(0, 0.5, -0.5),
    "infinite strength": lambda f: f.set_parameters(0, 0.5, math.inf),
    "no number": lambda f: f.set_parameters(0, math.nan, math.nan),
}


@pytest.mark.parametrize("name", WRONG_EVENTS)
def test_wrong_values(name: str) -> None:
    core, _ = trained()
    before = snapshot(core)
    with pytest.raises(ValueError):
        WRONG_EVENTS[name](core)
    assert snapshot(core) == before


@pytest.mark.parametrize("level", [-1, 3])
def test_parameters_of_no_level(level: int) -> None:
    core, _ = trained()
    before = snapshot(core)
    with pytest.raises(IndexError):
        core.set_parameters(level, 0.5, 1.0)
    assert snapshot(core) == before


@pytest.mark.parametrize("seating", SEATINGS)
def test_removing_who_is_not_there(seating: Seating) -> None:
    core, ids = trained(seating)
    absent = resolve(core, [((1, 0), 3)])
    before = snapshot(core)
    for change in (core.remove, core.sweep):
        with pytest.raises(ValueError, match="no such customer"):
            change(absent, stream())
        assert snapshot(core) == before
    core.remove(ids, stream(2))
    with pytest.raises(ValueError, match="no such customer"):
        core.remove(ids[:1].copy(), stream())
    assert core_seats(core, DATA) == {}


@pytest.mark.parametrize("seating", SEATINGS)
def test_events_that_do_not_exist(seating: Seating) -> None:
    core, _ = trained(seating)
    before = snapshot(core)
    for change in (core.add, core.remove, core.sweep):
        for number in (core.num_entries, 2**32 - 1):
            with pytest.raises(IndexError):
                change(ids_of(number), stream())
        with pytest.raises(TypeError):
            change(np.array([0], dtype=np.int64), stream())
    assert snapshot(core) == before


def test_arrays_of_other_types() -> None:
    core, _ = trained()
    before = snapshot(core)
    with pytest.raises(TypeError):
        core.resolve(contexts([(9, 9)]).astype(np.int64), dishes([1]))
    with pytest.raises(TypeError):
        core.resolve(contexts([(9, 9)]), dishes([1]).astype(np.int64))
    with pytest.raises(TypeError):
        core.resolve(contexts([(9, 9)])[0], dishes([1]))
    assert snapshot(core) == before


@pytest.mark.parametrize("seating", SEATINGS)
def test_wild_removals_never_leave_negative_counts(seating: Seating) -> None:
    """A parent's customer who stands for a child's table can be removed by mistake, not twice."""
    rng = np.random.default_rng(3)
    pairs: list[Event] = [(c, x) for c in [(), (0,), (0, 0), (0, 1), (1,)] for x in range(3)]
    core = _core.Franchise(_core.UniformBase(DISHES), 3, seating)
    ids = resolve(core, pairs)
    refused = 0
    for step in range(3_000):
        one = ids[rng.integers(0, len(ids), 1)]
        if rng.random() < 0.5:
            core.add(one, stream(step))
            continue
        try:
            core.remove(one, stream(step))
        except ValueError:
            refused += 1
        customers, tables, _ = core.state()
        assert (customers >= tables).all()
        assert (tables >= 0).all()
    assert refused > 100
    assert abs(core_distribution(core, (0, 0), DISHES).sum() - 1) < 1e-12


BAD_PARTS: dict[str, Callable[[], object]] = {
    "no dishes": lambda: _core.UniformBase(0),
    "negative dishes": lambda: _core.UniformBase(-3),
    "an empty vector": lambda: _core.VectorBase([]),
    "a negative probability": lambda: _core.VectorBase([1.5, -0.5]),
    "no number": lambda: _core.VectorBase([math.nan, 1.0]),
    "a vector that sums to 2": lambda: _core.VectorBase([1.0, 1.0]),
    "no level": lambda: _core.Franchise(_core.UniformBase(2), 0),
    "negative levels": lambda: _core.Franchise(_core.UniformBase(2), -1),
    "unknown seating": lambda: _core.Franchise(_core.UniformBase(2), 1, "standing"),
    "base of a long context": lambda: _core.FranchiseBase(trained()[0], [0, 0, 0]),
    "base of a negative context": lambda: _core.FranchiseBase(trained()[0], [-1]),
    "a slice without width": lambda: _core.slice_step(
        0.5, lambda x: 0.0, width=0.0, low=0, high=1, rng=stream()
    ),
}


@pytest.mark.parametrize("name", BAD_PARTS)
def test_parts_that_cannot_be_made(name: str) -> None:
    with pytest.raises(ValueError):
        BAD_PARTS[name]()


def test_an_exception_in_a_density_comes_out() -> None:
    with pytest.raises(ZeroDivisionError):
        _core.slice_step(0.5, lambda x: 1 / 0, width=1.0, low=0, high=1, rng=stream())
