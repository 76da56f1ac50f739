"""Tags, features and lemmas: learned columns, kept columns, words never seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.models.columns.elements import ELEMENTS, View, contexts
from bistro.models.columns.model import ColumnsModel
from bistro.treebank.sentence import Sentence


@pytest.fixture(scope="module")
def model() -> ColumnsModel:
    trained = bistro.train("columns", bistro.builtin(sentences=300, seed=1), seed=1)
    assert isinstance(trained, ColumnsModel)
    return trained


@pytest.fixture(scope="module")
def held_out() -> list[Sentence]:
    return list(bistro.builtin(sentences=60, seed=9))


def bare(sentence: Sentence, *names: str) -> Sentence:
    """Return a sentence without these columns."""
    return sentence.replace(**{name: ["_"] * len(sentence) for name in names})


def test_columns_are_found_again(model: ColumnsModel, held_out: list[Sentence]) -> None:
    figures = model.figures(held_out)
    assert set(figures) <= {"upos", "xpos", "feats", "lemmas"}
    assert figures["xpos"] > 95 and figures["lemmas"] > 95


def test_what_is_kept_is_evidence(model: ColumnsModel, held_out: list[Sentence]) -> None:
    sentence = held_out[0]
    kept = model.fill([sentence], keep=("upos", "xpos"))[0]
    assert kept.columns["upos"] == sentence.upos and kept.columns["xpos"] == sentence.xpos
    assert kept.probabilities["upos"] == [1.0] * len(sentence)
    wrong = sentence.replace(upos=["X"] * len(sentence))
    assert model.fill([wrong])[0].columns["upos"] == model.fill([sentence])[0].columns["upos"]


def test_only_empty_fields_of_kept_columns_are_filled(
    model: ColumnsModel, held_out: list[Sentence]
) -> None:
    sentence = held_out[1]
    half = sentence.replace(upos=["_", *sentence.upos[1:]])
    filled = model.fill([half], keep=("upos",))[0]
    assert filled.columns["upos"][1:] == sentence.upos[1:]
    assert filled.columns["upos"][0] != "_"
    assert 0 < filled.probabilities["upos"][0] <= 1


def test_a_word_never_seen_has_a_lemma() -> None:
    words = [("dogs", "dog"), ("cats", "cat"), ("hats", "hat"), ("cars", "car"), ("tree", "tree")]
    sentences = [
        Sentence.from_columns([form], lemmas=[lemma], upos=["NOUN"]) for form, lemma in words * 5
    ]
    model = bistro.train("columns", sentences, seed=1)
    assert isinstance(model, ColumnsModel)
    new = Sentence.from_columns(["birds"], upos=["NOUN"])
    assert model.fill([new], keep=("upos",))[0].columns["lemmas"] == ["bird"]
    assert set(model.choices) == {"upos", "lemmas"}


def test_probabilities_do_not_depend_on_what_was_asked_before(
    model: ColumnsModel, held_out: list[Sentence]
) -> None:
    alone = [model.fill([sentence])[0] for sentence in held_out[:5]]
    again: Any = bistro.models.base.from_bytes(model.to_bytes())
    assert again.fill(held_out[:5]) == alone


def test_a_saved_model_finds_the_same(
    model: ColumnsModel, held_out: list[Sentence], tmp_path: Path
) -> None:
    model.save(tmp_path / "columns.bistro")
    again = bistro.load(tmp_path / "columns.bistro")
    assert again.fill(held_out) == model.fill(held_out)


def test_bad_requests_are_refused(model: ColumnsModel, held_out: list[Sentence]) -> None:
    with pytest.raises(ConfigError, match="'lemma' to keep"):
        model.fill(held_out[:1], keep=("lemma",))
    with pytest.raises(ConfigError, match="no 'sufix2'"):
        bistro.train("columns", held_out, contexts={"xpos": ["upos", "sufix2"]})
    with pytest.raises(ConfigError, match="found after it"):
        bistro.train("columns", held_out, contexts={"upos": ["previous.xpos"]})
    with pytest.raises(BistroError, match="neither tags"):
        bistro.train("columns", [Sentence.from_columns(["It"])])
    with pytest.raises(BistroError, match="not from lists"):
        bistro.train("columns", [["It", "rains"]])


@pytest.mark.parametrize("name", sorted(ELEMENTS))
def test_every_element_has_a_value_for_every_word(name: str, held_out: list[Sentence]) -> None:
    for sentence in held_out[:3]:
        rows = contexts(View.of(sentence), (name,))
        assert len(rows) == len(sentence)
        assert all(isinstance(value, str) for (value,) in rows)
