"""A probabilistic grammar with heads: it samples dependency trees and knows their probabilities.

Each rule names its head and the relations of the other children, so a derivation is a projective
dependency tree with words, tags and features. The grammar is also an exact language model:

    p(w₁ … w_n) = Σ over parses,      surprisal(w_k) = -log₂ p(w₁ … w_k …) / p(w₁ … w_{k-1} …)

where p(w₁ … w_k …) sums over all sentences with this beginning; the surprisals of the words and of
the end of the sentence add up to ``-log₂ p``. `english` is the hand-written grammar of Bistro.

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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from importlib import resources
from operator import attrgetter

from bistro.errors import BistroError
from bistro.rng import Stream
from bistro.treebank.brackets import Tree
from bistro.treebank.builtin.lexicon import read_lexicon
from bistro.treebank.builtin.notation import read_rules
from bistro.treebank.grammar_binary import BinaryGrammar
from bistro.treebank.grammar_inside import Chart, Combination, Maxima, Sums
from bistro.treebank.grammar_rules import Lexicon, Rule, Word, merged, productive, reachable, useful
from bistro.treebank.grammar_search import Search, Way
from bistro.treebank.grammar_trees import (
    Derivation,
    capitalized,
    to_sentence,
    to_tree,
    words_of,
)
from bistro.treebank.sentence import Sentence

NATURAL_TO_BITS = 1 / math.log(2)
START = ""
"""Stands for the beginning of the sentence in `capitalize_after`."""
GRAMMAR_FILES = ("clauses.grammar", "verbs.grammar", "nouns.grammar")
LEXICON_FILES = ("open.lexicon", "closed.lexicon")


class Grammar:
    """A sound probabilistic grammar; the weights of each left-hand side are scaled to sum to 1."""

    def __init__(
        self,
        rules: Iterable[Rule],
        lexicon: Lexicon,
        start: str,
        capitalize_after: Iterable[str] = (),
    ) -> None:
        self.start = start
        self.capitalize_after = frozenset(capitalize_after)
        self.rules = _normalized(merged(rules))
        self.lexicon = {s: _shares(words) for s, words in lexicon.items()}
        self._check()
        self._expansions = self._cumulative()

    def _check(self) -> None:
        """Refuse a grammar with symbols that lead nowhere or come from nowhere."""
        used = {self.start}.union(*(rule.right for rule in self.rules))
        complete = productive(self.rules, self.lexicon)
        symbols = {rule.left for rule in self.rules} | set(self.lexicon) | used
        if stuck := symbols - complete:
            raise BistroError(f"the symbol '{min(stuck)}' derives no words: give it rules or words")
        if lost := symbols - reachable(self.rules, self.start):
            raise BistroError(f"the symbol '{min(lost)}' cannot be reached from '{self.start}'")
        if both := {rule.left for rule in self.rules} & set(self.lexicon):
            raise BistroError(f"the symbol '{min(both)}' has rules and words: it may have only one")

    # ---- sampling ------------------------------------------------------------------------------
    def sample(self, n: int, seed: int) -> Iterator[Sentence]:
        """Yield n sentences; sentence i depends on the seed and i alone."""
        for number in range(n):
            derivation, log_prob = self.sample_derivation(Stream(seed, "grammar", number))
            comments = (
                f"# sent_id = grammar-{seed}-{number + 1}",
                f"# derivation_log_prob = {log_prob:.6f}",
            )
            yield to_sentence(derivation, self.start, self.tokens_of(derivation), comments)

    def sample_trees(self, n: int, seed: int) -> Iterator[Tree]:
        """Yield the derivations of the same n sentences as constituency trees."""
        for number in range(n):
            derivation, _ = self.sample_derivation(Stream(seed, "grammar", number))
            yield to_tree(derivation, self.start, self.tokens_of(derivation))

    def sample_derivation(self, stream: Stream) -> tuple[Derivation, float]:
        """Draw a derivation; return it with the natural logarithm of its probability."""
        log_probs: list[float] = []

        def expand(symbol: str) -> Derivation:
            bounds, outcomes = self._expansions[symbol]
            which = bisect(bounds, stream.uniform()) if len(outcomes) > 1 else 0
            label, log_prob = outcomes[which]
            log_probs.append(log_prob)
            children = label.right if isinstance(label, Rule) else ()
            return Derivation(label, tuple(expand(child) for child in children))

        derivation = expand(self.start)
        return derivation, math.fsum(log_probs)

    def _cumulative(self) -> dict[str, tuple[list[float], list[tuple[Rule | Word, float]]]]:
        """Return for each symbol the inner bounds of its outcomes' shares of [0, 1)."""
        choices: dict[str, list[tuple[Rule | Word, float]]] = defaultdict(list)
        for rule in self.rules:
            choices[rule.left].append((rule, rule.weight))
        for symbol, words in self.lexicon.items():
            choices[symbol] = list(words.items())
        return {
            symbol: (
                list(itertools.accumulate(prob for _, prob in outcomes))[:-1],
                [(label, math.log(prob)) for label, prob in outcomes],
            )
            for symbol, outcomes in choices.items()
        }

    def tokens_of(self, derivation: Derivation) -> list[str]:
        """Return the words of a derivation as they are printed, capital letters included."""
        return capitalized((word.form for word in words_of(derivation)), self.capitalize_after)

    # ---- probabilities -------------------------------------------------------------------------
    @cached_property
    def binary(self) -> BinaryGrammar:
        """The rules as arrays."""
        return BinaryGrammar(self.rules, self.lexicon, self.start)

    def is_finite(self, longest: float) -> bool:
        """Tell whether the expected sentence has at most so many words."""
        try:
            counts = self.binary.counts
        except BistroError:
            return False
        return float(sum(counts[self.binary.index[symbol]] for symbol in self.lexicon)) <= longest

    @cached_property
    def _sums(self) -> Sums:
        return Sums(self.binary.unary_matrix())

    @cached_property
    def _left_corners(self) -> Sums:
        return Sums(self.binary.left_corner_matrix())

    @cached_property
    def _search(self) -> Search:
        return Search(self.binary, self.rules)

    def _chart(
        self,
        tokens: Sequence[str],
        combination: Combination,
        prefixes: Sums | None = None,
    ) -> Chart:
        if not tokens:
            raise BistroError("a sentence of no words has no parse: give at least one word")
        before = [START, *tokens[:-1]]
        emissions = [
            self.binary.emissions(token, capital=previous in self.capitalize_after)
            for token, previous in zip(tokens, before, strict=True)
        ]
        return Chart(self.binary, emissions, combination, prefixes)

    def sentence_log_prob(self, tokens: Sequence[str]) -> float:
        """Return the natural logarithm of p(tokens), -inf for what the grammar cannot say."""
        return self._chart(tokens, self._sums).log_prob

    def surprisals(self, tokens: Sequence[str]) -> list[float]:
        """Return the surprisal in bits of each token and, last, of the end of the sentence.

        From the first token that cannot follow what stands before it, all values are infinite.
        """
        chart = self._chart(tokens, self._sums, self._left_corners)
        logs = [*chart.prefix_log_probs, chart.log_prob]
        # What is certain must not come out as minus a rounding error.
        return [
            max(before - after, 0.0) * NATURAL_TO_BITS if after > -math.inf else math.inf
            for before, after in itertools.pairwise(logs)
        ]

    # ---- parses --------------------------------------------------------------------------------
    def best_parse(self, tokens: Sequence[str]) -> Sentence:
        """Return the tree of the most probable derivation of the tokens."""
        chart = self._chart(tokens, Maxima(self.binary))
        self._demand_parse(chart, tokens)
        derivation = self._search.derivation(chart, partial(max, key=attrgetter("value")))
        comment = f"# derivation_log_prob = {chart.log_prob:.6f}"
        return to_sentence(derivation, self.start, tokens, (comment,))

    def sample_parses(self, tokens: Sequence[str], n: int, seed: int) -> Iterator[Sentence]:
        """Yield n trees drawn from the exact p(derivation | tokens)."""
        chart = self._chart(tokens, self._sums)
        self._demand_parse(chart, tokens)
        for number in range(n):
            stream = Stream(seed, "grammar-parse", number)
            derivation = self._search.derivation(chart, partial(_draw, stream))
            yield to_sentence(derivation, self.start, tokens)

    def parses(self, tokens: Sequence[str]) -> Iterator[Derivation]:
        """Yield all derivations of the tokens (without end, if unary rules form a cycle)."""
        return self._search.derivations(self._chart(tokens, self._sums))

    def _demand_parse(self, chart: Chart, tokens: Sequence[str]) -> None:
        if chart.log_prob > -math.inf:
            return
        for place, token in enumerate(chart.tokens):
            if not token.words:
                raise BistroError(f"the grammar does not know '{tokens[place]}' (word {place + 1})")
        raise BistroError(f"the grammar has no parse of '{' '.join(tokens)}'")


@cache
def english() -> Grammar:
    """Return the built-in English grammar, read from its files at the first call."""
    folder = resources.files("bistro.treebank.builtin") / "english"
    texts = {name: (folder / name).read_text("utf-8") for name in GRAMMAR_FILES + LEXICON_FILES}
    rules = read_rules(*(texts[name] for name in GRAMMAR_FILES), names=GRAMMAR_FILES)
    lexicon: dict[str, dict[Word, float]] = {}
    for name in LEXICON_FILES:
        lexicon |= read_lexicon(texts[name], name)
    sound = useful(merged(rules), lexicon, "Root")
    found = reachable(sound, "Root")
    kept = {symbol: words for symbol, words in lexicon.items() if symbol in found}
    return Grammar(sound, kept, "Root", capitalize_after=(START, "“"))


def _normalized(rules: Sequence[Rule]) -> list[Rule]:
    totals: dict[str, float] = defaultdict(float)
    for rule in rules:
        totals[rule.left] += rule.weight
    return [rule._replace(weight=rule.weight / totals[rule.left]) for rule in rules]


def _shares(weights: Mapping[Word, float]) -> dict[Word, float]:
    total = math.fsum(weights.values())
    return {word: weight / total for word, weight in weights.items()}


def _draw(stream: Stream, ways: Sequence[Way]) -> Way:
    bounds = list(itertools.accumulate(way.value for way in ways))
    return ways[min(bisect(bounds, stream.uniform() * bounds[-1]), len(ways) - 1)]
