"""A probabilistic grammar that gives the exact probability of every sentence, word and parse.

The grammar is an exact language model.

    p(w₁ … w_n) = Σ over parses,      surprisal(w_k) = -log₂ p(w₁ … w_k …) / p(w₁ … w_{k-1} …)

Here p(w₁ … w_k …) is the sum over all sentences with this beginning. The surprisals of the words
and of the end of the sentence add up to ``-log₂ p(w₁ … w_n)``. `english` is Bistro's hand-written
English grammar.

>>> grammar = english()
>>> sentence = next(grammar.sample(1, seed=1))
>>> bits = grammar.surprisals(sentence.forms)
>>> len(bits) == len(sentence) + 1
True
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro._core import ContextFreeChart, ContextFreeMaxima, ContextFreeSums
from bistro.errors import BistroError
from bistro.inference.grammar.binary import BinaryGrammar, Emissions, columns_of
from bistro.inference.grammar.search import Chart, Search, Way
from bistro.rng import Stream
from bistro.sums import added
from bistro.treebank.builtin.derivations import Derivation, to_sentence
from bistro.treebank.builtin.grammar import BEGINNING, Grammar, english_parts
from bistro.treebank.sentence import Sentence

NATURAL_TO_BITS = 1 / math.log(2)


class Continuations(NamedTuple):
    """The probabilities of the next word and of the sentence end, given the preceding words."""

    forms: list[str]
    probs: NDArray[np.float64]
    """The probability of each possible next form, given the words before it."""
    end: float
    """The probability that the sentence ends after the given words."""


class ExactGrammar(Grammar):
    """A grammar that computes exact sums over the parses and the continuations of a sentence."""

    missed_capitals = 0.0
    """Probability that a required capital letter is not written."""

    @cached_property
    def binary(self) -> BinaryGrammar:
        """The rules as arrays."""
        return BinaryGrammar(self.rules, self.lexicon, self.start, self.missed_capitals)

    def is_finite(self, longest: float) -> bool:
        """Return whether the expected number of words in a sentence is at most `longest`."""
        try:
            counts = self.binary.counts
        except BistroError:
            return False
        return float(added(counts[self.binary.index[symbol]] for symbol in self.lexicon)) <= longest

    @cached_property
    def _sums(self) -> ContextFreeSums:
        return ContextFreeSums(**self.binary.columns())

    @cached_property
    def _maxima(self) -> ContextFreeMaxima:
        return ContextFreeMaxima(**self.binary.columns())

    @cached_property
    def _search(self) -> Search:
        return Search(self.binary, self.rules)

    def _emissions(self, tokens: Sequence[str]) -> list[Emissions]:
        if not tokens:
            raise BistroError("a sentence without words has no parse: give at least one word")
        before = [BEGINNING, *tokens[:-1]]
        return [
            self.binary.emissions(token, capital=previous in self.capitalize_after)
            for token, previous in zip(tokens, before, strict=True)
        ]

    # ---- probabilities -------------------------------------------------------------------------
    def _sum(self, tokens: Sequence[str]) -> ContextFreeChart:
        return self._sums.chart(**columns_of(self._emissions(tokens)), keep=False)

    def sentence_log_prob(self, tokens: Sequence[str]) -> float:
        """Return the natural logarithm of p(tokens).

        The result is -inf if the grammar cannot generate the tokens.
        """
        return self._sum(tokens).log_prob

    def surprisals(self, tokens: Sequence[str]) -> list[float]:
        """Return the surprisal in bits of each token and of the sentence end.

        If a token cannot follow the tokens before it, its value and all later values are infinite.
        """
        chart = self._sum(tokens)
        logs = [0.0, *chart.prefix_log_probs.tolist(), chart.log_prob]
        # The surprisal of a certain token must not be a negative rounding error.
        return [
            max(before - after, 0.0) * NATURAL_TO_BITS if after > -math.inf else math.inf
            for before, after in itertools.pairwise(logs)
        ]

    def continuations(self, tokens: Sequence[str]) -> Continuations:
        """Return the probability of every possible next token, and of the sentence end."""
        emissions = self._emissions(tokens) if tokens else []
        chart = self._sums.chart(**columns_of(emissions), keep=False, ahead=True)
        if tokens and not chart.prefix_log_probs[-1] > -math.inf:
            raise BistroError(f"no sentence of the grammar begins with '{' '.join(tokens)}'")
        last = tokens[-1] if tokens else BEGINNING
        forms, probs = self.binary.emitted(chart.expected, capital=last in self.capitalize_after)
        end = math.exp(chart.log_prob - chart.prefix_log_probs[-1]) if tokens else 0.0
        return Continuations(forms, probs, end)

    # ---- parses --------------------------------------------------------------------------------
    def _chart(self, grammar: ContextFreeSums | ContextFreeMaxima, tokens: Sequence[str]) -> Chart:
        emissions = self._emissions(tokens)
        return Chart(grammar.chart(**columns_of(emissions), keep=True), emissions)

    def best_parse(self, tokens: Sequence[str]) -> Sentence:
        """Return the tree of the most probable derivation of the tokens."""
        chart = self._chart(self._maxima, tokens)
        self._demand_parse(chart, tokens)
        derivation = self._search.derivation(chart, partial(max, key=attrgetter("value")))
        comment = f"# derivation_log_prob = {chart.log_prob:.6f}"
        return to_sentence(derivation, self.start, tokens, (comment,))

    def sample_parses(self, tokens: Sequence[str], n: int, seed: int) -> Iterator[Sentence]:
        """Yield n trees drawn from the exact p(derivation | tokens)."""
        chart = self._chart(self._sums, tokens)
        self._demand_parse(chart, tokens)
        for number in range(n):
            stream = Stream(seed, "grammar-parse", number)
            derivation = self._search.derivation(chart, partial(_draw, stream))
            yield to_sentence(derivation, self.start, tokens)

    def parses(self, tokens: Sequence[str]) -> Iterator[Derivation]:
        """Yield all derivations of the tokens.

        A cycle of unary rules gives infinitely many derivations.
        """
        return self._search.derivations(self._chart(self._sums, tokens))

    def _demand_parse(self, chart: Chart, tokens: Sequence[str]) -> None:
        if chart.log_prob > -math.inf:
            return
        for place, token in enumerate(chart.tokens):
            if not token.words:
                raise BistroError(
                    f"the grammar does not contain '{tokens[place]}' (word {place + 1})"
                )
        raise BistroError(f"the grammar has no parse for '{' '.join(tokens)}'")


@cache
def english() -> ExactGrammar:
    """Return the built-in English grammar, read from its files on the first call."""
    return ExactGrammar(*english_parts())


def _draw(stream: Stream, ways: Sequence[Way]) -> Way:
    bounds = list(itertools.accumulate(way.value for way in ways))
    return ways[min(bisect(bounds, stream.uniform() * bounds[-1]), len(ways) - 1)]
