"""Sums over a graph of stacks, against the enumeration of all derivations."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from prefix_twins import EVERYTHING, moments
from test_language_model import LANGUAGE_KINDS, short_for
from transition_twins import SYSTEMS, WORDS, Kind, twin_of

import bistro
from bistro.models.parsing.language import ScoreOptions

EXACT = ScoreOptions("exact", threads=1)


@pytest.mark.parametrize("kind", LANGUAGE_KINDS, ids=str)
def test_the_whole_graph_is_the_enumeration(kind: Kind) -> None:
    twin = twin_of(kind)
    for forms in short_for(kind):
        scores = twin.model.score([forms], **vars(EXACT))
        assert scores.entropy is not None and scores.lexical is not None
        assert scores.deviation is None
        expected = moments(kind, tuple(forms))
        logs = [math.log(moment.total) for moment in expected]
        assert np.cumsum(scores.log_probs) == pytest.approx(logs, rel=0, abs=1e-7)
        entropies = [moment.entropy for moment in expected]
        assert scores.entropy == pytest.approx(entropies, abs=1e-5)
        lexical = [*(moment.lexical for moment in expected[:-1]), 0.0]
        assert scores.lexical == pytest.approx(lexical, abs=1e-5)


@pytest.mark.parametrize("kind", LANGUAGE_KINDS[:6], ids=str)
def test_longer_sentences_agree_with_a_search_that_drops_nothing(kind: Kind) -> None:
    model = twin_of(kind).model
    sentences = [list(s) for s in itertools.product(WORDS[:2], repeat=5)][::5]
    expected = model.score(sentences, **vars(EVERYTHING))
    found = model.score(sentences, **vars(EXACT))
    assert found.log_probs == pytest.approx(expected.log_probs, abs=1e-6)
    assert found.entropy == pytest.approx(expected.entropy, abs=1e-4)


@pytest.mark.parametrize("kind", LANGUAGE_KINDS[:4], ids=str)
def test_next_words_of_the_whole_graph(kind: Kind) -> None:
    model = twin_of(kind).model
    for context in ([], ["a"], ["d", "c", "a"]):
        expected = model.next_words(context, **vars(EVERYTHING))
        found = model.next_words(context, **vars(EXACT))
        assert found.probabilities == pytest.approx(expected.probabilities, abs=1e-7)


def test_many_nodes_come_close_and_threads_change_nothing() -> None:
    model = twin_of(SYSTEMS[0]).model
    sentences = [list(s) for s in itertools.product(WORDS, repeat=3)]
    exact = model.score(sentences, **vars(EXACT))
    options = ScoreOptions("graph", particles=20, seed=5, threads=1)
    few, again = (model.score(sentences, **vars(replace(options, threads=t))) for t in (1, 4))
    assert few.log_probs.tolist() == again.log_probs.tolist()
    many = model.score(sentences, **vars(replace(options, particles=2000)))
    errors = [np.abs(scores.log_probs - exact.log_probs).max() for scores in (many, few)]
    assert errors[0] < 0.001 < errors[1] < 1
    another = model.score(sentences, **vars(replace(options, seed=6)))
    assert another.log_probs.tolist() != few.log_probs.tolist()


def test_runs_are_averaged_as_probabilities() -> None:
    model = twin_of(SYSTEMS[0]).model
    exact = model.score([["d", "c", "a"]], **vars(EXACT))
    one, many = (
        model.score([["d", "c", "a"]], method="graph", particles=8, repeats=repeats)
        for repeats in (1, 400)
    )
    assert many.log_probs == pytest.approx(exact.log_probs, abs=0.03)
    assert many.entropy == pytest.approx(exact.entropy, abs=0.1)
    assert one.standard_error is not None and many.standard_error is not None
    assert many.standard_error.max() < one.standard_error.max() / 5


def test_no_word_is_more_than_certain() -> None:
    model = twin_of(SYSTEMS[0]).model
    sentences = [list(s) for s in itertools.product(WORDS, repeat=3)]
    exact = model.score(sentences, **vars(EXACT))
    found = [model.score(sentences, method="graph", particles=2, seed=s) for s in range(1, 41)]
    logs = np.array([scores.log_probs for scores in found])
    assert logs.max() <= 0 and exact.log_probs.max() < 0
    # Some estimates were lowered: without that, an error of this size would show.
    assert (logs == 0).any()


def test_few_nodes_do_not_lose_all_analyses() -> None:
    model = bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1)
    sentences = [sentence.forms for sentence in bistro.builtin(sentences=40, seed=2)]
    for particles in (1, 2, 4, 8):
        for seed in range(1, 9):
            scores = model.score(sentences, method="graph", particles=particles, seed=seed)
            assert np.isfinite(scores.log_probs).all(), (particles, seed)


def test_long_sentences_stay_finite() -> None:
    model = bistro.train("transition", bistro.builtin(sentences=100, seed=1), seed=1)
    scores = model.score([["the", "dog"] * 1000], method="graph", particles=10)
    assert scores.entropy is not None and scores.standard_error is not None
    for figures in (scores.log_probs, scores.entropy, scores.standard_error):
        assert np.isfinite(figures).all()
