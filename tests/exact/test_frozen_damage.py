"""Frozen arrays come from files: whatever they hold is refused or answered, never a crash."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from test_frozen import Trained, every_query
from twins import contexts, dishes, stream

from bistro import _core

Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

NUM_DISHES = 25
SOUND: Arrays = Trained(NUM_DISHES, samples=2, n=400).arrays
NONE = 2**32 - 1


def copied() -> Arrays:
    return {name: array.copy() for name, array in SOUND.items()}


def opened(arrays: Arrays, num_dishes: int = NUM_DISHES) -> _core.Frozen:
    return _core.Frozen(**arrays, dishes=num_dishes)


def refuses(arrays: Arrays, num_dishes: int = NUM_DISHES) -> bool:
    try:
        opened(arrays, num_dishes)
    except ValueError:
        return True
    return False


def test_sound_arrays_are_accepted_and_kept_alive() -> None:
    frozen = opened(copied())  # nobody else holds these copies
    queries, asked = every_query(NUM_DISHES)
    expected = opened(SOUND).log_probabilities(queries, asked)
    assert (frozen.log_probabilities(queries, asked) == expected).all()


def test_read_only_arrays_are_accepted() -> None:
    arrays = copied()
    for array in arrays.values():
        array.flags.writeable = False
    assert not refuses(arrays)


@pytest.mark.parametrize("name", SOUND)
def test_other_types_are_not_converted(name: str) -> None:
    for other in (np.int64, np.uint16):
        arrays = copied()
        arrays[name] = arrays[name].astype(other)
        with pytest.raises(TypeError):
            opened(arrays)


def test_queries_of_other_types_are_not_converted() -> None:
    frozen = opened(SOUND)
    rows, asked = contexts([(0, 1)]), dishes([1])
    with pytest.raises(TypeError):
        frozen.log_probabilities(rows.astype(np.int64), asked)
    with pytest.raises(TypeError):
        frozen.log_probabilities(rows, asked.astype(np.int64))
    with pytest.raises(TypeError):
        frozen.distribution(rows[0].astype(np.int64))
    with pytest.raises(ValueError, match="as many"):
        frozen.log_probabilities(rows, dishes([1, 2]))


@pytest.mark.parametrize("name", [n for n in SOUND if n not in ("child_begin", "base")])
@pytest.mark.parametrize("change", [-1, 1])
def test_wrong_lengths(name: str, change: int) -> None:
    arrays = copied()
    arrays[name] = np.resize(arrays[name], len(arrays[name]) + change)
    assert refuses(arrays)


@pytest.mark.parametrize("name", SOUND)
def test_an_empty_array(name: str) -> None:
    arrays = copied()
    arrays[name] = arrays[name][:0]
    assert refuses(arrays)


@pytest.mark.parametrize("name", ["child_begin", "entry_begin"])
@pytest.mark.parametrize("value", [2**20, 2**31, NONE])
def test_offsets_that_lead_outside(name: str, value: int) -> None:
    """A wild offset in the middle must be found before it is followed."""
    for position in (0, 1, len(SOUND[name]) // 2, len(SOUND[name]) - 1):
        arrays = copied()
        arrays[name][position] = value
        assert refuses(arrays)


@pytest.mark.parametrize("name", ["child_begin", "entry_begin"])
def test_offsets_that_go_back(name: str) -> None:
    arrays = copied()
    widest = int(np.argmax(np.diff(arrays[name].astype(np.int64))))
    arrays[name][widest], arrays[name][widest + 1] = arrays[name][widest + 1], arrays[name][widest]
    assert refuses(arrays)


def test_a_root_that_is_its_own_child() -> None:
    arrays = copied()
    arrays["child_begin"][0] = 0
    assert refuses(arrays)


@pytest.mark.parametrize("offsets, keys", [("child_begin", "element"), ("entry_begin", "dish")])
def test_a_region_without_a_gap(offsets: str, keys: str) -> None:
    """A search in vain would never end."""
    arrays = copied()
    begin = arrays[offsets].astype(np.int64)
    widest = int(np.argmax(np.diff(begin)))
    region = arrays[keys][begin[widest] : begin[widest + 1]]
    region[region == NONE] = 1
    assert refuses(arrays)


def test_a_dish_beyond_the_last() -> None:
    assert refuses(copied(), int(SOUND["dish"][SOUND["dish"] != NONE].max()))
    arrays = copied()
    arrays["dish"][3] = NUM_DISHES
    assert refuses(arrays)


@pytest.mark.parametrize("num_dishes", [0, -1, -(2**31)])
def test_no_dishes(num_dishes: int) -> None:
    assert refuses(copied(), num_dishes)


@pytest.mark.parametrize("name", ["backoff", "probability", "base"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.5])
def test_numbers_that_are_no_weights(name: str, value: float) -> None:
    arrays = copied()
    arrays[name][-1] = value
    assert refuses(arrays)


def damaged(rng: np.random.Generator) -> Arrays:
    """Copies with one to four wounds: values changed, swapped or shifted, arrays cut or grown."""
    arrays = copied()
    for _ in range(rng.integers(1, 5)):
        name = str(rng.choice(list(arrays)))
        array = arrays[name]
        if len(array) == 0:
            continue
        at, other = rng.integers(0, len(array), 2)
        match rng.integers(0, 7):
            case 0:
                array.view(np.uint8)[rng.integers(0, array.nbytes)] ^= 1 << rng.integers(0, 8)
            case 1:
                array.view(f"u{array.itemsize}")[at] = rng.choice([0, 1, 7, 255, 2**16, NONE])
            case 2:
                array[at], array[other] = array[other], array[at]
            case 3:
                array[min(at, other) : max(at, other)] = array[at]
            case 4:
                arrays[name] = array[: at + 1].copy()
            case 5:
                arrays[name] = np.resize(array, len(array) + int(rng.integers(1, 9)))
            case _:
                arrays[name] = np.roll(array, 1)
    return arrays


def test_fuzzed_arrays_never_crash() -> None:
    rng = np.random.default_rng(8)
    queries, asked = every_query(NUM_DISHES)
    accepted, rounds = 0, 8_000
    for _ in range(rounds):
        arrays = damaged(rng)
        if refuses(arrays):
            continue
        accepted += 1
        frozen = opened(arrays)
        picked = rng.integers(0, len(asked), 200)
        assert frozen.log_probabilities(queries[picked], asked[picked]).shape == (200,)
        assert frozen.distribution(dishes([1, 2])).shape == (NUM_DISHES,)
        drawn = frozen.sample_sequence(dishes([0, 0]), end=-1, max_length=50, rng=stream())
        assert ((drawn >= 0) & (drawn < NUM_DISHES)).all()
    assert 0.1 < accepted / rounds < 0.9  # both outcomes were exercised
