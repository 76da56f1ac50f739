"""Eisner's model in plain Python: how a tree is generated, and all trees by enumeration.

Every head takes its children outward, first those on its left and then those on its right; each
side ends with a stop. A step knows the head, the side and the child before it on that side:

>>> steps([2, 0])                                  # word 1 hangs on word 2, which hangs on the root
[Step(head=0, side='right', sibling=0, child=2), Step(head=0, side='right', sibling=2, child=0), \
Step(head=1, side='left', sibling=0, child=0), Step(head=1, side='right', sibling=0, child=0), \
Step(head=2, side='left', sibling=0, child=1), Step(head=2, side='left', sibling=1, child=0), \
Step(head=2, side='right', sibling=0, child=0)]

A tree weighs the product of its steps. `enumerate_trees` lists every tree with every choice of one
candidate a word, such as its tag, and the logarithm of its weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from bistro.reference.arc_standard import projective_trees

Side: TypeAlias = Literal["left", "right"]
Choice: TypeAlias = tuple[int, ...]
"""The candidate of each word."""


class Step(NamedTuple):
    """A child of a head, or the end of one of its sides; words count from 1, 0 is nothing."""

    head: int
    side: Side
    sibling: int
    child: int


def steps(heads: Sequence[int]) -> list[Step]:
    """Return the steps of a tree, the root's first."""
    made: list[Step] = []
    for head in range(len(heads) + 1):
        if head > 0:
            made += _side(heads, head, "left", range(head - 1, 0, -1))
        made += _side(heads, head, "right", range(head + 1, len(heads) + 1))
    return made


def _side(heads: Sequence[int], head: int, side: Side, outward: Iterable[int]) -> Iterator[Step]:
    sibling = 0
    for child in outward:
        if heads[child - 1] == head:
            yield Step(head, side, sibling, child)
            sibling = child
    yield Step(head, side, sibling, 0)


def enumerate_trees(
    candidates: Sequence[Sequence[int]],
    log_weight: Callable[[Step, Choice], float],
    *,
    single_root: bool,
) -> Iterator[tuple[tuple[int, ...], Choice, float]]:
    """Yield heads, candidates and log-weight of every projective tree."""
    for heads in projective_trees(len(candidates), single_root=single_root):
        made = steps(heads)
        for choice in product(*candidates):
            yield heads, choice, sum(log_weight(step, choice) for step in made)
