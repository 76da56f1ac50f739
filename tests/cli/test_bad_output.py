"""Places where nothing can be written: refused with one sentence, and nothing is half-written."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest

from .program import Command
from .refusals import QUICK, expect_refusal, picture, refuse


def writers(files: Path, name: str) -> list[tuple[object, ...]]:
    """All commands that write files, with `name` as their output."""
    model = files / "english.bistro"
    force = ("--force",) if name == "old.conllu" else ()
    commands: list[tuple[object, ...]] = [
        ("train", "ngram", files / "train.txt", "-o", name, *QUICK),
        ("surprisal", model, files / "test.conllu", "-o", name),
        ("generate", model, "-o", name),
        ("convert", files / "test.conllu", "-o", name),
    ]
    return [(*command, *force) for command in commands]


@pytest.fixture
def read_only(here: Path) -> str:
    """A folder in which no file can be made, even by root."""
    if os.geteuid() == 0:
        if not Path("/proc/self").is_dir():
            pytest.skip("root may write everywhere, and there is no /proc")
        return "/proc/self"
    folder = here / "locked"
    folder.mkdir(mode=0o500)
    return str(folder)


@pytest.mark.parametrize("command", range(4))
def test_a_read_only_folder(
    bistro_here: Command, files: Path, here: Path, read_only: str, command: int
) -> None:
    arguments = writers(files, f"{read_only}/out.conllu")[command]
    refuse(bistro_here, here, *arguments, told="out.conllu: cannot be written: ")


@pytest.mark.parametrize("command", range(4))
def test_a_folder_that_does_not_exist(
    bistro_here: Command, files: Path, old: Path, command: int
) -> None:
    arguments = writers(files, "nowhere/out.conllu")[command]
    refuse(bistro_here, old, *arguments, told="nowhere/out.conllu: cannot be written: ")


@pytest.mark.parametrize("command", range(4))
def test_a_folder_that_is_a_file(
    bistro_here: Command, files: Path, old: Path, command: int
) -> None:
    arguments = writers(files, "old.tsv/out.conllu")[command]
    refuse(bistro_here, old, *arguments, told="not a directory")


@pytest.mark.parametrize("command", range(4))
def test_an_output_that_is_a_folder(
    bistro_here: Command, files: Path, old: Path, command: int
) -> None:
    (old / "out.conllu").mkdir()
    refuse(bistro_here, old, *writers(files, "out.conllu")[command], told="out.conllu: ")


def test_the_place_is_tried_before_the_work(
    bistro_here: Command, files: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hours of training are not lost to a misspelt folder."""

    def work(*arguments: object) -> None:
        raise AssertionError("training began")

    monkeypatch.setattr("bistro.tasks.train.train", work)
    arguments = ("train", "ngram", files / "train.txt", "-o", "nowhere/m.bistro")
    refuse(bistro_here, here, *arguments, told="nowhere/m.bistro")


@pytest.mark.parametrize("command", range(4))
def test_a_disk_that_fills_up(
    bistro_here: Command, files: Path, old: Path, command: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    before = picture(old)
    done = bistro_here(*writers(files, "old.conllu")[command])
    expect_refusal(done, "old.conllu: cannot be written: no space left on device")
    assert picture(old) == before


@pytest.mark.parametrize("command", range(4))
def test_a_file_that_may_not_grow(
    bistro_outside: Command, files: Path, old: Path, command: int
) -> None:
    """The kernel itself refuses to write more than 100 bytes."""
    arguments = [*writers(files, "old.conllu")[command]]
    if arguments[0] == "generate":
        arguments += ["-n", 1000]
    before = picture(old)
    done = bistro_outside(
        *arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    )
    expect_refusal(done, "old.conllu: cannot be written: file too large")
    assert picture(old) == before


def test_a_checkpoint_that_cannot_be_written(
    bistro_outside: Command, files: Path, old: Path
) -> None:
    arguments = (*writers(files, "old.bistro")[0], "--checkpoint-seconds", 0)
    before = picture(old)
    done = bistro_outside(
        *arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    )
    expect_refusal(done, "old.bistro.checkpoint: cannot be written: file too large")
    assert picture(old) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [("generate",), ("info",), ("info", "--json"), ("perplexity", "--json"), ("surprisal",)],
    ids=" ".join,
)
def test_a_full_disk_behind_stdout(
    bistro_outside: Command, files: Path, here: Path, arguments: tuple[str, ...]
) -> None:
    command, *options = arguments
    model = files / "english.bistro"
    with Path("/dev/full").open("wb") as full:
        done = bistro_outside(command, model, *options, stdin=b"The dog .\n", stdout=full)
    expect_refusal(done, "bistro: stdout: cannot be written: no space left on device")
    assert done.err.count("\n") == 1
