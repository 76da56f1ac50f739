"""What the tests of the command line share: the program itself, a treebank and a model."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.cli.main import run
from bistro.treebank.treebank import write

from .program import ENVIRONMENT, PROGRAM, Command, Ended


@pytest.fixture
def bistro_here(monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command line in this process: quick, and open to monkeypatching."""
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: object, stdin: bytes = b"") -> Ended:
        streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (stdin, b"", b"")]
        with monkeypatch.context() as patched:
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patched.setattr(sys, name, stream)
            code = run([str(argument) for argument in arguments])
        for stream in streams:
            stream.flush()
        out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
        return Ended(code, out, err)

    return call


@pytest.fixture
def bistro_outside() -> Command:
    """The command line as a process of its own, as a user has it."""

    def call(*arguments: object, stdin: bytes = b"", **options: Any) -> Ended:
        command = [*PROGRAM, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        chosen: dict[str, Any] = {**pipes, "env": ENVIRONMENT, **options}
        done = subprocess.run(command, input=stdin, timeout=300, check=False, **chosen)
        return Ended(done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode())

    return call


@pytest.fixture(scope="session")
def english() -> bistro.Treebank:
    """A small built-in treebank."""
    return bistro.builtin(sentences=330, seed=1)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory, english: bistro.Treebank) -> Path:
    """A folder with train.conllu, test.conllu, train.txt and english.bistro; not to be changed."""
    folder = tmp_path_factory.mktemp("files")
    train, test = english[:300], english[300:]
    write(train, folder / "train.conllu")
    write(test, folder / "test.conllu")
    (folder / "train.txt").write_text("".join(" ".join(s.forms) + "\n" for s in train))
    (folder / "test.txt").write_text("".join(" ".join(s.forms) + "\n" for s in test))
    model = bistro.train("ngram", train, seed=1, order=3, sampler={"sweeps": 10, "samples": 5})
    model.save(folder / "english.bistro")
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in which the test stands."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path


@pytest.fixture
def old(here: Path) -> Path:
    """A folder with results of an earlier day."""
    for name, content in (
        ("old.bistro", b"\x02\0\0\0\0\0\0\0{} of an earlier day\n"),
        ("old.tsv", b"results\tof an earlier day\n"),
        ("old.conllu", b"1\tresults\t_\t_\t_\t_\t0\troot\t_\tof an earlier day\n\n"),
    ):
        (here / name).write_bytes(content)
    return here
