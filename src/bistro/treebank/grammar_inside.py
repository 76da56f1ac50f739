"""Exact sums over the parses of a grammar: inside, best and prefix probabilities on one chart.

`cells[i, k, A]` is the probability that A derives words i to k (the sum over parses, or the best of
them). With u(A, B) the unary rules, a cell of sums is closed by ``(I - u)⁻¹``, so cycles of unary
rules need no iteration. The chance that A derives *some* string that begins with words i to k obeys
(Jelinek & Lafferty 1991)

    prefix[i, k, A] = Σ_B left(A, B) prefix[i, k, B]
                    + Σ_{A → B C} p(A → B C) Σ_j cells[i, j, B] prefix[j, k, C]
                    + p(A → word i) where k = i + 1

where left(A, B) is the chance that B is the first child of A; solving by ``(I - left)⁻¹`` follows
left recursion of any depth (Stolcke 1995). Words are divided by their unigram probability, which
keeps long sentences within the range of floating point.

>>> from bistro.treebank.grammar_rules import Rule, Word
>>> rules = [Rule("S", ("S", "W"), 0, ("", "dep"), 0.5), Rule("S", ("W",), 0, ("",), 0.5)]
>>> grammar = BinaryGrammar(rules, {"W": {Word("a"): 1.0}}, "S")
>>> chart = Chart(grammar, Sums(grammar), [grammar.emissions("a", capital=False)] * 2)
>>> round(math.exp(chart.log_prob), 12)
0.25
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array, eye_array

from bistro.treebank.grammar_binary import BinaryGrammar, Emissions, Floats, Ints, factorized


class Combination(Protocol):
    """How the values of several ways to build a symbol become one."""

    def combine(self, targets: Ints, values: Floats) -> Floats:
        """Return a vector over all symbols with the values of each target combined."""

    def close(self, vector: Floats) -> Floats:
        """Return the vector after any number of unary rules."""


class Sums:
    """Add the ways up: the probability of all parses together."""

    def __init__(self, grammar: BinaryGrammar) -> None:
        self._size = grammar.size
        self._closure = _closure(grammar)

    def combine(self, targets: Ints, values: Floats) -> Floats:
        """Add the values of each target."""
        return add_up(targets, values, self._size)

    def close(self, vector: Floats) -> Floats:
        """Multiply by (I - u)⁻¹."""
        closed: Floats = self._closure @ vector
        return closed


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


class Chart:
    """The filled chart of one sentence; rows are filled from the last word to the first."""

    def __init__(
        self, grammar: BinaryGrammar, combination: Combination, tokens: Sequence[Emissions]
    ) -> None:
        self.grammar = grammar
        self.tokens = tokens
        self.length = len(tokens)
        self.log_scale = math.fsum(math.log(token.unigram) for token in tokens)
        self.cells = np.zeros((self.length, self.length + 1, grammar.size))
        self.rows = [_Row(self) for _ in tokens]
        for start in reversed(range(self.length)):
            self._fill(start, combination)

    def _fill(self, start: int, combination: Combination) -> None:
        row = self.rows[start]
        for end in range(start + 1, self.length + 1):
            if end == start + 1:
                built = combination.combine(*self.lexical(start))
            else:
                parents = self.grammar.parents[row.rules]
                built = combination.combine(parents, row.continued(self.cells[:, end]))
            cell = combination.close(built)
            self.cells[start, end] = cell
            row.extend(end, cell)

    def lexical(self, position: int) -> tuple[Ints, Floats]:
        """Return the symbols that emit a word and their scaled probabilities."""
        token = self.tokens[position]
        return token.symbols, token.probs / token.unigram

    @property
    def log_prob(self) -> float:
        """The natural logarithm of the sentence's value."""
        return log(float(self.cells[0, -1, self.grammar.start])) + self.log_scale


class _Row:
    """Binary rules whose left child is found, from one start: rule, where it ends, its value."""

    def __init__(self, chart: Chart) -> None:
        self._grammar = chart.grammar
        self._last = chart.length
        self.rules: Ints = np.empty(0, np.intp)
        self.splits: Ints = np.empty(0, np.intp)
        self.values: Floats = np.empty(0)

    def extend(self, end: int, cell: Floats) -> None:
        """Add the rules whose left child is in the cell, unless the sentence ends there."""
        if end == self._last:
            return
        values = cell[self._grammar.lefts]
        rules = np.flatnonzero(values)
        self.rules = np.concatenate([self.rules, rules])
        self.splits = np.concatenate([self.splits, np.full(len(rules), end)])
        self.values = np.concatenate([self.values, values[rules] * self._grammar.probs[rules]])

    def continued(self, column: Floats) -> Floats:
        """Return the values of the rules times those of their right children in a column."""
        products: Floats = self.values * column[self.splits, self._grammar.rights[self.rules]]
        return products


class Prefixes:
    """Prefix probabilities: one factorisation of I - left serves all sentences."""

    def __init__(self, grammar: BinaryGrammar) -> None:
        self._grammar = grammar
        self._left_corners = factorized(grammar.left_corner_matrix())

    def log_probs(self, chart: Chart) -> list[float]:
        """Return the log-probability of each prefix of the words, the empty one first."""
        size, length = self._grammar.size, chart.length
        # prefix[j, A, k - 1] for words j to k; zero where the prefix would be empty.
        prefix = np.zeros((length, size, length))
        for start in reversed(range(length)):
            row = chart.rows[start]
            parts = prefix[row.splits, self._grammar.rights[row.rules]] * row.values[:, None]
            cells = self._grammar.parents[row.rules, None] * length + np.arange(length)
            known = add_up(cells.ravel(), parts.ravel(), size * length).reshape(size, length)
            symbols, probs = chart.lexical(start)
            np.add.at(known[:, start], symbols, probs)
            prefix[start, :, start:] = self._left_corners.solve(known[:, start:])
        scales = np.cumsum([math.log(token.unigram) for token in chart.tokens])
        chances = prefix[0, self._grammar.start]
        return [0.0, *(log(float(p)) + float(s) for p, s in zip(chances, scales, strict=True))]


def _closure(grammar: BinaryGrammar) -> csr_array:
    """Return (I - u)⁻¹; only the columns of symbols below a unary rule differ from I."""
    below = np.unique(grammar.unary_children)
    if not below.size:
        return csr_array(eye_array(grammar.size))
    units = np.zeros((grammar.size, below.size))
    units[below, np.arange(below.size)] = 1.0
    extra = csr_array(factorized(grammar.unary_matrix()).solve(units) - units).tocoo()
    rows, columns = extra.coords
    widened = csr_array((extra.data, (rows, below[columns])), shape=(grammar.size, grammar.size))
    return csr_array(eye_array(grammar.size) + widened)


def add_up(targets: Ints, values: Floats, size: int) -> Floats:
    """Return a vector with the sum of the values of each target."""
    # Without the conversion, no targets at all would give integers.
    return np.bincount(targets, values, minlength=size).astype(np.float64, copy=False)


def log(value: float) -> float:
    """Return the natural logarithm, minus infinity for zero (and for rounding below it)."""
    return math.log(value) if value > 0 else -math.inf
