"""`bistro crossval` as a user types it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from statistics import fmean

import pytest

import bistro
from bistro.treebank.treebank import Treebank, read, write

from .program import Command

QUICK = ("--set", "sampler.sweeps=3", "--set", "sampler.samples=1")


@pytest.fixture
def small(here: Path, english: Treebank) -> Path:
    write(english[:60], here / "small.conllu")
    return here / "small.conllu"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def test_a_table_with_mean_and_error(bistro_here: Command, small: Path) -> None:
    done = bistro_here("crossval", "eisner", small, "-k", 4, *QUICK)
    assert done.code == 0
    table = rows(done.out)
    assert [row["fold"] for row in table] == ["1", "2", "3", "4", "mean", "standard error"]
    mean = fmean(float(row["las"]) for row in table[:4])
    assert float(table[4]["las"]) == pytest.approx(mean, abs=0.001)
    assert table[4]["sentences"] == "60"
    assert "fold 4 of 4: uas" in done.err
    assert done.err.endswith("eisner, tags joint, 4 folds by sentence, seed 1\n")


def test_parses_of_unseen_sentences_in_their_order(
    bistro_here: Command, small: Path, here: Path
) -> None:
    done = bistro_here("crossval", "transition", small, "-k", 3, *QUICK, "-o", "out.conllu")
    assert done.code == 0
    before, after = read(small), read(here / "out.conllu")
    assert [s.forms for s in after] == [s.forms for s in before]
    assert all("PHead=" in misc for sentence in after for misc in sentence.misc)
    mean = float(rows(done.out)[3]["uas"])
    right = sum(a == b for s, t in zip(before, after, strict=True)
                for a, b in zip(s.heads, t.heads, strict=True))  # fmt: skip
    assert abs(100 * right / before.words - mean) < 3


def test_graphs_that_were_kept_are_told(
    bistro_here: Command, here: Path, english: bistro.Treebank
) -> None:
    graphs = [s.replace(deps=["0:root"] * len(s)) for s in english[:3]]
    write([*graphs, *english[3:30]], here / "graphs.conllu")
    done = bistro_here("crossval", "eisner", "graphs.conllu", "-k", 2, *QUICK, "-o", "out.conllu")
    assert "enhanced graphs (DEPS) of 3 sentences kept as given" in done.err


def test_json(bistro_here: Command, small: Path) -> None:
    done = bistro_here("crossval", "ngram", small, "-k", 2, *QUICK, "--json")
    told = json.loads(done.out)
    assert set(told) == {"folds", "mean", "standard_error", "protocol"}
    assert told["mean"]["perplexity"] > 1


def test_documents(bistro_here: Command, here: Path, english: bistro.Treebank) -> None:
    named = [
        s.replace(comments=[*s.comments, "# newdoc"]) if i % 10 == 0 else s
        for i, s in enumerate(english[:60])
    ]
    write(named, here / "docs.conllu")
    arguments = ("crossval", "eisner", "docs.conllu", "--by", "document", *QUICK)
    assert bistro_here(*arguments, "-k", 3).code == 0
    refused = bistro_here(*arguments, "-k", 7)
    assert refused.code == 2
    assert "6 documents cannot be divided into 7 folds" in refused.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("eisner", "-k", "61"), "60 sentences cannot be divided into 61 folds"),
        (("eisner", "-k", "0"), "cannot be divided into 0 folds"),
        (("eisner", "--by", "document"), "no documents to keep together"),
        (("eisner", "--by", "page"), "not by 'page'"),
        (("eisner", "--tags", "gold"), "--tags must be 'joint' or 'given', not 'gold'"),
        (("eisner", "--dev", "small.conllu"), "does not use a development set"),
        (("linearize",), "a linearize model cannot be evaluated on a treebank"),
        (("eisnr",), "did you mean 'eisner'"),
        (
            ("ngram", "-o", "out.conllu"),
            "-o writes parses: an ngram model cannot parse; use a transition",
        ),
        (("eisner", "-o", "nowhere/out.conllu"), "cannot be written"),
        (("eisner", "--set", "sweeps=3"), "sweeps"),
    ],
)
def test_bad_arguments(
    bistro_here: Command, small: Path, arguments: tuple[str, ...], told: str
) -> None:
    kind, *rest = arguments
    done = bistro_here("crossval", kind, "small.conllu", *rest)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.count("\n") == 1


def test_files_without_trees(bistro_here: Command, here: Path) -> None:
    (here / "words.txt").write_text("The dog sleeps .\nIt rains .\n")
    done = bistro_here("crossval", "eisner", "words.txt", "-k", 2)
    assert (done.code, done.out) == (2, "")
    assert "words.txt:1: a word has no head" in done.err
    assert bistro_here("crossval", "ngram", "words.txt", "-k", 2, *QUICK).code == 0


def test_the_latent_variable_parser_and_a_committee_with_a_development_set(
    bistro_here: Command, small: Path
) -> None:
    passes = ("--set", "learning.passes=1", "--set", "hidden=4")
    assert bistro_here("crossval", "isbn", small, "-k", 2, *passes).code == 0
    two = ("--set", 'members=["left", "eisner"]')
    done = bistro_here("crossval", "committee", small, "-k", 2, "--dev", small, *QUICK, *two)
    assert done.code == 0
    assert float(rows(done.out)[2]["uas"]) > 60


@pytest.mark.data
def test_a_real_treebank(bistro_here: Command, data_dir: Path, here: Path) -> None:
    write(bistro.read(data_dir / "da_ddt" / "danish_ddt_dev.conll")[:60], here / "ddt.conll")
    done = bistro_here("crossval", "eisner", "ddt.conll", "-k", 2, *QUICK, "-o", "out.conll")
    assert done.code == 0
    assert len(read(here / "out.conll")) == 60
