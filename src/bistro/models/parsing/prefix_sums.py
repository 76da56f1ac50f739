"""Word scores, computed from the estimated probabilities of all prefixes of a text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.models.results.scores import TextScores, deviation_of_steps, steps_between

LARGEST_SHARE = 0.95
"""Maximum relative error of an estimate by the graph method. Larger errors are capped at this
value."""


def scores_of_prefixes(
    arrays: dict[str, NDArray[np.float64]],
    is_eos: NDArray[np.bool_],
    is_oov: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    log_scale: NDArray[np.float64],
) -> TextScores:
    """Average the runs, and compute word scores from the differences between prefixes.

    `log_scale` is the term in each word's log-probability that is the same in all analyses.
    """
    runs = max(arrays["log_prefix"].size // max(is_eos.size, 1), 1)
    prefix = arrays["log_prefix"].reshape(runs, is_eos.size)
    # The means of each run are weighted by the probability that the run found.
    share = np.exp(prefix - np.logaddexp.reduce(prefix, axis=0))
    mean = np.logaddexp.reduce(prefix, axis=0) - np.log(runs)
    return TextScores(
        _words_of(mean, offsets) + log_scale,
        is_eos,
        is_oov,
        offsets,
        lexical=(share * arrays["lexical"].reshape(prefix.shape)).sum(axis=0) - log_scale,
        entropy=np.maximum(0.0, mean - (share * arrays["log_joint"].reshape(prefix.shape)).sum(0)),
        deviation=_deviation(arrays, prefix, share, mean, offsets),
    )


def _words_of(prefix: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log-probabilities of words, given the log-probabilities of all prefixes.

    A longer prefix cannot be more probable than a shorter one, but its estimate may be higher if
    the added word was almost certain. In this case, the estimate for the longer prefix is lowered
    to the estimate for the shorter prefix.
    """
    words = np.empty_like(prefix)
    for begin, end in pairwise(offsets.tolist()):
        lowered = np.minimum.accumulate(np.concatenate(([0.0], prefix[begin:end])))
        words[begin:end] = np.diff(lowered)
    return words


def _deviation(
    arrays: dict[str, NDArray[Any]],
    prefix: NDArray[np.float64],
    share: NDArray[np.float64],
    mean: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> NDArray[np.float64] | None:
    """Return each run's estimate for each prefix, divided by the mean over all runs.

    For the graph method, runs with the estimated variance are simulated.
    """
    if "noise" not in arrays:
        return np.exp(prefix - mean) if len(prefix) > 1 else None
    if not arrays["noise"].any():
        return None
    noise = arrays["noise"].reshape(*prefix.shape, -1)
    steps = steps_between(1.0 + np.einsum("re,rec->ce", share, noise), offsets)
    # The errors are relative to the estimate, but errors of the logarithm are needed: if the
    # estimate is too high by a fraction e of itself, its logarithm is too high by -log(1 - e).
    sizes = -np.log1p(-np.minimum(np.abs(steps), LARGEST_SHARE))
    # Scaled so that the mean of all copies has the variance of one copy.
    return deviation_of_steps(np.sqrt(len(steps)) * np.copysign(sizes, steps), offsets)
