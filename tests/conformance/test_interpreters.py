"""Models have the same bytes in every version of Python."""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterable
from typing import Any

import pytest

from .recipes import BY_NAME
from .stored_figures import figures_of

plain_sum = builtins.sum


def compensated_sum(values: Iterable[Any], /, start: Any = 0) -> Any:
    """Add as Python 3.12 and later do: with more digits where all numbers are floats or whole."""
    listed = [start, *values]
    if all(type(value) in (int, float) for value in listed) and float in map(type, listed):
        return math.fsum(listed)
    return plain_sum(listed[1:], listed[0])


@pytest.mark.parametrize("name", BY_NAME)
def test_sums_do_not_depend_on_the_interpreter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = BY_NAME[name]
    made = []
    for function in (plain_sum, compensated_sum):
        with monkeypatch.context() as patched:
            patched.setattr(builtins, "sum", function)
            model = recipe.train()
            made.append((model.to_bytes(), figures_of(model, recipe.without)))
    assert made[0][0] == made[1][0]
    assert repr(made[0][1]) == repr(made[1][1])
