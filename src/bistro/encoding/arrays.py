"""Validate arrays from a file before they are used.

The code that reads arrays has a table that declares the type, shape and value range of each array.
Numbers that are not finite are always rejected.

>>> check_arrays({"counts": np.array([1, 2, -1])}, {"counts": Expected("i", (None,), low=0)})
Traceback (most recent call last):
bistro.errors.ModelFileError: the array 'counts' has values outside the valid range
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bistro.errors import ModelFileError
from bistro.modelfile import Arrays


@dataclass(frozen=True)
class Expected:
    """The expected type, shape and limits of an array."""

    kind: str
    """The kind of the array's NumPy type (i, u, f or b). If the item size matters, it follows the
    kind, as in f8."""
    shape: tuple[int | None, ...]
    """The size of the array in each dimension. None allows any size."""
    low: float = -math.inf
    high: float = math.inf


def check_arrays(arrays: Arrays, expected: Mapping[str, Expected]) -> None:
    """Raise an error if an array has an unexpected type, shape or value.

    Additional arrays are allowed.
    """
    for name, wanted in expected.items():
        array = arrays[name]
        has_shape = len(array.shape) == len(wanted.shape) and all(
            size is None or size == actual
            for size, actual in zip(wanted.shape, array.shape, strict=True)
        )
        if not array.dtype.str[1:].startswith(wanted.kind) or not has_shape:
            raise ModelFileError(
                f"the array '{name}' has a type or size that does not match the model"
            )
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelFileError(f"the array '{name}' has values that are not finite")
        if array.size and not (wanted.low <= array.min() and array.max() <= wanted.high):
            raise ModelFileError(f"the array '{name}' has values outside the valid range")
