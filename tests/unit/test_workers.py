"""Tasks on threads: order, laziness, errors, closing; and models that travel as bytes."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import bistro
from bistro.inference.workers import WAITING_PER_WORKER, LocalWorkers
from bistro.models import shared as shared_models
from bistro.models.results.parses import Parse
from bistro.models.shared import SharedModel
from bistro.models.transition.model import TransitionModel


@pytest.fixture(scope="module")
def model() -> TransitionModel:
    return bistro.train("transition", bistro.builtin(sentences=200, seed=1), seed=1)


def parse(shared: SharedModel[TransitionModel], sentences: list[list[str]]) -> list[Parse]:
    return list(shared.open().parse_all(sentences, size=50, threads=1))


def pieces(count: int) -> list[list[list[str]]]:
    words = [list(s.forms) for s in bistro.builtin(sentences=8 * count, seed=2)]
    return [words[i : i + 8] for i in range(0, len(words), 8)]


def slow_if_even(shared: float, item: int) -> int:
    time.sleep(shared if item % 2 == 0 else 0)
    return item


def fail_at(shared: int, item: int) -> int:
    if item == shared:
        raise bistro.BistroError(f"item {item}")
    return item


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    assert list(LocalWorkers(threads).run(slow_if_even, 0.005, range(20))) == list(range(20))


def test_any_number_of_threads_parses_alike(model: TransitionModel) -> None:
    items = pieces(6)
    one, two = (list(LocalWorkers(n).run(parse, SharedModel(model), items)) for n in (1, 2))
    assert one == two == [parse(SharedModel(model), item) for item in items]
    assert len({repr(result) for result in one}) == len(items)


def test_items_are_taken_as_they_are_needed() -> None:
    taken = []

    def endless() -> Iterator[int]:
        for number in range(10**9):
            taken.append(number)
            yield number

    results = LocalWorkers(2).run(slow_if_even, 0, endless())
    for expected in range(10):
        assert next(results) == expected
        assert len(taken) <= expected + 1 + 2 * WAITING_PER_WORKER
    results.close()


def test_an_error_is_raised_at_its_place() -> None:
    results = LocalWorkers(2).run(fail_at, 3, range(10))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(bistro.BistroError, match="item 3"):
        next(results)


def test_closing_cancels_what_has_not_begun() -> None:
    begun = []

    def note(shared: None, item: int) -> int:
        begun.append(item)
        time.sleep(0.02)
        return item

    results = LocalWorkers(1).run(note, None, range(100))
    next(results)
    results.close()
    before = len(begun)
    time.sleep(0.1)
    assert len(begun) == before <= 3
    assert not [t for t in threading.enumerate() if t.name.startswith("ThreadPoolExecutor")]


def test_no_items_no_results() -> None:
    assert list(LocalWorkers(2).run(fail_at, 0, [])) == []


def test_a_model_travels_as_its_file_and_is_opened_once(
    model: TransitionModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.save(tmp_path / "m.bistro")
    sent = pickle.dumps(SharedModel(model))
    assert (tmp_path / "m.bistro").read_bytes() in sent
    monkeypatch.setattr(shared_models, "_last_opened", None)
    first, second = pickle.loads(sent), pickle.loads(sent)
    assert first.open() is second.open() is not model
    assert pickle.dumps(first) == sent
    item = pieces(1)[0]
    assert parse(first, item) == parse(SharedModel(model), item)


def test_another_model_takes_the_place_of_the_first(
    model: TransitionModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_models, "_last_opened", None)
    other = bistro.train("ngram", bistro.builtin(sentences=50, seed=1), seed=1)
    first, second = (pickle.loads(pickle.dumps(SharedModel(m))) for m in (model, other))
    assert [shared.open().kind for shared in (first, second, first)] == [
        "transition",
        "ngram",
        "transition",
    ]
