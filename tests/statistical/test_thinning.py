"""Thinning at random: unbiased sums, and errors that are those of the sums."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[1] / "exact"))

from prefix_twins import moments, runs_of
from test_smc import FORMS, KINDS, UNLIKELY, p_values
from transition_twins import Kind, twin_of

from bistro._core import Stream, thinned
from bistro.models.parsing.language import ScoreOptions
from bistro.rng import purpose_key

Floats = NDArray[np.float64]
RUNS = 20_000
WEIGHTS = np.array([5.0, 1, 1, 0.5, 0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.01, 0.0])
VALUES = np.array([0.1, 3, -1, 2, 5, 0.3, 9, -4, 8, 30, -50, 7])
NO_ERRORS = np.zeros(len(WEIGHTS))
OPTIONS = [(0.5, 0.1, 6.0), (1.0, 0.01, 5.0), (0.75, 0.0, 3.0), (0.5, 0.3, 100.0)]


def thinnings(flatness: float, limit: float, most: float) -> tuple[Floats, Floats]:
    """How often each weight counts, run by run; and a copy of the error of the sum of values."""
    rng = Stream(1, purpose_key("test.thinning"), 0)
    counts = np.zeros((RUNS, len(WEIGHTS)))
    errors = np.zeros((RUNS, 16))
    for run in range(RUNS):
        kept, factors, noise = thinned(
            WEIGHTS, NO_ERRORS, flatness=flatness, limit=limit, most=most, rng=rng
        )
        counts[run, kept] = factors
        carried = (WEIGHTS * VALUES)[kept] * factors
        errors[run] = carried @ noise.reshape(-1, 16)
    return counts, errors


@pytest.mark.parametrize("options", OPTIONS)
def test_every_weight_counts_once_in_the_mean(options: tuple[float, float, float]) -> None:
    counts, _ = thinnings(*options)
    assert (counts > 0).sum(axis=1).max() <= options[2] + 1
    some = counts[:, WEIGHTS > 0]
    assert p_values(some, np.ones(some.shape[1])).min() > UNLIKELY
    assert not counts[:, WEIGHTS == 0].any()
    # Whoever forgets that those drawn stand for the others is found out.
    wrong = np.minimum(some, 1.0)
    assert p_values(wrong, np.ones(some.shape[1])).min() < UNLIKELY


@pytest.mark.parametrize("options", OPTIONS[:3])
def test_the_errors_carried_along_vary_as_the_sums_do(options: tuple[float, float, float]) -> None:
    counts, errors = thinnings(*options)
    varies = np.var(counts @ (WEIGHTS * VALUES), ddof=1)
    reported = (errors**2).mean()
    assert 0.85 < reported / varies < 1.4


@pytest.mark.parametrize("options", [(0.5, 0.1, 6.0), (1.0, 0.01, 5.0)])
def test_errors_of_two_thinnings_are_those_of_both(options: tuple[float, float, float]) -> None:
    """A second thinning inflates the errors of the first: it is told of them, and adds less."""
    flatness, limit, most = options
    rng = Stream(2, purpose_key("test.thinning"), 0)
    thin = partial(thinned, flatness=flatness, limit=limit, rng=rng)
    sums, reported, careless = np.zeros(RUNS), np.zeros(RUNS), np.zeros(RUNS)
    for run in range(RUNS):
        kept, factors, noise = thin(WEIGHTS, NO_ERRORS, most=most)
        weights, first = WEIGHTS[kept] * factors, noise.reshape(-1, 16)
        variances = (first**2).mean(axis=1, dtype=np.float64)
        again, factors, noise = thin(weights, variances, most=most - 2)
        values = (weights * VALUES[kept])[again] * factors
        sums[run] = values.sum()
        second = noise.reshape(-1, 16)
        reported[run] = ((values @ (first[again] + second)) ** 2).mean()
        whole = np.sqrt(np.maximum(1 - variances[again], 1e-9))[:, None]
        careless[run] = ((values @ (first[again] + second / whole)) ** 2).mean()
    varies = np.var(sums, ddof=1)
    assert 0.8 < reported.mean() / varies < 1.25
    assert careless.mean() > reported.mean() * 1.1


@cache
def estimates(kind: Kind, particles: int) -> Floats:
    return runs_of(twin_of(kind), FORMS, particles, RUNS, graph=True)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("particles", [2, 6])
def test_the_mean_of_the_sums_is_the_probability(kind: Kind, particles: int) -> None:
    exact = np.array([moment.total for moment in moments(kind, FORMS)])
    assert p_values(estimates(kind, particles), exact).min() > UNLIKELY


@pytest.mark.parametrize("kind", KINDS[:2], ids=str)
def test_an_average_of_logarithms_would_be_noticed(kind: Kind) -> None:
    found = estimates(kind, 2)
    exact = np.array([moment.total for moment in moments(kind, FORMS)])
    with np.errstate(divide="ignore"):
        wrong = np.exp(np.log(found).mean(axis=0))
    errors = found.std(axis=0, ddof=1) / math.sqrt(RUNS)
    z = (wrong - exact)[1:] / errors[1:]
    assert (2 * stats.norm.sf(np.abs(z))).min() < UNLIKELY


@cache
def scored(kind: Kind) -> tuple[Floats, Floats, Floats]:
    """Return the truth, 500 estimates of every event, and the errors reported."""
    model = twin_of(kind).model
    truth = model.score([FORMS], method="exact").log_probs
    options = ScoreOptions("graph", particles=20, seed=2, threads=1)
    runs = [model.score([FORMS], **vars(replace(options, seed=seed))) for seed in range(500)]
    errors = [scores.standard_error for scores in runs]
    assert all(error is not None for error in errors)
    return truth, np.array([scores.log_probs for scores in runs]), np.array(errors)


@pytest.mark.parametrize("kind", KINDS[:4], ids=str)
def test_intervals_cover_the_truth_as_often_as_they_say(kind: Kind) -> None:
    truth, found, errors = scored(kind)
    covered = np.abs(found - truth) <= stats.t.ppf(0.975, 15) * errors + 1e-9
    varies = errors.max(axis=0) > 1e-9
    assert ((covered.mean(axis=0) >= 0.9) | ~varies).all(), covered.mean(axis=0)


@pytest.mark.parametrize("kind", KINDS[:4], ids=str)
def test_errors_reported_are_the_spread_over_seeds(kind: Kind) -> None:
    _, found, errors = scored(kind)
    spread, reported = found.std(axis=0, ddof=1), np.sqrt((errors**2).mean(axis=0))
    # Small errors are reported with the resolution of the graph: a quarter of the share above which
    # alternatives are always kept.
    resolution = 0.25 * 17 / (20**2 + 100)
    large = reported > 6 * resolution
    assert large.any()
    ratio = spread[large] / reported[large]
    assert (ratio > 0.75).all() and (ratio < 1.25).all(), ratio
    assert (spread <= 1.25 * reported + 1e-9).all()
