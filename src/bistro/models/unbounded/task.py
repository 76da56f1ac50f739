"""What a task must tell a model with unbounded contexts.

The model knows rules, derivations and places; only its task knows what they stand for. A task

    learns       the table of rules and every tree:      items -> rules, derivations
    encodes      what is to be analysed:                 words -> Terminals (unknown words included)
    explains     what a search found:                    words, derivation -> output

and a subclass of `UnboundedModel` gives that output a name: ``tag``, ``parse_trees``, ``segment``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro.modelfile import Arrays
from bistro.models.unbounded.config import ContextElements
from bistro.models.unbounded.rules import Derivation, RuleTable

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Terminals:
    """What is to be analysed: word ``word[i]`` may extend from place ``begin[i]`` to ``end[i]``.

    In a sentence word i extends from i to i + 1. In a written word, whose places are its letters,
    many morphemes may extend from one place to another.

    >>> Terminals.sequence([4, 7]).end.tolist()
    [1, 2]
    """

    length: int
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    word: NDArray[np.int32]
    """Numbers of words of the rule table."""

    @classmethod
    def sequence(cls, words: Iterable[int]) -> Self:
        """Return one word after the other."""
        word = np.fromiter(words, dtype=np.int32)
        begin = np.arange(word.size, dtype=np.int32)
        return cls(word.size, begin, begin + np.int32(1), word)

    @property
    def is_sequence(self) -> bool:
        """Whether there is exactly one word at each place."""
        return self.word.size == self.length and bool(
            np.array_equal(self.begin, np.arange(self.length))
            and np.array_equal(self.end, self.begin + 1)
        )


class Task(ABC, Generic[Item]):
    """What rules and derivations stand for."""

    contexts: ClassVar[ContextElements] = "symbols"
    """What contexts are made of, unless the configuration says."""
    rules: RuleTable

    @classmethod
    @abstractmethod
    def learn(cls, items: Sequence[Item], config: Any) -> tuple[Self, list[Derivation]]:
        """Return the task with its table of rules, and the derivation of every item."""

    @abstractmethod
    def words_of(self, item: Item) -> Sequence[str]:
        """Return what of an item is given when it is to be analysed."""

    @abstractmethod
    def derivation(self, item: Item) -> Derivation | None:
        """Return the right derivation of a held-out item; none if the grammar has none."""

    @abstractmethod
    def terminals(self, words: Sequence[str]) -> Terminals:
        """Return words as numbers, a word that is not known as its class."""

    @abstractmethod
    def output(self, words: Sequence[str], derivation: Derivation | None) -> Any:
        """Return what a derivation says of the words; none: the grammar has none for them."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return all of the task but the rules, ready for JSON."""

    def arrays(self) -> Arrays:
        """Return arrays of the task's own, by name."""
        return {}

    @classmethod
    @abstractmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Arrays, rules: RuleTable, config: Any
    ) -> Self:
        """Make the task again from what `header` and `arrays` gave."""

    def base(self, counts: NDArray[np.int64], smoothing: float) -> NDArray[np.float64]:
        """Return H(rule | left side): how often each rule was used, `smoothing` more."""
        return relative_frequencies(self.rules, counts, smoothing)


def relative_frequencies(
    rules: RuleTable, counts: NDArray[np.int64], smoothing: float = 0.0
) -> NDArray[np.float64]:
    """Return the share of each rule among those of its left side, which is a PCFG.

    A symbol none of whose rules was used has them all alike.
    """
    weights = counts + smoothing
    sums = np.bincount(rules.left, weights, minlength=len(rules.symbols))[rules.left]
    sizes = np.bincount(rules.left, minlength=len(rules.symbols))[rules.left]
    shares: NDArray[np.float64] = np.where(sums > 0, weights / np.maximum(sums, 1e-300), 1 / sizes)
    return shares
