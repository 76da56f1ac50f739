"""`bistro fetch` as a user types it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from bistro.cli.fetch import fetch
from bistro.errors import BistroError

TREE = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n"


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("BISTRO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("BISTRO_MIRROR", raising=False)
    folder = tmp_path / "mirror" / "ud-treebanks-v2.16" / "UD_Danish-DDT"
    folder.mkdir(parents=True)
    for part in ("train", "test"):
        (folder / f"da_ddt-ud-{part}.conllu").write_text(TREE)
    (folder / "LICENSE.txt").write_text("Free.")
    app = typer.Typer()
    app.command()(fetch)
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def mirror(tmp_path: Path) -> tuple[str, ...]:
    return ("--mirror", str(tmp_path / "mirror"), "--release", "2.16")


def test_paths_to_stdout_and_notes_to_stderr(
    run: Run, mirror: tuple[str, ...], tmp_path: Path
) -> None:
    result = run("da_ddt", *mirror)
    assert result.exit_code == 0
    base = tmp_path / "home" / "treebanks" / "ud-treebanks-v2.16"
    assert result.stdout.splitlines() == [
        str(base / "UD_Danish-DDT" / f"da_ddt-ud-{part}.conllu") for part in ("test", "train")
    ]
    assert f"Licence: {base / 'UD_Danish-DDT' / 'LICENSE.txt'}" in result.stderr
    assert "No checksum was known" in result.stderr
    assert str(base / "UD_Danish-DDT.sha256") in result.stderr
    again = run("Danish-DDT", *mirror)
    assert again.stdout == result.stdout
    assert "recorded at the first download" in again.stderr


def test_list(run: Run, mirror: tuple[str, ...], tmp_path: Path) -> None:
    assert run("--list").stdout == "treebank\trelease\tmegabytes\tfolder\n"
    run("da_ddt", *mirror)
    listed = run("--list")
    folder = tmp_path / "home" / "treebanks" / "ud-treebanks-v2.16" / "UD_Danish-DDT"
    assert listed.stdout.splitlines()[1:] == [f"UD_Danish-DDT\t2.16\t0.0\t{folder}"]
    assert "Cache:" in listed.stderr


def test_errors_are_one_sentence(run: Run, mirror: tuple[str, ...]) -> None:
    for arguments, told in (
        ((), "name a treebank"),
        (("da_ddd",), "did you mean UD_Danish-DDT"),
        (("UD_Danish-No", *mirror), "release 2.16 has a treebank"),
    ):
        result = run(*arguments)
        assert isinstance(result.exception, BistroError)
        assert told in str(result.exception)
        assert "\n" not in str(result.exception)
        assert result.stdout == ""


def test_help_teaches(run: Run) -> None:
    told = run("--help").stdout
    for phrase in ("UD_English-EWT", "--mirror", "BISTRO_MIRROR", "--list", "BISTRO_HOME", "2.16"):
        assert phrase in told


def test_the_whole_command_line(
    run: Run,
    mirror: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from bistro.cli.main import main

    monkeypatch.setattr("sys.argv", ["bistro", "fetch", "UD_Danish-No", *mirror])
    with pytest.raises(SystemExit) as failed:
        main()
    told = capsys.readouterr()
    assert failed.value.code == 2
    assert told.out == ""
    assert told.err.startswith("bistro: ")
    assert "release 2.16 has a treebank UD_Danish-No" in told.err
    assert "Traceback" not in told.err
