"""Rules and derivations in the flat form that all tasks with unbounded contexts use.

The rules of a grammar are stored in one table and numbered from 0. A rule has the form A -> B C, A
-> B, or A -> word. A tree is the list of its rules in pre-order, with parents before children and
left children before right children. Together with the table of rules, this list defines the tree
completely.

>>> builder = RuleBuilder()
>>> tree = [
...     builder.binary("S", "NP", "VP"),
...     builder.lexical("NP", "time"),
...     builder.lexical("VP", "flies"),
... ]
>>> table = builder.table(top="S")
>>> derivation = np.array(tree, np.int32)
>>> table.check(derivation)
>>> table.ends(derivation).tolist(), table.spans(derivation).tolist()
([3, 2, 3], [[0, 2], [0, 1], [1, 2]])
>>> table.show(derivation)
'(S (NP time) (VP flies))'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.modelfile import Arrays
from bistro.models.checks import distinct_strings

Derivation = NDArray[np.int32]
"""A tree, represented by the indices of its rules in pre-order."""
NOTHING = -1
ABSENT = 1 << 40
"""A number greater than the index of any symbol or word."""


@dataclass(frozen=True, eq=False)
class RuleTable:
    """All rules of a grammar, and the names of its symbols and words."""

    symbols: tuple[str, ...]
    words: tuple[str, ...]
    """The right-hand sides of lexical rules: words, classes of unknown words, or morphemes."""
    left: NDArray[np.int32]
    first: NDArray[np.int32]
    """Index of the first symbol on the right-hand side. In a lexical rule, the value is -1 minus
    the index of the word."""
    second: NDArray[np.int32]
    """Index of the second symbol on the right-hand side, or -1 if there is none."""
    top: int
    """Index of the root symbol of all trees."""

    def __len__(self) -> int:
        return self.left.size

    @cached_property
    def is_lexical(self) -> NDArray[np.bool_]:
        """Whether each rule is lexical, that is, has a word on its right-hand side."""
        return self.first < 0

    @cached_property
    def children(self) -> NDArray[np.int32]:
        """The number of symbols on the right-hand side of each rule.

        A lexical rule has no symbols on its right-hand side.
        """
        counted: NDArray[np.int32] = np.where(self.is_lexical, 0, 1 + (self.second >= 0))
        return counted.astype(np.int32)

    @cached_property
    def word_numbers(self) -> Mapping[str, int]:
        """The index of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def word_of(self, rule: int) -> str:
        """Return the word of a lexical rule."""
        return self.words[-1 - int(self.first[rule])]

    def ends(self, derivation: Derivation) -> NDArray[np.int32]:
        """Return the index after the last descendant of each node.

        The first child of node i is node i + 1. The second child is node ``ends[i + 1]``.
        """
        ends = np.zeros(derivation.size, dtype=np.int32)
        children = self.children[derivation].tolist()
        finished: list[int] = []
        for node in range(derivation.size - 1, -1, -1):
            end = node + 1
            for _ in range(children[node]):
                if not finished:
                    raise BistroError("a derivation ends before its tree is complete")
                end = finished.pop()
            ends[node] = end
            finished.append(end)
        if len(finished) != 1:
            raise BistroError(
                "a derivation must be a single tree, with parents before their children"
            )
        return ends

    def spans(self, derivation: Derivation) -> NDArray[np.int32]:
        """Return the start and the end (exclusive) of the span of words under each node."""
        words = np.concatenate(([0], np.cumsum(self.is_lexical[derivation]))).astype(np.int32)
        return np.stack([words[:-1], words[self.ends(derivation)]], axis=1)

    def parents(self, derivation: Derivation) -> NDArray[np.int32]:
        """Return the index of each node's parent, or -1 for the root."""
        ends = self.ends(derivation)
        parents = np.full(derivation.size, NOTHING, dtype=np.int32)
        for node in np.flatnonzero(self.children[derivation]).tolist():
            parents[node + 1] = node
            if self.second[derivation[node]] >= 0:
                parents[ends[node + 1]] = node
        return parents

    def check(self, derivation: Derivation) -> None:
        """Raise an error if a derivation is not a tree of this grammar."""
        if not derivation.size or derivation.min() < 0 or derivation.max() >= len(self):
            raise BistroError("a derivation must be a non-empty list of rules from the table")
        ends = self.ends(derivation)
        expected = np.full(derivation.size, self.top, dtype=np.int32)
        inner = np.flatnonzero(self.children[derivation])
        expected[inner + 1] = self.first[derivation[inner]]
        binary = inner[self.second[derivation[inner]] >= 0]
        expected[ends[binary + 1]] = self.second[derivation[binary]]
        if not np.array_equal(expected, self.left[derivation]):
            raise BistroError("a derivation rewrites a symbol with a rule for another symbol")

    def show(self, derivation: Derivation) -> str:
        """Return the tree in bracket notation, with the symbols of the grammar."""
        ends, opened, parts = self.ends(derivation), [], []
        for node, rule in enumerate(derivation.tolist()):
            opened.append(int(ends[node]))
            parts.append(f" ({self.symbols[self.left[rule]]}")
            if self.is_lexical[rule]:
                parts.append(f" {self.word_of(rule)}")
            while opened and opened[-1] == node + 1:
                opened.pop()
                parts.append(")")
        return "".join(parts)[1:]

    def counts(self, derivations: Sequence[Derivation]) -> NDArray[np.int64]:
        """Return how often each rule is used in the derivations."""
        used = np.concatenate(derivations) if derivations else np.zeros(0, dtype=np.int32)
        return np.bincount(used, minlength=len(self))

    def header(self) -> dict[str, Any]:
        """Return the names of symbols and words in a JSON-serialisable form."""
        return {"symbols": list(self.symbols), "words": list(self.words), "top": self.top}

    def arrays(self) -> Arrays:
        """Return the rules."""
        return {"left": self.left, "first": self.first, "second": self.second}

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """Restore the table from the results of `header` and `arrays`."""
        left, first, second = (arrays[name] for name in ("left", "first", "second"))
        symbols, words = (
            tuple(distinct_strings(header[name], name)) for name in ("symbols", "words")
        )
        table = cls(symbols, words, left, first, second, header["top"])
        table.validate()
        return table

    def validate(self) -> None:
        """Raise an error if rules refer to missing symbols or words."""
        symbols, words = len(self.symbols), len(self.words)
        good = self.left.size == self.first.size == self.second.size > 0
        good = good and bool((self.left >= 0).all() and (self.left < symbols).all())
        good = good and bool((self.first >= -words).all() and (self.first < symbols).all())
        good = good and bool((self.second >= NOTHING).all() and (self.second < symbols).all())
        good = good and not bool((self.is_lexical & (self.second >= 0)).any())
        if not (good and type(self.top) is int and 0 <= self.top < symbols):
            raise BistroError("the rules of the grammar are damaged")


class RuleBuilder:
    """A builder that numbers symbols, words and rules as they occur.

    Identical rules have the same index.
    """

    def __init__(self) -> None:
        self._symbols: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._rules: dict[tuple[int, int, int], int] = {}

    def symbol(self, name: str) -> int:
        """Return the index of a symbol, adding the symbol if it is new."""
        return self._symbols.setdefault(name, len(self._symbols))

    def word(self, form: str) -> int:
        """Return the index of a word, adding the word if it is new."""
        return self._words.setdefault(form, len(self._words))

    def binary(self, left: str, first: str, second: str) -> int:
        """Return the index of the rule left -> first second."""
        return self._rule(self.symbol(left), self.symbol(first), self.symbol(second))

    def unary(self, left: str, first: str) -> int:
        """Return the index of the rule left -> first, where first is a symbol."""
        return self._rule(self.symbol(left), self.symbol(first), NOTHING)

    def lexical(self, left: str, word: str) -> int:
        """Return the index of the rule left -> word."""
        return self._rule(self.symbol(left), -1 - self.word(word), NOTHING)

    def table(self, top: str) -> RuleTable:
        """Return the table of all rules so far. The root symbol is `top`."""
        columns = np.array(list(self._rules), dtype=np.int32).reshape(-1, 3).T
        left, first, second = (np.ascontiguousarray(column) for column in columns)
        symbol = self.symbol(top)
        return RuleTable(tuple(self._symbols), tuple(self._words), left, first, second, symbol)

    def _rule(self, left: int, first: int, second: int) -> int:
        return self._rules.setdefault((left, first, second), len(self._rules))


class KnownRules(RuleBuilder):
    """A `RuleBuilder` that only looks up rules in an existing table. A missing rule is -1."""

    def __init__(self, table: RuleTable) -> None:
        self._symbols = {name: number for number, name in enumerate(table.symbols)}
        self._words = dict(table.word_numbers)
        columns = (column.tolist() for column in (table.left, table.first, table.second))
        self._rules = {triple: number for number, triple in enumerate(zip(*columns, strict=True))}

    def symbol(self, name: str) -> int:
        """Return the index of a symbol, or a number that does not occur in any rule."""
        return self._symbols.get(name, ABSENT)

    def word(self, form: str) -> int:
        """Return the index of a word, or a number that does not occur in any rule."""
        return self._words.get(form, ABSENT)

    def _rule(self, left: int, first: int, second: int) -> int:
        return self._rules.get((left, first, second), NOTHING)
