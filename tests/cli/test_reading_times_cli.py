"""`bistro reading-times` as a user types it."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

import bistro
from bistro.evaluate.reading.scores import item_surprisal
from bistro.evaluate.reading.simulation import as_table, simulated

from .program import Command


@pytest.fixture
def times(here: Path) -> Path:
    model = bistro.train("ngram", bistro.builtin(sentences=150, seed=2), seed=1)
    model.save(here / "ngram.bistro")
    items = [list(sentence.forms) for sentence in bistro.builtin(sentences=30, seed=1)]
    data = simulated(items, item_surprisal(model, items), participants=12, effect=6.0, seed=1)
    (here / "times.csv").write_text(as_table(data), encoding="utf-8")
    return here / "times.csv"


def test_a_table_of_gains_a_page_and_tables(
    bistro_here: Command, here: Path, times: Path, files: Path
) -> None:
    arguments = ("reading-times", times, "ngram.bistro", "--frequencies", files / "test.conllu")
    done = bistro_here(
        *arguments, "-o", "study.html", "--coefficients", "c.tsv", "--table", "rows.tsv"
    )
    assert done.code == 0
    [row] = csv.DictReader(io.StringIO(done.out), delimiter="\t")
    assert row["model"] == "ngram" and row["verdict"] == "gain"
    assert 0 < float(row["low"]) < float(row["gain"]) < float(row["high"])
    assert "rows left out: too few words before" in done.err
    assert "errors clustered by participant and item" in done.err
    assert (here / "study.html").read_text(encoding="utf-8").count("<svg") == 2
    rows = list(csv.DictReader((here / "rows.tsv").open(encoding="utf-8"), delimiter="\t"))
    assert len(rows) == len(times.read_text(encoding="utf-8").splitlines()) - 1
    assert rows[0]["length_1_before"] == "NA" and rows[0]["used"] == "0"
    assert np.isfinite([float(r["log2_frequency"]) for r in rows]).all()
    names = [r["predictor"] for r in csv.DictReader((here / "c.tsv").open(), delimiter="\t")]
    assert names[-2:] == ["surprisal", "surprisal, 1 before"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("absent.csv", "ngram.bistro"), "absent.csv: cannot be read"),
        (("times.csv", "absent.bistro"), "absent.bistro: cannot be read"),
        (("times.csv", "ngram.bistro", "--time", "rt"), "has no column 'rt'"),
        (("times.csv", "ngram.bistro", "--fastest", "5000"), "must be less than"),
        (("times.csv", "ngram.bistro", "ngram.bistro"), "a model is given twice"),
        (("times.csv", "ngram.bistro", "--table", "times.csv"), "input"),
    ],
)
def test_bad_arguments(
    bistro_here: Command, times: Path, arguments: tuple[str, ...], told: str
) -> None:
    before = times.read_bytes()
    done = bistro_here("reading-times", *arguments)
    assert done.code == 2 and told in done.err and done.err.count("\n") == 1
    assert times.read_bytes() == before


def test_a_control_model_is_part_of_the_baseline(
    bistro_here: Command, here: Path, times: Path
) -> None:
    unigrams = bistro.train("ngram", bistro.builtin(sentences=150, seed=2), seed=1, order=1)
    unigrams.save(here / "unigram.bistro")
    command = ("reading-times", times, "ngram.bistro", "--control", "unigram.bistro")
    done = bistro_here(*command, "--coefficients", "c.tsv")
    assert done.code == 0, done.err
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["model", "ngram"]
    assert "surprisal under unigram" in done.err
    names = [r["predictor"] for r in csv.DictReader((here / "c.tsv").open(), delimiter="\t")]
    assert "control unigram, 1 before" in names
    twice = bistro_here("reading-times", times, "ngram.bistro", "--control", "ngram.bistro")
    assert twice.code == 2 and "a model is given twice" in twice.err


def test_shuffled_rows_have_the_same_gain(bistro_here: Command, here: Path, times: Path) -> None:
    header, *rows = times.read_text(encoding="utf-8").splitlines()
    np.random.default_rng(1).shuffle(rows)
    (here / "shuffled.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    plain = bistro_here("reading-times", times, "ngram.bistro")
    shuffled = bistro_here("reading-times", "shuffled.csv", "ngram.bistro")
    assert plain.code == shuffled.code == 0 and plain.out == shuffled.out


def test_unknown_words_are_named_and_a_wrong_case_is_reported(
    bistro_here: Command, here: Path, times: Path
) -> None:
    header, *rows = times.read_text(encoding="utf-8").splitlines()
    upper = "\n".join([header, *(row.upper() for row in rows), ""])
    (here / "upper.csv").write_text(upper, encoding="utf-8")
    done = bistro_here("reading-times", "upper.csv", "ngram.bistro")
    assert done.code == 0, done.err
    assert re.search(
        r"words are unknown to ngram \(('[A-Z]+', ){4}'[A-Z]+' and \d+ more\)", done.err
    )
    assert " different unknown words are known in lower case, such as '" in done.err
    assert "in lower case" not in bistro_here("reading-times", times, "ngram.bistro").err


def test_times_in_seconds(bistro_here: Command, here: Path, times: Path) -> None:
    header, *rows = times.read_text(encoding="utf-8").splitlines()
    cut = (row.rpartition(",") for row in rows)
    seconds = [f"{start},{float(time) / 1000}" for start, _, time in cut]
    (here / "seconds.csv").write_text("\n".join([header, *seconds, ""]), encoding="utf-8")
    refused = bistro_here("reading-times", "seconds.csv", "ngram.bistro")
    assert refused.code == 2 and "times must be in milliseconds" in refused.err
    noted = bistro_here("reading-times", "seconds.csv", "ngram.bistro", "--fastest", "0")
    assert noted.code == 0 and "seconds.csv: the median time is 0." in noted.err


def test_an_export_of_ibex(bistro_here: Command, here: Path, times: Path) -> None:
    """Renamed columns, versions of items, commas as %2C, and rows of questions."""
    rows = list(csv.DictReader(times.open(encoding="utf-8")))
    with (here / "ibex.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["ID", "Controller", "Item", "Cond", "Parameter", "Value", "ReadingTime"])
        for number, row in enumerate(rows):
            version = (int(row["item"]) - 1) // 2, "ab"[int(row["item"]) % 2]
            word = row["word"].replace(",", "%2C")
            shown = (row["position"], word, row["time"])
            table.writerow([row["participant"], "DashedSentence", *version, *shown])
            if number % 9 == 0:
                table.writerow([row["participant"], "Question", *version, "NULL", "Yes", "1500"])
    command = ("reading-times", "ibex.csv", "ngram.bistro", "--participant", "ID", "--known-only")
    wanted = ("--only", "Controller=DashedSentence", "--keep", "Controller", "--table", "rows.tsv")
    done = bistro_here(*command, *wanted)
    assert done.code == 0, done.err
    assert "columns: Value (word), Item (item), Cond (condition), ReadingTime (time)" in done.err
    assert "15 items in 30 versions" in done.err
    found = list(csv.DictReader((here / "rows.tsv").open(encoding="utf-8"), delimiter="\t"))
    assert [row["word"] for row in found] == [row["word"] for row in rows]
    assert {row["Controller"] for row in found} == {"DashedSentence"}
    assert {row["condition"] for row in found} == {"a", "b"} and found[0]["oov"] in "01"
    plain = bistro_here("reading-times", "times.csv", "ngram.bistro", "--table", "plain.tsv")
    assert plain.code == 0
    same = list(csv.DictReader((here / "plain.tsv").open(encoding="utf-8"), delimiter="\t"))
    assert [row["surprisal"] for row in same] == [row["surprisal"] for row in found]
