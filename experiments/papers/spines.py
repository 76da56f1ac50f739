"""The overlap of the most frequent spines of gold trees and of predicted trees.

Most long spines occur once, so the thousand most frequent ones are not a well-defined set: the
choice among spines with the count of the thousandth is arbitrary. Ties are therefore broken at
random: every spine draws one number, the same for both lists, and belongs to a list if the number
is below its probability there. The expected share is computed exactly, and the gold trees match
themselves completely.

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
    """Return the expected percentage of the most frequent gold spines that both lists contain."""
    right, guessed = chances(gold, most), chances(found, most)
    both = sum(min(chance, guessed.get(spine, 0.0)) for spine, chance in right.items())
    return 100 * both / sum(right.values())


def once(gold: Counter[Spine]) -> str:
    """Return the number of spines, and the number that occurs once, as text.

    >>> once(Counter("aab"))
    '2 spines, 1 once'
    """
    return f"{len(gold):,} spines, {sum(count == 1 for count in gold.values()):,} once"
