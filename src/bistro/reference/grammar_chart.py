"""Charts for context-free grammars in NumPy: inside sums, prefix sums and the best parse.

`inside(i, k, A)` is the probability that A derives words i to k, as a sum or a maximum over parses.
If u(A, B) is the probability of the unary rule A → B, the factor ``(I - u)⁻¹`` accounts for chains
of unary rules of any length, including cycles. The probability that A derives *some* string that
begins with words i to k satisfies a similar equation (Jelinek & Lafferty 1991).

    prefix(i, k, A) = Σ_B left(A, B) prefix(i, k, B)
                    + Σ_{A → B C} p(A → B C) Σ_j inside(i, j, B) prefix(j, k, C)
                    + p(A → word i) if k = i + 1

Here left(A, B) is the probability that B is the first child of A. The factor ``(I - left)⁻¹``
handles left recursion of any depth (Stolcke 1995). Apart from this factor, the recursion is the
same as for `inside`. The core computes the same prefix sums differently, from left to right
(cpp/pcfg/chart.hpp).

>>> S, W = 0, 1                                # S -> S W with 0.5, S -> W with 0.5
>>> binary = [np.array([x]) for x in (S, S, W, 0.5)]
>>> unary = [np.array([x]) for x in (S, W, 0.5)]
>>> chart = Chart(Rules(2, S, *binary, *unary), [Word.of({W: 1.0})] * 2, prefixes=True)
>>> [round(math.exp(p), 12) for p in (*chart.prefix_log_probs, chart.log_prob)]
[1.0, 0.5, 0.25]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.linalg import splu

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]


class Rules(NamedTuple):
    """Unary rules, and binary rules `parents[r] -> lefts[r] rights[r]` with their probabilities."""

    symbols: int
    start: int
    parents: Ints
    lefts: Ints
    rights: Ints
    probs: Floats
    unary_parents: Ints
    unary_children: Ints
    unary_probs: Floats

    def unary_matrix(self) -> csr_array:
        """Return u[A, B] = p(A -> B)."""
        return self._matrix(self.unary_parents, self.unary_children, self.unary_probs)

    def left_corner_matrix(self) -> csr_array:
        """Return left[A, B], the probability that the first child of A is B."""
        parents = np.concatenate([self.parents, self.unary_parents])
        children = np.concatenate([self.lefts, self.unary_children])
        return self._matrix(parents, children, np.concatenate([self.probs, self.unary_probs]))

    def _matrix(self, rows: Ints, columns: Ints, values: Floats) -> csr_array:
        return csr_array((values, (rows, columns)), shape=(self.symbols, self.symbols))


class Word(NamedTuple):
    """The symbols that emit a word, with their probabilities. An unknown word has none."""

    symbols: Ints
    probs: Floats

    @classmethod
    def of(cls, probs: Mapping[int, float]) -> Self:
        """Create a word from the probabilities with which symbols emit it."""
        return cls(np.array(list(probs), dtype=np.intp), np.array(list(probs.values())))

    @property
    def scale(self) -> float:
        """The number by which probabilities are divided to prevent underflow in long sentences."""
        return float(self.probs.sum()) or 1.0


class Closure:
    """Multiplication by (I - steps)⁻¹, where the spectral radius of `steps` is below 1.

    The inverse equals the series I + steps + steps² + …. The product is computed with a sparse
    decomposition. The inverse itself would be dense for a grammar that can back off from any symbol
    to any other symbol. Pivots stay on the diagonal, so only numbers of the same sign are added.
    No cancellation occurs, and the values of unreachable symbols are exactly zero.
    """

    def __init__(self, steps: csr_array) -> None:
        matrix = csc_array(eye_array(steps.shape[0]) - steps)
        self._decomposed = splu(matrix, diag_pivot_thresh=0.0)

    def __call__(self, vector: Floats) -> Floats:
        """Return the product of (I - steps)⁻¹ and a vector."""
        closed: Floats = self._decomposed.solve(vector)
        return closed


class Sums:
    """Combine alternatives by summing. The factor (I - steps)⁻¹ accounts for all unary steps."""

    def __init__(self, steps: csr_array) -> None:
        self._size = steps.shape[0]
        self._closure = Closure(steps)

    def combine(self, targets: Ints, values: Floats) -> Floats:
        """Return the sum of the values that belong to each target symbol."""
        sums = np.bincount(targets, values, minlength=self._size)
        # Without the conversion, empty targets would give integers.
        return sums.astype(np.float64, copy=False)

    def close(self, vector: Floats) -> Floats:
        """Multiply by (I - steps)⁻¹."""
        return self._closure(vector)


class Maxima:
    """Combine alternatives by taking the maximum, which gives the probability of the best parse."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def combine(self, targets: Ints, values: Floats) -> Floats:
        """Return the largest of the values that belong to each target symbol."""
        best = np.zeros(self._rules.symbols)
        np.maximum.at(best, targets, values)
        return best

    def close(self, vector: Floats) -> Floats:
        """Apply unary rules until no value increases. A cycle never increases a value."""
        rules = self._rules
        while True:
            better = vector.copy()
            steps = rules.unary_probs * vector[rules.unary_children]
            np.maximum.at(better, rules.unary_parents, steps)
            if np.array_equal(better, vector):
                return vector
            vector = better


class Chart:
    """The chart of one sentence, filled in order of the end positions of spans.

    The spans with the same end are filled from right to left.
    """

    def __init__(
        self, rules: Rules, words: Sequence[Word], *, best: bool = False, prefixes: bool = False
    ) -> None:
        self.rules = rules
        self.words = words
        self.length = len(words)
        self.log_scales = [0.0, *np.cumsum([math.log(word.scale) for word in words]).tolist()]
        self.cells: dict[tuple[int, int], Floats] = {}
        self.prefix_log_probs: list[float] = []
        inside = Maxima(rules) if best else Sums(rules.unary_matrix())
        corners = Sums(rules.left_corner_matrix()) if prefixes else None
        rows = [_Row(rules) for _ in words]
        for end in range(1, self.length + 1):
            if corners:
                ahead = self._column(rows, end, corners)
                self.prefix_log_probs.append(self._log(ahead[0, rules.start], end))
            for start, cell in enumerate(self._column(rows, end, inside)):
                self.cells[start, end] = cell
                rows[start].extend(end, cell)

    def _column(self, rows: Sequence[_Row], end: int, combination: Sums | Maxima) -> Floats:
        """Compute the values of all symbols for all spans that end at `end`."""
        column = np.zeros((end, self.rules.symbols))
        for start in reversed(range(end)):
            word, row = self.words[start], rows[start]
            if start == end - 1:
                built = combination.combine(word.symbols, word.probs / word.scale)
            else:
                parents = self.rules.parents[row.rules]
                built = combination.combine(parents, row.continued(column))
            column[start] = combination.close(built)
        return column

    @property
    def log_prob(self) -> float:
        """The log-probability of the whole sentence, or of its best parse."""
        return self._log(self.cells[0, self.length][self.rules.start], self.length)

    def log_value(self, symbol: int, start: int, end: int) -> float:
        """Return the natural logarithm of the value of a symbol over a span."""
        value = self.cells[start, end][symbol]
        scale = self.log_scales[end] - self.log_scales[start]
        return math.log(value) + scale if value > 0 else -math.inf

    def _log(self, scaled: float, end: int) -> float:
        # Rounding may leave a zero slightly below it.
        return math.log(scaled) + self.log_scales[end] if scaled > 0 else -math.inf


class _Row:
    """The binary rules with a complete left child that begins at a given start position."""

    def __init__(self, grammar: Rules) -> None:
        self._grammar = grammar
        self.rules: Ints = np.empty(0, np.intp)
        self.splits: Ints = np.empty(0, np.intp)
        self.values: Floats = np.empty(0)

    def extend(self, end: int, cell: Floats) -> None:
        """Add all rules whose left child extends from the row's start to `end`."""
        values = cell[self._grammar.lefts]
        rules = np.flatnonzero(values)
        self.rules = np.concatenate([self.rules, rules])
        self.splits = np.concatenate([self.splits, np.full(len(rules), end)])
        self.values = np.concatenate([self.values, values[rules] * self._grammar.probs[rules]])

    def continued(self, column: Floats) -> Floats:
        """Return the value of each rule times the value of its right child in `column`."""
        products: Floats = self.values * column[self.splits, self._grammar.rights[self.rules]]
        return products
