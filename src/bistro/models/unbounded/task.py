"""The interface between a task and a model with unbounded contexts.

A model works with rules, derivations and positions, whose meaning is defined by its task. A task
does three things.

    learns       the table of rules and every tree:      items -> rules, derivations
    encodes      the input of an analysis:               words -> Terminals (unknown words included)
    explains     the result of a search:                 words, derivation -> output

A subclass of `UnboundedModel` has a method for this output, such as ``tag``, ``parse_trees`` or
``segment``.
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
    """The input to a search. Word ``word[i]`` may extend from ``begin[i]`` to ``end[i]``.

    In a sentence, word i extends from i to i + 1. In a written word, positions refer to letters,
    and there may be several alternative morphemes between two positions.

    >>> Terminals.sequence([4, 7]).end.tolist()
    [1, 2]
    """

    length: int
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    word: NDArray[np.int32]
    """The indices of words in the rule table."""

    @classmethod
    def sequence(cls, words: Iterable[int]) -> Self:
        """Create the input for a sequence of words."""
        word = np.fromiter(words, dtype=np.int32)
        begin = np.arange(word.size, dtype=np.int32)
        return cls(word.size, begin, begin + np.int32(1), word)

    @property
    def is_sequence(self) -> bool:
        """Whether there is exactly one word at each position."""
        return self.word.size == self.length and bool(
            np.array_equal(self.begin, np.arange(self.length))
            and np.array_equal(self.end, self.begin + 1)
        )


class Task(ABC, Generic[Item]):
    """Base class of tasks, which define the meaning of rules and derivations."""

    contexts: ClassVar[ContextElements] = "symbols"
    """The default context elements of the task."""
    rules: RuleTable

    @classmethod
    @abstractmethod
    def learn(cls, items: Sequence[Item], config: Any) -> tuple[Self, list[Derivation]]:
        """Return the task with its table of rules, and the derivation of every training item."""

    @abstractmethod
    def words_of(self, item: Item) -> Sequence[str]:
        """Return the words of a training item, which are the input to a search."""

    @abstractmethod
    def derivation(self, item: Item) -> Derivation | None:
        """Return the correct derivation of a held-out item, or None if the grammar has none."""

    @abstractmethod
    def terminals(self, words: Sequence[str]) -> Terminals:
        """Convert words to indices. An unknown word is represented by its class."""

    @abstractmethod
    def output(self, words: Sequence[str], derivation: Derivation | None) -> Any:
        """Convert a derivation, which may be None, to the output of the task for these words."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return the data of the task, except the rules, in a JSON-serialisable form."""

    def arrays(self) -> Arrays:
        """Return additional arrays of the task, by name."""
        return {}

    @classmethod
    @abstractmethod
    def from_parts(
        cls, header: Mapping[str, Any], arrays: Arrays, rules: RuleTable, config: Any
    ) -> Self:
        """Restore the task from the results of `header` and `arrays`."""

    def base(self, counts: NDArray[np.int64], smoothing: float) -> NDArray[np.float64]:
        """Return H(rule | left-hand side), the relative frequencies of rules, smoothed."""
        return relative_frequencies(self.rules, counts, smoothing)


def relative_frequencies(
    rules: RuleTable, counts: NDArray[np.int64], smoothing: float = 0.0
) -> NDArray[np.float64]:
    """Return the probabilities of a PCFG, estimated from the counts of its rules.

    The probability of a rule is its share of the counts of all rules with the same left-hand side.
    If none of a symbol's rules was used, they are all equally probable.
    """
    weights = counts + smoothing
    sums = np.bincount(rules.left, weights, minlength=len(rules.symbols))[rules.left]
    sizes = np.bincount(rules.left, minlength=len(rules.symbols))[rules.left]
    shares: NDArray[np.float64] = np.where(sums > 0, weights / np.maximum(sums, 1e-300), 1 / sizes)
    return shares
