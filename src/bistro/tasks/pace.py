"""The first words of a command's report: how much was processed, and how fast.

>>> pace(1, 8, seconds=0.5)
'1 sentence, 8 words, 16 words/s'
"""

from __future__ import annotations

SHORTEST = 1e-9
"""Minimum number of seconds, so that a clock that has not moved does no harm."""


def pace(sentences: int, words: int, *, seconds: float) -> str:
    """Return the number of sentences, the number of words, and the words per second."""
    rate = words / max(seconds, SHORTEST)
    return f"{_counted(sentences, 'sentence')}, {_counted(words, 'word')}, {rate:,.0f} words/s"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
