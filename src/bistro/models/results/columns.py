"""Columns that a model found for a sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FilledColumns:
    """Values and their probabilities, by column."""

    columns: dict[str, list[str]]
    probabilities: dict[str, list[float]]
    """How probable each value is; 1 for what was given."""
