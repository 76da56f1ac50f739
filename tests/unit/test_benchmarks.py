"""The list of benchmarks, and how they are run by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as program


def run(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", *names])
    program.main()


def test_all_benchmarks_are_listed_with_what_they_measure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch)
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == list(program.benchmarks())
    assert {"sweep", "parsing", "serve"} <= set(program.benchmarks())
    assert "data" not in program.benchmarks()  # Helpers without `main` are not benchmarks.
    assert all(line.endswith((".", ",")) for line in program.benchmarks().values())


def test_the_named_ones_run_and_a_failure_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "benchmarks"
    package.mkdir()
    (package / "good.py").write_text('"""Good."""\ndef main(): ...\nprint("measured")\n')
    (package / "bad.py").write_text('"""Bad."""\ndef main(): ...\nraise SystemExit(3)\n')
    monkeypatch.setattr(program, "FOLDER", package)
    run(monkeypatch, "good")
    assert "== good\nmeasured" in capfd.readouterr().out
    with pytest.raises(SystemExit, match="failed: bad"):
        run(monkeypatch, "all")
    assert "measured" in capfd.readouterr().out


def test_an_unknown_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, "swep")
    assert "no benchmark 'swep'" in capsys.readouterr().err
