"""`bistro train linearize` and `bistro linearize`, as a user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bistro
from bistro.cli.main import run
from bistro.treebank.treebank import write

FOREST = "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n2\tb\t_\tX\tX\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("linearize")
    trees = bistro.builtin(sentences=150, seed=1)
    write(trees[:120], place / "train.conllu")
    write(trees[120:], place / "dev.conllu")
    arguments = [str(place / "train.conllu"), "--dev", str(place / "dev.conllu")]
    assert run(["train", "linearize", *arguments, "-o", str(place / "m.bistro")]) == 0
    return place


def order(folder: Path, *arguments: str) -> int:
    return run(["linearize", str(folder / "m.bistro"), *arguments])


def test_trees_come_back_in_order(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "best.conllu"
    assert order(folder, str(folder / "dev.conllu"), "-o", str(out)) == 0
    given, found = bistro.read(folder / "dev.conllu"), bistro.read(out)
    assert len(found) == len(given)
    for before, after in zip(given, found, strict=True):
        words = [f for f, t in zip(before.forms, before.upos, strict=True) if t != "PUNCT"]
        assert sorted(after.forms) == sorted(words)
        assert after.text == " ".join(after.forms)


def test_samples_kbest_and_text(folder: Path, tmp_path: Path) -> None:
    dev, out = str(folder / "dev.conllu"), tmp_path / "drawn.conllu"
    assert order(folder, dev, "--samples", "3", "-o", str(out)) == 0
    drawn = bistro.read(out)
    assert len(drawn) == 3 * 30
    assert float(drawn[0].metadata["log_prob"]) <= 0
    lines = tmp_path / "best.txt"
    assert order(folder, dev, "--kbest", "2", "--text", "-o", str(lines)) == 0
    assert 30 < len(lines.read_text().splitlines()) <= 60


def test_scores_are_a_table(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert order(folder, str(folder / "dev.conllu"), "--score") == 0
    told = capsys.readouterr()
    rows = [line.split("\t") for line in told.out.splitlines()]
    assert rows[0] == ["sentence", "dependents", "log_prob", "bits_per_dependent"]
    assert len(rows) == 31
    mean = sum(float(row[2]) for row in rows[1:]) / 30
    assert f"log-likelihood {mean:.4f} a sentence" in told.err


def test_info_names_the_parts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["info", str(folder / "m.bistro")]) == 0
    assert "HDR/n2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "options", "reason"),
    [
        (FOREST, ["--input", "conllx"], "bad.conllu:1: words 1 and 2 both have head 0"),
        ("1\ta\t_\tX\t_\t_\t2\tx\t_\t_\n2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n\n", [], "head 0"),
        ("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", [], "word 1 has no upos"),
        ("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n", ["--best", "--score"], "give one of"),
    ],
)
def test_bad_input_is_one_sentence(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: str,
    options: list[str],
    reason: str,
) -> None:
    (tmp_path / "bad.conllu").write_text(content)
    out = tmp_path / "out.conllu"
    assert order(folder, str(tmp_path / "bad.conllu"), "-o", str(out), *options) == 2
    assert reason in capsys.readouterr().err
    assert not out.exists()


def test_other_kinds_cannot_order(folder: Path, tmp_path: Path) -> None:
    train = str(folder / "train.conllu")
    assert run(["train", "ngram", train, "-o", str(tmp_path / "n.bistro")]) == 0
    assert run(["linearize", str(tmp_path / "n.bistro"), train]) == 2
