"""The pipeline: text in, all columns out; sentences with columns to keep; one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.models.abilities import ANNOTATE, PARSE, SCORE, TAG, TOKENISE
from bistro.models.pipeline.model import PipelineModel
from bistro.models.transition.model import TransitionModel
from bistro.treebank.probabilities import (
    KEYS,
    put_probabilities,
    read_alternatives,
    read_probabilities,
)
from bistro.treebank.sentence import Sentence

TEXT = "The dog sleeps. A cat sees it.\n\nThe dog sees the cat."


@pytest.fixture(scope="module")
def model() -> PipelineModel:
    treebank = bistro.builtin(sentences=300, seed=1)
    trained = bistro.train("pipeline", treebank, seed=1, parser="transition")
    assert isinstance(trained, PipelineModel)
    return trained


def test_running_text_gets_every_column(model: PipelineModel) -> None:
    found = list(model.annotate(TEXT))
    assert [s.forms[-1] for s in found] == [".", ".", "."]
    assert [sum(head == 0 for head in s.heads) for s in found] == [1, 1, 1]
    for sentence in found:
        assert "_" not in [*sentence.upos, *sentence.xpos, *sentence.lemmas, *sentence.deprels]
    assert found[2].comments[0] == "# newpar" and found[0].text == "The dog sleeps."
    assert found[0].misc[2] == "SpaceAfter=No|TokenRange=8:14"


def test_probabilities_of_everything_are_in_misc(model: PipelineModel) -> None:
    (sentence, *_) = model.annotate(TEXT, marginals=True)
    for misc in sentence.misc:
        entries = dict(entry.partition("=")[::2] for entry in misc.split("|"))
        for key in ("PToken", "PHead", "PDeprel", "PUpos", "PXpos", "PFeats", "PLemma"):
            assert 0 <= float(entries[key]) <= 1


def test_columns_that_are_there_are_kept(model: PipelineModel) -> None:
    gold = bistro.builtin(sentences=1, seed=8)[0]
    (kept,) = model.annotate_all([gold], keep=("upos", "heads", "lemmas"))
    assert (kept.upos, kept.heads, kept.lemmas) == (gold.upos, gold.heads, gold.lemmas)
    half = gold.replace(upos=["_", *gold.upos[1:]])
    (filled,) = model.annotate_all([half], keep=("upos",))
    assert filled.upos[1:] == gold.upos[1:] and filled.upos[0] != "_"


def test_the_pipeline_does_what_its_layers_do(model: PipelineModel) -> None:
    assert TOKENISE.of(model) is model.tokens
    assert PARSE.of(model) is model.parser
    assert TAG.is_of(model) and SCORE.is_of(model) and ANNOTATE.of(model) is model


def test_a_committee_inside_reads_with_a_member_from_left_to_right(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text('members = ["right", "left"]\n')
    model = bistro.train(
        "pipeline", bistro.builtin(sentences=60, seed=1), parser_config=str(tmp_path / "two.toml")
    )
    assert isinstance(model, PipelineModel)
    reader = SCORE.of(model)
    assert PARSE.of(model).tag_column and not SCORE.is_own(model.layers["parser"])
    assert isinstance(reader, TransitionModel)
    assert reader.config.direction == "left-to-right"
    table = model.surprisal("The dog sleeps.", particles=10)
    assert [row.token for row in table] == ["The", "dog", "sleeps", ".", "</s>"]


def test_a_saved_pipeline_does_the_same(model: PipelineModel, tmp_path: Path) -> None:
    model.save(tmp_path / "all.bistro")
    again = bistro.load(tmp_path / "all.bistro")
    assert list(map(str, again.annotate(TEXT))) == list(map(str, model.annotate(TEXT)))
    assert again.summary() == model.summary()


def test_a_treebank_without_spaces_gives_a_pipeline_for_sentences() -> None:
    sentences = [
        Sentence.from_columns(
            ["It", "rains"], heads=[2, 0], deprels=["expl", "root"], upos=["PRON", "VERB"]
        )
    ] * 5
    model = bistro.train("pipeline", sentences, parser="transition")
    assert isinstance(model, PipelineModel)
    assert [s.heads for s in model.annotate_all(sentences[:1])] == [[2, 0]]
    with pytest.raises(BistroError, match="cannot split running text into words"):
        list(model.annotate("It rains"))


def test_what_cannot_parse_is_refused() -> None:
    with pytest.raises(BistroError, match="parser = 'ngram' does not name a parser: choose"):
        bistro.train("pipeline", bistro.builtin(sentences=5, seed=1), parser="ngram")


def test_a_transition_parser_inside_searches_quickly_unless_told() -> None:
    treebank = bistro.builtin(sentences=60, seed=1)
    model: Any = bistro.train("pipeline", treebank, seed=1, parser="transition")
    assert "particles 300" in model.parser.parse_protocol()
    assert "particles 40" in model.parser.parse_protocol(size=40)


def test_alternatives_are_in_misc_with_their_probabilities(model: PipelineModel) -> None:
    text = "Zorbs blick the old dog with a telescope."
    (plain,) = model.annotate(text, marginals=True)
    (sentence,) = model.annotate(text, alternatives=2)
    some = set()
    for name in ("heads", "deprels", "upos", "xpos", "feats", "lemmas"):
        assert getattr(sentence, name) == getattr(plain, name)
        chosen = read_probabilities(sentence, KEYS[name])
        for value, own, listed in zip(
            getattr(sentence, name), chosen, read_alternatives(sentence, name), strict=True
        ):
            probabilities = [p for _, p in listed]
            some |= {name} if listed else set()
            assert len(listed) <= 2 and str(value) not in dict(listed) and own is not None
            assert probabilities == sorted(probabilities, reverse=True)
            assert own + sum(probabilities) <= 1.001
    assert {"heads", "upos", "xpos", "lemmas"} <= some
    bare = [put_probabilities(misc, {}) for misc in sentence.misc]
    assert bare == [put_probabilities(misc, {}) for misc in plain.misc]


def test_what_is_kept_has_no_alternatives(model: PipelineModel) -> None:
    gold = bistro.builtin(sentences=1, seed=8)[0]
    (kept,) = model.annotate_all([gold], keep=("upos", "lemmas"), alternatives=3)
    assert not any(read_alternatives(kept, "upos")) and not any(read_alternatives(kept, "lemmas"))
    with pytest.raises(ConfigError, match="alternatives is -1"):
        list(model.annotate_all([gold], alternatives=-1))
