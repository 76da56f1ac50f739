"""Every operation on files fails once: the old file stays, nothing is half-written, one sentence.

For n = 1, 2, … the n-th operation of a command fails (`faults`), until there are fewer. Then either
the command does without it and gives the right result, or it is refused and leaves what was there.
"""

from __future__ import annotations

import contextlib
import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import bistro

from .faults import Faults
from .program import Command, Ended
from .refusals import QUICK, picture

MOST = 200
Words = tuple[object, ...]


def _train(files: Path) -> Words:
    data = files / "small.txt"
    return ("train", "ngram", data, "-o", "out.bistro", *QUICK, "--checkpoint-seconds", 0)


def _parallel(files: Path) -> Words:
    quick = ("--set", "sampler.sweeps=1", "--set", "sampler.samples=1", "--threads", 2)
    return ("train", "transition", files / "small.conllu", "-o", "out.bistro", *quick)


def _parse(files: Path) -> Words:
    return ("parse", files / "parser.bistro", files / "small.conllu", "-o", "out.conllu")


def _packed(files: Path) -> Words:
    return ("convert", files / "small.conllu", "-o", "out.conllu.gz")


def _convert(files: Path) -> Words:
    return ("convert", files / "small.conllu", "-o", "out.conllu")


def _tune(files: Path) -> Words:
    quick = ("--sweeps", 2, "--set", "sampler.sweeps=2", "--set", "sampler.samples=1")
    data = ("tune", "transition", files / "small.conllu", "--dev", files / "small.conllu")
    return (*data, *quick, "--settings", "none", "--minutes", 0, "-o", "out.toml")


def _report(files: Path) -> Words:
    return ("report", files / "parser.bistro", "--test", files / "small.conllu", "-o", "out.html")


def _surprisal(files: Path) -> Words:
    return ("surprisal", files / "english.bistro", files / "small.conllu", "-o", "out.tsv")


COMMANDS = (_train, _parallel, _parse, _convert, _packed, _tune, _report, _surprisal)


@pytest.fixture(scope="session")
def small(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like `files` with a few sentences and a parser."""
    folder = tmp_path_factory.mktemp("small")
    shutil.copy(files / "english.bistro", folder)
    sentences = (files / "test.conllu").read_text().split("\n\n")[:4]
    (folder / "small.conllu").write_text("\n\n".join(sentences) + "\n\n")
    (folder / "small.txt").write_text("".join((files / "test.txt").open().readlines()[:4]))
    quick = {"sweeps": 3, "samples": 1}
    bistro.train("transition", bistro.read(files / "test.conllu"), seed=1, sampler=quick).save(
        folder / "parser.bistro"
    )
    return folder


@pytest.mark.parametrize("make", COMMANDS, ids=lambda make: make.__name__.strip("_"))
def test_every_operation_fails_once(
    bistro_here: Command, small: Path, here: Path, make: Callable[[Path], Words]
) -> None:
    command = make(small)
    name = str(command[command.index("-o") + 1])
    whole, after = _result(bistro_here, command, here, name)
    old = _old(bistro_here, command, here, name)
    assert old != whole
    failed = set()
    for number in range(1, MOST):
        _clear(here)
        (here / name).write_bytes(old)
        with Faults(number) as faults:
            done = bistro_here(*command)
        if faults.failed is None:
            break
        failed.add(faults.failed)
        _check(done, faults.failed, here, name, {old, whole})
        again = bistro_here(*command, *(("--resume",) if command[0] == "train" else ()))
        assert again.code == 0, again.err
        assert picture(here) == {**after, name: whole}
    assert number > 5
    assert {"open", "write", "fsync", "rename"} <= failed
    assert done.code == 0


def test_writing_in_place_does_not_pass(here: Path) -> None:
    """The negative control: a file that is overwritten is lost when a write fails."""
    lost = []
    for number in (1, 2):
        (here / "out").write_bytes(b"old")
        with Faults(number) as faults, contextlib.suppress(OSError):
            (here / "out").open("wb").write(b"new and longer")
        lost.append((faults.failed, (here / "out").read_bytes()))
    assert lost == [("open", b"old"), ("write", b"new and")]


def _check(done: Ended, failed: str, folder: Path, name: str, contents: set[bytes]) -> None:
    """Refused with one sentence, or well; nothing half-written is left."""
    assert done.code in (0, 2)
    assert "Traceback" not in done.err
    complaints = [line for line in done.err.splitlines() if line.startswith("bistro: ")]
    assert len(complaints) == (done.code == 2), (failed, done.err)
    assert not list(folder.glob(".*.part")), failed
    assert (folder / name).read_bytes() in contents


def _result(
    command: Command, words: Words, folder: Path, name: str
) -> tuple[bytes, dict[str, bytes]]:
    assert command(*words).code == 0
    return (folder / name).read_bytes(), picture(folder)


def _old(command: Command, words: Words, folder: Path, name: str) -> bytes:
    """Return a file of the same kind with another content."""
    content = (folder / name).read_bytes()
    _clear(folder)
    if name.endswith(".bistro"):
        assert command(*words, "--seed", 2).code == 0
        content = (folder / name).read_bytes()
        _clear(folder)
        return content
    if name.endswith(".gz"):
        return gzip.compress(gzip.decompress(content) * 2)
    return content + content.splitlines(keepends=True)[-1] if b"\t" not in content else content * 2


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
