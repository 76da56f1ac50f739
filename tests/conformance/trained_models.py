"""Models of all recipes, each trained once, and items that they have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from bistro.models.base import Model

from .recipes import BY_NAME, data

HELD_OUT = slice(1, 5)
"""Which of the items, from the shortest to the longest, are asked about."""


@cache
def trained(name: str) -> Model:
    """Return the model of a recipe, trained when it is first needed."""
    return BY_NAME[name].train(seed=1)


@cache
def held_out(name: str) -> Sequence[Any]:
    """Return a few short items of a kind of data."""
    items = data(name, 2)
    if name in ("words", "utterances"):
        return items
    lengths = [len(item.leaves() if name == "trees" else item) for item in items]
    order = sorted(range(len(items)), key=lengths.__getitem__)
    return [items[i] for i in order[HELD_OUT]]
