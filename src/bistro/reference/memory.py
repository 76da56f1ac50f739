"""A reader's memory, implemented directly from its definition, without stored counts.

The probability of a word is computed from the list of remembered events alone. In the longest
context, the customers are the remembered events. In a shorter context, the customers are the tables
of the contexts that are one element longer, with one table per word.

>>> before = [((5, 6), 7), ((4, 6), 7)]
>>> round(probability(before, (4, 6), 7, 0.01, [0.5] * 3, [1.0] * 3), 4)
0.7216
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

Context: TypeAlias = tuple[int, ...]


def probability(
    events: Sequence[tuple[Context, int]],
    context: Context,
    word: int,
    base: float,
    discounts: Sequence[float],
    strengths: Sequence[float],
) -> float:
    """Return the probability of a word after the remembered events.

    Parameters
    ----------
    events
        The remembered words, each with its longest context.
    context
        The longest context of the word.
    word
        The word.
    base
        Its probability without memory.
    discounts, strengths
        Parameters from the shortest context to the longest.
    """
    if not discounts:
        return base
    shorter = [(before[1:], other) for before, other in dict.fromkeys(events)]
    *less, d = discounts
    *weaker, theta = strengths
    lower = probability(shorter, context[1:], word, base, less, weaker)
    counts = Counter(other for before, other in events if before == context)
    if not counts:
        return lower
    total = counts.total() + theta
    own = max(counts[word] - d, 0.0) if word in counts else 0.0
    return (own + (theta + d * len(counts)) * lower) / total
