"""Calibration of the probabilities of the heads in a tree.

The heads in the best tree are calibrated by a change of their log-odds x = log p / (1 - p), which
has one slope for heads that are probably wrong and another slope for heads that are probably right.

    x' = low_slope · x + offset    if p < 0.5
    x' = slope · x + offset        if p ≥ 0.5

The first slope is clearly less than 1. If the likeliest heads of some words do not form a tree, one
of these words gets an unlikely head, and such heads are correct more often than predicted.

The slopes and the offset are fitted on a development set. A small set may be easier or more
difficult than other text, so the parameters that fit it best are not the best parameters for other
text. For this reason, a prior keeps the parameters close to the typical values of committees.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from bistro.inference.mixture_weights import Floats

SPREAD = 0.05
"""Standard deviation of the normal priors on the slopes and the offset. On small
development sets, both 0.02 and 0.12 lead to a larger calibration error than 0.05."""
BOUNDS = ((0.1, None), (0.1, None), (None, None))
"""Limits of the slopes and the offset. The slopes must be positive."""
CERTAIN = 1e-9


class LogOddsMap(NamedTuple):
    """A piecewise linear function of log-odds. By default, log-odds do not change."""

    low_slope: float = 1.0
    """The slope for probabilities below 0.5."""
    slope: float = 1.0
    """The slope for probabilities of at least 0.5."""
    offset: float = 0.0

    def calibrated(self, probability: Floats) -> Floats:
        """Return the probabilities after a change of their log-odds.

        Probabilities of 0 and 1 hardly change.
        """
        return np.asarray(expit(np.array(self) @ _inputs(probability)))

    @property
    def is_increasing(self) -> bool:
        """Whether all parameters are finite and both slopes are positive."""
        return all(map(math.isfinite, self)) and min(self.low_slope, self.slope) > 0


UNCHANGED = LogOddsMap()
TYPICAL = LogOddsMap(low_slope=0.6, slope=0.9, offset=0.03)
"""Means of the priors. These values are averages over committees that were trained on parts of four
treebanks."""


def fitted_map(probability: Floats, is_right: NDArray[np.bool_]) -> LogOddsMap:
    """Return the map with the highest posterior probability.

    Parameters
    ----------
    probability
        Predicted probability of each head in the trees of a development set. Heads with a
        probability of 0 are left out, since calibration does not change them.
    is_right
        Whether each of these heads is correct.

    Examples
    --------
    >>> overconfident, is_right = np.full(10_000, 0.99), np.arange(10_000) < 9_000
    >>> for words in (0, 10_000):
    ...     log_odds = fitted_map(overconfident[:words], is_right[:words])
    ...     print(log_odds.calibrated(np.array([0.99])).round(2))
    [0.98]
    [0.9]
    """
    # SciPy takes a second to load, and parsing does not need this part.
    from scipy.optimize import minimize

    is_possible = probability > 0
    inputs, is_right = _inputs(probability[is_possible]), is_right[is_possible]
    typical = np.array(TYPICAL)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        """Return the negative log posterior and its gradient."""
        log_odds, difference = parameters @ inputs, (parameters - typical) / SPREAD**2
        fit = np.logaddexp(0, log_odds).sum() - log_odds[is_right].sum()
        gradient = inputs @ (expit(log_odds) - is_right) + difference
        return fit + difference @ (parameters - typical) / 2, gradient

    fitted = minimize(
        loss, typical, jac=True, method="L-BFGS-B", bounds=BOUNDS, options={"ftol": 0, "gtol": 1e-6}
    )
    return LogOddsMap(*fitted.x.tolist())


def _inputs(probability: Floats) -> Floats:
    """Return the inputs of a map, one row per parameter: log-odds below 0 and above 0, and ones."""
    log_odds = logit(probability.clip(CERTAIN, 1 - CERTAIN))
    return np.stack((np.minimum(log_odds, 0), np.maximum(log_odds, 0), np.ones(log_odds.size)))
