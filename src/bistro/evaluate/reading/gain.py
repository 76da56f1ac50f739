"""The gain of a predictor: how much it improves the prediction of held-out reading times.

The items are divided into folds. For each fold, two regressions, with and without the predictor,
are fitted on all other folds and used to predict the reading times in that fold. The gain of a row
is the difference between the two log-likelihoods, in nats. An uninformative predictor has a gain of
zero or slightly below zero. Intervals are computed with a bootstrap that draws items with
replacement. Two models are compared by a permutation test, which exchanges the models item by item.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.evaluate.reading.regression import Floats, Groups, group_means, group_sums

FOLDS = 10
DRAWS = 2000


@dataclass(frozen=True)
class Gain:
    """The mean gain in nats per row, with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Return "gain" if the whole interval lies above 0, otherwise "no gain"."""
        return "gain" if self.low > 0 else "no gain"


def deal(items: Groups, folds: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of every row. All rows of an item are in the same fold."""
    number = int(items.max()) + 1
    if number < 2:
        raise BistroError(
            "at least two items are needed, since each item is predicted from the other items"
        )
    of_item = random.permutation(number) % min(folds, number)
    return np.asarray(of_item[items])


def held_out_likelihoods(
    times: Floats, predictors: Floats, readers: Groups, folds: NDArray[np.int64]
) -> Floats:
    """Return the log-likelihood of each row, predicted from the rows of the other folds."""
    likelihoods = np.zeros(len(times))
    together = np.column_stack((times, predictors))
    number = int(readers.max()) + 1
    for fold in range(int(folds.max()) + 1):
        learned = folds != fold
        means = np.zeros((number, together.shape[1]))
        known = group_means(together[learned], readers[learned])
        means[: len(known)] = known
        means[len(known) :] = together[learned].mean(axis=0)
        rest = together - means[readers]
        y, x = rest[learned, 0], rest[learned, 1:]
        slopes = np.linalg.lstsq(x.T @ x, x.T @ y, rcond=None)[0]
        noise = rest[:, 0] - rest[:, 1:] @ slopes
        free = max(1, int(learned.sum()) - x.shape[1] - len(np.unique(readers[learned])))
        variance = float((noise[learned] ** 2).sum()) / free
        new = ~learned
        likelihoods[new] = -0.5 * (np.log(2 * np.pi * variance) + noise[new] ** 2 / variance)
    return likelihoods


def mean_gain(differences: Floats, items: Groups, random: np.random.Generator) -> Gain:
    """Return the mean of the differences with a bootstrap interval over items."""
    sums, sizes = _by_item(differences, items)
    means = []
    for _ in range(DRAWS):
        drawn = random.integers(len(sums), size=len(sums))
        means.append(sums[drawn].sum() / sizes[drawn].sum())
    low, high = np.quantile(means, (0.025, 0.975))
    return Gain(float(differences.mean()), float(low), float(high))


def exchange_probability(differences: Floats, items: Groups, random: np.random.Generator) -> float:
    """Return the p-value of a permutation test that exchanges the two models item by item."""
    sums, _ = _by_item(differences, items)
    seen = abs(sums.sum())
    signs = random.integers(0, 2, size=(DRAWS, len(sums))) * 2 - 1
    return float((1 + (abs(signs @ sums) >= seen - 1e-12).sum()) / (1 + DRAWS))


def _by_item(differences: Floats, items: Groups) -> tuple[Floats, Floats]:
    _, numbers = np.unique(items, return_inverse=True)
    sums = group_sums(differences, numbers, int(numbers.max()) + 1)
    return sums, np.bincount(numbers).astype(np.float64)
