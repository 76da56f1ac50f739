"""A distribution without its smoothing: every context predicts from its own outcomes alone.

An entry of a frozen distribution stores the interpolated probability, p(x) = own(x) + weight ·
parent(x). Here own is normalised to sum to 1 and the weight is 0. A context that was seen therefore
predicts only the outcomes seen in it, and an unseen context uses its longest part that was seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bistro.modelfile import Arrays
from bistro.models.backoff import GAP


def without_backoff(arrays: Arrays, outcomes: int) -> Arrays:
    """Return the frozen arrays of a distribution over `outcomes` outcomes, without back-off."""
    base = np.array(arrays["base"], dtype=np.float64)
    backoff, probability = arrays["backoff"].copy(), arrays["probability"].copy()
    children, entries = arrays["child_begin"], arrays["entry_begin"]
    waiting: list[tuple[int, NDArray[np.float64]]] = [(0, np.resize(base, outcomes))]
    while waiting:
        at, parent = waiting.pop()
        span = slice(int(entries[at]), int(entries[at + 1]))
        places = np.flatnonzero(arrays["dish"][span] != GAP)
        dishes = arrays["dish"][span][places].astype(np.int64)
        whole = float(backoff[at]) * parent
        own = np.maximum(arrays["probability"][span][places] - whole[dishes], 0.0)
        whole[dishes] = arrays["probability"][span][places]
        if own.sum() > 0:
            probability[span.start + places] = own / own.sum()
            backoff[at] = 0
        if at + 1 < len(children):
            below = range(int(children[at]), int(children[at + 1]))
            waiting += [(child, whole) for child in below if arrays["element"][child] != GAP]
    return {**arrays, "backoff": backoff, "probability": probability}
