"""What commands may overwrite: no input, by whatever name, and no file of another kind."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bistro.cli.outputs import content_of

from .program import ENVIRONMENT, PROGRAM, Command
from .refusals import QUICK, refuse

ALIASES: dict[str, Callable[[Path, Path], None]] = {
    "symbolic link": lambda name, file: name.symlink_to(file.name),
    "hard link": lambda name, file: os.link(file, name),
}


@pytest.fixture
def copies(here: Path, files: Path) -> Path:
    for name in ("english.bistro", "test.conllu", "train.txt"):
        shutil.copy(files / name, here / name)
    return here


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "ngram", "train.txt", "-o", "train.txt", *QUICK),
        ("surprisal", "english.bistro", "test.conllu", "-o", "english.bistro"),
        ("surprisal", "english.bistro", "test.conllu", "-o", "./test.conllu"),
        ("convert", "test.conllu", "-o", "test.conllu"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_an_output_that_is_an_input_is_refused(
    bistro_here: Command, copies: Path, arguments: tuple[str, ...], force: bool
) -> None:
    more = ["--force"] if force else []
    refuse(bistro_here, copies, *arguments, *more, told="this is also an input")


@pytest.mark.parametrize("alias", ALIASES)
def test_an_input_by_another_name(bistro_here: Command, copies: Path, alias: str) -> None:
    ALIASES[alias](copies / "other.conllu", copies / "test.conllu")
    arguments = ("convert", "test.conllu", "-o", "other.conllu", "--force")
    refuse(bistro_here, copies, *arguments, told="other.conllu: this is also an input")


def test_stdin_that_is_the_output(copies: Path) -> None:
    before = (copies / "test.conllu").read_bytes()
    command = [*PROGRAM, "convert", "-", "-o", "test.conllu"]
    with (copies / "test.conllu").open("rb") as stdin:
        done = subprocess.run(
            command, stdin=stdin, capture_output=True, check=False, env=ENVIRONMENT
        )
    assert b"test.conllu: this is also an input" in done.stderr
    assert (copies / "test.conllu").read_bytes() == before


def test_two_outputs_with_one_name(bistro_here: Command, copies: Path) -> None:
    arguments = ("doctor", "test.conllu", "-o", "x.html", "--html", "./x.html")
    refuse(bistro_here, copies, *arguments, told="two outputs")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("train", "ngram", "train.txt", "-o", "notes.txt", *QUICK), "a model file"),
        (("surprisal", "english.bistro", "test.conllu", "-o", "notes.txt"), "a table"),
        (("surprisal", "english.bistro", "train.txt", "-o", "test.conllu"), "a table"),
        (
            ("convert", "test.conllu", "--to", "conllu", "-o", "english.bistro"),
            "a text or a treebank",
        ),
        (("generate", "english.bistro", "-o", "photo.png"), "a text or a treebank"),
    ],
)
def test_a_file_of_another_kind_is_kept(
    bistro_here: Command, copies: Path, arguments: tuple[str, ...], what: str
) -> None:
    (copies / "notes.txt").write_text("Remember the milk.\n")
    (copies / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    name = arguments[arguments.index("-o") + 1]
    refuse(bistro_here, copies, *arguments, told=f"{name}: the file exists and is not {what}")
    assert bistro_here(*arguments, "--force").code == 0


def test_own_kinds_and_empty_files_are_overwritten(bistro_here: Command, copies: Path) -> None:
    (copies / "empty").touch()
    for arguments in (
        ("convert", "test.conllu", "-o", "out"),
        ("surprisal", "english.bistro", "test.conllu", "-o", "table.gz"),
        ("train", "ngram", "train.txt", "-o", "m", *QUICK),
        ("generate", "english.bistro", "-o", "empty"),
    ):
        for _ in range(2):
            assert bistro_here(*arguments).code == 0


def test_a_model_is_not_written_to_a_device(bistro_here: Command, copies: Path) -> None:
    for name in ("/dev/null", "/dev/fd/1"):
        refuse(
            bistro_here,
            copies,
            "train",
            "ngram",
            "train.txt",
            "-o",
            name,
            told="a model must be a regular file",
        )


def test_a_kind_is_not_an_input(bistro_here: Command, copies: Path) -> None:
    for _ in range(2):
        assert bistro_here("train", "ngram", "train.txt", "-o", "ngram", *QUICK).code == 0


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "nothing"),
        (b" \n", "nothing"),
        (b"# text = a\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n", "columns"),
        (b"(ROOT (S (NP a)))\n", "brackets"),
        (b"word\tsurprisal\n", "table"),
        (b'{"a": 1}\n', "json"),
        (b"<!DOCTYPE html>\n<html>", "page"),
        (b"<svg xmlns=", "picture"),
        (b"# Found by bistro tune.\n\norder = 3\n", "toml"),
        (b"[sampler]\nsweeps = 3\n", "toml"),
        (b"Remember the milk.\n", "text"),
        (b"\x89HDF\r\n\x1a\n", "netcdf"),
        (b"CDF\x01\0\0", "netcdf"),
        (b"\xff\xfe", "other"),
        (b"a\0b", "other"),
    ],
)
def test_what_a_file_holds(here: Path, content: bytes, expected: str) -> None:
    (here / "x").write_bytes(content)
    assert content_of("x") == expected
