"""A reader on the command line: one file that answers whatever asks for probabilities of words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bistro

from .program import Command

SHORT = "sampler.sweeps=3 sampler.samples=2"
MEMBERS = f'members=["ngram order=3 {SHORT}", "transition {SHORT}"]'


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory, files: Path) -> Path:
    path = tmp_path_factory.mktemp("reader") / "reader.bistro"
    members = [f"ngram order=3 {SHORT}", f"transition {SHORT}"]
    treebank, dev = bistro.read(files / "train.conllu"), bistro.read(files / "test.conllu")
    bistro.train("reader", treebank, dev=dev, seed=1, members=members).save(path)
    return path


def test_a_reader_is_trained_in_one_command(
    bistro_here: Command, here: Path, files: Path, reader: Path
) -> None:
    data = (files / "train.conllu", "--dev", files / "test.conllu")
    done = bistro_here("train", "reader", *data, "--set", MEMBERS, "-o", "r.bistro")
    assert done.code == 0, done.err
    assert "mixture of ngram 0." in done.err and "learning transition" in done.err
    assert Path("r.bistro").read_bytes() == reader.read_bytes()
    shown = bistro_here("info", "r.bistro")
    assert "ngram, transition" in shown.out


def test_a_reader_answers_like_any_other_model(
    bistro_here: Command, here: Path, files: Path, reader: Path
) -> None:
    test = files / "test.conllu"
    figures = json.loads(bistro_here("perplexity", reader, test, "--json").out)
    assert figures["perplexity"] > 1 and figures["options"]["particles"] == 100
    table = bistro_here("surprisal", reader, "--particles", "20", stdin=b"The dog sleeps .\n").out
    assert len(table.splitlines()) == 6 and "mc_se" in table
    drawn = bistro_here("generate", reader, "-n", "2", "--seed", "1").out
    assert len(drawn.splitlines()) == 2
    suite = bistro_here("suite", reader, "garden-path", "--particles", "10", "--repeats", "2")
    assert suite.code == 0 and "garden-path" in suite.out
    refused = bistro_here("perplexity", reader, test, "--method", "search")
    assert refused.code != 0 and "method = 'search' is not valid" in refused.err


def test_an_explanation_tells_who_said_what(bistro_here: Command, here: Path, reader: Path) -> None:
    whole = bistro_here("explain", reader, "The dog sleeps .").out
    assert "ngram, whose p =" in whole or "transition, whose p =" in whole
    table = bistro_here("explain", reader, "The dog sleeps .", "--word", "2").out
    assert "share" in table and "weight" in table and "transition" in table
    rows = bistro_here("explain", reader, "The dog sleeps .", "--format", "tsv").out.splitlines()
    assert len(rows) == 1 + 5 * 2
    own = bistro_here("explain", reader, "The dog sleeps .", "--member", "ngram")
    assert own.code == 0 and "Member ngram of the reader" in own.err
