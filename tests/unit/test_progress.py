"""The line that shows how far a run over a file has come."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest

from bistro.cli import progress
from bistro.treebank.treebank import iter_sentences

TEXT = "The dog sleeps .\nIt rains .\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text(TEXT)
    return path


def shown(
    monkeypatch: pytest.MonkeyPatch, source: Path, stderr: io.StringIO, output: str = "out.conllu"
) -> str:
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.0)
    sentences = list(iter_sentences(source))
    assert list(progress.Progress(source, output).watch(sentences)) == sentences
    return stderr.getvalue()


def test_words_pace_and_time_left_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    told = shown(monkeypatch, source, Terminal()).split("\r")
    assert told[1].strip() == "4 words"
    assert told[2].startswith("7 words  ")
    assert "words/s" in told[2]
    assert told[2].rstrip().endswith("0 s left")
    assert told[3].strip() == ""


def test_time_left_is_measured_from_the_first_batch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Sentences arrive in batches: the first line must not count the time of a whole one."""
    path = tmp_path / "in.txt"
    path.write_text("It rains .\n" * 1000)
    clock = iter([0.0, *([2.5] * 100), *([5.0] * 900), 5.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.5)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    list(progress.Progress(path, "out.conllu").watch(iter_sentences(path)))
    first, second, *_ = terminal.getvalue().split("\r")[1:]
    assert first.strip() == "3 words"
    assert second.strip() == "303 words  120 words/s  22 s left"


def test_silent_in_a_log(monkeypatch: pytest.MonkeyPatch, source: Path) -> None:
    assert shown(monkeypatch, source, io.StringIO()) == ""


def test_silent_where_the_trees_themselves_are_seen(
    monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert shown(monkeypatch, source, Terminal(), "-") == ""


def test_lines_are_known_of_plain_files_only(source: Path, tmp_path: Path) -> None:
    assert progress.lines_of(source) == 2
    packed = tmp_path / "in.txt.gz"
    packed.write_bytes(b"\n\n")
    assert progress.lines_of(packed) is None
    assert progress.lines_of("-") is None
