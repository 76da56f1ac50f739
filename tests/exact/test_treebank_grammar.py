"""The treebank grammar: its back-off against the processes it stands for, its sums against 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import bistro
from bistro.inference.grammar.exact import english
from bistro.models.grammar.counts import RuleCounts
from bistro.models.grammar.model import GrammarModel
from bistro.models.grammar.smoothing import STOP, Level, Levels, shares, smoothed_grammar
from bistro.reference.grammar_chart import Closure
from bistro.reference.hpyp import Franchise
from bistro.rng import Stream
from bistro.treebank.brackets import parse_tree
from bistro.treebank.constituents import simplified

TREES = [
    "(TOP (S (NP (D the) (N dog)) (VP (V saw) (NP (D the) (N cat)))))",
    "(TOP (S (NP (D a) (N cat)) (VP (V slept))))",
    "(TOP (S (NP (D the) (A old) (N dog)) (VP (V slept))))",
    "(TOP (VP (V go)))",
]
LEVELS = Levels(
    Level(0.3, 0.7), Level(0.4, 1.1), Level(0.2, 2.0), Level(0.1, 0.6), Level(0.35, 1.5)
)
ROOT = "TOP"


@pytest.fixture(scope="module")
def model() -> GrammarModel:
    trees = [parse_tree(text) for text in TREES]
    trained = bistro.train("grammar", trees, seed=1, unknown_below=1)
    assert isinstance(trained, GrammarModel)
    return trained


def counted() -> RuleCounts:
    return RuleCounts.of(simplified(parse_tree(text)) for text in TREES)


def test_words_are_drawn_as_the_plain_process_draws_them() -> None:
    counts = counted()
    forms = ["<unk>", *sorted({word for of_tag in counts.words.values() for word in of_tag})]
    tags = list(counts.words)
    plain = Franchise(base=lambda dish: 1 / len(forms), levels=2, seating="minimal")
    for level, (discount, strength) in enumerate((LEVELS.any_word, LEVELS.words)):
        plain.discount[level], plain.strength[level] = discount, strength
    rng = Stream(seed=1, purpose="test")
    for tag, words in counts.words.items():
        for word in words.elements():
            plain.add((tags.index(tag),), forms.index(word), rng)
    grammar = smoothed_grammar(counts, LEVELS, ROOT, forms, ())
    weights = {(r.left, r.right): r.weight for r in grammar.rules}
    lexicon = {s: {w.form: p for w, p in words.items()} for s, words in grammar.lexicon.items()}
    for tag, form in itertools.product(tags, forms):
        found = weights[tag, ("any word",)] * lexicon["any word"][form]
        found += weights[tag, (f"{tag} seen",)] * lexicon[f"{tag} seen"].get(form, 0.0)
        expected = plain.probability((tags.index(tag),), forms.index(form))
        assert found == pytest.approx(expected, rel=1e-12)


def test_children_one_by_one_are_drawn_as_the_plain_process_draws_them() -> None:
    counts = counted()
    dishes = [*counts.symbols, STOP]
    phrases = list(counts.rules)
    plain = Franchise(base=lambda dish: 1 / len(dishes), levels=2, seating="minimal")
    for level, (discount, strength) in enumerate((LEVELS.any_child, LEVELS.children)):
        plain.discount[level], plain.strength[level] = discount, strength
    rng = Stream(seed=1, purpose="test")
    for phrase in phrases:
        for children in counts.rules[phrase]:
            for child in (*children, STOP):
                plain.add((phrases.index(phrase),), dishes.index(child), rng)
    grammar = smoothed_grammar(counts, LEVELS, ROOT, ["x"], ())
    weights = {(r.left, r.right): r.weight for r in grammar.rules}
    for phrase in phrases:
        at, chain = (phrases.index(phrase),), f"{phrase} one by one"
        stop = plain.probability(at, dishes.index(STOP))
        for child in counts.symbols:
            share = plain.probability(at, dishes.index(child)) / (1 - stop)
            unseen = weights["any symbol", (child,)]
            for rest, factor in (((), stop), ((chain,), 1 - stop)):
                found = weights.get((chain, (child, *rest)), 0.0)
                found += weights[chain, ("any symbol", *rest)] * unseen
                assert found == pytest.approx(share * factor, rel=1e-12)


def test_shares_are_those_of_one_process() -> None:
    seen, rest = shares({"a": 3, "b": 1}, Level(0.5, 2.0))
    assert seen == {"a": 2.5 / 6, "b": 0.5 / 6}
    assert rest == 3 / 6


def test_what_may_follow_a_beginning_sums_to_one(model: GrammarModel) -> None:
    words = [*model.vocabulary.words, "unheard-of"]
    for beginning in (["the"], ["the", "dog"], ["saw", "unheard-of"], ["cat", "go", "a"]):
        following = [model.score([[*beginning, word]]).log_probs for word in words]
        place = len(beginning)
        end = model.score([beginning]).log_probs[place]
        total = math.fsum(math.exp(log_probs[place]) for log_probs in following) + math.exp(end)
        assert total == pytest.approx(1.0, abs=1e-9)


def test_surprisals_sum_to_the_sentence(model: GrammarModel) -> None:
    words = ["the", "old", "cat", "saw", "the", "dog"]
    tokens, unknown = model._tokens(words)
    assert not any(unknown)
    log_prob = model.grammar.sentence_log_prob(tokens)
    assert model.score([words]).log_probs.sum() == pytest.approx(log_prob, rel=1e-9)


def test_everything_has_a_probability(model: GrammarModel) -> None:
    odd = [["cat"], ["the", "the", "the"], ["never", "heard"], ["slept", "old", "go"]]
    scores = model.score(odd)
    assert np.isfinite(scores.log_probs).all()
    assert scores.is_oov.tolist() == [*[False] * 6, True, True, *[False] * 5]
    assert scores.is_eos.sum() == len(odd)


def test_a_capital_letter_at_the_start_costs_nothing() -> None:
    model = bistro.train("grammar", bistro.builtin_trees(sentences=300, seed=1), seed=1)
    assert isinstance(model, GrammarModel)
    assert "" in model.capitals
    assert "the" in model.vocabulary.words and "The" not in model.vocabulary.words
    capital, small = (model.score([[w, "dog", "sleeps", "."]]).log_probs for w in ("The", "the"))
    assert np.isfinite(capital).all() and capital[0] > small[0]


def test_it_comes_nearer_to_the_truth_than_word_sequences_do() -> None:
    texts = [sentence.forms for sentence in bistro.builtin(sentences=8, seed=2)]
    truth = np.concatenate([english().surprisals(text) for text in texts])

    def gap(kind: str, data: Iterable[Any]) -> float:
        model = bistro.train(kind, data, seed=1, unknown_below=1)
        found = -model.score(texts).log_probs / math.log(2)
        return float(found.mean() - truth.mean())

    words = gap("ngram", bistro.builtin(sentences=2000, seed=1))
    assert 0 < gap("grammar", bistro.builtin_trees(sentences=2000, seed=1)) < 0.5 * words


def test_a_small_treebank_gives_sentences_of_sound_length() -> None:
    model = bistro.train("grammar", bistro.builtin_trees(sentences=100, seed=1), seed=1)
    assert isinstance(model, GrammarModel)
    assert model.grammar.is_finite(200)
    drawn = list(model.generate(20, seed=1))
    assert 1 <= np.mean([len(words) for words in drawn]) <= 200


def test_closing_is_multiplying_by_the_inverse() -> None:
    rng = np.random.default_rng(1)
    steps = rng.random((30, 30)) * (rng.random((30, 30)) < 0.2) / 12
    steps[7] = 0.0
    vector = rng.random(30) * (rng.random(30) < 0.3)
    expected = np.linalg.solve(np.eye(30) - steps, vector)
    assert Closure(csr_array(steps))(vector) == pytest.approx(expected, abs=1e-14)
    unreachable = Closure(csr_array(np.triu(steps, 1)))(np.eye(30)[5])
    assert (unreachable[6:] == 0).all()


def test_a_capital_letter_may_be_missing() -> None:
    """Small and capital beginnings share the probability, and nothing is infinite."""
    model = bistro.train("grammar", bistro.builtin_trees(sentences=100, seed=1), seed=1)
    assert isinstance(model, GrammarModel)
    [small], [large] = (
        [r.surprisal for r in model.surprisal([w], eos=False)] for w in ("the", "The")
    )
    missed = model.config.missed_capitals
    assert large < small < math.inf
    strict = replace(model, config=replace(model.config, missed_capitals=0.0))
    [before] = [row.surprisal for row in strict.surprisal(["The"], eos=False)]
    assert 2**-large == pytest.approx(2**-before * (1 - missed))
    assert 2**-small == pytest.approx(2**-before * missed)
    often = replace(model, config=replace(model.config, missed_capitals=0.5))
    first = [words[0] for words in often.generate(400, seed=2) if words[0].lower() == "the"]
    assert 0.4 < sum(word == "the" for word in first) / len(first) < 0.6
