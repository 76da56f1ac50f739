"""The weights of a stack in memory and in a file.

A decision has a table of weights, and features are hashed to places in the table. Most weights are
0 if the treebank is small.
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
"""Suffix of the names of decisions in the second round."""
NAMES = {name + suffix for name in DECISIONS for suffix in ("", AGAIN)}

SMALLEST = 0.005
"""Minimum absolute value of a weight that is saved. Most weights are small, but together they
matter: without the weights below 0.05, EWT lost 1.3 LAS, and heads became far too improbable."""
PLACE_AND_WEIGHT = 3
"""Size of a weight with its place, relative to the weight alone."""
DAMAGED = "the weights of the stack are damaged"

Weights: TypeAlias = NDArray[np.float32] | StackWeights
"""All weights of a decision, or those that are not 0."""
SIZES = [1 << bits for bits in range(1, MOST_BITS + 1)]
"""The valid numbers of weights per decision."""


def rounded(weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round weights to half precision as in a file, and set the smallest weights to 0."""
    kept = np.where(np.abs(weights) >= SMALLEST, weights, 0.0)
    return kept.astype(np.float16).astype(np.float32)


def sparse(weights: NDArray[np.float32]) -> StackWeights:
    """Return the weights that are not 0, with their places."""
    places = np.flatnonzero(weights).astype(np.uint32)
    return StackWeights(size=weights.size, places=places, values=weights[places])


def restored(name: str, arrays: Arrays) -> Weights:
    """Return the weights of a decision in single precision, given its arrays.

    A table of all weights is faster, but a small file may claim a large one. A table is made only
    if it takes at most twice the memory of the arrays.
    """
    found = {key: arrays.get(f"{name}.{key}") for key in ("size", "places", "weights")}
    size, places, weights = found.values()
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
    """Return the weights of a file without templates, which are all stored."""
    if name not in NAMES or weights.size not in SIZES:
        raise ModelFileError(DAMAGED)
    check_arrays({f"stack.{name}": weights}, {f"stack.{name}": Expected("f4", (weights.size,))})
    return np.ascontiguousarray(weights)
