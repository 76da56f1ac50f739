"""`bistro complete` as a user types it."""

from __future__ import annotations

from pathlib import Path

import pytest

import bistro
from bistro.treebank.treebank import Treebank, read, write

from .program import Command

QUICK = ("--kind", "eisner", "--set", "sampler.sweeps=3", "--set", "sampler.samples=1")


@pytest.fixture
def half(here: Path, english: Treebank) -> Path:
    """Eighty whole sentences, and twenty without heads and labels."""
    bare = [s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in english[80:100]]
    write([*english[:80], *bare], here / "half.conllu")
    return here / "half.conllu"


def test_a_file_is_completed(
    bistro_here: Command, half: Path, here: Path, english: bistro.Treebank
) -> None:
    done = bistro_here("complete", half, "-o", "done.conllu", *QUICK)
    assert (done.code, done.out) == (0, "")
    before, after = half.read_text(), (here / "done.conllu").read_text()
    size = len("".join(str(s) for s in english[:80]))
    assert after[:size] == before[:size]
    sentences = read(here / "done.conllu")
    right = sum(a == b for s, t in zip(sentences[80:], english[80:100], strict=True)
                for a, b in zip(s.heads, t.heads, strict=True))  # fmt: skip
    assert right / sum(map(len, sentences[80:])) > 0.7
    assert all("Filled=Head,Deprel|PHead=" in misc for s in sentences[80:] for misc in s.misc)
    assert "filled in 20 of 100 sentences: Head " in done.err


def test_a_model_and_a_threshold(
    bistro_here: Command, half: Path, here: Path, english: bistro.Treebank
) -> None:
    model = bistro.train("eisner", english[:80], sampler={"sweeps": 3, "samples": 1})
    model.save(here / "parser.bistro")
    arguments = ("complete", half, "--model", "parser.bistro")
    done = bistro_here(*arguments, "--below", 0.95, "-o", "sure.conllu")
    assert done.code == 0
    assert "not sure enough, only in MISC: Head " in done.err
    text = (here / "sure.conllu").read_text()
    assert "MaybeHead=" in text

    for option in (("--kind", "eisner"), ("--set", "sampler.sweeps=3")):
        refused = bistro_here(*arguments, *option)
        assert refused.code == 2
        assert "leave them out if --model is given" in refused.err
    bare = english[80].replace(
        heads=[-1] * len(english[80]),
        deprels=["odd", *["_"] * (len(english[80]) - 1)],
        upos=["ODD", *english[80].upos[1:]],
    )
    write([bare], here / "odd.conllu")
    done = bistro_here("complete", "odd.conllu", "--model", "parser.bistro", "-o", "even.conllu")
    assert "given values unknown to the model, so not used: Upos 1, Deprel 1" in done.err
    write(english[:5], here / "whole.conllu")
    done = bistro_here("complete", "whole.conllu", "--model", "parser.bistro")
    assert done.err == "no value was missing (sentences: 5)\n"


def test_conllx_has_no_marks(bistro_here: Command, here: Path, english: bistro.Treebank) -> None:
    rows = "1\tIt\t_\tPRON\tPRON\t_\t2\tnsubj\t_\t_\n2\trains\t_\tVERB\tVERB\t_\t0\troot\t_\t_\n\n"
    holes = rows.replace("\t2\tnsubj", "\t_\t_")
    (here / "x.conll").write_text(rows * 5 + holes)
    done = bistro_here("complete", "x.conll", "-o", "y.conll", *QUICK)
    assert done.code == 0
    assert (here / "y.conll").read_text() == rows * 6


@pytest.mark.parametrize(
    ("name", "content", "arguments", "told"),
    [
        ("a.txt", "The dog sleeps .\n", (), "plain text has no annotation to complete"),
        (
            "a.conllu",
            "1\tIt\t_\tPRON\t_\t_\t_\t_\t_\t_\n\n",
            (),
            "no sentence is complete",
        ),
        ("a.conllu", "1\tIt\t_\t_\t_\t_\t0\troot\t_\t_\n\n", (), "or give a model"),
        ("a.conllu", "1\tIt\t_\tX\t_\t_\t0\troot\t_\t_\n\n", ("--below", "2"), "'--below'"),
        ("a.conllu", "1\tIt\t_\tX\t_\t_\t0\troot\t_\t_\n\n", ("--model", "a.conllu"), "a.conllu"),
        ("a.conllu", "1\tIt\t_\tX\t_\t_\t0\troot\t_\t_\n\n", ("--kind", "lda"), "unknown kind"),
        ("a.conllu", "1\tIt\t_\tX\t_\t_\t5\troot\t_\t_\n\n", (), "a.conllu:1"),
    ],
)
def test_bad_input(
    bistro_here: Command, here: Path, name: str, content: str, arguments: tuple[str, ...], told: str
) -> None:
    (here / name).write_text(content)
    done = bistro_here("complete", name, "-o", "out.conllu", *arguments)
    assert done.code == 2
    assert told in done.err
    assert done.err.count("\n") == 1
    assert not (here / "out.conllu").exists()
