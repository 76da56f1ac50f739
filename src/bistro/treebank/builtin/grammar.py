"""A probabilistic grammar with marked heads, from which dependency trees are sampled.

Each rule names its head and the relations of the other children, so a derivation is a projective
dependency tree with words, tags and features. `english_grammar` is Bistro's hand-written grammar of
English. Exact probabilities and parses are in `bistro.inference.grammar.exact`.

>>> sentence = next(english_grammar().sample(1, seed=1))
>>> sentence.sent_id
'grammar-1-1'
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from bistro.errors import BistroError
from bistro.rng import Stream
from bistro.treebank.brackets import Tree
from bistro.treebank.builtin.derivations import (
    Derivation,
    capitalized,
    to_sentence,
    to_tree,
    words_of,
)
from bistro.treebank.builtin.lexicon import read_lexicon
from bistro.treebank.builtin.notation import read_rules
from bistro.treebank.builtin.rules import Lexicon, Rule, Word, merged, productive, reachable, useful
from bistro.treebank.sentence import Sentence

BEGINNING = ""
"""The entry of `capitalize_after` that represents the beginning of the sentence."""
GRAMMAR_FILES = ("clauses.grammar", "verbs.grammar", "nouns.grammar")
LEXICON_FILES = ("open.lexicon", "closed.lexicon")


class GrammarParts(NamedTuple):
    """The rules, lexicon and start symbol from which a grammar is built."""

    rules: Sequence[Rule]
    lexicon: Lexicon
    start: str
    capitalize_after: Iterable[str] = ()
    """The tokens after which a word is capitalised."""


class Grammar:
    """A validated probabilistic grammar. The weights of each symbol's rules or words sum to 1."""

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
        """Raise an error if a symbol derives no words or is unreachable."""
        used = {self.start}.union(*(rule.right for rule in self.rules))
        complete = productive(self.rules, self.lexicon)
        symbols = {rule.left for rule in self.rules} | set(self.lexicon) | used
        if stuck := symbols - complete:
            raise BistroError(f"the symbol '{min(stuck)}' derives no words: give it rules or words")
        if lost := symbols - reachable(self.rules, self.start):
            raise BistroError(f"the symbol '{min(lost)}' cannot be reached from '{self.start}'")
        if both := {rule.left for rule in self.rules} & set(self.lexicon):
            raise BistroError(
                f"the symbol '{min(both)}' has both rules and words: a symbol can have only rules "
                "or only words"
            )

    def sample(self, n: int, seed: int) -> Iterator[Sentence]:
        """Yield n sentences.

        Each sentence depends only on the seed and on its index.
        """
        for number in range(n):
            derivation, log_prob = self.sample_derivation(Stream(seed, "grammar", number))
            comments = (
                f"# sent_id = grammar-{seed}-{number + 1}",
                f"# derivation_log_prob = {log_prob:.6f}",
            )
            yield to_sentence(derivation, self.start, self.tokens_of(derivation), comments)

    def sample_trees(self, n: int, seed: int) -> Iterator[Tree]:
        """Yield the same sentences as `sample`, but as constituency trees."""
        for number in range(n):
            derivation, _ = self.sample_derivation(Stream(seed, "grammar", number))
            yield to_tree(derivation, self.start, self.tokens_of(derivation))

    def sample_derivation(self, stream: Stream) -> tuple[Derivation, float]:
        """Draw a derivation, and return it with the natural logarithm of its probability."""
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
        """Return the possible expansions of each symbol, with their cumulative probabilities."""
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
        """Return the words of a derivation as they are written, including capital letters."""
        return capitalized((word.form for word in words_of(derivation)), self.capitalize_after)


def english_parts() -> GrammarParts:
    """Read the English grammar from its files, leaving out rules that no sentence can use."""
    folder = resources.files("bistro.treebank.builtin") / "english"
    texts = {name: (folder / name).read_text("utf-8") for name in GRAMMAR_FILES + LEXICON_FILES}
    rules = read_rules(*(texts[name] for name in GRAMMAR_FILES), names=GRAMMAR_FILES)
    lexicon: dict[str, dict[Word, float]] = {}
    for name in LEXICON_FILES:
        lexicon |= read_lexicon(texts[name], name)
    sound = useful(merged(rules), lexicon, "Root")
    used = reachable(sound, "Root")
    words = {symbol: words for symbol, words in lexicon.items() if symbol in used}
    return GrammarParts(sound, words, "Root", (BEGINNING, "“"))


@cache
def english_grammar() -> Grammar:
    """Return the built-in English grammar, which is read from its files on the first call."""
    return Grammar(*english_parts())


def _normalized(rules: Sequence[Rule]) -> list[Rule]:
    totals: dict[str, float] = defaultdict(float)
    for rule in rules:
        totals[rule.left] += rule.weight
    return [rule._replace(weight=rule.weight / totals[rule.left]) for rule in rules]


def _shares(weights: Mapping[Word, float]) -> dict[Word, float]:
    total = math.fsum(weights.values())
    return {word: weight / total for word, weight in weights.items()}
