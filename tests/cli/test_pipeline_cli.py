"""`bistro train pipeline` and `bistro parse` on running text, as a user types them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bistro
from bistro.treebank.treebank import Treebank

from .program import Command

TEXT = "  The dog sleeps. A cat sees it.\r\n\r\nThe old house sleeps."


@pytest.fixture(scope="session")
def pipeline(tmp_path_factory: pytest.TempPathFactory, english: Treebank) -> Path:
    """The file of a pipeline with a transition parser."""
    path = tmp_path_factory.mktemp("pipeline") / "all.bistro"
    bistro.train("pipeline", english[:300], seed=1, parser="transition").save(path)
    return path


def test_running_text_becomes_conllu(bistro_here: Command, pipeline: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text(TEXT, encoding="utf-8", newline="")
    done = bistro_here(
        "parse", pipeline, tmp_path / "letter.txt", "-o", tmp_path / "letter.conllu", "--marginals"
    )
    assert done.code == 0 and "3 sentences, 14 words" in done.err
    found = bistro.read(tmp_path / "letter.conllu")
    assert [len(sentence) for sentence in found] == [4, 5, 5]
    assert "SpacesBefore=\\s\\s" in found[0].misc[0] and "PLemma=" in found[0].misc[0]
    assert "SpacesAfter=\\r\\n\\r\\n" in found[1].misc[-1]
    assert all("_" not in sentence.upos for sentence in found)


def test_alternatives_are_written(bistro_here: Command, pipeline: Path, tmp_path: Path) -> None:
    text = b"Zorbs blick the old dog with a telescope.\n"
    done = bistro_here("parse", pipeline, "--alternatives", "2", stdin=text)
    assert done.code == 0 and "Upos2=" in done.out and "PUpos2=" in done.out
    assert "Upos3=" in done.out and "Upos4=" not in done.out
    parser = tmp_path / "parser.bistro"
    bistro.train("transition", bistro.builtin(sentences=20, seed=1), seed=1).save(parser)
    refused = bistro_here("parse", parser, "--alternatives", "2", stdin=text)
    assert refused.code == 2 and "--alternatives are for pipelines" in refused.err


def test_a_whole_run_from_training(bistro_here: Command, english: Treebank, tmp_path: Path) -> None:
    bistro.write(english[:60], tmp_path / "train.conllu")
    trained = bistro_here(
        "train", "pipeline", tmp_path / "train.conllu", "--set", "parser=eisner",
        "-o", tmp_path / "p.bistro",
    )  # fmt: skip
    assert trained.code == 0
    done = bistro_here("parse", tmp_path / "p.bistro", stdin=b"The dog sleeps.\n")
    assert done.code == 0 and done.out.startswith("# sent_id = 1\n# text = The dog sleeps.\n1\tThe")


def test_columns_are_kept(
    bistro_here: Command, pipeline: Path, english: Treebank, tmp_path: Path
) -> None:
    bistro.write(english[310:320], tmp_path / "gold.conllu")
    done = bistro_here(
        "parse", pipeline, tmp_path / "gold.conllu", "--keep", "upos,heads,lemmas",
        "-o", tmp_path / "kept.conllu",
    )  # fmt: skip
    assert done.code == 0
    for gold, kept in zip(english[310:320], bistro.read(tmp_path / "kept.conllu"), strict=True):
        assert (kept.upos, kept.heads, kept.lemmas) == (gold.upos, gold.heads, gold.lemmas)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"Caf\xe9\n", "bad.txt:1: the file is not valid UTF-8 (byte 0xE9"),
        (b"a\nb\0c", "bad.txt:2: the file contains a NUL"),
    ],
)
def test_bytes_that_are_no_text_are_refused(
    bistro_here: Command, pipeline: Path, tmp_path: Path, content: bytes, says: str
) -> None:
    (tmp_path / "bad.txt").write_bytes(content)
    done = bistro_here("parse", pipeline, tmp_path / "bad.txt", "-o", tmp_path / "out.conllu")
    assert done.code == 2 and says in done.err
    assert not (tmp_path / "out.conllu").exists()


def test_options_of_others_are_refused(bistro_here: Command, pipeline: Path) -> None:
    for options, says in (
        (("--keep", "lemma"), "no column 'lemma' to keep"),
        (("--kbest", "3"), "--kbest is for parsers"),
        (("--search", "mcmc"), "is for constituency models"),
    ):
        done = bistro_here(
            "parse", pipeline, "--input", "conllu", *options, stdin=b"1\tIt" + b"\t_" * 8
        )
        assert done.code == 2 and says in done.err


def test_lines_and_white_space(bistro_here: Command, pipeline: Path) -> None:
    done = bistro_here("parse", pipeline, "--line-ends", stdin=b"The dog\nsleeps.\n")
    assert done.code == 0 and done.out.count("# sent_id") == 2
    empty = bistro_here("parse", pipeline, stdin=b" \n ")
    assert empty.code == 0 and empty.out == ""
