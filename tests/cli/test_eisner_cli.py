"""Eisner's model on the command line: the same commands and options as for other parsers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bistro

from .program import Command

QUICK = ("--set", "sampler.sweeps=4", "--set", "sampler.samples=2")


@pytest.fixture
def model(bistro_here: Command, files: Path, here: Path) -> Path:
    done = bistro_here("train", "eisner", files / "train.conllu", "-o", "e.bistro", *QUICK)
    assert done.code == 0
    assert "eisner model of train.conllu" in done.err
    return here / "e.bistro"


def test_parse_with_all_that_can_be_asked(
    bistro_here: Command, model: Path, files: Path, here: Path
) -> None:
    for options in (
        ["--marginals"],
        ["--kbest", "3"],
        ["--samples", "2"],
        ["--tags", "given", "--no-mbr"],
        ["--partial", "--temperature", "1"],
        ["--tags-per-word", "1"],
    ):
        done = bistro_here("parse", model, files / "test.conllu", "-o", "out.conllu", *options)
        assert done.code == 0, done.err
        assert "eisner, tags" in done.err
        assert len(bistro.read("out.conllu")) >= 30
    assert bistro_here("parse", model, files / "test.conllu", "-o", "out.conllu").code == 0
    done = bistro_here("evaluate", files / "test.conllu", "out.conllu", "--json")
    assert json.loads(done.out)["uas"] > 75


def test_options_of_a_search_are_not_known(bistro_here: Command, model: Path) -> None:
    done = bistro_here("parse", model, "--particles", "10", stdin=b"The dog sleeps .\n")
    assert done.code == 2
    assert "an eisner model has no option" in done.err


def test_info_names_kind_and_settings(bistro_here: Command, model: Path) -> None:
    facts = json.loads(bistro_here("info", model, "--json").out)
    assert facts["kind"] == "eisner"
    assert facts["config"]["contexts"]["tags"][0] == "direction"


def test_held_out_trees_are_scored(bistro_here: Command, files: Path, here: Path) -> None:
    command = ("train", "eisner", files / "train.conllu", "-o", "g.bistro", *QUICK)
    done = bistro_here(*command, "--config", "eisner-generated", "--dev", files / "test.conllu")
    assert done.code == 0, done.err
    assert "given.uas" in done.out
    assert "joint.las" in done.out
    assert bistro.load("g.bistro").config.labels == "generated"
