"""The latent-variable parser on the command line: the same commands as for other parsers."""

from __future__ import annotations

import json

import pytest

import bistro

QUICK = ("--set", "hidden=16", "--set", "learning.passes=4", "--set", "learning.rate=0.2")


@pytest.fixture
def model(bistro_here, files, here):
    done = bistro_here("train", "isbn", files / "train.conllu", "-o", "i.bistro", *QUICK)
    assert done.code == 0, done.err
    assert "isbn model of train.conllu" in done.err
    return here / "i.bistro"


def test_parse_with_all_that_can_be_asked(bistro_here, model, files, here):
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


def test_particles_are_not_its_way(bistro_here, model):
    done = bistro_here("parse", model, "--particles", "10", stdin=b"The dog sleeps .\n")
    assert done.code == 2
    assert "searches with a beam, not with particles: use --beam" in done.err


def test_info_names_kind_and_settings(bistro_here, model):
    facts = json.loads(bistro_here("info", model, "--json").out)
    assert facts["kind"] == "isbn"
    assert facts["config"]["hidden"] == 16


def test_held_out_trees_end_learning_and_are_scored(bistro_here, files, here):
    command = ("train", "isbn", files / "train.conllu", "-o", "g.bistro", *QUICK)
    done = bistro_here(*command, "--dev", files / "test.conllu")
    assert done.code == 0, done.err
    assert "given.uas" in done.out
    assert bistro.load("g.bistro").origin.treebank["held_out_sentences"] == 30


def test_a_diverging_run_ends_with_one_sentence(bistro_here, files, here):
    command = ("train", "isbn", files / "train.conllu", "-o", "d.bistro", "--set", "hidden=8")
    done = bistro_here(*command, "--set", "learning.rate=1e38")
    assert done.code == 2
    assert "set a lower learning.rate" in done.err
    assert not (here / "d.bistro").exists()
