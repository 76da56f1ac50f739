"""Sentences of a reader follow the mixture, word by word."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from laws import SUSPICIOUS
from scipy import stats

import bistro
from bistro.models.reader.model import ReaderModel

TEXT = [["a", "b"], ["a", "b", "a"], ["b"], ["b", "a", "a"], ["a"]] * 4
DRAWN = 3000


@pytest.fixture(scope="module")
def model() -> ReaderModel:
    quick = "sampler.sweeps=4 sampler.samples=2"
    members = [f"ngram order=1 {quick}", f"ngram order=3 {quick}"]
    found = bistro.train("reader", TEXT, dev=TEXT[:5], seed=1, members=members)
    assert isinstance(found, ReaderModel)
    found.weights = np.array([0.4, 0.6])
    return found


def p_of_draws(model: ReaderModel, weights: list[float]) -> float:
    """Return how well sentences drawn with some weights fit the probabilities of the model."""
    other = ReaderModel(model.config, model.members, np.array(weights), model.origin)
    drawn = Counter(tuple(words) for words in other.generate(DRAWN, seed=1))
    sentences = [words for size in range(1, 4) for words in product("ab", repeat=size)]
    scores = model.score(sentences)
    spans = zip(scores.offsets, scores.offsets[1:], strict=False)
    expected = [DRAWN * math.exp(scores.log_probs[begin:end].sum()) for begin, end in spans]
    counts = [drawn[words] for words in sentences]
    rest = DRAWN - sum(counts), DRAWN - sum(expected)
    return float(stats.chisquare([*counts, rest[0]], [*expected, rest[1]]).pvalue)


def test_sentences_have_their_probabilities(model: ReaderModel) -> None:
    assert p_of_draws(model, [0.4, 0.6]) > SUSPICIOUS


def test_draws_with_other_weights_are_found_out(model: ReaderModel) -> None:
    assert p_of_draws(model, [0.9, 0.1]) < SUSPICIOUS
