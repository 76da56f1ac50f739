"""Weights of a mixture, learned on held-out data.

If each member m assigns probability p_m to an event, the mixture assigns it Σ_m w_m p_m.
Expectation-maximisation (EM) divides each event among the members in proportion to their
contributions. The new weight of a member is its mean share over all events. The likelihood has only
one maximum, so EM finds it.

>>> better, worse = [0.5, 0.4, 0.5], [0.1, 0.5, 0.1]
>>> weights = mixture_weights(np.array([better, worse]))
>>> bool(0.9 < weights[0] <= 1)
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_STEPS = 1000
CLOSE_ENOUGH = 1e-6
Floats = NDArray[np.float64]


def equal_weights(members: int) -> Floats:
    """Return equal weights."""
    return np.full(members, 1 / members)


def mixture_weights(probabilities: Floats, close_enough: float = CLOSE_ENOUGH) -> Floats:
    """Return the weights that maximise the likelihood of the events (columns). They sum to 1.

    An event that has probability 0 under every member does not affect the weights. The search ends
    when no weight changes by more than `close_enough`.
    """
    possible = probabilities[:, probabilities.sum(axis=0) > 0]
    weights = equal_weights(len(probabilities))
    if not possible.size:
        return weights
    for _ in range(MOST_STEPS):
        shares = weights[:, None] * possible
        total = shares.sum(axis=0)
        # A weight of 0 cannot grow again, even if its member is the only one for an event.
        alive = total > 0
        before, weights = weights, (shares[:, alive] / total[alive]).mean(axis=1)
        if np.abs(weights - before).max() < close_enough:
            break
    summed: Floats = weights / weights.sum()
    return summed
