"""How many of the most frequent spines of right trees are also the most frequent of trees found.

Of long spines most occur once, so the thousand most frequent ones are not a set: which of those
with the count of the thousandth belong to it is arbitrary. Ties are therefore broken at random:
every spine draws one number, the same for both lists, and belongs to a list if the number is below
its chance there. The expected share is computed exactly, and right trees match themselves fully.

>>> right, found = Counter({"a": 3, "b": 1, "c": 1}), Counter({"a": 2, "b": 1, "d": 1, "e": 1})
>>> matched(right, right, most=2), round(matched(right, found, most=2), 1)
(100.0, 66.7)
"""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

Spine = TypeVar("Spine")
MOST_FREQUENT = 1000


def chances(counts: Counter[Spine], most: int) -> dict[Spine, float]:
    """Return the probability of each spine to be among the most frequent, ties broken at random."""
    ranked = counts.most_common()
    if len(ranked) <= most:
        return dict.fromkeys(counts, 1.0)
    last = ranked[most - 1][1]
    above = sum(count > last for _, count in ranked)
    share = (most - above) / sum(count == last for _, count in ranked)
    return {spine: 1.0 if n > last else share for spine, n in ranked if n >= last}


def matched(gold: Counter[Spine], found: Counter[Spine], most: int = MOST_FREQUENT) -> float:
    """Return the expected share of the most frequent right ones that are so in both, percent."""
    right, guessed = chances(gold, most), chances(found, most)
    both = sum(min(chance, guessed.get(spine, 0.0)) for spine, chance in right.items())
    return 100 * both / sum(right.values())


def once(gold: Counter[Spine]) -> str:
    """Say how many spines there are, and how many of them occur once.

    >>> once(Counter("aab"))
    '2 spines, 1 once'
    """
    return f"{len(gold):,} spines, {sum(count == 1 for count in gold.values()):,} once"
