"""Regions: brackets, columns, sums with their errors."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import TreebankError
from bistro.tasks.cutting import at_punctuation, at_spaces
from bistro.tasks.regions import bracketed, region_rows
from bistro.treebank.treebank import Treebank

LINE = "The horse [raced past the barn] [fell] ."
WORDS = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
FEW = ("--particles", "20", "--repeats", "4")
TABLE = """item,part,word
1,subject,The
1,subject,horse
1,verb,raced
1,place,past
1,place,the
1,place,barn
1,verb,fell.
2,subject,Dogs
2,verb,sleep.
"""


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return bistro.builtin(sentences=200, seed=1)


@pytest.fixture
def model(treebank: Treebank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    trained = bistro.train("transition", treebank, seed=1, sampler={"sweeps": 4, "samples": 1})
    trained.save("m.bistro")
    return trained


def rows_of(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_brackets() -> None:
    assert bracketed("[a] b[c d]") == [("a", "1"), ("b", None), ("c d", "2")]
    assert bracketed("no regions") == [("no regions", None)]
    tokens, words = region_rows(bracketed("The [old dog] barks."), at_punctuation)
    assert [(t.id, t.form, t.size) for t in tokens] == [
        (1, "The", 1),
        ("2-3", "old dog", 2),
        ("4-5", "barks.", 2),
    ]
    assert words == ["The", "old", "dog", "barks", "."]
    assert region_rows(bracketed("[a b]"), at_spaces)[1] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("The [old dog", "is not closed"),
        ("The old] dog", "closes nothing"),
        ("The [old [big] dog]", "inside another region"),
        ("The [ ] dog", "has no word"),
    ],
)
def test_wrong_brackets_are_named(text: str, problem: str) -> None:
    with pytest.raises(TreebankError, match=f"a.txt:3: .*{problem}"):
        bracketed(text, "a.txt", 3)


def test_sums_and_errors_of_regions(model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from bistro.cli.main import run

    Path("line.txt").write_text(LINE + "\n")
    Path("table.csv").write_text(f'nr,text\n5,"{LINE}"\n')
    scores = model.score([WORDS], particles=20, repeats=4)
    bits = -scores.log_probs / math.log(2)
    bounds = [(0, 2), (2, 6), (6, 7), (7, 8), (8, 9)]
    for options in (("line.txt",), ("table.csv", "--text", "text", "--id", "nr")):
        assert run(["surprisal", "m.bistro", *options, "--brackets", *FEW]) == 0
        rows = rows_of(capsys.readouterr().out)
        assert [row["region"] for row in rows] == ["NA", "1", "2", "NA", "NA"]
        assert [row["token"] for row in rows][1:3] == ["raced past the barn", "fell"]
        for row, (begin, end) in zip(rows, bounds, strict=True):
            assert float(row["surprisal"]) == pytest.approx(bits[begin:end].sum(), abs=1e-5)
            error = scores.error_of(0, begin, end) / math.log(2)
            assert float(row["mc_se"]) == pytest.approx(error, abs=1e-5)
    errors = scores.standard_error / math.log(2)
    together = scores.error_of(0, 2, 6) / math.log(2)
    assert together != pytest.approx(math.sqrt(np.square(errors[2:6]).sum()))  # they are not apart


def test_regions_of_a_column(model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from bistro.cli.main import run

    Path("words.csv").write_text(TABLE)
    command = ["surprisal", "m.bistro", "words.csv", "--text", "word", "--sentence", "item"]
    options = ("--split-punct", "--no-eos", *FEW)
    assert run([*command, "--region", "part", *options]) == 0
    rows = rows_of(capsys.readouterr().out)
    assert [(row["part"], row["token"]) for row in rows] == [
        ("subject", "The horse"),
        ("verb", "raced"),
        ("place", "past the barn"),
        ("verb", "fell."),
        ("subject", "Dogs"),
        ("verb", "sleep."),
    ]
    assert run([*command, *options]) == 0
    alone = rows_of(capsys.readouterr().out)
    total = sum(float(row["surprisal"]) for row in alone[3:6])
    assert float(rows[2]["surprisal"]) == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("words.csv", "--text", "word", "--region", "part"), "add --sentence COLUMN"),
        (("words.csv", "--text", "word", "--sentence", "item", "--brackets"), "use --region"),
        (("words.csv", "--text", "word", "--sentence", "item", "--region", "prt"), "'part'"),
        (("tree.conllu", "--brackets"), "--brackets is for text"),
    ],
)
def test_refusals(
    model: Any, options: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from bistro.cli.main import run
    from bistro.treebank.treebank import write

    Path("words.csv").write_text(TABLE)
    write(bistro.builtin(sentences=1, seed=1), "tree.conllu")
    assert run(["surprisal", "m.bistro", *options]) == 2
    assert told in capsys.readouterr().err
