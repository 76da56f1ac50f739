"""Options that a model carries: kept in its file, overruled by what is given, checked in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.config import apply_overrides, from_dict, to_dict, to_toml
from bistro.errors import ConfigError
from bistro.models.transition.config import TransitionConfig

SHORT = {"sweeps": 2, "samples": 1}
OWN: dict[str, dict[str, Any]] = {
    "parse": {"size": 7, "selection": "paper", "mbr": False},
    "score": {"method": "search"},
}
TREEBANK = bistro.builtin(sentences=60, seed=1)


def test_a_model_keeps_its_defaults_in_its_file(tmp_path: Path) -> None:
    model = bistro.train("transition", TREEBANK, sampler=SHORT, defaults=OWN)
    model.save(tmp_path / "model.bistro")
    loaded = bistro.load(tmp_path / "model.bistro")
    assert "particles 7 by paper" in loaded.parse_protocol()
    assert loaded.parse_protocol().endswith("most probable trees")
    assert "particles 9 by paper" in loaded.parse_protocol(size=9)
    assert loaded.parse_protocol(mbr=True).endswith("minimum risk")
    assert "beam of 100" in loaded.score_protocol()
    words = ["The", "dog", "sleeps", "."]
    plain = bistro.train("transition", TREEBANK, sampler=SHORT)
    asked = {**OWN["parse"], "threads": 1}
    assert loaded.parse(words, threads=1) == plain.parse(words, **asked)
    assert loaded.own_temperature() == 2.0


def test_other_families_have_defaults_too() -> None:
    own = {"tag": {"search": "viterbi"}}
    tagger = bistro.train("tags", TREEBANK, defaults=own)
    assert "viterbi" in tagger.tag_protocol() and "beam" in tagger.tag_protocol(search="beam")


@pytest.mark.parametrize(
    ("defaults", "message"),
    [
        ({"parse": {"sise": 7}}, "defaults.parse: unknown setting 'sise' (did you mean 'size'?)"),
        ({"parse": {"size": "many"}}, "'size' must be a whole number"),
        ({"parse": {"selection": "wait"}}, "'selection' must be one of"),
        ({"tag": {"size": 3}}, "defaults.tag: unknown setting 'size'"),
        ({"pars": {"size": 3}}, "unknown setting 'defaults.pars' (did you mean 'defaults.parse'?)"),
        ({"parse": {"size": [3]}}, "'defaults.parse.size' must be"),
    ],
)
def test_what_no_option_has_is_refused_before_training(
    defaults: dict[str, dict[str, object]], message: str
) -> None:
    with pytest.raises(ConfigError) as refusal:
        bistro.train("transition", TREEBANK, defaults=defaults)
    assert message in str(refusal.value)


def test_they_are_written_and_set_like_other_settings() -> None:
    config = apply_overrides(TransitionConfig(), ["defaults.parse.size=7"])
    assert config.defaults.parse == {"size": 7}
    assert "[defaults.parse]\nsize = 7\n" in to_toml(config)
    assert from_dict(TransitionConfig, to_dict(config)) == config
    assert hash(config) == hash(TransitionConfig())
