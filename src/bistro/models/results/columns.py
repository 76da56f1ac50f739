"""Columns that a model found for a sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FilledColumns:
    """Values and their probabilities, by column."""

    columns: dict[str, list[str]]
    probabilities: dict[str, list[float]]
    """How probable each value is; 1 for what was given."""


@dataclass(frozen=True)
class Beliefs:
    """What a parser thinks of the tags in one column."""

    column: str
    rows: list[list[tuple[str, float]]]
    """Tags with their probabilities for each word, sentence after sentence."""
