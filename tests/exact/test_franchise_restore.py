"""Saved seatings: what was saved comes back, and what could never have been saved is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from twins import Event, core_seats, dishes, invariants, resolve, stream

from bistro import _core
from bistro.reference.hpyp import Seating

Triples: TypeAlias = Sequence[tuple[int, ...]]  # (entry, size, tables)

# Entries: 0 is dish 0 at depth 0, 1 the same at (0,); 2 is dish 1 at depth 0, 3 the same at (1,).
EVENTS: list[Event] = [((0,), 0), ((1,), 1)]
CUSTOMERS = [3, 6, 1, 2]
TABLES = [2, 3, 1, 1]
SIZES: Triples = [(0, 1, 1), (0, 2, 1), (1, 1, 1), (1, 2, 1), (1, 3, 1)]

DAMAGED: dict[str, tuple[list[int], list[int], Triples]] = {
    "an entry less": (CUSTOMERS[:3], TABLES, SIZES),
    "an entry more": (CUSTOMERS, [*TABLES, 1], SIZES),
    "half a triple": (CUSTOMERS, TABLES, [*SIZES, (3,)]),
    "negative customers": ([3, 6, 1, -2], TABLES, SIZES),
    "negative tables": (CUSTOMERS, [2, 3, 1, -1], SIZES),
    "more tables than customers": (CUSTOMERS, [2, 3, 2, 1], SIZES),
    "customers without a table": (CUSTOMERS, [2, 3, 1, 0], SIZES),
    "a table without customers": ([3, 6, 1, 0], TABLES, SIZES),
    "several tables without sizes": (CUSTOMERS, TABLES, SIZES[2:]),
    "sizes of no entry": (CUSTOMERS, TABLES, [*SIZES, (4, 1, 1)]),
    "sizes of a negative entry": (CUSTOMERS, TABLES, [(-1, 1, 1), *SIZES]),
    "a negative size": (CUSTOMERS, TABLES, [(0, -1, 1), (0, 4, 1), *SIZES[2:]]),
    "a negative number of tables": (CUSTOMERS, TABLES, [(0, 1, 3), (0, 2, -1), *SIZES[2:]]),
    "sizes that do not add up": (CUSTOMERS, TABLES, [(0, 1, 1), (0, 3, 1), *SIZES[2:]]),
    "sizes out of order": (CUSTOMERS, TABLES, [SIZES[1], SIZES[0], *SIZES[2:]]),
    "entries out of order": (CUSTOMERS, TABLES, [*SIZES[2:], *SIZES[:2]]),
    "a size twice": ([2, 6, 1, 2], TABLES, [(0, 1, 1), (0, 1, 1), *SIZES[2:]]),
    "a parent that lacks a child's table": ([2, 6, 1, 2], [1, 3, 1, 1], SIZES[2:]),
    "more than can be counted": ([2**31 - 1, 6, 2**31 - 1, 2], [1, 3, 1, 1], SIZES[2:]),
}


def franchise(seating: Seating = "gibbs") -> _core.Franchise:
    core = _core.Franchise(_core.UniformBase(3), 2, seating)
    assert resolve(core, EVENTS).tolist() == [1, 3]
    return core


def restore(core: _core.Franchise, customers: list[int], tables: list[int], sizes: Triples) -> None:
    numbers = [number for triple in sizes for number in triple]
    core.restore(dishes(customers), dishes(tables), dishes(numbers))


def test_a_sound_state_is_restored() -> None:
    core = franchise()
    restore(core, CUSTOMERS, TABLES, SIZES)
    assert core_seats(core, EVENTS) == {
        ((), 0): {1: 1, 2: 1},
        ((0,), 0): {1: 1, 2: 1, 3: 1},
        ((), 1): {1: 1},
        ((1,), 1): {2: 1},
    }
    assert core.counts_by_level() == [(1, 4, 3), (2, 8, 4)]


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_state_is_refused(name: str) -> None:
    core = franchise()
    restore(core, CUSTOMERS, TABLES, SIZES)
    before = [array.tolist() for array in core.state()]
    with pytest.raises(ValueError):
        restore(core, *DAMAGED[name])
    assert [array.tolist() for array in core.state()] == before


@pytest.mark.parametrize(("seating", "tables"), [("minimal", 2), ("maximal", 1)])
def test_a_state_of_another_seating_is_refused(seating: Seating, tables: int) -> None:
    with pytest.raises(ValueError):
        restore(franchise(seating), [tables, 2, 0, 0], [tables, tables, 0, 0], [])


def test_other_types_are_not_converted() -> None:
    core = franchise()
    with pytest.raises(TypeError):
        core.restore(*(array.astype(np.int64) for array in core.state()))  # type: ignore[arg-type]


def flat(*pairs: tuple[int, int]) -> npt.NDArray[np.uint32]:
    return np.array(pairs, dtype=np.uint32).ravel()


def test_a_structure_is_rebuilt() -> None:
    core, copy = franchise(), _core.Franchise(_core.UniformBase(3), 2)
    copy.rebuild(*core.structure())
    assert [part.tolist() for part in copy.structure()] == [[0, 0, 0, 1], [0, 0, 1, 0, 0, 1, 2, 1]]
    assert resolve(copy, EVENTS).tolist() == [1, 3]
    restore(copy, CUSTOMERS, TABLES, SIZES)
    restore(core, CUSTOMERS, TABLES, SIZES)
    assert core_seats(copy, EVENTS) == core_seats(core, EVENTS)


def test_a_structure_goes_on_from_one_that_is_there() -> None:
    longer, begun = franchise(), _core.Franchise(_core.UniformBase(3), 2)
    resolve(begun, EVENTS[:1])
    begun.rebuild(*longer.structure())
    assert [p.tolist() for p in begun.structure()] == [p.tolist() for p in longer.structure()]
    other = _core.Franchise(_core.UniformBase(3), 2)
    resolve(other, EVENTS[1:])
    with pytest.raises(ValueError, match="does not continue"):
        other.rebuild(*longer.structure())
    with pytest.raises(ValueError, match="does not continue"):
        longer.rebuild(flat((0, 0)), flat((0, 0)))


DAMAGED_STRUCTURES = {
    "a parent not made yet": (flat((1, 0)), flat()),
    "deeper than the franchise": (flat((0, 0), (1, 0)), flat()),
    "a negative element": (flat((0, 2**32 - 1)), flat()),
    "a restaurant twice": (flat((0, 0), (0, 0)), flat()),
    "half a restaurant": (flat((0, 0))[:1].copy(), flat()),
    "a dish of no restaurant": (flat(), flat((1, 0))),
    "a dish beyond the base": (flat(), flat((0, 3))),
    "a negative dish": (flat(), flat((0, 2**32 - 1))),
    "a dish without its parent": (flat((0, 0)), flat((1, 0))),
    "a dish twice": (flat(), flat((0, 0), (0, 0))),
    "half a dish": (flat(), flat((0, 0))[:1].copy()),
}


@pytest.mark.parametrize("name", DAMAGED_STRUCTURES)
def test_a_damaged_structure_is_refused(name: str) -> None:
    with pytest.raises(ValueError):
        _core.Franchise(_core.UniformBase(3), 2).rebuild(*DAMAGED_STRUCTURES[name])


def test_fuzzed_states_never_crash() -> None:
    rng = np.random.default_rng(5)
    sound = [np.array(part, dtype=np.int32).ravel() for part in (CUSTOMERS, TABLES, SIZES)]
    core, accepted = franchise(), 0
    for round_ in range(5_000):
        state = [array.copy() for array in sound]
        for _ in range(rng.integers(1, 4)):
            array = state[rng.integers(0, 3)]
            array[rng.integers(0, len(array))] = rng.choice(
                [-(2**31), -1, 0, 1, 2, 3, 7, 2**31 - 1]
            )
        try:
            core.restore(*state)
        except ValueError:
            continue
        accepted += 1
        invariants(core_seats(core, EVENTS))
        customers = core.state()[0]
        core.sweep(np.array([i for i in (1, 3) if customers[i]], dtype=np.uint32), stream(round_))
        invariants(core_seats(core, EVENTS))
    assert 50 < accepted < 4_000
