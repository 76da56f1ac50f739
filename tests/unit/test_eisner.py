"""Eisner's model as a whole: settings, files, odd input, threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro import config as configuration
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.models.eisner.config import EisnerConfig
from bistro.models.eisner.model import EisnerModel
from bistro.models.presets import file_or_preset
from bistro.treebank.sentence import Sentence

SHORT = {"sampler": {"sweeps": 3, "samples": 2}}
GENERATED = configuration.to_dict(
    configuration.read_toml(file_or_preset("eisner-generated"), EisnerConfig)
)


def trained(**settings: Any) -> EisnerModel:
    model = bistro.train(
        "eisner", bistro.builtin(sentences=150, seed=1), seed=1, **{**settings, **SHORT}
    )
    assert isinstance(model, EisnerModel)
    return model


@pytest.fixture(scope="module", params=["arcs", "generated", "none"])
def model(request: pytest.FixtureRequest) -> EisnerModel:
    return trained(**GENERATED) if request.param == "generated" else trained(labels=request.param)


@pytest.fixture(scope="module")
def test_part() -> list[Sentence]:
    return list(bistro.builtin(sentences=40, seed=2))


def test_marginals_sum_to_one_and_agree_with_samples(model: EisnerModel) -> None:
    sentence = ["The", "dog", "that", "the", "cat", "saw", "sleeps", "."]
    parse = model.parse(sentence, marginals=True, samples=3000, temperature=1.0)
    assert parse.marginals is not None
    for i in range(len(sentence)):
        heads = dict(parse.marginals.heads[i])
        assert sum(heads.values()) == pytest.approx(1, abs=1e-6)
        assert sum(p for _, p in parse.marginals.tags[i]) == pytest.approx(1, abs=1e-6)
        for head, p in heads.items():
            share = np.mean([found.heads[i] == head for found in parse.samples])
            assert share == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 3000) + 1e-3)


def test_k_best_trees_are_different_and_in_order(model: EisnerModel) -> None:
    parse = model.parse(["The", "dog", "saw", "the", "cat", "in", "the", "park", "."], kbest=25)
    assert len(parse.analyses) == 25
    posteriors = [found.posterior for found in parse.analyses]
    assert posteriors == sorted(posteriors, reverse=True)
    assert len({(tuple(a.heads), tuple(a.tags), tuple(a.labels)) for a in parse.analyses}) == 25


def test_odd_sentences(model: EisnerModel) -> None:
    for words in (["dog"], ["dog"] * 60, ["§", "…", "\u200dq"], ["The"] * 150):
        parse = model.parse(words, marginals=True)
        assert len(parse.heads) == len(words)
        assert parse.heads.count(0) == 1
        assert np.isfinite(parse.log_prob)
        assert parse.log_prob <= parse.log_total + 1e-6


def test_sentences_that_no_chart_can_hold_are_refused(model: EisnerModel) -> None:
    with pytest.raises(BistroError, match=r"1,001 words.*at most 1,000"):
        model.parse(["dog"] * 1001)
    with pytest.raises(BistroError, match="at least one word"):
        model.parse([])


def test_unknown_given_tags_are_found(model: EisnerModel) -> None:
    sentence = Sentence.from_columns(["The", "dog", "sleeps"], upos=["DET", "NO-SUCH", "_"])
    tags = model.parse(sentence, tags="given").tags
    assert tags[0] == "DET"
    assert set(tags) <= set(model.codec.tags)


def test_given_labels_that_a_tag_was_never_seen_with(model: EisnerModel) -> None:
    """Where labels are generated, a node may have a pair of tag and label that is new."""
    if not model.codec.is_labelled:
        return
    label = model.codec.labels[0]
    sentence = Sentence.from_columns(
        ["The", "dog", "sleeps"], upos=["DET", "NOUN", "VERB"], deprels=[label] * 3
    )
    parse = model.parse(sentence, tags="given", partial=True)
    assert parse.labels == [label] * 3
    assert parse.tags == ["DET", "NOUN", "VERB"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"contexts": {"tags": ["parent.tga"]}}, "did you mean 'parent.tag'"),
        ({"contexts": {"tags": ["tag"]}}, "'tag' is not available in the contexts of tags"),
        ({"contexts": {"words": ["sibling.tag"]}}, "is not available in the contexts of words"),
        ({"contexts": {"tags": ["parent.label"]}}, "only if labels = 'generated'"),
        ({"labels": "generated"}, "preset eisner-generated"),
        ({"direction": "right-to-left"}, "direction"),
        ({"sampler": {"hyper": "sequential"}}, "minimal or maximal"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        bistro.train("eisner", bistro.builtin(sentences=5, seed=1), **settings)


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    model = trained()
    arrays = dict(model.arrays())
    arrays["state.list"] = arrays["state.list"] + np.int32(9999)
    with pytest.raises(ValueError, match="states of the words are damaged"):
        EisnerModel.from_parts(model.config, model.header(), arrays, model.origin)
    model.save(tmp_path / "m.bistro")
    content = (tmp_path / "m.bistro").read_bytes()
    (tmp_path / "m.bistro").write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelFileError):
        bistro.load(tmp_path / "m.bistro")


@pytest.mark.parametrize("seating", ["minimal", "maximal"])
def test_sampled_in_a_row(seating: str) -> None:
    sampler = {"seating": seating, "hyper": "sequential", "sweeps": 2, "samples": 1}
    treebank = bistro.builtin(sentences=30, seed=1)
    model = bistro.train("eisner", treebank, seed=1, sampler=sampler)
    assert isinstance(model, EisnerModel)
    assert len(model.origin.trace) == 2
    assert len(model.parse(["The", "dog", "sleeps"]).heads) == 3
