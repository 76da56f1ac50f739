"""Columns that a model found for a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LEAST_ALTERNATIVE = 5e-5
"""What is less probable would be written as 0.0000."""


@dataclass(frozen=True)
class FilledColumns:
    """Values and their probabilities, by column."""

    columns: dict[str, list[str]]
    probabilities: dict[str, list[float]]
    """How probable each value is; 1 for what was given."""
    alternatives: dict[str, list[list[tuple[str, float]]]] = field(default_factory=dict)
    """Other values with their probabilities, likeliest first, if they were asked for."""


def alternatives_to(value: str, chances: Mapping[str, float], most: int) -> list[tuple[str, float]]:
    """Return the likeliest values apart from one.

    >>> alternatives_to("NOUN", {"ADJ": 0.1, "NOUN": 0.7, "VERB": 0.2, "X": 1e-9}, 3)
    [('VERB', 0.2), ('ADJ', 0.1)]
    """
    others = [(n, p) for n, p in chances.items() if n != value and p >= LEAST_ALTERNATIVE]
    return sorted(others, key=lambda entry: (-entry[1], entry[0]))[:most]


@dataclass(frozen=True)
class Beliefs:
    """What a parser thinks of the tags in one column."""

    column: str
    rows: list[list[tuple[str, float]]]
    """Tags with their probabilities for each word, sentence after sentence."""
