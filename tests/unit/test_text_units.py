"""The n-gram model of characters and bytes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.evaluate.text import text_figures
from bistro.models.ngram.text_model import TextModel

SENTENCES = [list(s.forms) for s in bistro.builtin(sentences=300, seed=1)]
SHORT = {"sweeps": 3, "samples": 1}


def trained(units: str, order: int, **settings: Any) -> TextModel:
    model: Any = bistro.train("ngram", SENTENCES, units=units, order=order, **settings)
    assert isinstance(model, TextModel)
    return model


@pytest.mark.parametrize("units", ["characters", "bytes"])
@pytest.mark.parametrize("order", [0, 4])
def test_words_have_the_probability_of_their_units(units: str, order: int) -> None:
    model = trained(units, order, sampler=SHORT)
    sentence = ["The", "dog", "naïvely", "☃"]
    scores = model.score([sentence, ["The"]])
    ids, _ = model.units.encode([sentence])
    logs = model.process.log_probs(ids) + model.units.log_share(ids[0])
    assert scores.log_probs[:5].sum() == pytest.approx(logs.sum())
    assert scores.log_probs[0] == pytest.approx(logs[:3].sum())
    assert scores.log_probs[1] == pytest.approx(logs[3:7].sum())
    assert scores.log_probs[4] == pytest.approx(logs[-1])
    assert scores.is_oov.tolist() == [False, False, True, True, False, False, False]
    assert model.process.distribution(ids[0][:5].tolist()).sum() == pytest.approx(1)
    assert model.score([]).log_probs.size == 0
    assert model.vocabulary.is_open


def test_longer_contexts_predict_better() -> None:
    test = [list(s.forms) for s in bistro.builtin(sentences=50, seed=9)]
    bits = [text_figures(trained("bytes", order), test).bits_per_byte for order in (1, 3, 0)]
    assert bits[0] > bits[1] > bits[2]
    characters = text_figures(trained("characters", 0), test)
    assert characters.bits_per_byte == pytest.approx(bits[2], abs=0.1)
    assert characters.bytes == sum(len(" ".join(s).encode()) + 1 for s in test)


def test_drawn_sentences_are_words_and_follow_the_seed() -> None:
    model = trained("bytes", 0)
    drawn = list(model.generate(5, seed=3))
    assert drawn == list(model.generate(5, seed=3))
    assert all(word and " " not in word for sentence in drawn for word in sentence)
    begun = list(model.generate(3, seed=1, prefix=["The", "old"], temperature=0.5))
    assert all(sentence[:2] == ["The", "old"] for sentence in begun)


def test_a_file_gives_the_model_back(tmp_path: Path) -> None:
    for units, order in (("bytes", 0), ("characters", 3)):
        model = trained(units, order, sampler=SHORT)
        model.save(tmp_path / "m.bistro")
        again = bistro.load(tmp_path / "m.bistro")
        assert np.array_equal(
            again.score(SENTENCES[:5]).log_probs, model.score(SENTENCES[:5]).log_probs
        )
        assert list(again.generate(2)) == list(model.generate(2))
        assert again.summary()["units"] == units
        with pytest.raises(BistroError, match="this ngram model cannot explain"):
            again.explain(["The"])


def test_impossible_settings_are_refused() -> None:
    for settings, message in (
        ({"order": 0}, "order is 0, but must lie between 1 and 100"),
        ({"order": -1, "units": "bytes"}, "order is -1"),
        ({"units": "syllables"}, "units"),
        (
            {"units": "bytes", "sampler": {"seating": "minimal", "hyper": "sequential"}},
            "is available only for units = 'words'",
        ),
    ):
        with pytest.raises(ConfigError, match=message):
            bistro.train("ngram", SENTENCES[:2], **settings)


def test_a_uniform_model_takes_eight_bits_per_byte() -> None:
    model = trained("bytes", 1, sampler={"hyper": "fixed", "strength": 1e9, **SHORT})
    figures = text_figures(model, SENTENCES[:20])
    assert figures.bits_per_byte == pytest.approx(8, abs=0.01)
    assert math.isclose(figures.bits_per_byte * figures.bytes, -figures.log_prob / math.log(2))
