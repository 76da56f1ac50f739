"""Sorted lists of events, in memory or on disk: the same franchise as from all events at once."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bistro._core import Franchise, Stream, UniformBase
from bistro.encoding.events import Events
from bistro.errors import OutputError
from bistro.inference.event_runs import EventRuns
from bistro.inference.gibbs import Chain
from bistro.inference.settings import SamplerSettings

DISHES = 7


def random_events(number: int, levels: int, seed: int) -> Events:
    rng = np.random.default_rng(seed)
    contexts = rng.integers(0, 4, (number, levels), dtype=np.int32)
    return Events(contexts, rng.integers(0, DISHES, number, dtype=np.int32))


def cut(events: Events, pieces: int, most: int) -> EventRuns:
    runs = EventRuns(events.levels, most_in_memory=most)
    for rows in np.array_split(np.arange(len(events)), pieces):
        runs.add(Events(events.contexts[rows], events.outcomes[rows]).sorted())
    return runs


def hashed(events: Events) -> tuple[Franchise, NDArray[np.uint32]]:
    """Resolve by looking everything up: one event after the other."""
    franchise = Franchise(UniformBase(DISHES), events.levels + 1, "gibbs")
    ordered = events.sorted()
    ids = [
        franchise.resolve(ordered.contexts[i : i + 1], ordered.outcomes[i : i + 1])
        for i in range(len(events))
    ]
    return franchise, np.concatenate(ids)


@pytest.mark.parametrize("levels", [0, 1, 2, 4])
@pytest.mark.parametrize("pieces", [1, 2, 13])
def test_lists_that_are_merged_give_the_franchise_of_all_events(levels: int, pieces: int) -> None:
    events = random_events(300, levels, seed=levels)
    expected, ids = hashed(events)
    found = Franchise(UniformBase(DISHES), levels + 1, "gibbs")
    assert np.array_equal(found.resolve_runs(cut(events, pieces, 10**9).lists()), ids)
    at_once = Franchise(UniformBase(DISHES), levels + 1, "gibbs")
    ordered = events.sorted()
    assert np.array_equal(at_once.resolve(ordered.contexts, ordered.outcomes), ids)
    for own in (found, at_once):
        for one, other in zip(expected.structure(), own.structure(), strict=True):
            assert np.array_equal(one, other)
        # What was resolved without an index is found when it is looked up.
        again = own.resolve(events.contexts, events.outcomes)
        assert np.array_equal(np.sort(again), np.sort(ids))


@pytest.mark.parametrize("most", [0, 2000, 10**9])
def test_a_chain_does_not_depend_on_where_its_events_are(most: int) -> None:
    events = random_events(400, 2, seed=3)
    runs = cut(events, 5, most)
    assert len(runs) == len(events)
    assert (runs.bytes_on_disk > 0) == (most < 10**9)
    chains = [
        Chain("words", own, UniformBase(DISHES), SamplerSettings(), seed=1)
        for own in (events, runs)
    ]
    for chain in chains:
        chain.seat()
        chain.step(0, keep=True)
    for name, array in chains[0].state().items():
        assert np.array_equal(array, chains[1].state()[name])


def test_lists_that_are_not_sorted_are_refused() -> None:
    contexts = np.array([[2], [1]], np.int32)
    franchise = Franchise(UniformBase(DISHES), 2, "gibbs")
    with pytest.raises(ValueError, match="not sorted"):
        franchise.resolve_runs([(contexts, np.zeros(2, np.int32))])


def test_lists_of_a_franchise_that_is_in_use_are_refused() -> None:
    events = random_events(10, 1, seed=1).sorted()
    franchise = Franchise(UniformBase(DISHES), 2, "gibbs")
    franchise.add(franchise.resolve(events.contexts, events.outcomes), Stream(1, 2, 3))
    with pytest.raises(ValueError, match="empty franchise"):
        franchise.resolve_runs([(events.contexts, events.outcomes)])


def test_a_full_disk_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(
        OutputError, match="events cannot be stored in this folder: no space left on device"
    ):
        cut(random_events(10, 1, seed=1), 2, most=0)


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    runs = cut(random_events(10, 1, seed=1), 2, most=0)
    assert runs.bytes_on_disk == 10 * 2 * 4
    assert not list(tmp_path.iterdir())
