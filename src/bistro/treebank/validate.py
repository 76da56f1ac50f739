"""Validation of dependency trees is fast enough to be enabled at all times.

Words are numbered from 1, and ``heads[i - 1]`` is the head of word i. A head of 0 means that the
word is the root, and -1 means that the head is missing (``_``). Cycles are found by pointer
doubling. Let a(w) be the head of word w, with a(0) = 0. The map a is replaced by a∘a until it maps
every word to 0. After k rounds, a(w) is the ancestor 2^k steps above w, so a tree of n words needs
at most ⌈log2(n + 1)⌉ rounds. Each round is a single pass in C code. A word that is not
mapped to 0 after the last round is on a cycle or below a cycle.

>>> find_tree_problem([2, 0, 2])
>>> find_tree_problem([2, 3, 2]).reason
'no word has head 0: one word must be the root'
>>> find_tree_problem([0, 3, 2]).reason
'words 2 → 3 → 2 are heads of each other in a circle'
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Literal, NamedTuple

Roots = Literal["one", "any"]
ROOT = 0
MISSING = -1

_SHOWN_OF_A_CYCLE = 8


class Problem(NamedTuple):
    """An error in a tree, and the number of the word where it occurs, counted from 1."""

    word: int
    reason: str


def find_tree_problem(
    heads: Sequence[int], *, roots: Roots = "one", partial: bool = False
) -> Problem | None:
    """Return the first problem in `heads`, or None if they form a tree.

    A sentence whose heads are all missing has no tree, which is allowed. A sentence in which only
    some heads are missing is invalid unless `partial` is true. `roots` specifies whether
    several words may have head 0.
    """
    size = len(heads)
    missing = heads.count(MISSING)
    if missing == size:
        return None
    if missing and not partial:
        return Problem(
            heads.index(MISSING) + 1,
            f"{missing} of {size} words have no head (_): give all heads or none; "
            "bistro complete, parse --partial and partial=True take such sentences",
        )
    if max(heads) > size or min(heads) < MISSING:
        return _head_outside(heads)
    if roots == "one" and heads.count(ROOT) > 1:
        return _several_roots(heads)
    if missing:
        heads = [max(head, ROOT) for head in heads]
    looping = _word_on_cycle(heads)
    return _cycle(heads, looping) if looping else None


def has_tree(heads: Sequence[int]) -> bool:
    """Return whether every word has a head. A missing head is -1."""
    return MISSING not in heads


def _word_on_cycle(heads: Sequence[int]) -> int:
    """Return a word on a cycle, or 0 if there is no cycle."""
    ancestors = (ROOT, *heads)
    for _ in range(len(heads).bit_length()):
        if not any(ancestors):
            return ROOT
        ancestors = itemgetter(*ancestors)(ancestors)
    return next(filter(None, ancestors), ROOT)


def _head_outside(heads: Sequence[int]) -> Problem:
    size = len(heads)
    word, head = next((w, h) for w, h in enumerate(heads, start=1) if not MISSING <= h <= size)
    return Problem(word, f"head {head} of word {word} is outside the sentence (0 to {size})")


def _several_roots(heads: Sequence[int]) -> Problem:
    first = heads.index(ROOT)
    second = heads.index(ROOT, first + 1)
    return Problem(
        second + 1,
        f"words {first + 1} and {second + 1} both have head 0: correct the tree, "
        "or allow several roots (--roots any; in Python roots='any')",
    )


def _cycle(heads: Sequence[int], word: int) -> Problem:
    path = [word]
    while heads[path[-1] - 1] != word:
        path.append(heads[path[-1] - 1])
    if len(path) == 1:
        return Problem(word, f"word {word} is its own head: give it another, or 0 for the root")
    if ROOT not in heads:
        return Problem(word, "no word has head 0: one word must be the root")
    first = path.index(min(path))
    path = [*path[first:], *path[:first]]
    shown = [str(w) for w in path[:_SHOWN_OF_A_CYCLE]]
    if len(path) > len(shown):
        shown.append("…")
    circle = " → ".join([*shown, str(path[0])])
    return Problem(path[0], f"words {circle} are heads of each other in a circle")
