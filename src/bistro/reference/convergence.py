"""R-hat and effective sample size measure whether several chains agree.

Chains that sample the same posterior must agree, and so must the halves of a chain. For m
half-chains of n draws each, let W be the mean of their variances, and let B be n times the variance
of their means. R-hat is the square root of this ratio:

    ((n - 1)/n · W + B/n) / W

R-hat is 1 if the half-chains agree, and above 1 if their means differ by more than their variances
explain. Draws are first replaced by the normal quantiles of their ranks, so that heavy tails have
no effect. R-hat is also computed from the draws' distances from the median, to detect chains with
equal means but different widths. The larger of the two values is used (Vehtari et al. 2021).

Successive draws are correlated, so N draws are equivalent to N / τ independent draws.

    τ = 1 + 2 Σ_t ρ_t

Here ρ_t is the autocorrelation at lag t. The autocorrelations are summed in pairs as long as each
pair has a positive sum, and the pair sums are made non-increasing (Geyer 1992). The effective
sample size for the bulk is computed from the ranks. The effective sample size for the tail is
computed from two indicators: whether a draw is below the 5th percentile, and whether it is below
the 95th percentile. The smaller of the two sizes is returned.

>>> mixed = np.random.default_rng(1).normal(size=(4, 500))
>>> stuck = mixed + np.array([[0.0], [0.0], [0.0], [3.0]])
>>> r_hat(mixed) < 1.01 < 1.3 < r_hat(stuck)
True
>>> ess_bulk(mixed) > 1500, ess_bulk(stuck) < 20
(True, True)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

Draws = NDArray[np.float64]
"""Draws, with one row per chain and one column per draw."""


def r_hat(draws: Draws) -> float:
    """Return the rank-normalised R-hat of chains split into halves.

    The result is the larger of the R-hat values for the bulk and the width.
    """
    halves = halved(draws)
    distances = np.abs(halves - np.median(halves))
    return max(plain_r_hat(normal_scores(halves)), plain_r_hat(normal_scores(distances)))


def ess_bulk(draws: Draws) -> float:
    """Return the effective sample size for the bulk of the distribution."""
    return plain_ess(normal_scores(halved(draws)))


def ess_tail(draws: Draws) -> float:
    """Return the smaller of the effective sample sizes for the 5th and 95th percentiles."""
    below = [draws <= np.quantile(draws, share) for share in (0.05, 0.95)]
    return min(plain_ess(halved(one.astype(np.float64))) for one in below)


def halved(draws: Draws) -> Draws:
    """Split each chain into halves. If the number of draws is odd, the middle draw is left out."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def normal_scores(draws: Draws) -> Draws:
    """Return the normal quantile of each draw's rank among all draws. Equal draws share a rank."""
    ranks = rankdata(draws, method="average").reshape(draws.shape)
    scores: Draws = norm.ppf((ranks - 0.375) / (draws.size + 0.25))
    return scores


def plain_r_hat(chains: Draws) -> float:
    """Return the R-hat value of the given chains."""
    draws = chains.shape[1]
    within = float(np.mean(np.var(chains, axis=1, ddof=1)))
    between = draws * float(np.var(np.mean(chains, axis=1), ddof=1))
    return math.sqrt(((draws - 1) / draws * within + between / draws) / within)


def plain_ess(chains: Draws) -> float:
    """Return the effective sample size for the mean of the given chains."""
    number, draws = chains.shape
    if np.ptp(chains) < 1e-10:  # all equal: there is no error
        return float(number * draws)
    lagged: Draws = np.mean([autocovariances(chain) for chain in chains], axis=0)
    within = lagged[0] * draws / (draws - 1)
    total = lagged[0] + float(np.var(np.mean(chains, axis=1), ddof=1))
    correlation = 1 - (within - lagged) / total
    correlation[0] = 1.0
    pairs: list[float] = []
    lag = 0
    while lag + 4 < draws and correlation[lag] + correlation[lag + 1] > 0:
        pair = float(correlation[lag] + correlation[lag + 1])
        pairs.append(min(pair, pairs[-1]) if pairs else pair)
        lag += 2
    # In the last pair of the sum, the first half is counted once, if it is positive.
    last, next_to_it = correlation[lag : lag + 2]
    rest = float(last) if last + next_to_it >= 0 else max(0.0, float(last))
    time = -1 + 2 * sum(pairs) + rest
    size = number * draws
    return float(size / max(time, 1 / math.log10(size)))


def autocovariances(chain: Draws) -> Draws:
    """Return the autocovariances of a chain, indexed by lag."""
    centred = chain - np.mean(chain)
    size = chain.size
    products = [np.dot(centred[: size - lag], centred[lag:]) for lag in range(size)]
    return np.array(products) / size
