"""Laws of word order, morphemes, constituents, latent states, and of figures on held-out data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from bistro.models.abilities import Orderer, Predictor, Segmenter, StateReader, TreeParser
from bistro.models.inputs import as_words
from bistro.models.results.structures import Linearization
from bistro.treebank.brackets import format_tree
from bistro.treebank.projectivity import is_projective
from bistro.treebank.reordering import reordered
from bistro.treebank.sentence import Sentence

from .law import (
    expect,
    expect_close,
    expect_falling,
    expect_line,
    expect_same,
    expect_shares,
    laws,
    refusal,
)

SEVERAL = 4
ENUMERATED = 6
"""All orders of a tree are enumerated if it has at most this many words."""


def orders_are_permutations(model: Orderer, data: Sequence[Sentence]) -> None:
    """An order has every word that is ordered once, and the probability of its sentence."""
    expect_line(model.order_protocol())
    for sentence in data:
        first = model.linearize(sentence)[0]
        words = sorted(first.order)
        expect(set(words) <= set(range(1, len(sentence) + 1)), words)
        best = model.linearize(sentence, kbest=SEVERAL, seed=2)
        expect_close(best[0].log_prob, first.log_prob)
        expect(len({tuple(one.order) for one in best}) == len(best), [one.order for one in best])
        expect(1 <= len(best) <= SEVERAL, len(best))
        expect_falling(one.log_prob for one in best)
        drawn = model.sample_orders(sentence, SEVERAL, seed=2)
        expect(len(drawn) == SEVERAL, len(drawn))
        for one in (*best, *drawn):
            expect(sorted(one.order) == words and one.log_prob <= 1e-9, one.order)
            forms = [sentence.forms[word - 1] for word in one.order]
            expect(one.sentence.forms == forms, one.sentence.forms)
            expect_close(model.score_order(one.sentence).log_prob, one.log_prob)
        expect_same(_shown(model.sample_orders(sentence, SEVERAL, seed=2)), _shown(drawn))
        expect_same(_shown(model.sample_orders(sentence, 2, seed=2)), _shown(drawn[:2]))
        expect_same(_shown(model.linearize(sentence, kbest=SEVERAL, seed=2)), _shown(best))
    refusal(model.linearize, data[0], kbest=0, says="kbest is 0")
    refusal(model.sample_orders, data[0], -1, says="n is -1")
    expect(model.sample_orders(data[0], 0) == [], "a draw of no orders")


def _shown(found: Sequence[Linearization]) -> list[Any]:
    return [(one.order, one.log_prob) for one in found]


def orders_sum_to_one(model: Orderer, data: Sequence[Sentence]) -> None:
    """The probabilities of all projective orders of a tree sum to 1."""
    for sentence in data:
        words = sorted(model.linearize(sentence)[0].order)
        if len(words) > ENUMERATED:
            continue
        every = (reordered(sentence, order) for order in permutations(words))
        found = [model.score_order(one) for one in every if is_projective(one.heads)]
        expect_close(math.fsum(math.exp(one.log_prob) for one in found), 1.0, 1e-6)


def morphemes_make_the_word(model: Segmenter, data: Sequence[Any]) -> None:
    """The morphemes of an analysis make up the word; analyses fall and sum to 1 at most."""
    annotated = [word for paragraph in data for word in paragraph]
    words = [word.form for word in annotated] + ["Xyzzy", "42", "ß漢"]
    found = model.segment(words, kbest=SEVERAL)
    expect([one.word for one in found] == words, [one.word for one in found])
    for one in found:
        expect(1 <= len(one.analyses) <= SEVERAL, len(one.analyses))
        expect_shares(analysis.probability for analysis in one.analyses)
        expect_falling(analysis.probability for analysis in one.analyses)
        expect(len({analysis.morphemes for analysis in one.analyses}) == len(one.analyses), one)
        for analysis in one.analyses:
            letters = "".join(m.surface for m in analysis.morphemes)
            expect(letters == one.word and analysis.log_prob <= one.log_prob + 1e-6, analysis)
    expect_same(list(model.iter_segment(words, kbest=SEVERAL)), found)
    expect_same([model.segment([word], kbest=SEVERAL)[0] for word in words], found)
    expect(bool((model.score_words(annotated) <= 0).all()), model.score_words(annotated))
    refusal(model.segment, "word")
    refusal(model.segment, [""])
    refusal(model.segment, words, kbest=0)


def leaves_are_the_words(model: TreeParser, data: Sequence[Any]) -> None:
    """The leaves of a tree are the words; drawn trees follow the seed, the best come first."""
    texts = [list(words) for words in as_words(data)]
    found = list(model.parse_trees(texts))
    for words, parse in zip(texts, found, strict=True):
        expect(parse.words == words and parse.tree.leaves() == words, parse.words)
        expect(parse.log_prob <= 1e-9, parse.log_prob)
    expect_same(_trees(model.parse_trees(texts)), _trees(found))
    expect_same(_trees([model.parse_tree(texts[0])]), _trees(found[:1]))
    for parse in model.parse_trees(texts, kbest=SEVERAL):
        expect(1 <= len(parse.trees) <= SEVERAL, len(parse.trees))
        expect_falling(tree.log_prob for tree in parse.trees)
        expect(all(tree.tree.leaves() == parse.words for tree in parse.trees), parse.words)
    for parse in model.parse_trees(texts, drawn=SEVERAL):
        expect(len(parse.trees) == SEVERAL or not parse.is_found, len(parse.trees))
    refusal(model.parse_tree, [])
    refusal(model.parse_tree, texts[0], no_such_option=1)


def _trees(parses: Any) -> list[Any]:
    return [(format_tree(parse.tree), parse.log_prob) for parse in parses]


def states_are_shares(model: StateReader, data: Sequence[Any]) -> None:
    """The shares of the states fall and sum to 1 at most, and so do their words."""
    states = model.top_states(words=SEVERAL)
    expect_shares(state.share for state in states)
    expect_falling(state.share for state in states)
    for state in states:
        expect(len(state.words) <= SEVERAL, state.words)
        expect_shares(p for _, p in state.words)
        expect_falling(p for _, p in state.words)


def figures_are_numbers(model: Predictor, data: Sequence[Any]) -> None:
    """Figures on held-out items have names, and are numbers."""
    figures = model.figures(data)
    expect(figures and all(isinstance(name, str) for name in figures), figures)
    expect(all(math.isfinite(value) for value in figures.values()), figures)
    expect_same(model.figures(data), figures)


LAWS = (
    *laws("linearize", orders_are_permutations, orders_sum_to_one),
    *laws("segment", morphemes_make_the_word),
    *laws("parse_trees", leaves_are_the_words),
    *laws("top_states", states_are_shares),
    *laws("figures", figures_are_numbers),
)
