"""Lengths matched to the treebank's: the search for the factor, and the model that has it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import bistro
from bistro.inference.grammar.exact import english
from bistro.models.transition.model import TransitionModel
from bistro.models.transition.pace import ABOVE, BEGIN, CLOSE_ENOUGH, FREE, Pace, matched_pace


@cache
def trained(lengths: str, seed: int = 1) -> TransitionModel:
    treebank = bistro.builtin(sentences=500, seed=3)
    model = bistro.train("transition", treebank, seed=seed, lengths=lengths)
    assert isinstance(model, TransitionModel)
    return model


def mean_length(model: TransitionModel, n: int = 3000) -> tuple[float, float]:
    """The mean of sentences that the model draws, and its standard error."""
    lengths = [len(words) for words in model.generate(n, seed=8)]
    return float(np.mean(lengths)), float(np.std(lengths)) / math.sqrt(n)


def falling(slope: float) -> Callable[[Pace], NDArray[np.int64]]:
    """A made-up model whose sentences have 100 words without a factor, and fewer with one."""
    return lambda pace: np.full(10, round(1000 * math.exp(-slope * pace.exponent))) // 10


def test_the_factor_is_a_power_of_the_words_after_its_beginning() -> None:
    pace = Pace(begin=10.0, exponent=0.5)
    assert [pace.factor(n) for n in (0, 1, 10)] == [1.0, 1.0, 1.0]
    assert [pace.factor(n) for n in (40, 90)] == pytest.approx([1 / 2, 1 / 3])
    assert {FREE.factor(n) for n in range(100)} == {1.0}


@pytest.mark.parametrize("slope", [0.05, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("wanted", [30, 60, 90])
def test_the_search_ends_where_the_means_agree(slope: float, wanted: int) -> None:
    draw = falling(slope)
    pace = matched_pace([wanted - 10, wanted + 10], draw)
    assert pace.begin == BEGIN * wanted
    found = float(draw(pace).mean())
    assert abs(math.log(found / (wanted * (1 + ABOVE)))) <= CLOSE_ENOUGH + 1 / wanted


def test_sentences_that_are_short_enough_need_no_factor() -> None:
    assert matched_pace([100, 110], falling(1.0)) is FREE


def test_generated_lengths_are_those_of_the_grammar() -> None:
    """Free sentences are too long; matched ones are as long as the exact mean, within 6 %."""
    grammar = english()
    counts, index = grammar.binary.counts, grammar.binary.index
    exact = sum(float(counts[index[symbol]]) for symbol in grammar.lexicon)
    (free, error), (matched, _) = (mean_length(trained(kind)) for kind in ("free", "matched"))
    assert free - 4 * error > exact
    assert abs(matched / exact - 1) < 0.06
    assert matched < free - 2 * error


def test_the_same_seed_gives_the_same_factor() -> None:
    treebank = bistro.builtin(sentences=500, seed=3)
    again = bistro.train("transition", treebank, seed=1, lengths="matched")
    assert isinstance(again, TransitionModel)
    assert again.pace == trained("matched").pace != trained("matched", seed=2).pace


def test_the_distributions_are_those_of_free_lengths() -> None:
    free, matched = trained("free").arrays(), trained("matched").arrays()
    assert set(matched) - set(free) == {"pace"}
    assert all(np.array_equal(array, matched[name]) for name, array in free.items())


def test_a_file_keeps_the_factor() -> None:
    model = trained("matched")
    loaded = bistro.models.base.from_bytes(model.to_bytes(), "a test")
    assert isinstance(loaded, TransitionModel)
    assert loaded.pace == model.pace
    words = ["The", "dog", "sees", "her", *["and", "the", "old", "man"] * 3, "."]
    scores = [m.score([words], particles=20, repeats=2).log_probs for m in (model, loaded)]
    assert scores[0].tolist() == scores[1].tolist()
    free = replace(model, pace=FREE).score([words], particles=20, repeats=2).log_probs
    assert scores[0].tolist() != free.tolist()


def test_trees_are_those_of_free_lengths() -> None:
    sentences = [s.forms for s in bistro.builtin(sentences=40, seed=9) if len(s) > 12]
    assert trained("matched").pace.exponent > 0
    both = [list(trained(kind).parse_all(sentences)) for kind in ("free", "matched")]
    assert [p.heads for p in both[0]] == [p.heads for p in both[1]]
    assert [p.log_total for p in both[0]] == [p.log_total for p in both[1]]


def test_a_damaged_factor_is_refused() -> None:
    for pace in (Pace(0.0, 1.0), Pace(5.0, -1.0), Pace(math.nan, 1.0)):
        with pytest.raises(ValueError, match="pace"):
            replace(trained("free"), pace=pace)
