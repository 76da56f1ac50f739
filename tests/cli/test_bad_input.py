"""Bad input: one sentence on stderr, exit code 2, no traceback, nothing half-written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

import bistro
from bistro.modelfile import Arrays, read_model, write_model
from bistro.models.base import Model, Origin
from bistro.models.kinds import Kind

from .program import ENVIRONMENT, PROGRAM, Command, Ended
from .refusals import QUICK, expect_refusal, refuse

ROWS = ("1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_", "2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_")
GOOD = "\n".join(ROWS) + "\n\n"
TWO_ROOTS = GOOD.replace("2\tdet", "0\troot")
BAD_TREEBANKS: dict[str, tuple[str | bytes, str]] = {
    "cycle": (GOOD + GOOD.replace("0\troot", "1\tnsubj"), "bad.conllu:4: no word has head 0"),
    "circle": (
        GOOD[:-1] + "3\tsees\t_\t_\t_\t_\t4\tdep\t_\t_\n4\tit\t_\t_\t_\t_\t3\tdep\t_\t_\n\n",
        "bad.conllu:3: words 3 → 4 → 3 are heads of each other",
    ),
    "two roots": (TWO_ROOTS, "words 1 and 2 both have head 0"),
    "nine columns": (GOOD.replace("\t_\n\n", "\n\n"), "bad.conllu:2: 9 columns found, 10 expected"),
    "bad UTF-8": (GOOD.encode().replace(b"dog", b"d\xf6g"), "bad.conllu:2: "),
    "empty": ("", "bad.conllu: the file is empty"),
    "head outside": (GOOD.replace("2\tdet", "9\tdet"), "bad.conllu:1: head 9 of word 1 is outside"),
}


def readers(files: Path, name: str) -> list[tuple[object, ...]]:
    """All commands that read sentences, with `name` as their input and old files as output."""
    model = files / "english.bistro"
    return [
        ("train", "ngram", name, "-o", "old.bistro", *QUICK),
        ("train", "ngram", files / "train.txt", "--dev", name, "-o", "old.bistro", *QUICK),
        ("perplexity", model, name),
        ("surprisal", model, name, "-o", "old.tsv"),
        ("convert", name, "-o", "old.conllu"),
        ("evaluate", name, files / "test.conllu"),
    ]


ANY_ROOTS = (2, 3, 5)
"""Those of the commands to which it does not matter how many roots a sentence has."""


# ---- treebanks ---------------------------------------------------------------------------------
@pytest.mark.parametrize("command", range(6))
@pytest.mark.parametrize("name", BAD_TREEBANKS)
def test_bad_treebanks(
    bistro_here: Command, files: Path, old: Path, name: str, command: int
) -> None:
    content, told = BAD_TREEBANKS[name]
    if name == "two roots" and command in ANY_ROOTS:
        (old / "bad.conllu").write_bytes(TWO_ROOTS.encode())
        assert told not in bistro_here(*readers(files, "bad.conllu")[command]).err
        return
    data = content if isinstance(content, bytes) else content.encode()
    (old / "bad.conllu").write_bytes(data)
    refuse(bistro_here, old, *readers(files, "bad.conllu")[command], told=told)


@pytest.mark.parametrize("command", range(6))
def test_a_missing_file(bistro_here: Command, files: Path, old: Path, command: int) -> None:
    arguments = readers(files, "absent.conllu")[command]
    refuse(bistro_here, old, *arguments, told="absent.conllu: cannot be read: no such file")


def test_a_misspelt_file(bistro_here: Command, files: Path, old: Path) -> None:
    arguments = readers(files, str(files / "trian.txt"))[0]
    refuse(bistro_here, old, *arguments, told=f"(did you mean '{files / 'train.txt'}'?)")


@pytest.mark.parametrize("command", range(6))
def test_a_model_as_input(bistro_here: Command, files: Path, old: Path, command: int) -> None:
    arguments = readers(files, str(files / "english.bistro"))[command]
    refuse(bistro_here, old, *arguments, told="english.bistro: this is a model file, but a")


@pytest.mark.parametrize("kind", ["transition", "eisner", "isbn", "committee"])
def test_text_without_trees(bistro_here: Command, files: Path, old: Path, kind: str) -> None:
    arguments = ("train", kind, files / "train.txt", "-o", "old.bistro")
    refuse(bistro_here, old, *arguments, told="train.txt:1: this text has no trees")


@pytest.mark.parametrize("command", range(6))
def test_a_folder_as_input(bistro_here: Command, files: Path, old: Path, command: int) -> None:
    (old / "folder").mkdir()
    arguments = readers(files, "folder")[command]
    refuse(bistro_here, old, *arguments, told="folder: cannot be read: is a directory")


@pytest.mark.parametrize("name", ["bad.conllu.gz", "bad.conllu.xz", "bad.conllu.zst"])
def test_a_damaged_compressed_file(bistro_here: Command, files: Path, old: Path, name: str) -> None:
    (old / name).write_bytes(b"this was never compressed")
    refuse(bistro_here, old, "convert", name, "-o", "old.conllu", told=f"{name}: ")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \n"])
def test_nothing_on_stdin(bistro_here: Command, files: Path, old: Path, content: bytes) -> None:
    arguments = ("perplexity", files / "english.bistro")
    refuse(bistro_here, old, *arguments, stdin=content, told="<stdin>: the file is empty")


def test_two_roots_are_allowed_where_the_format_has_them(
    bistro_here: Command, files: Path, old: Path
) -> None:
    (old / "two.conll").write_text(TWO_ROOTS)
    assert bistro_here("perplexity", files / "english.bistro", "two.conll").code == 0
    assert bistro_here("convert", "two.conll", "-o", "out.conll").code == 0


def test_windows_line_ends_work(bistro_here: Command, files: Path, here: Path) -> None:
    text = (files / "test.conllu").read_bytes()
    (here / "crlf.conllu").write_bytes(text.replace(b"\n", b"\r\n"))
    model = files / "english.bistro"
    plain, crlf = (
        bistro_here("surprisal", model, name).out for name in (files / "test.conllu", "crlf.conllu")
    )
    assert plain == crlf
    assert bistro_here("convert", "crlf.conllu", "-o", "back.conllu").code == 0
    assert (here / "back.conllu").read_bytes() == (here / "crlf.conllu").read_bytes()
    (here / "crlf.txt").write_bytes((files / "train.txt").read_bytes().replace(b"\n", b"\r\n"))
    assert bistro_here("train", "ngram", "crlf.txt", "-o", "m.bistro", *QUICK).code == 0
    assert not any("\r" in word for word in bistro.load("m.bistro").vocabulary.words)


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x0b", "\x85", "\x1c", "\u00a0"])
def test_strange_separators_are_part_of_their_token(
    bistro_here: Command, files: Path, here: Path, odd: str
) -> None:
    token = f"do{odd}g"
    (here / "odd.conllu").write_text(GOOD.replace("dog", token), newline="\n")
    table = bistro_here("surprisal", files / "english.bistro", "odd.conllu").out
    assert [row.split("\t")[2] for row in table.split("\n")[1:-1]] == ["The", token, "</s>"]
    assert bistro_here("convert", "odd.conllu", "-o", "back.conllu").code == 0
    assert (here / "back.conllu").read_bytes() == (here / "odd.conllu").read_bytes()


def test_a_sentence_of_100_000_words(bistro_here: Command, files: Path, here: Path) -> None:
    words = [f"w{i % 5000}" for i in range(100_000)]
    (here / "long.txt").write_text(" ".join(words) + "\n")
    rows = (f"{i + 1}\t{w}\t_\tX\t_\t_\t{i}\tdep\t_\t_" for i, w in enumerate(words))
    (here / "chain.conllu").write_text("\n".join(rows) + "\n\n")
    for name in ("long.txt", "chain.conllu"):
        assert bistro_here("train", "ngram", name, "-o", "m.bistro", *QUICK).code == 0
        told = json.loads(bistro_here("perplexity", "m.bistro", name, "--json").out)
        assert (told["words"], told["sentences"]) == (100_000, 1)
        assert told["perplexity"] < 5000
        assert bistro_here("surprisal", "m.bistro", name).out.count("\n") == 100_002
        assert bistro_here("convert", name, "-o", f"back-{name}").code == 0
        assert (here / f"back-{name}").read_bytes() == (here / name).read_bytes()


# ---- models ------------------------------------------------------------------------------------
MODEL_COMMANDS = ("perplexity", "surprisal", "generate", "info")


@pytest.mark.parametrize("command", MODEL_COMMANDS)
@pytest.mark.parametrize("size", [0, 5, 100, 5000, -1])
def test_a_truncated_model(
    bistro_here: Command, files: Path, old: Path, command: str, size: int
) -> None:
    whole = (files / "english.bistro").read_bytes()
    (old / "cut.bistro").write_bytes(whole[:size])
    told = {0: "the file is empty", 5: "this is not a Bistro model file"}.get(
        size, "the file is cut short"
    )
    refuse(bistro_here, old, command, "cut.bistro", told=f"cut.bistro: {told}", stdin=b"a b\n")


@pytest.mark.parametrize("command", MODEL_COMMANDS)
def test_a_model_of_another_version(
    bistro_here: Command, files: Path, old: Path, command: str
) -> None:
    file = read_model(files / "english.bistro")
    write_model(old / "new.bistro", file.header, file.arrays, version=99)
    refuse(bistro_here, old, command, "new.bistro", told="format 99", stdin=b"a b\n")


@pytest.mark.parametrize("command", ["perplexity", "surprisal", "parse", "tag"])
def test_the_model_comes_before_the_input(
    bistro_here: Command, files: Path, old: Path, command: str
) -> None:
    model, text = files / "english.bistro", files / "train.conllu"
    told = f"written (the model comes before the input: bistro {command} {model} {text})"
    refuse(bistro_here, old, command, text, model, told=told)
    (old / "text.bistro").write_bytes(text.read_bytes())
    right_order = bistro_here(command, "text.bistro", text)
    assert "comes before" not in right_order.err


@pytest.mark.parametrize("command", MODEL_COMMANDS)
def test_not_a_model(bistro_here: Command, files: Path, old: Path, command: str) -> None:
    (old / "text.bistro").write_bytes((files / "train.conllu").read_bytes())
    told = "text.bistro: this is not a Bistro model file; give a file that bistro train has written"
    refuse(bistro_here, old, command, "text.bistro", told=told, stdin=b"a b\n")
    refuse(bistro_here, old, command, "no.bistro", told="no.bistro: cannot be read: no such file")
    refuse(
        bistro_here, old, command, ".", told=".: this is a folder, but a model file was expected"
    )


@pytest.mark.parametrize("command", MODEL_COMMANDS)
def test_a_kind_of_model_from_elsewhere(
    bistro_here: Command, files: Path, old: Path, command: str
) -> None:
    file = read_model(files / "english.bistro")
    write_model(old / "odd.bistro", {**file.header, "kind": "oracle"}, file.arrays)
    refuse(bistro_here, old, command, "odd.bistro", told="of kind 'oracle'", stdin=b"a b\n")


@dataclass(frozen=True)
class MuteConfig:
    """Settings of such a model: none."""


class Mute(Model):
    """A model that can be saved and loaded, and nothing else."""

    kind = "mute"
    config = MuteConfig()

    def __init__(self, origin: Origin) -> None:
        self.origin = origin

    def header(self) -> dict[str, Any]:
        return {}

    def arrays(self) -> Arrays:
        return {}

    @classmethod
    def from_parts(
        cls, config: Any, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        return cls(origin)

    def summary(self) -> dict[str, Any]:
        return {}


MUTE = Kind(
    name="mute",
    help="nothing",
    about="a model for tests",
    model=f"{__name__}:Mute",
    config=f"{__name__}:MuteConfig",
    trainer="",
    abilities=(),
)


@pytest.mark.parametrize("command", ["perplexity", "surprisal", "generate"])
def test_a_model_without_the_ability(
    bistro_here: Command,
    files: Path,
    old: Path,
    command: str,
    install_kind: Callable[[str, str], None],
) -> None:
    install_kind("mute", f"{__name__}:MUTE")
    Mute(bistro.load(files / "english.bistro").origin).save("mute.bistro")
    ability = "generate sentences" if command == "generate" else "score words"
    told = f"a mute model cannot {ability}; use an ngram, transition, isbn, reader or grammar model"
    refuse(bistro_here, old, command, "mute.bistro", told=told, stdin=b"a b\n")


def test_an_unknown_kind_to_train(bistro_here: Command, files: Path, old: Path) -> None:
    arguments = ("train", "n-gram", files / "train.txt", "-o", "old.bistro")
    refuse(
        bistro_here, old, *arguments, told="unknown kind of model 'n-gram' (did you mean 'ngram'?)"
    )
    told = "'train.txt' (the kind comes before the file, as in transition train.txt): choose"
    refuse(bistro_here, old, "train", "train.txt", "-o", "old.bistro", told=told)


# ---- settings ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("ordre=3", "--set: unknown setting 'ordre' (did you mean 'order'?)"),
        ("sampler.sweep=3", "unknown setting 'sampler.sweep' (did you mean 'sampler.sweeps'?)"),
        ("sweeps=3", "--set: unknown setting 'sweeps' (did you mean 'sampler.sweeps'?)"),
        ("order", "--set order: expected key=value"),
        ("order=three", "'order' must be a whole number, not \"three\""),
        ("order=0", "order is 0, but must lie between 1 and 100"),
        ("order=2000000000", "order is 2000000000, but must lie between 1 and 100"),
        ("unknown=singel", "did you mean 'single'?"),
        ("sampler=fast", "'sampler' must be a table"),
        ("sampler.sweeps=10", "samples is 40, but must lie between 1 and sweeps = 10"),
    ],
)
def test_bad_settings(
    bistro_here: Command, files: Path, old: Path, override: str, told: str
) -> None:
    arguments = ("train", "ngram", files / "train.txt", "-o", "old.bistro", "--set", override)
    refuse(bistro_here, old, *arguments, told=told)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"ordre = 3\n", "c.toml: unknown setting 'ordre' (did you mean 'order'?)"),
        (b"[sampler]\nseeting = 'gibbs'\n", "did you mean 'sampler.seating'?"),
        (b"order =\n", "c.toml: the file is not valid TOML"),
        (b"order = '\xff'\n", "c.toml: the file is not valid TOML"),
    ],
)
def test_bad_config_files(
    bistro_here: Command, files: Path, old: Path, content: bytes, told: str
) -> None:
    (old / "c.toml").write_bytes(content)
    arguments = ("train", "ngram", files / "train.txt", "-o", "old.bistro", "--config", "c.toml")
    refuse(bistro_here, old, *arguments, told=told)


def test_a_missing_config_file(bistro_here: Command, files: Path, old: Path) -> None:
    arguments = ("train", "ngram", files / "train.txt", "-o", "old.bistro", "--config", "c.toml")
    refuse(bistro_here, old, *arguments, told="c.toml: cannot be read: no such file")


# ---- the process -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("convert", "bad.conllu", "-o", "out.conllu"), "both have head 0"),
        (("train", "ngram", "bad.conllu", "-o", "m.bistro"), "both have head 0"),
        (("perplexity", "bad.conllu", "bad.conllu"), "is not a Bistro model file"),
        (("trian",), "Did you mean 'train'"),
        (("generate",), "Missing argument 'MODEL'"),
        (("generate", "m", "-n", "0"), "--number"),
    ],
)
def test_as_a_process(
    bistro_outside: Command, here: Path, arguments: tuple[str, ...], told: str
) -> None:
    (here / "bad.conllu").write_text(TWO_ROOTS)
    refuse(bistro_outside, here, *arguments, told=told)


def test_too_little_memory_is_said(
    bistro_here: Command, files: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr("bistro.models.base.load", greedy)
    refuse(bistro_here, here, "info", files / "english.bistro", told="not enough memory")


def test_stdin_that_was_closed(files: Path, here: Path) -> None:
    command = [*PROGRAM, "perplexity", str(files / "english.bistro")]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command],
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    expect_refusal(Ended(done.returncode, "", done.stderr.decode()), "stdin")
