"""How far a sampled mean may be from its law: errors are computed from the sample, never guessed.

A chain is cut into batches long against its memory; the batch means are then nearly independent,
so their spread gives the error of the overall mean, and (mean - truth)/error follows Student's law
with one degree of freedom less than there are batches. A test that looks at k numbers multiplies
its smallest p-value by k (Bonferroni). A right sampler gives p < `SUSPICIOUS` for one seed in ten
thousand; the seeds are fixed, and wrong samplers go through the same gate and must be stopped.

    estimate = batch_means(chain)                  # chain: one row a step, one column a quantity
    assert p_value(estimate, truth) > SUSPICIOUS
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats

Array: TypeAlias = npt.NDArray[np.float64]

SUSPICIOUS = 1e-4
BATCHES = 40


@dataclass(frozen=True)
class Estimate:
    """Means of several quantities with their Monte Carlo errors."""

    mean: Array
    error: Array
    degrees: int


def batch_means(chain: Sequence[Sequence[float]] | Array, batches: int = BATCHES) -> Estimate:
    """Return the column means of a chain; independent draws are a chain too."""
    values = np.asarray(chain, dtype=np.float64)
    values = values.reshape(len(values), -1)
    length = len(values) // batches
    assert length >= 10, "too few steps to cut into batches"
    means = values[: length * batches].reshape(batches, length, -1).mean(axis=1)
    error = means.std(axis=0, ddof=1) / np.sqrt(batches)
    return Estimate(means.mean(axis=0), error, batches - 1)


def p_value(estimate: Estimate, truth: Sequence[float] | Array) -> float:
    """Return the probability of a mean at least this far off in any of the quantities."""
    return _smallest(estimate.mean - np.asarray(truth), estimate.error, estimate.degrees)


def p_value_of_difference(first: Estimate, second: Estimate) -> float:
    """Return the same for two estimates of one truth."""
    error = np.hypot(first.error, second.error)
    # The smaller number of degrees of freedom is the cautious one.
    degrees = min(first.degrees, second.degrees)
    return _smallest(first.mean - second.mean, error, degrees)


def _smallest(difference: Array, error: Array, degrees: int) -> float:
    exact = error <= 1e-14
    assert (np.abs(difference[exact]) < 1e-9).all(), "a quantity without spread has a wrong value"
    if exact.all():
        return 1.0
    z = np.abs(difference[~exact]) / error[~exact]
    return min(1.0, float(2 * stats.t.sf(z.max(), degrees)) * z.size)


def chi_square_p_value(counts: Sequence[int] | npt.NDArray[np.int64], law: Array) -> float:
    """Return Pearson's p-value of observed counts; cells with fewer than 5 expected are pooled."""
    observed = np.asarray(counts, dtype=np.float64)
    expected = np.asarray(law) * observed.sum()
    small = expected < 5
    observed = np.append(observed[~small], observed[small].sum())
    expected = np.append(expected[~small], expected[small].sum())
    if expected[-1] == 0:
        assert observed[-1] == 0, "something impossible was drawn"
        observed, expected = observed[:-1], expected[:-1]
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(statistic, len(expected) - 1))
