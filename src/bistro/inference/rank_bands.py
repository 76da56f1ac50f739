"""A test of whether ranks are uniform, with a simultaneous band and an exact p-value.

If n ranks are drawn uniformly from 0, ..., L, the number C_j of ranks below j is Binomial(n, z_j)
with z_j = j/(L + 1), for every j at once. The statistic γ is the smallest two-sided tail
probability over all j (Säilynoja, Bürkner & Vehtari 2022).

    γ = min over j of  2 min( P(Bin(n, z_j) ≤ C_j),  P(Bin(n, z_j) ≥ C_j) ),

The distribution of γ is computed exactly. The counts C_1, C_2, ... form a Markov chain, so the
probability that they stay between two curves is a product of small matrices.

>>> uniform = np.arange(100) % 10
>>> p_value(uniform, 9) > 0.99, p_value(np.minimum(uniform, 7), 9) < 0.01
(True, True)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Band:
    """Inclusive lower and upper bounds on the counts C_j of uniform ranks."""

    low: Ints
    high: Ints


def counts_below(ranks: Ints, draws: int) -> Ints:
    """Return the number of ranks below j, for j = 1, ..., `draws`."""
    return np.cumsum(np.bincount(ranks, minlength=draws + 1))[:draws].astype(np.int64)


def p_value(ranks: Ints, draws: int) -> float:
    """Return the probability that uniform ranks give a statistic no larger than the observed one.

    Parameters
    ----------
    ranks
        One rank per run, from 0 to `draws`.
    draws
        Number of draws among which each true value was ranked.
    """
    runs = len(ranks)
    below = counts_below(ranks, draws)
    places = _places(draws)
    gamma = float(np.min(_tails(below, runs, places)))
    # Counts whose tail probability is equal up to rounding are part of the event.
    return 1.0 - _inside(_band(gamma * (1 + 1e-9), runs, draws), runs, draws)


def simultaneous_band(runs: int, draws: int, error_rate: float) -> Band:
    """Return the narrowest band for uniform ranks.

    Their counts fall outside the band with a probability of at most `error_rate`.
    """
    low, high = error_rate / (2 * draws), error_rate
    for _ in range(30):
        middle = np.sqrt(low * high)
        left = 1.0 - _inside(_band(middle, runs, draws), runs, draws)
        low, high = (middle, high) if left <= error_rate else (low, middle)
    return _band(low, runs, draws)


def _places(draws: int) -> Floats:
    return np.arange(1, draws + 1) / (draws + 1)


def _tails(below: Ints, runs: int, places: Floats) -> Floats:
    law = stats.binom(runs, places)
    tails: Floats = 2 * np.minimum(law.cdf(below), law.sf(below - 1))
    return tails


def _band(gamma: float, runs: int, draws: int) -> Band:
    """Return the counts whose two-sided tail probability is greater than `gamma`."""
    counts = np.arange(runs + 1)
    low, high = [], []
    for place in _places(draws):
        law = stats.binom(runs, place)
        is_in = np.flatnonzero((2 * law.cdf(counts) > gamma) & (2 * law.sf(counts - 1) > gamma))
        low.append(is_in[0] if is_in.size else 1)
        high.append(is_in[-1] if is_in.size else 0)
    return Band(np.array(low), np.array(high))


def _inside(band: Band, runs: int, draws: int) -> float:
    """Return the probability that the counts of uniform ranks stay within a band."""
    before, mass = np.array([0]), np.array([1.0])
    for j in range(draws):
        here = np.arange(band.low[j], band.high[j] + 1)
        # Each rank that is at least j equals j with the same probability.
        steps = stats.binom.pmf(here[:, None] - before, runs - before, 1 / (draws + 1 - j))
        before, mass = here, steps @ mass
    return float(min(1.0, mass.sum()))
