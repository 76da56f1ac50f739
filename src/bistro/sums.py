"""Floating-point sums that do not depend on the version of Python.

The built-in `sum` adds from left to right up to Python 3.11, and with compensated rounding since
3.12: its last digit, and with it the bytes of a model file, would depend on the interpreter.

>>> added([0.1] * 10)
0.9999999999999999
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable


def added(numbers: Iterable[float], start: float = 0) -> float:
    """Add numbers from left to right and return the sum."""
    return functools.reduce(operator.add, numbers, start)
