"""`bistro suite`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bistro.tasks.suite import own_suites

from .program import Command


@pytest.fixture
def model_file(files: Path) -> Path:
    return files / "english.bistro"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "order,good,bad\nwords,The dog was .,The was dog .\nnouns,The xyzzy .,The dog .\n"
        "words,The old dog was .,The dog old was .\n"
    )
    return path


def test_one_row_a_suite(bistro_here: Command, model_file: Path, pairs: Path) -> None:
    ended = bistro_here("suite", model_file, pairs, "garden-path")
    assert ended.code == 0
    header, first, second = (line.split("\t") for line in ended.out.splitlines())
    assert header[:7] == ["suite", "items", "right", "accuracy", "low", "high", "unknown"]
    assert header[7:] == ["ties", "tie_share"]
    assert first[1] == "3" and first[6] == "1"
    assert second[:2] == ["garden-path", "10"]
    assert "reduced relative" in ended.err
    assert "words in the suites that are unknown to the model: 'xyzzy', 'raced'" in ended.err
    assert bistro_here("suite", model_file, pairs).err == (
        "words in the suites that are unknown to the model: 'xyzzy'; the model scores their class, "
        "not their spelling\n"
    )


def test_pairs_are_grouped_by_a_column(
    bistro_here: Command, model_file: Path, pairs: Path, tmp_path: Path
) -> None:
    ended = bistro_here("suite", model_file, pairs, "--by", "order")
    header, *rows = (line.split("\t") for line in ended.out.splitlines())
    assert header[:5] == ["suite", "group", "items", "right", "accuracy"]
    assert [row[1:3] for row in rows] == [["words", "2"], ["nouns", "1"]]
    items = bistro_here("suite", model_file, pairs, "--by", "item").out.splitlines()
    right = [int(line.split("\t")[4]) for line in items[1:]]
    assert [int(row[3]) for row in rows] == [right[0] + right[2], right[1]]
    told = json.loads(bistro_here("suite", model_file, pairs, "--by", "order", "--json").out)
    assert [row["group"] for row in told["suites"][str(pairs)]] == ["words", "nouns"]
    lines = tmp_path / "pairs.jsonl"
    pair = {"sentence_good": "The dog was .", "sentence_bad": "The was dog .", "UID": "order"}
    lines.write_text(json.dumps(pair))
    [_, row] = bistro_here("suite", model_file, lines, "--by", "UID").out.splitlines()
    assert row.split("\t")[1:3] == ["order", "1"]


def test_the_help_names_all_suites(bistro_here: Command) -> None:
    shown = bistro_here("suite", "--help").out
    assert all(name in shown for name in own_suites())


def test_rows_by_item_and_region(bistro_here: Command, model_file: Path, pairs: Path) -> None:
    items = bistro_here("suite", model_file, pairs, "--by", "item").out.splitlines()
    assert len(items) == 4
    assert items[0].split("\t")[-2:] == ["sentence_good", "sentence_bad"]
    assert items[1].split("\t")[-2:] == ["The dog was .", "The was dog ."]
    margin, right = items[1].split("\t")[3:5]
    assert (float(margin) > 0) == bool(int(right))
    regions = bistro_here("suite", model_file, pairs, "--by", "region").out.splitlines()
    assert len(regions) == 1 + 3 * 2 * 2  # pairs, conditions, the sentence and its end
    cells = [row.split("\t") for row in regions[1:]]
    signs = {"good": -1, "bad": 1}
    difference = sum(signs[cell[2]] * float(cell[4]) for cell in cells if cell[1] == "1")
    assert difference == pytest.approx(float(margin), abs=1e-5)


def test_ties_are_shown(bistro_here: Command, model_file: Path, tmp_path: Path) -> None:
    """Two words of one unknown class are the same to an n-gram model."""
    path = tmp_path / "ties.csv"
    path.write_text("good,bad\nThe dog was .,The was dog .\nThe blicking .,The frinking .\n")
    ended = bistro_here("suite", model_file, path)
    figures = dict(zip(*(line.split("\t") for line in ended.out.splitlines()), strict=True))
    assert (figures["ties"], figures["tie_share"]) == ("1", "0.500000")
    assert "ties, counted as wrong" in ended.err and "1 (50%)" in ended.err
    by_item = bistro_here("suite", model_file, path, "--by", "item").out.splitlines()
    assert [line.split("\t")[6] for line in by_item] == ["tie", "0", "1"]
    told = json.loads(bistro_here("suite", model_file, path, "--json").out)
    [suite] = told["suites"].values()
    assert suite["ties"] == 1 and suite["tie_share"] == 0.5
    told = json.loads(bistro_here("suite", model_file, path, "--json", "--by", "item").out)
    assert [row["tie"] for row in next(iter(told["suites"].values()))] == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonesuch"], "there is no suite 'nonesuch'"),
        (
            ["agreement", "--by", "word"],
            "agreement: results cannot be shown by 'word': use suite, item or region; only files "
            "of pairs (CSV, TSV, JSON lines) have columns",
        ),
        (["missing.csv"], "missing.csv"),
        (["agreement", "--particles", "5"], "has no analyses to sum over"),
    ],
)
def test_bad_input(
    bistro_here: Command, model_file: Path, arguments: list[str], sentence: str
) -> None:
    ended = bistro_here("suite", model_file, *arguments)
    assert ended.code == 2 and sentence in ended.err and "Traceback" not in ended.err


def test_a_column_that_the_pairs_do_not_have(
    bistro_here: Command, model_file: Path, pairs: Path, tmp_path: Path
) -> None:
    ended = bistro_here("suite", model_file, pairs, "--by", "ordre")
    assert ended.code == 2 and ended.err.endswith(
        "pairs.csv: results cannot be shown by 'ordre' (did you mean 'order'?): use suite, item, "
        "region or a column of the pairs (order, good, bad)\n"
    )
    lines = tmp_path / "pairs.jsonl"
    lines.write_text('{"sentence_good": "The dog .", "sentence_bad": "The .", "UID": 1}\n' * 2)
    ended = bistro_here("suite", model_file, lines, "--by", "uid")
    assert ended.code == 2 and "pairs.jsonl:1: results cannot be shown by 'uid'" in ended.err


def test_suites_with_different_conditions_by_item(
    bistro_here: Command, model_file: Path, pairs: Path
) -> None:
    ended = bistro_here("suite", model_file, pairs, "garden-path", "--by", "item")
    header, first, *_, last = (line.split("\t") for line in ended.out.splitlines())
    sentences = [name for name in header if name.startswith("sentence_")]
    assert sentences[:2] == ["sentence_good", "sentence_bad"] and len(sentences) > 3
    assert first[9:] == ["NA"] * len(first[9:]) and last[7:9] == ["NA", "NA"]


def test_a_table_of_conditions_is_for_another_command(
    bistro_here: Command, model_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "items.csv"
    path.write_text("item,condition,text\n1,a,It rained.\n")
    told = bistro_here("suite", model_file, path)
    assert told.code == 2 and "has no columns 'good' and 'bad'" in told.err
    assert "bistro effects" in told.err
