"""`bistro train grammar` and what its models can do."""

from __future__ import annotations

from pathlib import Path

import pytest

import bistro
from bistro.treebank.brackets import write_trees

from .program import Command


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_trees(bistro.builtin_trees(sentences=120, seed=1), "trees.mrg")
    write_trees(bistro.builtin_trees(sentences=5, seed=2), "dev.mrg")
    return tmp_path


def test_train_then_surprisal_perplexity_generate(trees: Path, bistro_here: Command) -> None:
    bistro_here("train", "grammar", "trees.mrg", "--dev", "dev.mrg", "-o", "g.bistro")
    Path("text.txt").write_text("The dog sleeps .\nzzz qqq\n", encoding="utf-8")
    table = bistro_here("surprisal", "g.bistro", "text.txt").out.splitlines()
    assert len(table) == 1 + 5 + 3
    assert table[1].split("\t")[2:4] == ["The", "0"]
    assert table[6].split("\t")[2:4] == ["zzz", "1"]
    assert "perplexity" in bistro_here("perplexity", "g.bistro", "text.txt").out
    drawn = bistro_here("generate", "g.bistro", "-n", "3").out.splitlines()
    assert len(drawn) == 3 and all(drawn)
    assert "phrases" in bistro_here("info", "g.bistro").out


@pytest.mark.parametrize(
    ("content", "reason"),
    [("((S (NP (NN dog)))", "trees.txt:1"), ("(S (NP))\n", "trees.txt:1"), ("", "empty")],
)
def test_bad_trees(trees: Path, bistro_here: Command, content: str, reason: str) -> None:
    Path("trees.txt").write_text(content, encoding="utf-8")
    failed = bistro_here("train", "grammar", "trees.txt", "--input", "brackets", "-o", "g.bistro")
    assert failed.code == 2
    assert reason in failed.err
    assert not Path("g.bistro").exists()


def test_a_grammar_draws_whole_trees(trees: Path, bistro_here: Command) -> None:
    bistro_here("train", "grammar", "trees.mrg", "-o", "g.bistro")
    failed = bistro_here("generate", "g.bistro", "--prefix", "The dog")
    assert failed.code == 2
    assert "--prefix" in failed.err
