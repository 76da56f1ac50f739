"""Words cut into morphemes: a beam that keeps everything, against all analyses one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from segment_twins import PlainSegmenter

import bistro
from bistro.encoding.morphemes import Inventory
from bistro.models.morphology.words import UNSEEN_SHARE, WordsModel
from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes

ANNOTATED = [
    ("aba", "a[P]-ba[T]"),
    ("abab", "a[P]-ba[T]-b[S]"),
    ("ba", "ba[T]"),
    ("bb", "a[P]-b[T]-b[S]"),
    ("ab", "a[P]-ba[T]"),
    ("baab", "ba[T]-ba[S]"),
    ("aba", "a[P]-ba[T]"),
]
WORDS = ["a", "ab", "aba", "xb"]


def paragraph(annotated: list[tuple[str, str]]) -> Paragraph:
    return Paragraph(SegmentedWord(form, parse_morphemes(text)) for form, text in annotated)


def plain(model: WordsModel) -> PlainSegmenter:
    labels, morphemes, letters = model._tries
    return PlainSegmenter(model.inventory, labels, morphemes, letters, UNSEEN_SHARE)


@pytest.fixture(scope="module", params=[None, 1, 2])
def model(request: pytest.FixtureRequest) -> WordsModel:
    trained = bistro.train("morphology", [paragraph(ANNOTATED)], depth=request.param)
    assert isinstance(trained, WordsModel)
    return trained


@pytest.mark.parametrize("word", WORDS)
def test_the_beam_finds_what_enumeration_finds(model: WordsModel, word: str) -> None:
    every = list(plain(model).analyses(word))
    every.sort(key=lambda entry: -entry[1])
    total = float(np.logaddexp.reduce([log_prob for _, log_prob in every]))
    found = model.segment([word], kbest=5, beam=20_000, floor=0.0)[0]
    assert found.log_prob == pytest.approx(total, abs=1e-9)
    for analysis, (_, log_prob) in zip(found.analyses, every, strict=False):
        assert analysis.log_prob == pytest.approx(log_prob, abs=1e-9)
    steps = [(step.piece.label, step.piece.canonical) for step in every[0][0]]
    assert [(m.label, m.canonical) for m in found.best.morphemes] == steps


@pytest.mark.parametrize("word", WORDS)
def test_probabilities_of_boundaries_are_sums_over_analyses(model: WordsModel, word: str) -> None:
    every = list(plain(model).analyses(word))
    total = float(np.logaddexp.reduce([log_prob for _, log_prob in every]))
    sums = dict.fromkeys(range(1, len(word)), 0.0)
    for steps, log_prob in every:
        ends = np.cumsum([len(step.piece.surface) for step in steps]).tolist()
        for place in set(ends) & set(sums):
            sums[place] += math.exp(log_prob - total)
    found = model.segment([word], beam=20_000, floor=0.0)[0]
    assert found.boundaries == pytest.approx({p: x for p, x in sums.items() if x > 0}, abs=1e-9)


def test_a_given_analysis_has_the_probability_that_enumeration_gives(model: WordsModel) -> None:
    segmenter = plain(model)
    for form, text in ANNOTATED[:4:2]:
        word = SegmentedWord(form, parse_morphemes(text))
        wanted = [(m.label, m.form) for m in word.morphemes]
        found = [
            log_prob
            for steps, log_prob in segmenter.analyses(form)
            if [(s.piece.label, s.piece.canonical) for s in steps] == wanted
        ]
        assert model.score_words([word])[0] in [pytest.approx(x, abs=1e-9) for x in found]


def test_spellings_of_a_label_sum_to_one(model: WordsModel) -> None:
    # All strings of up to 5 letters hold nearly all of the mass; the rest must be longer ones.
    segmenter = plain(model)
    inventory: Inventory = model.inventory
    letters = [*inventory.letters, "?"]
    texts, mass = [""], 0.0
    for _ in range(6):
        mass += sum(math.exp(segmenter.spelling("T", text)) for text in texts)
        texts = [text + letter for text in texts for letter in letters]
    assert 0.97 < mass <= 1 + 1e-9


def test_narrow_beams_find_no_better_analysis(model: WordsModel) -> None:
    wide = model.segment(WORDS, beam=10_000, floor=0.0)
    for narrow, best in zip(model.segment(WORDS, beam=1), wide, strict=True):
        assert narrow.best.log_prob <= best.best.log_prob + 1e-9
        assert narrow.log_prob <= best.log_prob + 1e-9
