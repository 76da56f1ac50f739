"""Tables as pandas data frames, if pandas is installed, and as aligned text."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from types import ModuleType

from bistro.errors import BistroError

ROWS_SHOWN = 60
"""Maximum number of rows that are shown. A longer table is shortened in the middle."""


def pandas() -> ModuleType:
    """Import pandas. If pandas is missing, the error message explains how to install it."""
    try:
        return importlib.import_module("pandas")
    except ModuleNotFoundError:
        raise BistroError("data frames need pandas: pip install pandas") from None


def aligned(columns: Mapping[str, Sequence[object]]) -> str:
    """Format the columns as a text table with right-aligned numbers.

    >>> print(aligned({"form": ["The", "dog"], "head": [2, 0], "p_head": [0.98765, math.nan]}))
    form  head  p_head
    The      2   0.988
    dog      0      NA
    """
    rows = list(zip(*columns.values(), strict=True))
    shown = [list(map(_cell, row)) for row in rows]
    if len(shown) > ROWS_SHOWN:
        half = ROWS_SHOWN // 2
        shown[half:-half] = [["…"] * len(columns)]
    is_number = [
        all(isinstance(x, int | float | None) for x in column) for column in zip(*rows, strict=True)
    ]
    table = [list(columns), *shown]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, is_number or [False] * len(row), strict=True)
        )
        for row in table
    )
    return "\n".join(line.rstrip() for line in lines)


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "NA"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
