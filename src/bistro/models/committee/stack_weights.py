"""Representation of a stack's weights in memory and in a file.

Each decision has a table of weights, and features are hashed to positions in the table. If the
treebank is small, most weights are 0.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bistro._core import StackWeights
from bistro.encoding.arrays import Expected, check_arrays
from bistro.errors import ModelFileError
from bistro.modelfile import Arrays
from bistro.models.committee.config import MOST_BITS

TAGS, HEADS, LABELS = "tags", "heads", "labels"
DECISIONS = (TAGS, HEADS, LABELS)
AGAIN = "-again"
"""Suffix of decision names in the second round."""
NAMES = {name + suffix for name in DECISIONS for suffix in ("", AGAIN)}

SMALLEST = 0.005
"""Minimum absolute value of the weights that are saved. Most weights are small, but together they
matter: without the weights below 0.05, the LAS on EWT fell by 1.3 points, and the probabilities of
heads became far too small."""
PLACE_AND_WEIGHT = 3
"""Size of a weight stored with its position, relative to the size of the weight alone."""
DAMAGED = "the weights of the stack are damaged"

Weights: TypeAlias = NDArray[np.float32] | StackWeights
"""The weights of a decision, as a table of all weights or as a sparse table of the non-zero
weights."""
SIZES = [1 << bits for bits in range(1, MOST_BITS + 1)]
"""The permitted numbers of weights per decision."""


def rounded(weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round weights to half precision, as in model files, and set the smallest ones to 0."""
    kept = np.where(np.abs(weights) >= SMALLEST, weights, 0.0)
    return kept.astype(np.float16).astype(np.float32)


def sparse(weights: NDArray[np.float32]) -> StackWeights:
    """Return a sparse table of the non-zero weights."""
    places = np.flatnonzero(weights).astype(np.uint32)
    return StackWeights(size=weights.size, places=places, values=weights[places])


def restored(name: str, arrays: Arrays) -> Weights:
    """Restore the weights of a decision in single precision from the arrays of a file.

    A table of all weights is faster than a sparse table, but a small file could request a very
    large table. Therefore a full table is allocated only if it takes at most twice the memory of
    the arrays.
    """
    parts = {key: arrays.get(f"{name}.{key}") for key in ("size", "places", "weights")}
    size, places, weights = parts.values()
    if size is None or weights is None:
        raise ModelFileError(DAMAGED)
    has_all = places is None
    if places is None:
        places = np.arange(weights.size, dtype=np.uint32)
    check_arrays(
        {"stack.size": size, "stack.places": places, "stack.weights": weights},
        {
            "stack.size": Expected("i8", (1,)),
            "stack.places": Expected("u4", (None,)),
            "stack.weights": Expected("f2", (places.size,)),
        },
    )
    number = int(size[0])
    is_sound = weights.size == number if has_all else int(places.max(initial=0)) < number
    if name not in NAMES or number not in SIZES or not is_sound:
        raise ModelFileError(DAMAGED)
    if has_all:
        return weights.astype(np.float32)
    if 4 * number <= 2 * (places.nbytes + weights.nbytes):
        whole = np.zeros(number, dtype=np.float32)
        whole[places] = weights
        return whole
    places = np.ascontiguousarray(places)
    try:
        return StackWeights(size=number, places=places, values=weights.astype(np.float32))
    except ValueError as error:  # places out of order
        raise ModelFileError(DAMAGED) from error


def checked(name: str, weights: NDArray[Any]) -> NDArray[np.float32]:
    """Check and return the weights from a file without templates.

    Such a file contains all weights, including zeros.
    """
    if name not in NAMES or weights.size not in SIZES:
        raise ModelFileError(DAMAGED)
    check_arrays({f"stack.{name}": weights}, {f"stack.{name}": Expected("f4", (weights.size,))})
    return np.ascontiguousarray(weights)
