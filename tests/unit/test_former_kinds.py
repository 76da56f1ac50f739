"""The former kind `infinite`: its name, its settings and its files still work."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.config import to_dict
from bistro.errors import ConfigError
from bistro.modelfile import write_model
from bistro.models.settings import chosen_settings
from bistro.models.unbounded.config import UnboundedConfig
from bistro.treebank.brackets import parse_tree
from bistro.treebank.morphology import Paragraph, SegmentedWord, parse_morphemes
from bistro.treebank.sentence import Sentence

SENTENCES = [
    Sentence.from_columns(["the", "dog", "barks"], upos=["D", "N", "V"]),
    Sentence.from_columns(["the", "dog", "sees", "the", "cat"], upos=["D", "N", "V", "D", "N"]),
] * 2


def test_the_former_name_trains_the_present_kind() -> None:
    former = bistro.train("infinite", SENTENCES, task="tags", tags={"unknown": "single"}, depth=3)
    assert former.kind == "tags"
    present = bistro.train("tags", SENTENCES, unknown="single", depth=3)
    assert former.to_bytes() == present.to_bytes()
    assert bistro.train("infinite", SENTENCES).kind == "tags"


def test_a_task_that_is_none_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"task must be one of .*, not 'tag'.*did you mean 'tags'"
    ):
        bistro.train("infinite", SENTENCES, task="tag")
    with pytest.raises(ConfigError, match="unknown setting 'tagste'"):
        bistro.train("infinite", SENTENCES, task="tags", tags={"tagste": "upos"})


def test_settings_of_a_file_and_changes_of_them(tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text(
        'depth = 4\n[tags]\ntagset = "xpos"\nunknown = "single"\n[trees]\nunknown_below = 3\n'
    )
    kind, config = chosen_settings("infinite", str(path))
    assert (kind.name, config.depth, config.tagset, config.unknown) == ("tags", 4, "xpos", "single")
    kind, config = chosen_settings("infinite", str(path), ["task=trees", "depth=5"])
    assert (kind.name, config.depth, config.unknown_below) == ("trees", 5, 3)
    kind, config = chosen_settings("infinite", str(path), ["tags.tagset=upos"])
    assert (config.tagset, config.unknown) == ("upos", "single")


@pytest.mark.parametrize(("preset", "kind"), [("tagger", "tags"), ("phrases", "trees")])
def test_a_preset_names_the_task(preset: str, kind: str) -> None:
    assert chosen_settings("infinite", preset) == chosen_settings(kind, preset)


def test_single_changes_keep_the_defaults_of_the_kind() -> None:
    _, config = chosen_settings("infinite", None, ["sampler.hyper=fixed"])
    assert config == chosen_settings("tags", None, ["sampler.hyper=fixed"])[1]
    assert (config.sampler.seating, config.sampler.hyper) == ("minimal", "fixed")


def paragraph() -> Paragraph:
    texts = ["u[Pre]-mu[Class]-ntu[Stem]", "a[Pre]-ba[Class]-ntu[Stem]"] * 3
    words = [parse_morphemes(text) for text in texts]
    return Paragraph(SegmentedWord("".join(m.form for m in word), word) for word in words)


ITEMS: dict[str, list[Any]] = {
    "tags": SENTENCES,
    "trees": [parse_tree(f"((S (NP (NN {noun})) (VP (VBZ sleeps))))") for noun in ("dog", "dog")],
    "morphology": [paragraph()],
}


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("tags", {"unknown": "single", "depth": 3}),
        ("trees", {"unknown_suffixes": 5}),
        ("morphology", {"rare": 1}),
        ("morphology", {"unit": "utterance", "rare": 1}),
    ],
)
def test_a_file_of_the_former_kind_is_that_of_the_present_one(
    tmp_path: Path, kind: str, settings: dict[str, Any]
) -> None:
    model = bistro.train(kind, ITEMS[kind], fit="seating", **settings)
    shared = [field.name for field in fields(UnboundedConfig)]
    config = to_dict(model.config)
    former = {name: config.pop(name) for name in shared}
    header = {**model.whole_header(), "kind": "infinite"}
    header["config"] = {"task": kind, **former, kind: config}
    write_model(tmp_path / "former.bistro", header, model.arrays(), 1)
    again = bistro.load(tmp_path / "former.bistro")
    assert (again.kind, again.config) == (kind, model.config)
    assert type(again) is type(model)
    assert again.to_bytes() == model.to_bytes()
