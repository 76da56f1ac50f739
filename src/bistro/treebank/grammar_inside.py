"""Exact sums over the parses of a grammar: inside, best and prefix probabilities in one sweep.

`inside(i, k, A)` is the probability that A derives words i to k: the sum over parses, or the best
of them. With u(A, B) the unary rules, sums are closed by ``(I - u)⁻¹``, cycles of unary rules
included. The chance that A derives *some* string that begins with words i to k obeys (Jelinek &
Lafferty 1991)

    prefix(i, k, A) = Σ_B left(A, B) prefix(i, k, B)
                    + Σ_{A → B C} p(A → B C) Σ_j inside(i, j, B) prefix(j, k, C)
                    + p(A → word i) where k = i + 1

where left(A, B) is the chance that B is the first child of A; closing by ``(I - left)⁻¹`` follows
left recursion of any depth (Stolcke 1995). Apart from the closing it is the recursion of `inside`.
Words are divided by their unigram probability, which keeps long sentences within the range of
floating point.

>>> from bistro.treebank.grammar_rules import Rule, Word
>>> rules = [Rule("S", ("S", "W"), 0, ("", "dep"), 0.5), Rule("S", ("W",), 0, ("",), 0.5)]
>>> grammar = BinaryGrammar(rules, {"W": {Word("a"): 1.0}}, "S")
>>> word = grammar.emissions("a", capital=False)
>>> sums, prefixes = Sums(grammar.unary_matrix()), Sums(grammar.left_corner_matrix())
>>> chart = Chart(grammar, [word, word], sums, prefixes)
>>> [round(math.exp(p), 12) for p in (*chart.prefix_log_probs, chart.log_prob)]
[1.0, 1.0, 0.5, 0.25]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

from bistro.treebank.grammar_binary import BinaryGrammar, Closure, Emissions, Floats, Ints


class Combination(Protocol):
    """How the values of several ways to build a symbol become one."""

    def combine(self, targets: Ints, values: Floats) -> Floats:
        """Return a vector over all symbols with the values of each target combined."""

    def close(self, vector: Floats) -> Floats:
        """Return the vector after any number of unary rules."""


class Sums:
    """Add the ways up, and close by (I - steps)⁻¹: any number of such steps may come on top."""

    def __init__(self, steps: csr_array) -> None:
        self._closure = Closure(steps)

    def combine(self, targets: Ints, values: Floats) -> Floats:
        """Add the values of each target."""
        sums = np.bincount(targets, values, minlength=self._closure.size)
        # Without the conversion, no targets at all would give integers.
        return sums.astype(np.float64, copy=False)

    def close(self, vector: Floats) -> Floats:
        """Multiply by (I - steps)⁻¹."""
        return self._closure(vector)


class Maxima:
    """Keep the best way: the probability of the most probable parse."""

    def __init__(self, grammar: BinaryGrammar) -> None:
        self._grammar = grammar

    def combine(self, targets: Ints, values: Floats) -> Floats:
        """Take the largest value of each target."""
        best = np.zeros(self._grammar.size)
        np.maximum.at(best, targets, values)
        return best

    def close(self, vector: Floats) -> Floats:
        """Apply unary rules until nothing improves; a cycle never does."""
        grammar = self._grammar
        while True:
            better = vector.copy()
            steps = grammar.unary_probs * vector[grammar.unary_children]
            np.maximum.at(better, grammar.unary_parents, steps)
            if np.array_equal(better, vector):
                return vector
            vector = better


class Cell(NamedTuple):
    """The symbols that derive a span, in ascending order, with their values."""

    symbols: Ints
    values: Floats

    def at(self, symbols: Ints) -> Floats:
        """Return the values of some symbols, zero where they do not derive the span."""
        if not self.symbols.size:
            return np.zeros(symbols.shape)
        places = np.minimum(np.searchsorted(self.symbols, symbols), self.symbols.size - 1)
        found: Floats = np.where(self.symbols[places] == symbols, self.values[places], 0.0)
        return found


class Chart:
    """The chart of one sentence, filled from left to right, every end from right to left."""

    def __init__(
        self,
        grammar: BinaryGrammar,
        tokens: Sequence[Emissions],
        combination: Combination,
        prefixes: Sums | None = None,
    ) -> None:
        self.grammar = grammar
        self.tokens = tokens
        self.length = len(tokens)
        self.log_scales = [0.0, *np.cumsum([math.log(token.unigram) for token in tokens])]
        self.cells: dict[tuple[int, int], Cell] = {}
        self.prefix_log_probs: list[float] = [0.0]
        self._rows = [_Row(grammar) for _ in tokens]
        for end in range(1, self.length + 1):
            if prefixes:
                ahead = self._column(end, prefixes)
                self.prefix_log_probs.append(self._log(ahead[0, grammar.start], end))
            for start, cell in enumerate(self._column(end, combination)):
                symbols = np.flatnonzero(cell)
                self.cells[start, end] = Cell(symbols, cell[symbols])
                self._rows[start].extend(end, cell)

    def _column(self, end: int, combination: Combination) -> Floats:
        """Return the values of all symbols for all spans with this end, from the rows so far."""
        column = np.zeros((end, self.grammar.size))
        for start in reversed(range(end)):
            row = self._rows[start]
            if start == end - 1:
                built = combination.combine(*self.lexical(start))
            else:
                parents = self.grammar.parents[row.rules]
                built = combination.combine(parents, row.continued(column))
            column[start] = combination.close(built)
        return column

    def lexical(self, position: int) -> tuple[Ints, Floats]:
        """Return the symbols that emit a word and their scaled probabilities."""
        token = self.tokens[position]
        return token.symbols, token.probs / token.unigram

    @property
    def log_prob(self) -> float:
        """The natural logarithm of the sentence's value."""
        whole = self.cells[0, self.length].at(np.array([self.grammar.start]))
        return self._log(whole[0], self.length)

    def _log(self, scaled: float, end: int) -> float:
        # Rounding may leave a zero slightly below it.
        return math.log(scaled) + float(self.log_scales[end]) if scaled > 0 else -math.inf


class _Row:
    """Binary rules whose left child is found, from one start: rule, where it ends, its value."""

    def __init__(self, grammar: BinaryGrammar) -> None:
        self._grammar = grammar
        self.rules: Ints = np.empty(0, np.intp)
        self.splits: Ints = np.empty(0, np.intp)
        self.values: Floats = np.empty(0)

    def extend(self, end: int, cell: Floats) -> None:
        """Add the rules whose left child is in the cell that ends here."""
        values = cell[self._grammar.lefts]
        rules = np.flatnonzero(values)
        self.rules = np.concatenate([self.rules, rules])
        self.splits = np.concatenate([self.splits, np.full(len(rules), end)])
        self.values = np.concatenate([self.values, values[rules] * self._grammar.probs[rules]])

    def continued(self, column: Floats) -> Floats:
        """Return the values of the rules times those of their right children in a column."""
        products: Floats = self.values * column[self.splits, self._grammar.rights[self.rules]]
        return products
