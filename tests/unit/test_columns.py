"""Tags, features and lemmas: learned columns, kept columns, words never seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.models.columns.elements import ELEMENTS, PREDICTED, Words
from bistro.models.columns.model import ColumnsModel
from bistro.models.results.columns import Beliefs
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
    assert model.predicted_columns == ("upos", "lemmas")


def test_a_lemma_of_training_is_likelier_than_a_new_one() -> None:
    """Nothing but the list of lemmas says that *hoping* is from *hope* and *mapping* from *map*."""
    pairs = [("baking", "bake"), ("making", "make"), ("hope", "hope"), ("hopes", "hope"),
             ("tapping", "tap"), ("zapping", "zap"), ("map", "map"), ("maps", "map")]  # fmt: skip
    treebank = [
        Sentence.from_columns([form], upos=["VERB"], lemmas=[lemma], heads=[0], deprels=["root"])
        for form, lemma in pairs * 3
    ]
    new = [Sentence.from_columns([form], upos=["VERB"]) for form in ("hoping", "mapping")]
    trained = bistro.train("columns", treebank, seed=1)
    found = [filled.columns["lemmas"] for filled in trained.fill(new, keep=("upos",))]
    assert found == [["hope"], ["map"]]
    with pytest.raises(ConfigError, match="known_lemmas"):
        bistro.train("columns", treebank, known_lemmas=0.5)


def test_alternatives_and_the_value_itself_are_the_whole_distribution(model: ColumnsModel) -> None:
    sentence = Sentence.from_columns(["Zorbs", "blick"], heads=[2, 0], deprels=["nsubj", "root"])
    (filled,) = model.fill([sentence], alternatives=1000)
    for name in model.predicted_columns:
        for word in range(2):
            listed = filled.alternatives[name][word]
            whole = filled.probabilities[name][word] + sum(p for _, p in listed)
            assert whole == pytest.approx(1, abs=0.02)
            assert filled.columns[name][word] not in dict(listed)
    (plain,) = model.fill([sentence])
    assert not plain.alternatives and plain.columns == filled.columns


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
    with pytest.raises(ConfigError, match="unknown element 'sufix2'"):
        bistro.train("columns", held_out, contexts={"words": ["previous.low", "sufix2"]})
    with pytest.raises(ConfigError, match="the expert predicts this value"):
        bistro.train("columns", held_out, contexts={"words": ["upos"]})
    with pytest.raises(ConfigError, match="at least one expert"):
        none: dict[str, list[str]] = {n: [] for n in ("spelling", "words", "frame", "neighbours")}
        bistro.train("columns", held_out, contexts=none)
    with pytest.raises(BistroError, match="no tags, features or lemmas"):
        bistro.train("columns", [Sentence.from_columns(["It"])])
    with pytest.raises(BistroError, match="but lists of words were given"):
        bistro.train("columns", [["It", "rains"]])


@pytest.mark.parametrize("name", sorted(ELEMENTS))
def test_elements_of_sentences_side_by_side_are_those_of_each(
    name: str, held_out: list[Sentence]
) -> None:
    together = Words.of(held_out[:4])
    alone = [Words.of([sentence]).element(name) for sentence in held_out[:4]]
    assert together.cut(together.element(name)) == alone


def test_neighbours_heads_subjects_and_frames() -> None:
    sentence = Sentence.from_columns(
        ["She", "has", "slept", "and", "ate"],
        upos=["PRON", "AUX", "VERB", "CCONJ", "VERB"],
        heads=[3, 3, 0, 5, 3],
        deprels=["nsubj", "aux", "root", "cc", "conj"],
    )
    words = Words.of([sentence])
    assert words.element("previous2.low") == ["START", "START", "she", "has", "slept"]
    assert words.element("next2.tag") == ["VERB", "CCONJ", "VERB", "END", "END"]
    assert words.element("head.low") == ["slept", "slept", "ROOT", "ate", "slept"]
    assert words.element("subject") == ["", "she", "she", "", "she"]
    assert words.element("frame") == ["|", "|", "has|", "|", "|"]


def test_without_universal_tags_the_own_tags_of_the_treebank_stand_for_them() -> None:
    sentence = Sentence.from_columns(["It", "rains"], xpos=["PRP", "VBZ"])
    assert Words.of([sentence]).element("next.tag") == ["VBZ", "END"]


def test_beliefs_of_a_parser_decide_what_experts_leave_open(held_out: list[Sentence]) -> None:
    sentences = [Sentence.from_columns(["so"], upos=[tag]) for tag in ("ADV", "SCONJ")] * 10
    model = bistro.train("columns", sentences, seed=1)
    assert isinstance(model, ColumnsModel)
    new = Sentence.from_columns(["so"], upos=["ADV"])
    for tag in ("ADV", "SCONJ"):
        beliefs = Beliefs("upos", [[(tag, 0.9)]])
        assert model.fill([new], beliefs=[beliefs])[0].columns["upos"] == [tag]


def test_a_kept_value_that_training_never_had_is_kept(
    model: ColumnsModel, held_out: list[Sentence]
) -> None:
    sentence = held_out[0].replace(feats=["Odd=Yes"] * len(held_out[0]))
    filled = model.fill([sentence], keep=("upos", "feats"))[0]
    assert filled.columns["upos"] == sentence.upos
    if "feats" in filled.columns:
        assert filled.columns["feats"] == sentence.feats
    assert set(filled.columns) <= set(PREDICTED)


def test_probabilities_of_a_column_are_sums_over_the_others() -> None:
    pairs = [("X", "1")] * 3 + [("X", "2")] * 2 + [("Y", "3")]
    sentences = [Sentence.from_columns(["a"], upos=[u], xpos=[x]) for u, x in pairs] * 10
    model = bistro.train("columns", sentences, seed=1)
    assert isinstance(model, ColumnsModel)
    found = model.fill([Sentence.from_columns(["a"])])[0]
    assert found.columns["upos"] == ["X"]
    assert found.probabilities["upos"][0] > found.probabilities["xpos"][0] > 0.3


def test_members_with_other_tags_say_what_they_think_of_them() -> None:
    treebank = bistro.builtin(sentences=200, seed=1)
    members = ["left", "left-other-tags", "right-other-tags"]
    committee: Any = bistro.train("committee", treebank, seed=1, members=members)
    sentence = bistro.builtin(sentences=1, seed=7)[0]
    marginals = next(committee.parse_all([sentence], marginals=True)).marginals
    (column,) = marginals.other_tags
    assert {column, committee.tag_column} == {"upos", "xpos"}
    voting = [m for m in committee.members if m.tag_column == column]
    rows = [next(m.parse_all([sentence], marginals=True)).marginals.tags for m in voting]
    for place, row in enumerate(marginals.other_tags[column]):
        assert sum(p for _, p in row) == pytest.approx(1)
        names = {name for one in rows for name, _ in one[place]}
        assert {name for name, _ in row} <= names
