"""What a model of word order returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from bistro.treebank.sentence import Sentence


class Family(NamedTuple):
    """A head and its dependents, by word number (from 1), from the head outwards."""

    head: int
    left: tuple[int, ...]
    right: tuple[int, ...]

    @property
    def dependents(self) -> tuple[int, ...]:
        """All dependents."""
        return self.left + self.right


@dataclass(frozen=True)
class OrderScore:
    """The log-probability of the order of one sentence, given its tree."""

    log_prob: float
    """Natural logarithm."""
    dependents: int
    by_family: list[tuple[Family, float]]


@dataclass(frozen=True)
class Linearization:
    """One order of a tree."""

    sentence: Sentence
    order: list[int]
    """The words of the given sentence by number, from left to right."""
    log_prob: float
