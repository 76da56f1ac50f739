"""The steps of n-grams of dependents: p(label or stop | side, head, previous labels).

The probabilities are add-k smoothed relative frequencies, or predictions of a
Pitman-Yor process with back-off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import Frozen
from bistro.modelfile import Arrays

Numbers = NDArray[np.int32]
Floats = NDArray[np.float64]


class CountedSteps:
    """Step probabilities with add-k smoothing.

    The probability of an outcome is (count + k) / (total + k · outcomes).
    """

    def __init__(self, arrays: Arrays, outcomes: int, k: float) -> None:
        self._outcomes = outcomes
        self._k = k
        contexts = map(tuple, arrays["contexts"].tolist())
        self._numbers = {context: i for i, context in enumerate(contexts)}
        self._totals = np.append(arrays["totals"], 0)
        self._pairs, self._counts = arrays["pairs"], arrays["counts"]

    def table(self, contexts: Numbers, outcomes: Numbers) -> Floats:
        """Return the smoothed probabilities, shape (contexts, outcomes)."""
        missing = len(self._numbers)
        rows = np.array([self._numbers.get(tuple(c), missing) for c in contexts.tolist()])
        pairs = rows[:, None] * self._outcomes + outcomes
        places = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        counts = np.where(self._pairs[places] == pairs, self._counts[places], 0)
        below = self._totals[rows] + self._k * self._outcomes
        shares: Floats = (counts + self._k) / below[:, None]
        return shares


def count_steps(contexts: Numbers, outcomes: Numbers, size: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of event counts for `CountedSteps`.

    All outcome indices are less than `size`.
    """
    # Contexts are numbered column by column, since NumPy sorts numbers much faster than rows.
    of_event = np.zeros(len(contexts), dtype=np.int64)
    for column in contexts.T:
        numbered = of_event * (int(column.max(initial=0)) + 1) + column
        _, first, of_event = np.unique(numbered, return_index=True, return_inverse=True)
    pairs, counts = np.unique(of_event * size + outcomes, return_counts=True)
    totals = np.bincount(of_event)
    return {"contexts": contexts[first], "totals": totals, "pairs": pairs, "counts": counts}


class ProcessSteps:
    """Step probabilities of a frozen Pitman-Yor process."""

    def __init__(self, arrays: Arrays, outcomes: int) -> None:
        self._frozen = Frozen(**arrays, dishes=outcomes)

    def table(self, contexts: Numbers, outcomes: Numbers) -> Floats:
        """Return the predictive probabilities, shape (contexts, outcomes)."""
        rows = np.repeat(contexts, len(outcomes), axis=0)
        logs = self._frozen.log_probabilities(rows, np.tile(outcomes, len(contexts)))
        shares: Floats = np.exp(logs).reshape(len(contexts), len(outcomes))
        return shares


Steps = CountedSteps | ProcessSteps
"""p(label or stop | context)."""


def saved_steps(arrays: Arrays, outcomes: int, k: float) -> Steps:
    """Restore step probabilities from the arrays of either counts or a frozen process."""
    if "pairs" in arrays:
        return CountedSteps(arrays, outcomes, k)
    return ProcessSteps(arrays, outcomes)


def step_contexts(seen: Sequence[str], side: Numbers, head: Numbers, lasts: Numbers) -> Numbers:
    """Return one context per row. `lasts` contains the previous labels, nearest first."""
    nearest = lasts[:, :1]
    columns = {"side": side[:, None], "head": head[:, None], "last": nearest}
    rows = np.concatenate([*(columns[name] for name in seen), lasts[:, 1:]], axis=1)
    return np.ascontiguousarray(rows.astype(np.int32))
