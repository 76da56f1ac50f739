"""Compile a grammar into integer arrays of binary rules, unary rules and emissions.

A rule ``A -> B C D`` becomes ``A -> B ⟨C D⟩`` and ``⟨C D⟩ -> C D``. Equal remainders share one
symbol, and each remainder is expanded with probability 1, so probabilities do not change.
`rules[r]` is the index of the original rule whose first binary rule is r.

>>> from bistro.treebank.builtin.rules import Rule, Word
>>> rules = [Rule("S", ("W", "W", "W"), 0, ("", "a", "b"), 1.0)]
>>> compiled = BinaryGrammar(rules, {"W": {Word("x"): 1.0}}, "S")
>>> compiled.size, compiled.parents.tolist(), float(compiled.counts[1])
(3, [0, 2], 3.0)

With M[A, B] = the expected number of B in one expansion of A, the expected number of symbols below
A is finite exactly when the spectral radius of M is below 1. If the spectral radius is below 1, the
expected symbol counts x solve ``x = start + x M``, and the probabilities of all finite sentences
sum to 1.

>>> rules = [Rule("S", ("S", "W"), 0, ("", "dep"), 0.5), Rule("S", ("W",), 0, ("",), 0.5)]
>>> expected_counts(rules, {"S": 0, "W": 1}, start=0).tolist()
[2.0, 2.0]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.linalg import eigs, splu

from bistro.errors import BistroError
from bistro.treebank.builtin.derivations import capital
from bistro.treebank.builtin.rules import Lexicon, Rule, Word

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
SMALL = 100
"""Matrix size up to which computing all eigenvalues is as fast as computing only the largest
one."""
PART_OF_RULE = -1
"""The rule index of a binary rule that expands the remainder of a longer rule."""


class Emissions(NamedTuple):
    """The symbols and lexical entries that can emit one token, with their probabilities."""

    symbols: Ints
    words: tuple[Word, ...]
    probs: Floats


UNKNOWN = Emissions(np.empty(0, np.int32), (), np.empty(0))


class BinaryGrammar:
    """A grammar whose binary rule `parents[r] -> lefts[r] rights[r]` has probability `probs[r]`.

    Unary rules are stored in the same way.
    """

    def __init__(
        self, rules: Sequence[Rule], lexicon: Lexicon, start: str, missed_capitals: float = 0.0
    ) -> None:
        """Compile the rules.

        `missed_capitals` is the probability that a required capital letter is not written.
        """
        names = dict.fromkeys([start, *(rule.left for rule in rules), *lexicon])
        self.index = {name: number for number, name in enumerate(names)}
        self.start = self.index[start]
        rests: dict[tuple[str, ...], int] = {}
        binary = [row for n, rule in enumerate(rules) for row in self._split(n, rule, rests)]
        unary = [(n, rule) for n, rule in enumerate(rules) if len(rule.right) == 1]
        self.size = len(self.index) + len(rests)
        self.parents, self.lefts, self.rights = _integers([row[:3] for row in binary], 3)
        self.probs = np.array([row[3] for row in binary], dtype=np.float64)
        self.rules = np.array([row[4] for row in binary], dtype=np.int32)
        pairs = [(self.index[rule.left], self.index[rule.right[0]]) for _, rule in unary]
        self.unary_parents, self.unary_children = _integers(pairs, 2)
        self.unary_probs = np.array([rule.weight for _, rule in unary], dtype=np.float64)
        self.unary_rules = np.array([n for n, _ in unary], dtype=np.int32)
        self.counts = expected_counts(rules, self.index, self.start)
        self._plain, self._capital = self._emission_tables(lexicon, missed_capitals)

    def _split(
        self, number: int, rule: Rule, rests: dict[tuple[str, ...], int]
    ) -> Iterator[tuple[int, int, int, float, int]]:
        """Yield the binary rules that replace a longer rule.

        Rules with the same remainder share the binary rules for that remainder.
        """
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

    def _emission_tables(self, lexicon: Lexicon, missed: float) -> tuple[dict[str, Emissions], ...]:
        plain: dict[str, list[tuple[int, Word, float]]] = defaultdict(list)
        upper: dict[str, list[tuple[int, Word, float]]] = defaultdict(list)
        for symbol, words in lexicon.items():
            for word, prob in words.items():
                entry = (self.index[symbol], word, prob)
                plain[word.form].append(entry)
                if missed and capital(word.form) != word.form:
                    upper[word.form].append((self.index[symbol], word, prob * missed))
                    entry = (self.index[symbol], word, prob * (1 - missed))
                upper[capital(word.form)].append(entry)
        return tuple(
            {form: _emissions(entries) for form, entries in table.items()}
            for table in (plain, upper)
        )

    def emissions(self, token: str, *, capital: bool) -> Emissions:
        """Return the possible emissions of a token, with or without a required capital letter."""
        return (self._capital if capital else self._plain).get(token, UNKNOWN)

    def emitted(self, expected: Floats, *, capital: bool) -> tuple[list[str], Floats]:
        """Return all tokens and their probabilities, given the expected count of each symbol."""
        forms, columns = self._upper_columns if capital else self._plain_columns
        values = expected[columns["symbols"]] * columns["probs"]
        return forms, np.add.reduceat(values, columns["begin"][:-1])

    @cached_property
    def _plain_columns(self) -> tuple[list[str], dict[str, Any]]:
        return list(self._plain), columns_of(list(self._plain.values()))

    @cached_property
    def _upper_columns(self) -> tuple[list[str], dict[str, Any]]:
        return list(self._capital), columns_of(list(self._capital.values()))

    def columns(self) -> dict[str, Any]:
        """Return the rules in the form that the core expects."""
        names = ("parents", "lefts", "rights", "probs")
        unary = ("unary_parents", "unary_children", "unary_probs")
        arrays = {name: getattr(self, name) for name in (*names, *unary)}
        return {"symbols": self.size, "start": self.start, **arrays}


def columns_of(tokens: Sequence[Emissions]) -> dict[str, Any]:
    """Return the emissions of a sentence in the form that the core expects."""
    return {
        "begin": np.cumsum([0, *(len(token.words) for token in tokens)], dtype=np.int64),
        "symbols": np.concatenate([UNKNOWN.symbols, *(token.symbols for token in tokens)]),
        "probs": np.concatenate([UNKNOWN.probs, *(token.probs for token in tokens)]),
    }


def _emissions(entries: list[tuple[int, Word, float]]) -> Emissions:
    symbols, words, probs = zip(*entries, strict=True)
    return Emissions(np.array(symbols, dtype=np.int32), words, np.array(probs))


def _integers(rows: Sequence[tuple[int, ...]], width: int) -> Ints:
    return np.ascontiguousarray(np.array(rows, dtype=np.int32).reshape(-1, width).T)


def expected_counts(
    rules: Sequence[Rule], index: Mapping[str, int], start: int
) -> NDArray[np.float64]:
    """Return the expected number of occurrences of each symbol in a sentence."""
    begin = np.zeros(len(index))
    begin[start] = 1.0
    try:
        growth = mean_matrix(rules, index).T
        counts: NDArray[np.float64] = splu(csc_array(eye_array(begin.size) - growth)).solve(begin)
    except RuntimeError:  # exactly singular
        counts = np.full(len(index), np.nan)
    # A solution without negative numbers exists only if the expected counts are finite.
    if not (counts >= 0).all():
        raise BistroError(
            "the expected length of a sentence is infinite: lower the weights of recursive rules"
        )
    return counts


def mean_matrix(rules: Sequence[Rule], index: Mapping[str, int]) -> csr_array:
    """Return the matrix M, where M[A, B] is the expected number of children B of a node A."""
    rows = [index[rule.left] for rule in rules for _ in rule.right]
    columns = [index[symbol] for rule in rules for symbol in rule.right]
    values = [rule.weight for rule in rules for _ in rule.right]
    return csr_array((values, (rows, columns)), shape=(len(index), len(index)))


def spectral_radius(matrix: csr_array) -> float:
    """Return the largest absolute eigenvalue of a square matrix."""
    if matrix.shape[0] < SMALL:
        return float(np.abs(np.linalg.eigvals(matrix.toarray())).max())
    begin = np.ones(matrix.shape[0])
    return float(np.abs(eigs(matrix, k=1, v0=begin, return_eigenvectors=False)).max())
