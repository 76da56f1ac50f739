"""Weights and sharpness of a committee's votes, learned from held-out data.

Likely weights maximise the probability of the correct entries (`bistro.inference.mixture_weights`).
Accurate weights maximise the number of correct choices, where the choice for a word is the
likeliest entry of the mixture. The search starts from equal weights. It multiplies or divides one
weight at a time by 1.5 as long as more words are correct. A weak member whose errors differ from
those of the other members contributes more to the number of correct choices than to the likelihood.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from bistro.inference.mixture_weights import Floats, mixture_weights
from bistro.models.parsing.votes import Rows, mixed

SHARPEST = 3.0
STEP = 1.5
LEAST_GAIN = 1e-4
"""Minimum gain in correct choices per step, as a proportion of the words. Smaller
gains may be due to chance."""
MOST_ROUNDS = 10


def likely_weights(members: Sequence[Rows], gold: NDArray[np.int64]) -> Floats:
    """Return weights that sum to 1 and maximise the probability of the gold entries."""
    return mixture_weights(np.stack([rows.probability_of(gold) for rows in members]))


def accurate_weights(members: Sequence[Rows], gold: NDArray[np.int64]) -> Floats:
    """Return weights that sum to 1 and maximise the number of correct choices."""
    right = _counter(members, gold)
    weights = np.full(len(members), 1 / len(members))
    best = right(weights)
    for _ in range(MOST_ROUNDS):
        before = best
        for member in range(len(members)):
            for factor in (STEP, 1 / STEP):
                changed = weights.copy()
                changed[member] *= factor
                if (now := right(changed)) >= best + max(1, LEAST_GAIN * gold.size):
                    weights, best = changed / changed.sum(), now
                    break
        if best == before:
            break
    return weights


def _counter(members: Sequence[Rows], gold: NDArray[np.int64]) -> Callable[[Floats], float]:
    """Return a function that maps weights to the number of correct choices.

    Words whose gold entry is not listed by any member are left out, because no choice for these
    words can be correct.
    """
    union = mixed(members, [1.0] * len(members))
    row, span = union.row, int(union.what.max(initial=0)) + 1
    places = row * span + union.what
    table = np.zeros((len(members), places.size))
    for member, rows in zip(table, members, strict=True):
        member[np.searchsorted(places, rows.row * span + rows.what)] = rows.probability
    is_gold = union.what == gold[row]
    begin = union.begin[:-1][np.diff(union.begin) > 0]
    wrong = np.where(is_gold, 0.0, table)
    golden = np.add.reduceat(np.where(is_gold, table, 0.0), begin, axis=1)

    def right(weights: Floats) -> float:
        others = np.maximum.reduceat(weights @ wrong, begin)
        return float(np.count_nonzero(weights @ golden > others))

    return right


def sharpness(rows: Rows, gold: NDArray[np.int64]) -> float:
    """Return the power that makes the mean probability of the likeliest entries match the accuracy.

    The mean probability and the accuracy are computed over all words. The mean probability grows
    with the power, so there is at most one solution in the search range.
    """
    best = rows.likeliest()
    accuracy = float(np.mean(best == gold))

    def overconfidence(power: float) -> float:
        return float(rows.sharpened(power).probability_of(best).mean()) - accuracy

    if overconfidence(1 / SHARPEST) > 0:
        return 1 / SHARPEST
    if overconfidence(SHARPEST) < 0:
        return SHARPEST
    return float(brentq(overconfidence, 1 / SHARPEST, SHARPEST, xtol=1e-4))
