"""`bistro draw`."""

from __future__ import annotations

from pathlib import Path

import pytest

import bistro
from bistro.cli.main import run


@pytest.fixture
def treebank(tmp_path: Path) -> str:
    path = tmp_path / "two.conllu"
    bistro.write(bistro.builtin(sentences=2, seed=1), path)
    return str(path)


def test_the_suffix_decides(treebank: str, tmp_path: Path) -> None:
    svg, tex = tmp_path / "tree.svg", tmp_path / "trees.tex"
    assert run(["draw", treebank, "--sentence", "2", "-o", str(svg)]) == 0
    assert run(["draw", treebank, "-o", str(tex)]) == 0
    assert svg.read_text().startswith("<svg") and r"\documentclass" in tex.read_text()
    # Pictures may be drawn once more over old ones; other files may not.
    assert run(["draw", treebank, "-o", str(tex)]) == 0
    other = tmp_path / "notes.tex"
    other.write_text("my notes")
    assert run(["draw", treebank, "-o", str(other)]) == 2
    assert other.read_text() == "my notes"


def test_pdf_may_be_drawn_again(treebank: str, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    pdf = tmp_path / "trees.pdf"
    for _ in range(2):
        assert run(["draw", treebank, "-o", str(pdf)]) == 0
    assert pdf.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-o", "tree.jpg"], "must end in .svg, .png, .pdf, .tex"),
        (["-o", "tree.svg"], "can contain only one tree, but there are 2"),
        (["--sentence", "7"], "there is no sentence '7'"),
        (["--tags", "pos"], "--tags 'pos' must be one of upos, xpos, none"),
        (["--probabilities", "--sentence", "1"], "no PHead in the column MISC"),
    ],
)
def test_complaints(
    treebank: str,
    arguments: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["draw", treebank, *arguments]) == 2
    assert complaint in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["two.conllu"]


@pytest.mark.parametrize("lines", [1, 2])
def test_plain_text_has_no_trees(
    lines: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "plain.txt"
    text.write_text("Dogs bark .\n" * lines)
    assert run(["draw", str(text), "-o", str(tmp_path / "tree.svg")]) == 2
    assert "plain text has no trees to draw: parse it first" in capsys.readouterr().err


def test_bracketed_trees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("(S (NP (NN time)) (VP (VBZ flies)))\n")
    assert run(["draw", str(path), "--sentence", "1"]) == 0
    assert "flies" in capsys.readouterr().out
    assert run(["draw", str(path), "--sentence", "2"]) == 2
