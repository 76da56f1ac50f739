"""`bistro doctor` as a user types it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from bistro.treebank.treebank import Treebank, write
from experiments.doctor import plant_heads

from .program import Command

QUICK = ("--set", "sampler.sweeps=3", "--set", "sampler.samples=1")


@pytest.fixture
def spoilt(here: Path, english: Treebank) -> set[tuple[str | None, str]]:
    """A file with planted errors, and where they are."""
    sentences, planted = plant_heads(english[:120], seed=1, share=0.01)
    write(sentences, here / "spoilt.conllu")
    return {(sentences[place].sent_id, str(word)) for place, word in planted}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def test_planted_errors_come_first(
    bistro_here: Command, spoilt: set[tuple[str | None, str]], here: Path
) -> None:
    done = bistro_here("doctor", "spoilt.conllu", "-k", 3, "--only", "arcs", "--top", 60, *QUICK)
    assert done.code == 0
    table = rows(done.out)
    assert len(table) == 60
    surprises = [float(row["surprise"]) for row in table]
    assert surprises == sorted(surprises, reverse=True)
    assert "arcs with an unseen crossing pattern: " in done.err
    apart = bistro_here("doctor", "spoilt.conllu", "-k", 3, "--only", "crossings", *QUICK)
    crossings = rows(apart.out)
    assert {row["what"] for row in crossings} == {"crossing"}
    # The treebank itself has no crossing arcs, so each of them is a planted error.
    places = {(row["sent_id"], row["word"]) for row in crossings}
    assert places and len(places & spoilt) > 0.5 * len(places)
    found = {(row["sent_id"], row["word"]) for row in [*table, *crossings]} & spoilt
    assert len(found) > 0.7 * len(spoilt)
    lines = (here / "spoilt.conllu").read_text().split("\n")
    for row in table:
        name, line = row["place"].split(":")
        fields = lines[int(line) - 1].split("\t")
        assert name == "spoilt.conllu"
        assert (fields[0], fields[1]) == (row["word"], row["form"])
        assert f"{fields[6]}:{fields[7]}" == row["annotated"]
        assert f"[{row['form']}]" in row["text"]
    assert "60 of " in done.err


def test_other_data_a_page_and_all_values(
    bistro_here: Command, spoilt: set[tuple[str | None, str]], files: Path, here: Path
) -> None:
    arguments = ("doctor", "spoilt.conllu", "--with", files / "train.conllu", *QUICK)
    done = bistro_here(*arguments, "--top", 0, "-o", "all.tsv", "--html", "page.html")
    assert (done.code, done.out) == (0, "")
    table = rows((here / "all.tsv").read_text())
    assert {row["what"] for row in table} == {"head", "label", "tag"}
    page = (here / "page.html").read_text()
    assert page.count("with doubtful arcs marked") > 5
    assert 'arc missed"' in page
    assert " → " in page
    assert "in sentences after the first 50, are in the table (TSV) only" in page
    assert "page.html: " in done.err
    assert "in sentences after the first 50" in done.err


def test_alternatives_have_the_label_of_roots_with_head_0_alone(
    bistro_here: Command, spoilt: set[tuple[str | None, str]]
) -> None:
    done = bistro_here("doctor", "spoilt.conllu", "-k", 2, "--only", "arcs", "--top", 0, *QUICK)
    arcs = [row["alternative"].partition(":") for row in rows(done.out)]
    written = [(head, label) for head, _, label in arcs if head != "_"]
    assert len(written) > 500
    assert all((head == "0") == (label == "root") for head, label in written)


def test_pictures_show_the_tags_that_were_examined(
    bistro_here: Command, here: Path, english: Treebank
) -> None:
    renamed = [s.replace(xpos=[f"{tag}-own" for tag in s.upos]) for s in english[:40]]
    write(renamed, here / "own.conllu")
    arguments = ("doctor", "own.conllu", "-k", 2, "--set", "tagset=xpos", "--top", 5)
    done = bistro_here(*arguments, *QUICK, "--html", "own.html")
    assert done.code == 0
    page = (here / "own.html").read_text()
    assert "NOUN-own" in page
    assert ">NOUN<" not in page
    assert "Not shown on this page" not in page


def test_every_parser(bistro_here: Command, spoilt: set[tuple[str | None, str]]) -> None:
    isbn = ("--set", "learning.passes=1", "--set", "hidden=4")
    for kind, settings in (("transition", QUICK), ("committee", QUICK), ("isbn", isbn)):
        done = bistro_here("doctor", "spoilt.conllu", "-k", 2, "--kind", kind, *settings)
        assert done.code == 0
        assert len(rows(done.out)) == 100


def test_half_annotated_sentences_are_mentioned(
    bistro_here: Command, here: Path, english: Treebank
) -> None:
    open_tree = english[0].replace(heads=[-1] * len(english[0]), deprels=["_"] * len(english[0]))
    write([open_tree, *english[1:40]], here / "half.conllu")
    done = bistro_here("doctor", "half.conllu", "-k", 2, *QUICK)
    assert done.code == 0
    assert "sentences with missing heads or tags, left out: 1" in done.err
    write([open_tree], here / "none.conllu")
    refused = bistro_here("doctor", "none.conllu")
    assert (refused.code, refused.out) == (2, "")
    assert "no sentence has all its heads and tags" in refused.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-k", "121"), "120 sentences cannot be divided into 121 folds"),
        (("--kind", "ngram"), "an ngram model does not predict heads and tags; use one of"),
        (("--only", "labels"), "--only must be one of arcs, tags, crossings, not 'labels'"),
        (("--with", "absent.conllu"), "absent.conllu: cannot be read"),
        (("-k", "0"), "cannot be divided into 0 folds"),
        (("--html", "-"), "cannot both be written to stdout"),
        (("--html", "page.pdf"), "the file is written as .html, so its name cannot end in .pdf"),
        (("--html", "nowhere/page.html"), "cannot be written"),
        (("--dev", "spoilt.conllu"), "does not use a development set"),
    ],
)
def test_bad_arguments(
    bistro_here: Command, spoilt: set[tuple[str | None, str]], arguments: tuple[str, ...], told: str
) -> None:
    done = bistro_here("doctor", "spoilt.conllu", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.count("\n") == 1


def test_text_has_nothing_to_examine(bistro_here: Command, here: Path) -> None:
    (here / "words.txt").write_text("The dog sleeps .\n")
    done = bistro_here("doctor", "words.txt")
    assert done.code == 2
    assert "no sentence has all its heads and tags" in done.err
