"""Weights of a mixture, learned on held-out data.

Two ways. The first makes held-out events probable. Every event has a probability under each member;
the mixture gives it Σ_m w_m p_m. Expectation-maximisation shares each event out among the members
by what they contribute to it, and a weight becomes the mean share of its member. The likelihood has
one maximum in the weights, so EM finds it.

The second makes choices right: a word's choice is what the mixture holds likeliest. From equal
weights, one weight after the other is multiplied or divided by 1.5 as long as more words come out
right. A weak member that errs in places of its own is worth more to choices than to likelihood.

>>> better, worse = [0.5, 0.4, 0.5], [0.1, 0.5, 0.1]
>>> weights = mixture_weights(np.array([better, worse]))
>>> bool(0.9 < weights[0] <= 1)
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from bistro.models.parsing.votes import Rows, mixed

MOST_STEPS = 1000
CLOSE_ENOUGH = 1e-6
SHARPEST = 3.0
STEP = 1.5
LEAST_GAIN = 1e-4
"""Share of the words that a step must put right; less is chance."""
MOST_ROUNDS = 10
Floats = NDArray[np.float64]


def mixture_weights(probabilities: Floats) -> Floats:
    """Return the weights, summing to 1, that give events (columns) the highest likelihood.

    An event that no member gives any probability tells nothing of the weights.
    """
    members = probabilities.shape[0]
    told = probabilities[:, probabilities.sum(axis=0) > 0]
    weights = np.full(members, 1 / members)
    if not told.size:
        return weights
    for _ in range(MOST_STEPS):
        shares = weights[:, None] * told
        total = shares.sum(axis=0)
        # A member of weight 0 may be the only one for an event: the weight cannot come back.
        alive = total > 0
        before, weights = weights, (shares[:, alive] / total[alive]).mean(axis=1)
        if np.abs(weights - before).max() < CLOSE_ENOUGH:
            break
    summed: Floats = weights / weights.sum()
    return summed


def likely_weights(members: Sequence[Rows], gold: NDArray[np.int64]) -> Floats:
    """Return the weights, summing to 1, under which the gold entries are most probable."""
    return mixture_weights(np.stack([rows.probability_of(gold) for rows in members]))


def accurate_weights(members: Sequence[Rows], gold: NDArray[np.int64]) -> Floats:
    """Return the weights, summing to 1, under which the likeliest entries are right most often."""
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
    """Return a function from weights to the number of words whose likeliest entry is the gold one.

    Words whose gold entry no member lists never come out right, and take no part.
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
    """Return the power under which the likeliest entries are as probable as they are often right.

    Both are means over all words. The mean probability grows with the power, so there is one such
    power, unless it lies outside all that is sensible.
    """
    chosen = rows.likeliest()
    accuracy = float(np.mean(chosen == gold))

    def overconfidence(power: float) -> float:
        return float(rows.sharpened(power).probability_of(chosen).mean()) - accuracy

    if overconfidence(1 / SHARPEST) > 0:
        return 1 / SHARPEST
    if overconfidence(SHARPEST) < 0:
        return SHARPEST
    return float(brentq(overconfidence, 1 / SHARPEST, SHARPEST, xtol=1e-4))
