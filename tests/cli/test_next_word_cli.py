"""`bistro next-word`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import bistro

from .program import Command

COLUMNS = (
    *("context_id", "context", "target", "rank", "word", "oov", "probability", "surprisal"),
    *("mc_se", "tag", "tag_probability", "entropy", "entropy_se"),
)
CLOZE = """item,context,target
7,The old dog,sleeps
7,The old dog,zyzzyva
8,The,dog
"""


def rows_of(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_the_likeliest_words(bistro_here: Command, files: Path) -> None:
    done = bistro_here("next-word", files / "english.bistro", "The old", "--top", 4)
    assert (done.code, done.err) == (0, "")
    rows = rows_of(done.out)
    assert tuple(rows[0]) == COLUMNS
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4"]
    found = bistro.load(files / "english.bistro").next_words(["The", "old"])
    for row, word in zip(rows, found.top(4), strict=True):
        assert row["word"] == word.word
        assert float(row["probability"]) == pytest.approx(word.probability, rel=1e-5)
        assert float(row["entropy"]) == pytest.approx(found.entropy, abs=1e-5)
        assert row["tag"] == row["mc_se"] == row["entropy_se"] == "NA"
    assert len(rows_of(bistro_here("next-word", files / "english.bistro", "").out)) == 10


def test_a_file_is_not_taken_for_a_context(bistro_here: Command, files: Path, here: Path) -> None:
    (here / "cloze.csv").write_text(CLOZE, encoding="utf-8")
    done = bistro_here("next-word", files / "english.bistro", "cloze.csv")
    assert (
        done.code == 2
        and "cloze.csv: the file is a table" in done.err
        and "--text COLUMN" in done.err
    )


def test_unknown_words_of_contexts_are_told(bistro_here: Command, files: Path) -> None:
    done = bistro_here("next-word", files / "english.bistro", "The zyzzyva", "--top", 1)
    assert done.err == "words in contexts that are unknown to the model: 'zyzzyva'\n"
    many = " ".join(f"zyzzyva{number}" for number in range(7))
    assert "'zyzzyva4' and 2 more" in bistro_here("next-word", files / "english.bistro", many).err


def test_unknown_targets_are_told_and_have_no_rank(bistro_here: Command, files: Path) -> None:
    """The probability of a class would make an unknown word look like a good completion."""
    targets = ("--targets", "dog,zyzzyva,zyzzyva,</s>")
    done = bistro_here("next-word", files / "english.bistro", "The old", *targets)
    assert done.err == (
        "target words that are unknown to the model: 'zyzzyva'; the model scores their class, not "
        "their spelling, so the probability is that of all such words together, and the rank is "
        "NA\n"
    )
    assert [row["rank"] == "NA" for row in rows_of(done.out)] == [False, True, True, False]
    told = bistro_here("next-word", files / "english.bistro", "The old", *targets, "--json").out
    assert json.loads(told)["contexts"][0]["targets"][1]["rank"] is None


@pytest.mark.parametrize("settings", [{"unknown": "spelling"}, {"units": "characters"}], ids=str)
def test_spelled_targets_have_a_rank(
    bistro_here: Command, files: Path, here: Path, settings: dict[str, Any]
) -> None:
    train = bistro.read(files / "train.conllu")
    sampler = {"sweeps": 2, "samples": 1}
    bistro.train("ngram", train, seed=1, order=3, sampler=sampler, **settings).save("it.bistro")
    done = bistro_here("next-word", "it.bistro", "The old", "--targets", "zyzzyva")
    assert done.err == (
        "target words that are unknown to the model: 'zyzzyva'; the model scores their spelling\n"
    )
    [row] = rows_of(done.out)
    assert row["oov"] == "1" and int(row["rank"]) > 1


def test_contexts_that_are_not_split_are_told(
    bistro_here: Command, files: Path, here: Path
) -> None:
    """One comma is enough, since contexts seldom have punctuation."""
    (here / "cloze.csv").write_text(CLOZE + '9,"While the man slept, the",dog\n')
    ask = ("next-word", files / "english.bistro")
    table = ("cloze.csv", "--text", "context", "--target", "target")
    told = (
        "this looks like running text, with words such as 'slept,'; words are split at spaces "
        "only. --split-punct splits punctuation from words"
    )
    done = bistro_here(*ask, *table)
    assert f"cloze.csv: {told}" in done.err and "'slept,'\n" in done.err
    assert f"CONTEXT: {told}" in bistro_here(*ask, "While the man slept, the").err
    for choice in ("--split-punct", "--no-split-punct"):
        assert "running text" not in bistro_here(*ask, *table, choice).err
    assert "running text" not in bistro_here(*ask, "While the man slept , the").err
    (here / "cloze.csv").write_text(CLOZE)
    assert "running text" not in bistro_here(*ask, *table).err


def test_targets_after_a_context(bistro_here: Command, files: Path) -> None:
    model = files / "english.bistro"
    done = bistro_here("next-word", model, "The old", "--targets", "dog,zyzzyva", "--top", 2)
    rows = rows_of(done.out)
    assert [row["target"] for row in rows] == ["0", "0", "1", "1"]
    scores = bistro.load(model).score([["The", "old", "dog"]])
    assert float(rows[2]["surprisal"]) == pytest.approx(-scores.log_probs[2] / 0.6931472, abs=1e-5)
    assert rows[3]["oov"] == "1"
    assert len(rows_of(bistro_here("next-word", model, "The", "--targets", "dog").out)) == 1


def test_a_cloze_table(bistro_here: Command, files: Path, here: Path) -> None:
    (here / "cloze.csv").write_text(CLOZE)
    options = ("--text", "context", "--target", "target", "--id", "item", "-o", "out.tsv")
    done = bistro_here("next-word", files / "english.bistro", "cloze.csv", *options)
    assert (done.code, done.out) == (0, "")
    rows = rows_of((here / "out.tsv").read_text())
    assert [row["word"] for row in rows] == ["sleeps", "zyzzyva", "dog"]
    assert [row["context_id"] for row in rows] == ["7", "7", "8"]
    assert list(rows[0])[:6] == [
        "item",
        "context",
        "target",
        "context_id",
        "bistro_context",
        "bistro_target",
    ]
    done = bistro_here("next-word", files / "english.bistro", "cloze.csv", *options[:2], "--top", 3)
    assert len(rows_of(done.out)) == 9


def test_json_has_all_tags(bistro_here: Command, files: Path, here: Path) -> None:
    train = bistro.read(files / "train.conllu")
    sampler: dict[str, Any] = {"sweeps": 3, "samples": 1}
    bistro.train("transition", train, seed=1, sampler=sampler).save("parser.bistro")
    few = ("--particles", 20, "--repeats", 3)
    done = bistro_here("next-word", "parser.bistro", "The old", "--targets", "dog", "--json", *few)
    [told] = json.loads(done.out)["contexts"]
    assert told["context"] == ["The", "old"] and told["likeliest"] == []
    [target] = told["targets"]
    assert target["tags"]["NOUN"] > 0.5 and target["mc_se"] >= 0
    assert told["entropy_se"] > 0 and 0.9 < told["covered"] < 1.1
    rows = rows_of(bistro_here("next-word", "parser.bistro", "The old", *few).out)
    nouns = [row for row in rows if row["tag"] == "NOUN"]
    assert nouns and float(nouns[0]["tag_probability"]) > 0.5
    mixed = ("--with", files / "english.bistro", "--weights", "0.5,0.5")
    done = bistro_here("next-word", "parser.bistro", "The old", "--targets", "dog", *mixed, *few)
    alone = bistro_here("next-word", files / "english.bistro", "The old", "--targets", "dog")
    halves = (target["probability"], float(rows_of(alone.out)[0]["probability"]))
    [row] = rows_of(done.out)
    assert float(row["probability"]) == pytest.approx(sum(halves) / 2, rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("The", "--target", "word"), "--target and --id need --text COLUMN"),
        (("The", "--targets", "old dog"), "the target 'old dog' has 2 words"),
        (("The", "--particles", "5"), "has no analyses to sum over"),
        (("The", "--weights", "0.5,0.5"), "add --with MODEL2"),
        (("cloze.csv", "--text", "contxt"), "did you mean 'context'"),
        (("cloze.csv", "--text", "context", "--target", "context"), "cloze.csv:2: the target"),
        (("absent.csv", "--text", "context"), "absent.csv: cannot be read"),
    ],
)
def test_refusals(
    bistro_here: Command, files: Path, here: Path, arguments: tuple[str, ...], told: str
) -> None:
    (here / "cloze.csv").write_text(CLOZE)
    done = bistro_here("next-word", files / "english.bistro", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err and done.err.count("\n") == 1


def test_a_model_that_scores_nothing_is_refused(
    bistro_here: Command, files: Path, here: Path
) -> None:
    train = bistro.read(files / "train.conllu")
    bistro.train("tags", train, seed=1, sampler={"sweeps": 2, "samples": 1}).save("tags.bistro")
    done = bistro_here("next-word", "tags.bistro", "The")
    assert done.code == 2 and "cannot score words; use an ngram" in done.err
