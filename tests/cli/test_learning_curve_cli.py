"""`bistro learning-curve` as a user types it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from bistro.treebank.treebank import Treebank, write

from .program import Command

QUICK = ("--set", "sampler.sweeps=3", "--set", "sampler.samples=1")


@pytest.fixture
def small(here: Path, english: Treebank) -> Path:
    write(english[:64], here / "small.conllu")
    return here / "small.conllu"


def test_a_table_a_picture_and_a_forecast(
    bistro_here: Command, small: Path, files: Path, here: Path
) -> None:
    arguments = ("learning-curve", "eisner", small, "--test", files / "test.conllu", *QUICK)
    done = bistro_here(*arguments, "--draws", 2, "--plot", "curve.svg")
    assert done.code == 0
    table = list(csv.DictReader(io.StringIO(done.out), delimiter="\t"))
    assert [row["sentences"] for row in table] == ["4", "8", "16", "32", "64", "64", "128"]
    assert [row["what"] for row in table[-3:]] == ["measured", "hindcast", "forecast"]
    assert float(table[-1]["las"]) > float(table[0]["las"])
    assert "expected las with twice as much training data (128 sentences): " in done.err
    assert "9 of 9 models" in done.err
    picture = (here / "curve.svg").read_text()
    assert picture.startswith("<svg")
    assert "words of training data" in picture


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("eisner", "-k", "65"), "64 sentences cannot be divided into 65 folds"),
        (("eisner", "--parts", "half,all"), "--parts must be a list of shares"),
        (("eisner", "--parts", "1/2,1"), "at least 3 shares"),
        (("eisner", "--parts", "1/500,1/2,1"), "less than one"),
        (("eisner", "--draws", "0"), "draws is 0"),
        (("eisner", "--test", "absent.conllu"), "absent.conllu: cannot be read"),
        (("eisner", "--plot", "nowhere/curve.svg"), "cannot be written"),
        (("eisner", "--test", "small.conllu", "-k", "3"), "leave them out if --test is given"),
        (("eisner", "-k", "0"), "cannot be divided into 0 folds"),
        (
            ("eisner", "--plot", "curve.png"),
            "the file is written as .svg, so its name cannot end in .png",
        ),
        (("ngram",), "with different vocabularies"),
        (("linearize",), "use one of transition, committee, eisner, isbn, topics, tags"),
    ],
)
def test_bad_arguments(
    bistro_here: Command, small: Path, arguments: tuple[str, ...], told: str
) -> None:
    kind, *rest = arguments
    done = bistro_here("learning-curve", kind, "small.conllu", *rest)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.count("\n") == 1


def test_folds_say_how_many_sentences_were_learned_from(bistro_here: Command, small: Path) -> None:
    parts = ("--parts", "1/4,1/2,1", "--draws", 1)
    done = bistro_here("learning-curve", "eisner", small, "-k", 2, *parts, *QUICK)
    assert done.code == 0
    assert "expected las with twice as much training data (64 sentences): " in done.err
    assert "with 90 %); measured with 32: " in done.err
    assert ", 1 draw of nested parts" in done.err


def test_files_without_trees(bistro_here: Command, here: Path) -> None:
    (here / "words.txt").write_text("The dog sleeps .\n" * 20)
    done = bistro_here("learning-curve", "eisner", "words.txt", "-k", 2)
    assert done.code == 2
    assert "words.txt:1: a word has no head" in done.err
