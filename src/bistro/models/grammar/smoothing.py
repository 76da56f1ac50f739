"""Smoothing of a treebank grammar by Pitman-Yor back-off, written as context-free rules.

The children of a phrase A are drawn as a whole from a Pitman-Yor process. The base distribution
draws the children one by one from another process, whose own base does not depend on A. The word
for each tag is drawn in the same way.

    p(children | A) = (n - d)/(N + θ)        if seen n times, out of N, among T different rules
                    + (θ + d T)/(N + θ) · Π p(child | A) · p(stop | A)
    p(child | A)    = the same over the children of the T rules, backing off to p(child)

With minimal seating, each term is a rule of a context-free grammar. The first term is the rule ``A
-> children``, the second is ``A -> A⁺``, and the rest are rules such as ``A⁺ -> child A⁺``. Sums
over all trees and over all continuations of a sentence are therefore exact
(`bistro.inference.grammar`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from bistro.errors import BistroError
from bistro.inference.grammar.exact import ExactGrammar
from bistro.models.grammar.counts import RuleCounts
from bistro.sums import added
from bistro.treebank.builtin.rules import Rule, Word

# The labels of a treebank contain no spaces, so these names cannot collide with them.
ANY_SYMBOL, ANY_WORD = "any symbol", "any word"
STOP = "no more"
SHARES_OF_PHRASES = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 0.0)
"""Factors by which the weights of phrases are multiplied, tried in this order."""
LONGEST_MEAN = 200.0
"""Maximum expected length of a sentence, in words. A grammar whose sentences are expected to be
longer is rejected."""


class Level(NamedTuple):
    """The discount and strength of a Pitman-Yor process."""

    discount: float
    strength: float


class Shares(NamedTuple):
    """The weight of each seen outcome, and the weight of the base distribution."""

    seen: dict[str, float]
    rest: float


def shares(counts: Mapping[str, int], level: Level) -> Shares:
    """Return the predictive weights under minimal seating, which has one table per dish."""
    discount, strength = level
    total = added(counts.values()) + strength
    seen = {dish: (count - discount) / total for dish, count in counts.items()}
    return Shares(seen, (strength + discount * len(counts)) / total)


class Levels(NamedTuple):
    """Parameters of a grammar's Pitman-Yor processes, starting with the most specific process."""

    rules: Level
    children: Level
    any_child: Level
    words: Level
    any_word: Level


def smoothed_grammar(
    counts: RuleCounts,
    levels: Levels,
    start: str,
    forms: Iterable[str],
    capitals: Iterable[str],
    missed_capitals: float = 0.0,
) -> ExactGrammar:
    """Return the smoothed grammar. `forms` are all words, including classes of unknown words.

    With a small treebank, most generated phrases are new, and sentences with new phrases may grow
    without limit. To prevent unlimited growth, the base distribution is changed so that it
    generates fewer phrases.
    """
    fixed = [*_phrases(counts, levels), *_tags(counts, levels)]
    lexicon = {
        _seen(tag): _words(shares(words, levels.words).seen) for tag, words in counts.words.items()
    }
    lexicon[ANY_WORD] = _words(_any_word(counts, levels, list(forms)))
    for phrases in SHARES_OF_PHRASES:
        rules = [*fixed, *_any_symbol(counts, levels, phrases)]
        grammar = ExactGrammar(rules, lexicon, start, capitals)
        grammar.missed_capitals = missed_capitals
        if grammar.is_finite(LONGEST_MEAN):
            return grammar
    raise BistroError(
        "the expected length of sentences under this grammar is infinite: there are too few trees "
        "to learn from"
    )


def _phrases(counts: RuleCounts, levels: Levels) -> Iterator[Rule]:
    usual = _any_child(counts, levels)
    for phrase, of_phrase in counts.rules.items():
        total = of_phrase.total() + levels.rules.strength
        for children, count in of_phrase.items():
            yield _rule(phrase, children, (count - levels.rules.discount) / total)
        new = levels.rules.strength + levels.rules.discount * len(of_phrase)
        yield _rule(phrase, (_one_by_one(phrase),), new / total)
        yield from _one_by_one_rules(counts, phrase, levels.children, usual.get(STOP, 0.0))


def _one_by_one_rules(
    counts: RuleCounts, phrase: str, level: Level, usual_stop: float
) -> Iterator[Rule]:
    """Yield the rules ``A⁺ -> child`` and ``A⁺ -> child A⁺``, which produce at least one child."""
    chain = _one_by_one(phrase)
    types, rules = counts.child_types(phrase)
    weights = shares({**types, STOP: rules}, level)
    stop = weights.seen.pop(STOP) + weights.rest * usual_stop
    for child, share in [*weights.seen.items(), (ANY_SYMBOL, weights.rest * (1 - usual_stop))]:
        yield _rule(chain, (child,), share / (1 - stop) * stop)
        yield _rule(chain, (child, chain), share)


def _any_child(counts: RuleCounts, levels: Levels) -> dict[str, float]:
    """Return the probability of each child, and of stopping, regardless of the phrase.

    A child counts once for each phrase label.
    """
    kinds = Counter[str]()
    for phrase in counts.rules:
        kinds.update(counts.child_types(phrase)[0].keys())
        kinds[STOP] += 1
    return _with_uniform(kinds, levels.any_child, [*counts.symbols, STOP])


def _any_symbol(counts: RuleCounts, levels: Levels, phrases: float) -> Iterator[Rule]:
    usual = _any_child(counts, levels)
    for symbol in counts.symbols:
        factor = phrases if symbol in counts.rules else 1.0
        yield _rule(ANY_SYMBOL, (symbol,), usual[symbol] * factor)


def _tags(counts: RuleCounts, levels: Levels) -> Iterator[Rule]:
    for tag, words in counts.words.items():
        rest = shares(words, levels.words).rest
        yield _rule(tag, (_seen(tag),), 1 - rest)
        yield _rule(tag, (ANY_WORD,), rest)


def _any_word(counts: RuleCounts, levels: Levels, forms: list[str]) -> dict[str, float]:
    """Return the probability of each word, regardless of its tag.

    The probability depends on the number of tags with which the word occurs.
    """
    tags = Counter(form for of_tag in counts.words.values() for form in of_tag)
    return _with_uniform(tags, levels.any_word, forms)


def _with_uniform(counts: Counter[str], level: Level, all_dishes: list[str]) -> dict[str, float]:
    weights = shares(counts, level)
    uniform = weights.rest / len(all_dishes)
    return {dish: weights.seen.get(dish, 0.0) + uniform for dish in all_dishes}


def _words(weights: Mapping[str, float]) -> dict[Word, float]:
    return {Word(form): weight for form, weight in weights.items()}


def _rule(left: str, right: tuple[str, ...], weight: float) -> Rule:
    # Heads and relations are needed only in grammars of dependencies.
    return Rule(left, right, 0, ("",) * len(right), weight)


def _one_by_one(phrase: str) -> str:
    return f"{phrase} one by one"


def _seen(tag: str) -> str:
    return f"{tag} seen"
