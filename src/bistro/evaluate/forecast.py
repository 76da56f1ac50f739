"""Forecasts from a learning curve, such as the expected score with twice as much data.

The score of a parser grows with the number n of training words, according to a power law that
levels off.

    y(n) = a - b n^-c                a: the limit for infinite data, c: the rate of approach

A handful of noisy points does not determine a, b and c well, so the forecast averages over their
possible values. For every value of c on a grid, weighted least squares gives a normal distribution
for y(n*), the score at the size of interest, n*. The priors on a and b are flat. The distributions
for all c are averaged and truncated to the range of possible scores. The weight of each
distribution is the probability of the points given c, times a prior on c. The noise has two parts.
The random choice of training sentences adds noise with variance σ² / n. The estimate of σ combines
the repeated draws with a typical value. The other part of the noise is the deviation of the true
curve from a power law.

>>> sizes = [1000, 2000, 4000, 8000]
>>> scores = [90 - 300 * n**-0.4 for n in sizes]
>>> forecast = forecast_of([(n, [y]) for n, y in zip(sizes, scores)], 16000)
>>> abs(forecast.mean - (90 - 300 * 16000**-0.4)) < 0.5
True
>>> forecast.low < forecast.mean < forecast.high
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError

Floats = NDArray[np.float64]
Points = Sequence[tuple[float, Sequence[float]]]
"""Pairs that consist of a training-set size and the scores of all draws of that size."""

POWERS = np.exp(np.linspace(math.log(0.05), math.log(1.5), 60))
USUAL_POWER, SPREAD_OF_POWERS = 0.35, 0.5
"""The median of the prior on c, and the standard deviation of its logarithm."""
MISFIT = 0.25
"""Standard deviation of the difference between a learning curve and its power law."""
USUAL_NOISE, WORTH = 50.0, 4
"""The typical value of σ on Universal Dependencies treebanks, and its weight, expressed as a
number of observations."""
COVERAGE = 0.9
LEAST_POINTS = 3


@dataclass(frozen=True)
class Forecast:
    """The forecast of a score that has not been measured."""

    size: float
    mean: float
    low: float
    """Lower end of the interval that contains the true score with a probability of 90 %."""
    high: float


def forecast_of(points: Points, size: float, *, ceiling: float = 100.0) -> Forecast:
    """Return the expected score for training data of a given size."""
    if len({n for n, _ in points}) < LEAST_POINTS:
        raise BistroError(
            f"a forecast needs scores for at least {LEAST_POINTS} different sizes of training data"
        )
    largest = max(n for n, _ in points)
    sizes = np.array([n / largest for n, _ in points])
    scores = np.array([np.mean(values) for _, values in points])
    variances = np.array([_noise(points) / (n * len(v)) for n, v in points]) + MISFIT**2
    fits = [_fit(sizes, scores, variances, power, size / largest) for power in POWERS]
    prior = -0.5 * (np.log(POWERS / USUAL_POWER) / SPREAD_OF_POWERS) ** 2
    log_weights = np.array([fit.log_evidence for fit in fits]) + prior
    weights = np.exp(log_weights - log_weights.max())
    means, deviations = (np.array([getattr(f, n) for f in fits]) for n in ("mean", "deviation"))
    grid = np.linspace((means - 6 * deviations).min(), (means + 6 * deviations).max(), 4001)
    grid = grid[grid <= ceiling]
    scaled = (grid[:, None] - means) / deviations
    density = np.exp(-0.5 * scaled**2) / deviations @ weights
    share = np.cumsum(density) / density.sum()
    tail = (1 - COVERAGE) / 2
    low, high = (float(grid[np.searchsorted(share, p)]) for p in (tail, 1 - tail))
    return Forecast(size, float(grid @ density / density.sum()), low, high)


@dataclass(frozen=True)
class _Fit:
    mean: float
    deviation: float
    log_evidence: float


def _fit(sizes: Floats, scores: Floats, variances: Floats, power: float, size: float) -> _Fit:
    """Fit a and b for a given c; return the prediction and the likelihood of the points given c."""
    columns = np.stack([np.ones_like(sizes), -(sizes**-power)], axis=1)
    weighted = columns / variances[:, None]
    precision = columns.T @ weighted
    covariance = np.linalg.inv(precision)
    best = covariance @ (weighted.T @ scores)
    residual = float((((scores - columns @ best) ** 2) / variances).sum())
    at = np.array([1.0, -(size**-power)])
    deviation = math.sqrt(float(at @ covariance @ at) + MISFIT**2)
    # The rows of `columns` scale with the power, which would favour some powers. A prior on the
    # gain of the curve between the smallest and the largest size, not on b, corrects this.
    span = float(np.ptp(columns[:, 1]))
    log_evidence = -0.5 * residual - 0.5 * float(np.linalg.slogdet(precision)[1]) + math.log(span)
    return _Fit(float(at @ best), deviation, log_evidence)


def _noise(points: Points) -> float:
    """Estimate σ² from the default value and from all sizes with several draws."""
    squares, freedom = WORTH * USUAL_NOISE**2, float(WORTH)
    for n, values in points:
        group = np.asarray(values)
        squares += n * float(((group - group.mean()) ** 2).sum())
        freedom += group.size - 1
    return squares / freedom
