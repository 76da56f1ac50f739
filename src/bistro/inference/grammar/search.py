"""Find the best derivation, random derivations or all derivations in a filled chart.

A symbol over a span is built from a word, by a unary rule, or by a binary rule at a split
position. `ways` lists these possibilities with their values. In a chart of maxima, choosing the
possibility with the largest value for each span gives the best parse. In a chart of sums, drawing
a possibility for each span in proportion to the values gives an exact sample from
p(parse | words).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro._core import ContextFreeChart
from bistro.inference.grammar.binary import PART_OF_RULE, BinaryGrammar, Emissions, Floats, Ints
from bistro.treebank.builtin.derivations import Derivation
from bistro.treebank.builtin.rules import Rule, Word

RuleNumbers = NDArray[np.intp]
Span = tuple[int, int, int]
"""A symbol, the position of its first word and the position after its last word."""


class Cell(NamedTuple):
    """A chart cell: the symbols that derive a span, in ascending order, and their values."""

    symbols: Ints
    values: Floats

    def at(self, symbols: Ints) -> Floats:
        """Return the values of the given symbols, with 0 for symbols that are not in the cell."""
        if not self.symbols.size:
            return np.zeros(symbols.shape)
        places = np.minimum(np.searchsorted(self.symbols, symbols), self.symbols.size - 1)
        values: Floats = np.where(self.symbols[places] == symbols, self.values[places], 0.0)
        return values


class Chart:
    """The chart of one sentence. Cells are copied from the core when they are needed."""

    def __init__(self, filled: ContextFreeChart, tokens: Sequence[Emissions]) -> None:
        self.tokens = tokens
        self.length = len(tokens)
        self.log_prob = filled.log_prob
        self.scales = filled.scales.tolist()
        self._filled = filled
        self._cells: dict[tuple[int, int], Cell] = {}

    def cell(self, start: int, end: int) -> Cell:
        """Return the chart cell of the span from `start` to `end`."""
        if (start, end) not in self._cells:
            self._cells[start, end] = Cell(*self._filled.cell(start, end))
        return self._cells[start, end]


class Way(NamedTuple):
    """One way to build a symbol over a span, from a word or by applying a rule to smaller parts.

    The label is a word or the index of a rule. For the remainder of a rule, the label is
    `PART_OF_RULE`.
    """

    value: float
    label: Word | int
    parts: tuple[Span, ...]


Chooser = Callable[[Sequence[Way]], Way]


class Search:
    """A search for derivations in the charts of one grammar."""

    def __init__(self, grammar: BinaryGrammar, rules: Sequence[Rule]) -> None:
        self._grammar = grammar
        self._rules = rules

    @cached_property
    def _binary(self) -> list[RuleNumbers]:
        return _grouped(self._grammar.parents, self._grammar.size)

    @cached_property
    def _unary(self) -> list[RuleNumbers]:
        return _grouped(self._grammar.unary_parents, self._grammar.size)

    def derivation(self, chart: Chart, choose: Chooser) -> Derivation:
        """Return one derivation of the whole sentence, chosen cell by cell."""
        (derivation,) = self._derive(chart, (self._grammar.start, 0, chart.length), choose)
        return derivation

    def _derive(self, chart: Chart, span: Span, choose: Chooser) -> tuple[Derivation, ...]:
        way = choose(self.ways(chart, span))
        parts = tuple(d for part in way.parts for d in self._derive(chart, part, choose))
        return self._wrapped(way.label, parts)

    def derivations(self, chart: Chart) -> Iterator[Derivation]:
        """Yield every derivation of the sentence.

        A cycle of unary rules gives infinitely many derivations.
        """
        whole = (self._grammar.start, 0, chart.length)
        for (derivation,) in self._all(chart, whole):
            yield derivation

    def _all(self, chart: Chart, span: Span) -> Iterator[tuple[Derivation, ...]]:
        for way in self.ways(chart, span):
            for choice in itertools.product(*(list(self._all(chart, p)) for p in way.parts)):
                yield self._wrapped(way.label, tuple(d for part in choice for d in part))

    def _wrapped(self, label: Word | int, parts: tuple[Derivation, ...]) -> tuple[Derivation, ...]:
        """Return a node with its children, or only the children if the symbol is a remainder.

        The remainder of a binarised rule does not become a node.
        """
        if isinstance(label, Word):
            return (Derivation(label, ()),)
        return parts if label == PART_OF_RULE else (Derivation(self._rules[label], parts),)

    def ways(self, chart: Chart, span: Span) -> list[Way]:
        """Return all ways to build a symbol over a span, except those with probability zero."""
        return [*self._words(chart, span), *self._units(chart, span), *self._pairs(chart, span)]

    def _words(self, chart: Chart, span: Span) -> Iterator[Way]:
        symbol, start, end = span
        token = chart.tokens[start]
        if end == start + 1:
            for which in np.flatnonzero(token.symbols == symbol):
                yield Way(float(token.probs[which]) * chart.scales[start], token.words[which], ())

    def _units(self, chart: Chart, span: Span) -> Iterator[Way]:
        symbol, start, end = span
        grammar, rules = self._grammar, self._unary[symbol]
        children = grammar.unary_children[rules]
        values = grammar.unary_probs[rules] * chart.cell(start, end).at(children)
        for which in np.flatnonzero(values):
            part = (int(children[which]), start, end)
            yield Way(float(values[which]), int(grammar.unary_rules[rules[which]]), (part,))

    def _pairs(self, chart: Chart, span: Span) -> Iterator[Way]:
        symbol, start, end = span
        grammar, rules = self._grammar, self._binary[symbol]
        lefts, rights = grammar.lefts[rules], grammar.rights[rules]
        for split in range(start + 1, end):
            values = chart.cell(start, split).at(lefts) * chart.cell(split, end).at(rights)
            for which in np.flatnonzero(values):
                rule = rules[which]
                first = (int(lefts[which]), start, split)
                second = (int(rights[which]), split, end)
                value = float(values[which] * grammar.probs[rule])
                yield Way(value, int(grammar.rules[rule]), (first, second))


def _grouped(parents: Ints, size: int) -> list[RuleNumbers]:
    """Return the indices of the rules for each parent symbol."""
    order = np.argsort(parents, kind="stable")
    bounds = np.searchsorted(parents[order], np.arange(size + 1))
    return [order[first:last] for first, last in itertools.pairwise(bounds)]
