"""Results of models that predict the annotation columns of a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LEAST_ALTERNATIVE = 5e-5
"""Only alternative values with at least this probability are listed. Less probable values would be
written as 0.0000."""


@dataclass(frozen=True)
class FilledColumns:
    """The predicted values of each column, with their probabilities."""

    columns: dict[str, list[str]]
    probabilities: dict[str, list[float]]
    """The probability of each value. Values that were given have probability 1."""
    alternatives: dict[str, list[list[tuple[str, float]]]] = field(default_factory=dict)
    """Alternative values with their probabilities, likeliest first, if they were requested."""


def alternatives_to(value: str, chances: Mapping[str, float], most: int) -> list[tuple[str, float]]:
    """Return at most `most` values other than `value`, in order of decreasing probability.

    >>> alternatives_to("NOUN", {"ADJ": 0.1, "NOUN": 0.7, "VERB": 0.2, "X": 1e-9}, 3)
    [('VERB', 0.2), ('ADJ', 0.1)]
    """
    others = [(n, p) for n, p in chances.items() if n != value and p >= LEAST_ALTERNATIVE]
    return sorted(others, key=lambda entry: (-entry[1], entry[0]))[:most]


@dataclass(frozen=True)
class Beliefs:
    """A parser's distributions over the tags of one column."""

    column: str
    rows: list[list[tuple[str, float]]]
    """The tags of each word with their probabilities, sentence by sentence."""
