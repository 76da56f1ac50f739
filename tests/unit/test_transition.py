"""The transition parser from outside: files, seeds, odd sentences, complaints."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ModelFileError
from bistro.modelfile import read_model, write_model
from bistro.models.transition.model import TransitionModel, with_all_features
from bistro.treebank.projectivity import is_projective
from bistro.treebank.sentence import Sentence

SHORT = {"sweeps": 3, "samples": 2}


def trained(seed: int = 1, **settings: Any) -> TransitionModel:
    treebank = bistro.builtin(sentences=60, seed=1)
    model = bistro.train("transition", treebank, seed=seed, sampler=SHORT, **settings)
    assert isinstance(model, TransitionModel)
    return model


@pytest.fixture(scope="module")
def model() -> TransitionModel:
    return trained()


# ---- files -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: header.pop("tags"),
        lambda header, arrays: header.update(tags=[]),
        lambda header, arrays: header.update(tags=header["tags"][:-1]),
        lambda header, arrays: header.update(labels="root"),
        lambda header, arrays: header.update(single_root="yes"),
        lambda header, arrays: header["config"]["contexts"].update(tags=["s7.tag"]),
        lambda header, arrays: header["vocabulary"].clear(),
        lambda header, arrays: arrays.pop("word_tags.begin"),
        lambda header, arrays: arrays.pop("actions.dish"),
        lambda header, arrays: arrays.pop("labels.base"),
        lambda header, arrays: [arrays.pop(n) for n in list(arrays) if n.startswith("labels.")],
        lambda header, arrays: [arrays.pop(n) for n in list(arrays) if n.startswith("words.")],
        lambda header, arrays: arrays.update({"word_tags.list": arrays["word_tags.list"] + 99}),
        lambda header, arrays: arrays.update({"word_tags.begin": arrays["word_tags.begin"][:-1]}),
        lambda header, arrays: arrays.update({"word_tags.begin": arrays["word_tags.begin"][:0]}),
        lambda header, arrays: arrays.update({"tags.dish": arrays["tags.dish"] + 1000}),
    ],
)
def test_a_damaged_file_is_one_sentence(
    tmp_path: Path, model: TransitionModel, change: Any
) -> None:
    model.save(tmp_path / "m.bistro")
    file = read_model(tmp_path / "m.bistro")
    header, arrays = dict(file.header), dict(file.arrays)
    change(header, arrays)
    damaged = tmp_path / "damaged.bistro"
    write_model(damaged, header, arrays)
    with pytest.raises(ModelFileError, match="is damaged") as refused:
        bistro.load(damaged)
    assert str(refused.value).startswith(str(damaged))


# ---- sentences ---------------------------------------------------------------------------------
@pytest.mark.parametrize("mbr", [True, False])
def test_odd_sentences(model: TransitionModel, mbr: bool) -> None:
    long = (["the", "dog", "sees", "Zzyzx", "and", "runs"] * 167)[:1000]
    for words in (["Run"], ["."], ["Zzyzx"] * 7, ["日本語", "\U0001f600"], long):
        parse = model.parse(words, mbr=mbr, size=30)
        assert len(parse.heads) == len(parse.labels) == len(parse.tags) == len(words)
        assert parse.heads.count(0) == 1
        assert is_projective(parse.heads)
        assert set(parse.labels) <= set(model.codec.labels)
        assert math.isfinite(parse.log_prob)
        assert math.isfinite(parse.log_total)
    assert model.parse(["Run"]).heads == [0]


def test_given_tags_are_kept(model: TransitionModel) -> None:
    """Even tags that the word never had in training; tags that the model has not seen are found."""
    words = ["The", "dog", "sleeps", "."]
    odd = Sentence.from_columns(words, upos=["VERB", "VERB", "DET", "NOUN"])
    assert model.parse(odd, tags="given").tags == odd.upos
    assert model.parse(odd).tags == model.parse(words).tags
    partly = Sentence.from_columns(words, upos=["_", "VERB", "_", "_"])
    assert model.parse(partly, tags="given").tags[1] == "VERB"


def test_every_sentence_comes_back_in_order(model: TransitionModel) -> None:
    many = [["the"] * (1 + i % 2) + [f"w{i}"] for i in range(2500)]
    parses = list(model.parse_all(many, size=5))
    assert [parse.sentence.forms for parse in parses] == many


@pytest.mark.parametrize(
    ("heads", "told"),
    [
        ([2, 1, -1, -1], "circle|root"),
        ([1, -1, -1, -1], "own head"),
        ([0, -1, 0, -1], "several words have head 0"),
        ([3, 4, -1, -1], "cross"),
        ([3, -1, 2, -1], "cross"),
        ([2, 3, 1, 0], "circle"),
        ([9, -1, -1, -1], "outside"),
    ],
)
def test_impossible_heads_are_refused(model: TransitionModel, heads: list[int], told: str) -> None:
    sentence = Sentence.from_columns(["The", "dog", "sleeps", "."], comments=["# sent_id = s1"])
    sentence.heads = heads
    with pytest.raises(BistroError, match=told) as refused:
        model.parse(sentence, partial=True)
    assert "s1" in str(refused.value)
    assert model.parse(sentence).heads.count(0) == 1


# ---- training ----------------------------------------------------------------------------------
def test_training_refuses_what_it_cannot_learn_from() -> None:
    good = Sentence.from_columns(["a", "b"], heads=[2, 0], deprels=["x", "y"], upos=["A", "B"])
    for bad, told in (
        (good.replace(heads=[2, -1]), "no head"),
        (good.replace(upos=["A", "_"]), "no upos tag"),
        (good.replace(deprels=["x", "_"]), "no label"),
        (["a", "b"], "trees"),
    ):
        with pytest.raises(BistroError, match=told):
            bistro.train("transition", [good, bad], sampler=SHORT)
    with pytest.raises(BistroError, match="several roots"):
        bistro.train("transition", [good.replace(heads=[0, 0])], sampler=SHORT, roots="one")


def test_several_roots_are_seen_in_the_data() -> None:
    one = Sentence.from_columns(["a", "b"], heads=[2, 0], deprels=["x", "y"], upos=["A", "B"])
    several = one.replace(heads=[0, 0])
    for data, single in (([one], True), ([one, several], False)):
        model = bistro.train("transition", data * 3, sampler=SHORT)
        assert isinstance(model, TransitionModel)
        assert model.single_root == single


def test_words_without_any_label_make_a_model_without_labels() -> None:
    plain = Sentence.from_columns(["a", "b"], heads=[2, 0], upos=["A", "B"])
    model = bistro.train("transition", [plain] * 3, sampler=SHORT)
    assert isinstance(model, TransitionModel)
    assert model.parse(["a", "b"]).labels == ["_", "_"]


def test_words_may_have_their_tags_with_other_features() -> None:
    kinds = [0, 1, 0, 3, 1]
    seen = np.array([0, 2, 2, 3], np.int32), np.array([0, 3, 1], np.int32)
    begin, tags = with_all_features(seen, kinds)
    assert begin.tolist() == [0, 3, 3, 5]
    assert tags.tolist() == [0, 2, 3, 1, 4]
    for row in (([0, 2], [0, 5]), ([0, 2, 1], [0]), ([0, 1], [0, 1]), ([], [])):
        damaged = np.array(row[0], np.int32), np.array(row[1], np.int32)
        with pytest.raises(ValueError, match="damaged"):
            with_all_features(damaged, kinds)


def test_kinds_of_tags_in_contexts() -> None:
    """Words of one tag, seen with different features, are known with all of them."""
    feats = ["F=a", "F=b"]
    data = [
        Sentence.from_columns(
            [word, "z"], heads=[2, 0], deprels=["x", "y"], upos=["A", "B"], feats=[feats[i], "_"]
        )
        for i, words in enumerate((["v"] * 5, ["w"] * 15))
        for word in words
    ]
    contexts = {"words": ["b.kind", "b.tag"]}
    model = bistro.train(
        "transition", data, sampler=SHORT, tag_features=["F"], contexts=contexts, seed=1
    )
    assert isinstance(model, TransitionModel)
    plain = bistro.train("transition", data, sampler=SHORT, tag_features=["F"], seed=1)
    rare = data[0].replace(forms=["w", "z"])
    known, backed_off = (m.parse(rare, tags="given", mbr=False) for m in (plain, model))
    assert backed_off.log_prob > known.log_prob
    assert "b.kind" in str(model.explain(rare))
