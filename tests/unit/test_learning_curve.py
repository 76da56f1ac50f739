"""Learning curves and their forecasts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError
from bistro.evaluate import learning_curve as module
from bistro.evaluate.forecast import forecast_of
from bistro.evaluate.held_out import judge
from bistro.evaluate.learning_curve import learning_curve

QUICK: dict[str, Any] = {"sampler": {"sweeps": 3, "samples": 1}}
TREEBANK = bistro.builtin(sentences=96, seed=1)
TEST = bistro.builtin(sentences=30, seed=2)


def points_of(
    a: float,
    b: float,
    c: float,
    sizes: Iterable[int],
    noise: float = 0.0,
    draws: int = 1,
    seed: int = 1,
) -> list[tuple[int, list[float]]]:
    random = np.random.default_rng(seed)
    return [
        (n, [a - b * n**-c + noise * random.normal() / n**0.5 for _ in range(draws)]) for n in sizes
    ]


@pytest.mark.parametrize(("a", "b", "c"), [(85, 200, 0.3), (90, 400, 0.45), (75, 900, 0.5)])
def test_power_laws_go_on(a: int, b: int, c: float) -> None:
    sizes = [4000, 8000, 16000, 32000, 64000]
    for times in (2, 4):
        found = forecast_of(points_of(a, b, c, sizes), times * 64000)
        assert found.mean == pytest.approx(a - b * (times * 64000) ** -c, abs=0.6)


def test_intervals_hold_what_they_promise() -> None:
    sizes = [4000, 8000, 16000, 32000, 64000]
    inside = 0
    for seed in range(200):
        c = 0.25 + 0.3 * (seed % 10) / 10
        truth = 85 - 250 * 128000**-c
        found = forecast_of(points_of(85, 250, c, sizes, noise=60, draws=3, seed=seed), 128000)
        inside += found.low <= truth <= found.high
    # Promised 90 %; the allowance for curves that are no power law makes it more.
    assert inside >= 174


def test_far_forecasts_are_less_certain_and_stay_below_the_ceiling() -> None:
    points = points_of(99.5, 30, 0.3, [1000, 2000, 4000, 8000])
    near, far = (forecast_of(points, 8000 * times) for times in (2, 1000))
    assert near.high - near.low < far.high - far.low
    assert far.high <= 100


def test_two_sizes_foretell_nothing() -> None:
    with pytest.raises(BistroError, match="at least 3 different sizes"):
        forecast_of([(1000, [50.0]), (2000, [55.0])], 4000)


def test_parts_are_nested_and_figures_are_those_of_models_made_by_hand() -> None:
    places = tuple(range(96))
    for draw in range(2):
        small, large = (set(module._beginning(places, s, 1, draw)) for s in (1 / 8, 1 / 2))
        assert (len(small), len(large)) == (12, 48)
        assert small < large
    assert module._beginning(places, 1 / 8, 1, 0) != module._beginning(places, 1 / 8, 1, 1)
    curve = learning_curve("eisner", TREEBANK, test=TEST, shares=(0.25, 0.5, 1), draws=2, **QUICK)
    for share, draw, part in ((0.25, 1, curve.parts[0]), (1.0, 0, curve.parts[2])):
        chosen = [TREEBANK[i] for i in module._beginning(places, share, 1, draw)]
        model = bistro.train("eisner", chosen, seed=1, **QUICK)
        assert judge(model, list(TEST)).figures == part.judgements[draw][0].figures
    assert [len(part.judgements) for part in curve.parts] == [2, 2, 1]
    assert curve.parts[2].words == TREEBANK.words
    assert curve.hindcast is None


def test_folds_in_place_of_a_test_set_and_threads() -> None:
    options: dict[str, Any] = {"k": 3, "shares": (0.125, 0.25, 0.5, 1), "draws": 1, **QUICK}
    one, two = (learning_curve("eisner", TREEBANK, threads=t, **options) for t in (1, 2))
    assert one.to_tsv() == two.to_tsv()
    assert [part.sentences for part in one.parts] == [8, 16, 32, 64]
    kinds = [line.split("\t")[0] for line in one.to_tsv().splitlines()]
    assert kinds == ["what", *["measured"] * 4, "hindcast", "forecast"]
    assert math.isfinite(one.doubled.mean)
    assert "expected las with twice as much training data (128 sentences): " in one.summary()


def test_taggers_have_curves_too() -> None:
    curve = learning_curve("tags", TREEBANK, test=TEST, shares=(0.25, 0.5, 1), draws=1, **QUICK)
    assert curve.figure == "tags"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"shares": (0.5, 1)}, "at least 3 shares"),
        ({"shares": (0.5, 1, 2)}, "at most 1"),
        ({"shares": (0.001, 0.5, 1)}, "less than one"),
        ({"draws": 0}, "draws is 0"),
        ({"k": 100}, "cannot be divided into 100 folds"),
    ],
)
def test_impossible_curves(options: dict[str, Any], told: str) -> None:
    with pytest.raises(BistroError, match=told):
        learning_curve("eisner", TREEBANK, **options)


def test_perplexities_are_refused() -> None:
    with pytest.raises(BistroError, match="with different vocabularies"):
        learning_curve("ngram", TREEBANK)
