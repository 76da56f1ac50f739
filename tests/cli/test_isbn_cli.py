"""The latent-variable parser on the command line: the same commands as for other parsers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bistro

from .program import Command

QUICK = ("--set", "hidden=16", "--set", "learning.passes=4", "--set", "learning.rate=0.2")


@pytest.fixture
def model(bistro_here: Command, files: Path, here: Path) -> Path:
    done = bistro_here("train", "isbn", files / "train.conllu", "-o", "i.bistro", *QUICK)
    assert done.code == 0, done.err
    assert "isbn model of train.conllu" in done.err
    return here / "i.bistro"


def test_parse_with_all_that_can_be_asked(
    bistro_here: Command, model: Path, files: Path, here: Path
) -> None:
    for options in (
        ["--marginals"],
        ["--kbest", "3"],
        ["--samples", "2"],
        ["--tags", "given", "--no-mbr"],
        ["--partial", "--temperature", "1"],
        ["--beam", "5", "--labels-per-arc", "2"],
        ["--greedy"],
    ):
        done = bistro_here("parse", model, files / "test.conllu", "-o", "out.conllu", *options)
        assert done.code == 0, done.err
        assert "isbn, tags" in done.err
        assert len(bistro.read("out.conllu")) >= 30
    done = bistro_here("evaluate", files / "test.conllu", "out.conllu", "--json")
    assert json.loads(done.out)["uas"] > 55


def test_particles_are_not_its_way(bistro_here: Command, model: Path) -> None:
    done = bistro_here("parse", model, "--particles", "10", stdin=b"The dog sleeps .\n")
    assert done.code == 2
    assert "uses a beam, not particles: use --beam" in done.err


def test_info_names_kind_and_settings(bistro_here: Command, model: Path) -> None:
    facts = json.loads(bistro_here("info", model, "--json").out)
    assert facts["kind"] == "isbn"
    assert facts["config"]["hidden"] == 16


def test_held_out_trees_end_learning_and_are_scored(
    bistro_here: Command, files: Path, here: Path
) -> None:
    command = ("train", "isbn", files / "train.conllu", "-o", "g.bistro", *QUICK)
    done = bistro_here(*command, "--dev", files / "test.conllu")
    assert done.code == 0, done.err
    assert "given.uas" in done.out
    assert bistro.load("g.bistro").origin.treebank["held_out_sentences"] == 30


def test_a_diverging_run_ends_with_one_sentence(
    bistro_here: Command, files: Path, here: Path
) -> None:
    command = ("train", "isbn", files / "train.conllu", "-o", "d.bistro", "--set", "hidden=8")
    done = bistro_here(*command, "--set", "learning.rate=1e38")
    assert done.code == 2
    assert "set a lower learning.rate" in done.err
    assert not (here / "d.bistro").exists()


def test_it_is_a_language_model(bistro_here: Command, model: Path, files: Path) -> None:
    done = bistro_here("perplexity", model, files / "test.txt", "--json", "--particles", "20")
    assert done.code == 0, done.err
    assert 1 < json.loads(done.out)["perplexity"] < 200
    done = bistro_here("surprisal", model, stdin=b"The dog sleeps .\n")
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [row[2] for row in rows[1:]] == ["The", "dog", "sleeps", ".", "</s>"]
    assert all(float(row[rows[0].index("surprisal")]) > 0 for row in rows[1:])
    done = bistro_here("generate", model, "-n", "4", "--trees", "--prefix", "The dog")
    assert done.code == 0, done.err
    assert done.out.count("# text = The dog ") == 4


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--method", "smc"), "--method search"),
        (("--repeats", "3"), "an isbn model has no option 'repeats' to score words"),
    ],
)
def test_sums_that_it_has_not(
    bistro_here: Command, model: Path, options: tuple[str, ...], told: str
) -> None:
    done = bistro_here("perplexity", model, *options, stdin=b"The dog sleeps .\n")
    assert done.code == 2
    assert told in done.err
