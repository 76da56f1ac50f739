"""One start of a thread or one allocation of memory fails, inside the core too: no crash."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import bistro
from bistro.treebank.treebank import write

from .failing import FIRED
from .program import ENVIRONMENT

HERE = Path(__file__).parent
QUICK = ("--set", "sampler.sweeps=2", "--set", "sampler.samples=1", "--threads", "2")
COMMANDS = {
    "parse": ("parse", "parser.bistro", "small.conllu", "--threads", "3", "-o", "out.conllu"),
    "train": ("train", "transition", "small.conllu", *QUICK, "-o", "out.bistro"),
    "eisner": ("train", "eisner", "small.conllu", *QUICK, "-o", "out.bistro"),
    "convert": ("convert", "small.conllu", "-o", "out.conllu"),
}
NO_CRASH = {FIRED, FIRED + 2}
"""The exit code where the command did without, and where it was refused."""


class Failure(NamedTuple):
    """How a command ended in which an operation failed."""

    number: int
    code: int
    content: str
    left: list[str]
    complaints: str


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler and the loader of Linux")
    path = tmp_path_factory.mktemp("shim") / "failing.so"
    source = str(HERE / "failing.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(path), source, "-ldl"], check=True)
    return path


@pytest.fixture
def folder(here: Path) -> Path:
    treebank = bistro.builtin(sentences=40, seed=1)
    write(treebank, here / "small.conllu")
    quick = {"sweeps": 2, "samples": 1}
    bistro.train("transition", treebank, seed=1, sampler=quick).save(here / "parser.bistro")
    return here


def failures(shim: Path, what: str, most: int, command: tuple[str, ...]) -> list[Failure]:
    script = [sys.executable, "-m", "tests.cli.failing", what, str(most), command[-1], *command]
    done = subprocess.run(
        script, env=_environment(shim), capture_output=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return [Failure(*json.loads(line)) for line in done.stdout.splitlines() if line[:1] == b"["]


def _environment(shim: Path) -> dict[str, str]:
    # The core's own threads are tested here, not those of a library for matrices.
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    path = f"{ENVIRONMENT['PYTHONPATH']}:{HERE.parents[1]}"
    return {**ENVIRONMENT, **alone, "PYTHONPATH": path, "LD_PRELOAD": str(shim)}


def test_threads_of_the_core_are_done_without(shim: Path, folder: Path) -> None:
    *failed, last = failures(shim, "threads", 40, COMMANDS["parse"])
    assert failed
    for failure in failed:
        assert (failure.code, failure.content, failure.left) == (FIRED, "new", []), failure
    assert (last.code, last.content) == (0, "new")


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_large_allocation_fails_once(shim: Path, folder: Path, name: str) -> None:
    failed = [
        f for f in failures(shim, "memory", 50, COMMANDS[name]) if f.code >= FIRED or f.code < 0
    ]
    assert failed
    for failure in failed:
        assert failure.code in NO_CRASH, failure
        assert "Traceback" not in failure.complaints
        if failure.code != FIRED:
            assert failure.content == "old"
            assert failure.complaints.splitlines()[-1].startswith("bistro: "), failure
            assert "memory" in failure.complaints.splitlines()[-1]
        assert not failure.left
