"""Linear regression with clustered standard errors and an intercept for every participant.

    time = intercept of the participant + coefficients · predictors + noise

The intercepts are not columns of the design: the mean of each participant is subtracted from times
and predictors, which gives the same coefficients. Rows from the same participant depend on each
other, and so do rows from the same item. The covariance of the coefficients is therefore clustered
by participant and by item (Cameron, Gelbach & Miller 2011). The resulting intervals are valid
without an explicit model of this dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bistro.errors import BistroError
from bistro.progress import number_of

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]


@dataclass(frozen=True)
class Fit:
    """The coefficients of a regression with their 95 % intervals."""

    names: tuple[str, ...]
    estimates: Floats
    errors: Floats
    low: Floats
    high: Floats
    rows: int
    deviation: float
    """The standard deviation of the noise."""
    freedom: int
    """Degrees of freedom of the intervals: the number of participants or of items, whichever is
    smaller, minus 1."""

    @property
    def t_values(self) -> Floats:
        """Each coefficient divided by its standard error."""
        return self.estimates / self.errors

    @property
    def p_values(self) -> Floats:
        """Two-sided p-values of the coefficients."""
        return np.asarray(2 * stats.t.sf(abs(self.t_values), self.freedom), dtype=np.float64)


def centred(values: Floats, groups: Groups) -> Floats:
    """Subtract from each value the mean of its group, column by column."""
    return np.asarray(values - group_means(values, groups)[groups])


def group_means(values: Floats, groups: Groups) -> Floats:
    """Return the mean of each group.

    A group without rows gets the mean of all rows.
    """
    sizes = np.bincount(groups)
    sums = group_sums(values, groups, len(sizes))
    means = sums / np.maximum(sizes, 1).reshape(-1, *[1] * (values.ndim - 1))
    means[sizes == 0] = values.mean(axis=0)
    return np.asarray(means)


def group_sums(values: Floats, groups: Groups, number: int) -> Floats:
    """Return the sum of the values in each group."""
    columns = values.reshape(len(values), -1).T
    sums = [np.bincount(groups, column, number) for column in columns]
    return np.asarray(np.stack(sums, axis=1).reshape(number, *values.shape[1:]))


def fit(
    times: Floats, predictors: Floats, names: Sequence[str], readers: Groups, items: Groups
) -> Fit:
    """Fit the coefficients of all predictors.

    Each participant in `readers` has an intercept.
    """
    y, x = centred(times, readers), centred(predictors, readers)
    number = len(np.unique(readers))
    free = len(y) - x.shape[1] - number
    if free < 1:
        raise BistroError(
            f"there are too few reading times ({len(y)}) to estimate the effects of "
            f"{number_of(x.shape[1], 'predictor')} and {number_of(number, 'participant')}"
        )
    gram = x.T @ x
    _check_rank(gram, names)
    inverse: Floats = np.asarray(np.linalg.inv(gram), dtype=np.float64)
    estimates = inverse @ (x.T @ y)
    noise = y - x @ estimates
    errors, clusters = _errors(x, noise, inverse, readers, items)
    freedom = max(1, clusters - 1)
    reach = float(stats.t.ppf(0.975, freedom)) * errors
    return Fit(
        tuple(names),
        estimates,
        errors,
        estimates - reach,
        estimates + reach,
        len(y),
        float(np.sqrt(noise @ noise / free)),
        freedom,
    )


def _check_rank(gram: Floats, names: Sequence[str]) -> None:
    scale = np.sqrt(np.diag(gram))
    if (scale == 0).any():
        constant = ", ".join(n for n, s in zip(names, scale, strict=True) if s == 0)
        raise BistroError(
            f"these predictors have the same value in every row and cannot be used: {constant}"
        )
    if np.linalg.cond(gram / np.outer(scale, scale)) > 1e10:
        raise BistroError(f"some of the predictors are collinear: {', '.join(names)}")


def _errors(
    x: Floats, noise: Floats, inverse: Floats, readers: Groups, items: Groups
) -> tuple[Floats, int]:
    """Return the standard errors, and the number of participants or items, whichever is smaller."""
    scores = x * noise[:, None]
    both = readers * (int(items.max()) + 1) + items
    _, pairs = np.unique(both, return_inverse=True)
    ways = [groups for groups in (readers, items) if len(np.unique(groups)) > 1]
    if not ways:
        middle, clusters = scores.T @ scores, len(x)
    else:
        parts = [_clustered(scores, groups) for groups in ways]
        middle = sum(parts, np.zeros_like(inverse))
        if len(ways) == 2:
            middle = middle - _clustered(scores, pairs)
            # The difference may not be a valid covariance, so neither one-way error is undercut.
            alone = max(parts, key=lambda part: float(np.trace(inverse @ part @ inverse)))
            two, one = (np.diag(inverse @ m @ inverse) for m in (middle, alone))
            variances = np.maximum(two, one)
            return np.sqrt(variances), min(len(np.unique(groups)) for groups in ways)
        clusters = len(np.unique(ways[0]))
    return np.sqrt(np.diag(inverse @ middle @ inverse)), clusters


def _clustered(scores: Floats, groups: Groups) -> Floats:
    sums = group_sums(scores, groups, int(groups.max()) + 1)
    number = len(np.unique(groups))
    return np.asarray(sums.T @ sums * (number / (number - 1)))
