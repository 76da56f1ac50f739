"""A grammar as integer arrays: binary and unary rules, emissions, and the matrices of both.

A rule ``A -> B C D`` becomes ``A -> B ⟨C D⟩`` and ``⟨C D⟩ -> C D``; equal rests share one symbol,
and each rest is derived with probability 1, so no probability changes. `rules[r]` leads back to
the rule a binary one began.

>>> from bistro.treebank.grammar_rules import Rule, Word
>>> rules = [Rule("S", ("W", "W", "W"), 0, ("", "a", "b"), 1.0)]
>>> compiled = BinaryGrammar(rules, {"W": {Word("x"): 1.0}}, "S")
>>> compiled.size, compiled.parents.tolist(), float(compiled.counts[1])
(3, [0, 2], 3.0)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.linalg import splu

from bistro.errors import BistroError
from bistro.treebank.grammar_rules import Lexicon, Rule, Word, mean_matrix
from bistro.treebank.grammar_trees import capital

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
PART_OF_RULE = -1
"""The number in place of a rule where a binary rule only continues one."""


class Emissions(NamedTuple):
    """The ways to emit one token: by entry, the symbol, the word and its probability."""

    symbols: Ints
    words: tuple[Word, ...]
    probs: Floats
    unigram: float
    """The expected share of the token among all tokens; 1 where it is unknown."""


UNKNOWN = Emissions(np.empty(0, np.intp), (), np.empty(0), 1.0)


class BinaryGrammar:
    """Binary rules `parents[r] -> lefts[r] rights[r]` with `probs[r]`, likewise unary ones."""

    def __init__(self, rules: Sequence[Rule], lexicon: Lexicon, start: str) -> None:
        names = dict.fromkeys([start, *(rule.left for rule in rules), *lexicon])
        self.index = {name: number for number, name in enumerate(names)}
        self.start = self.index[start]
        rests: dict[tuple[str, ...], int] = {}
        binary = [row for n, rule in enumerate(rules) for row in self._split(n, rule, rests)]
        unary = [(n, rule) for n, rule in enumerate(rules) if len(rule.right) == 1]
        self.size = len(self.index) + len(rests)
        self.parents, self.lefts, self.rights = _integers([row[:3] for row in binary], 3)
        self.probs = np.array([row[3] for row in binary], dtype=np.float64)
        self.rules = np.array([row[4] for row in binary], dtype=np.intp)
        pairs = [(self.index[rule.left], self.index[rule.right[0]]) for _, rule in unary]
        self.unary_parents, self.unary_children = _integers(pairs, 2)
        self.unary_probs = np.array([rule.weight for _, rule in unary], dtype=np.float64)
        self.unary_rules = np.array([n for n, _ in unary], dtype=np.intp)
        self.counts = self._expected_counts(rules)
        self._plain, self._capital = self._emission_tables(lexicon)

    def _split(
        self, number: int, rule: Rule, rests: dict[tuple[str, ...], int]
    ) -> Iterator[tuple[int, int, int, float, int]]:
        """Yield the binary rules of a longer rule, those of its rest once for all rules."""
        parent, prob, right = self.index[rule.left], rule.weight, rule.right
        while len(right) > 1:
            first, rest = self.index[right[0]], right[1:]
            known = rest in rests or len(rest) == 1
            if not known:
                rests[rest] = len(self.index) + len(rests)
            child = self.index[rest[0]] if len(rest) == 1 else rests[rest]
            yield parent, first, child, prob, number
            if known:
                return
            parent, prob, right, number = child, 1.0, rest, PART_OF_RULE

    def _expected_counts(self, rules: Sequence[Rule]) -> Floats:
        """Return how often each symbol is expected in a sentence."""
        begin = np.zeros(len(self.index))
        begin[self.start] = 1.0
        try:
            growth = mean_matrix(rules, self.index).T
            counts = splu(csc_array(eye_array(begin.size) - growth)).solve(begin)
        except RuntimeError:  # exactly singular
            counts = np.full(len(self.index), np.nan)
        # A solution without negative numbers exists only where the expected counts are finite.
        if not (counts >= 0).all():
            raise BistroError("the expected sentence is infinitely long: lower recursive weights")
        return counts

    def _emission_tables(self, lexicon: Lexicon) -> tuple[dict[str, Emissions], ...]:
        plain: dict[str, list[tuple[int, Word, float]]] = defaultdict(list)
        upper: dict[str, list[tuple[int, Word, float]]] = defaultdict(list)
        for symbol, words in lexicon.items():
            for word, prob in words.items():
                entry = (self.index[symbol], word, prob)
                plain[word.form].append(entry)
                upper[capital(word.form)].append(entry)
        length = sum(float(self.counts[self.index[symbol]]) for symbol in lexicon)
        return tuple(
            {form: self._emissions(entries, length) for form, entries in table.items()}
            for table in (plain, upper)
        )

    def _emissions(self, entries: list[tuple[int, Word, float]], length: float) -> Emissions:
        symbols = np.array([symbol for symbol, _, _ in entries], dtype=np.intp)
        probs = np.array([prob for _, _, prob in entries])
        share = float(self.counts[symbols] @ probs) / length
        return Emissions(symbols, tuple(word for _, word, _ in entries), probs, share)

    def emissions(self, token: str, *, capital: bool) -> Emissions:
        """Return the ways to emit a token, with a capital letter or as the lexicon has it."""
        return (self._capital if capital else self._plain).get(token, UNKNOWN)

    def unary_matrix(self) -> csr_array:
        """Return u[A, B] = p(A -> B)."""
        return self._matrix(self.unary_parents, self.unary_children, self.unary_probs)

    def left_corner_matrix(self) -> csr_array:
        """Return left[A, B] = the probability that the first child of A is B."""
        parents = np.concatenate([self.parents, self.unary_parents])
        children = np.concatenate([self.lefts, self.unary_children])
        return self._matrix(parents, children, np.concatenate([self.probs, self.unary_probs]))

    def _matrix(self, rows: Ints, columns: Ints, values: Floats) -> csr_array:
        return csr_array((values, (rows, columns)), shape=(self.size, self.size))


class Closure:
    """Multiplies by (I - steps)⁻¹ = I + steps + steps² + …; the spectral radius is below 1.

    By a sparse decomposition, since the inverse itself is full where a grammar can fall back from
    any symbol to any other. Pivots stay on the diagonal: then only numbers of one sign are added
    up, nothing cancels, and what cannot be reached is exactly zero.
    """

    def __init__(self, steps: csr_array) -> None:
        self.size = steps.shape[0]
        matrix = csc_array(eye_array(self.size) - steps)
        self._decomposed = splu(matrix, diag_pivot_thresh=0.0)

    def __call__(self, vector: Floats) -> Floats:
        """Return (I - steps)⁻¹ vector."""
        closed: Floats = self._decomposed.solve(vector)
        return closed


def _integers(rows: Sequence[tuple[int, ...]], width: int) -> Ints:
    return np.ascontiguousarray(np.array(rows, dtype=np.intp).reshape(-1, width).T)
