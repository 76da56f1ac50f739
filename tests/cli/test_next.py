"""`bistro next`."""

from __future__ import annotations

from pathlib import Path

import pytest

import bistro
from bistro.cli.main import run

QUICK = ["--kind", "eisner", "--set", "sampler.sweeps=3", "--set", "sampler.samples=1"]


@pytest.fixture
def half_done(tmp_path: Path) -> str:
    whole = list(bistro.builtin(sentences=40, seed=1))
    bare = [s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in whole[30:]]
    path = tmp_path / "half.conllu"
    bistro.write(whole[:30] + bare, path)
    return str(path)


def test_tables_of_sentences_and_of_words(
    half_done: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["next", half_done, *QUICK, "--top", "3"]) == 0
    found = capsys.readouterr()
    header, *rows = [line.split("\t") for line in found.out.splitlines()]
    assert header[:2] == ["rank", "line"] and [row[0] for row in rows] == ["1", "2", "3"]
    lines = Path(half_done).read_text().splitlines()
    for row in rows:
        assert lines[int(row[1]) - 1].startswith("#") or lines[int(row[1]) - 1].startswith("1\t")
    assert "3 of 10; strategy doubt" in found.err
    assert run(["next", half_done, *QUICK, "--words", "--top", "4"]) == 0
    header, *rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    doubts = [float(row[header.index("doubt")]) for row in rows]
    assert len(rows) == 4 and doubts == sorted(doubts, reverse=True)


def test_complaints(half_done: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["next", half_done, *QUICK, "--strategy", "doubts"]) == 2
    assert "did you mean 'doubt'" in capsys.readouterr().err
    assert run(["next", half_done, "--model", "m.bistro", "--kind", "eisner"]) == 2
    assert "leave them out if --model is given" in capsys.readouterr().err
