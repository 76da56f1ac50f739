"""`bistro effects`."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import bistro

from .program import Command

ITEMS = """Item;Cond;Kind;Sentence;Verb
1;reduced;mv;The horse raced past the barn fell.;fell
1;full;mv;The horse that was raced past the barn fell.;fell
2;reduced;mv;The boat floated down the river sank.;sank
2;full;mv;The boat that was floated down the river sank.;sank
9;filler;none;It rained.;
"""


@pytest.fixture
def items(here: Path) -> Path:
    """A table as Excel exports it in many countries."""
    path = here / "items.csv"
    path.write_bytes(b"\xef\xbb\xbf" + ITEMS.replace("\n", "\r\n").encode())
    return path


def test_a_table_a_picture_and_a_page(
    bistro_here: Command, files: Path, here: Path, items: Path
) -> None:
    model = files / "english.bistro"
    options = ("--critical", "Verb", "--by", "Kind", "--table", "by-item.tsv")
    done = bistro_here("effects", items, model, *options, "--plot", "e.svg", "-o", "e.html")
    assert done.code == 0, done.err
    [row] = csv.DictReader(io.StringIO(done.out), delimiter="\t")
    assert (row["model"], row["group"], row["items"]) == ("english", "mv", "2")
    assert (row["condition"], row["baseline"]) == ("reduced", "full")
    rows = list(csv.DictReader((here / "by-item.tsv").open(encoding="utf-8"), delimiter="\t"))
    assert [one["words"] for one in rows] == ["fell", "sank"]
    alone = bistro.load(model).surprisal(
        ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
    )
    assert float(rows[0]["surprisal"]) == pytest.approx(alone[6].surprisal, abs=1e-5)
    mean = sum(float(one["effect"]) for one in rows) / 2
    assert float(row["effect"]) == pytest.approx(mean, abs=1e-5)
    assert "sentences without a critical region, left out: 1 (line 6)\n" in done.err
    assert "items without" not in done.err
    assert (here / "e.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "reduced − full" in (here / "e.html").read_text(encoding="utf-8")


def test_items_that_are_left_out_are_named(bistro_here: Command, files: Path, here: Path) -> None:
    content = ITEMS + "3;full;mv;The man that was fed fell.;fell\n"
    content = content.replace("barn fell.;fell\n1;full", "barn fell.;\n1;full")
    (here / "some.csv").write_text(content, encoding="utf-8")
    options = ("--critical", "Verb", "-o", "some.html")
    done = bistro_here("effects", "some.csv", files / "english.bistro", *options)
    assert done.code == 0, done.err
    [row] = csv.DictReader(io.StringIO(done.out), delimiter="\t")
    assert (row["condition"], row["baseline"], row["items"]) == ("reduced", "full", "1")
    page = (here / "some.html").read_text(encoding="utf-8")
    for note in (
        "sentences without a critical region, left out: 2 (lines 2, 6)",
        "items without the same critical regions in both conditions, left out: 2 (item 1: no "
        "critical region in line 2; item 3: no sentence in condition reduced)",
    ):
        assert note + "\n" in done.err and note in page


def test_unknown_words_are_named(bistro_here: Command, files: Path, here: Path) -> None:
    content = "".join(
        f"{item},{condition},The man saw the {noun}.,{noun}\n"
        for item, noun in enumerate(("CAT", "DOG", "BOOK", "xyzzy"), start=1)
        for condition in ("a", "b")
    )
    (here / "upper.csv").write_text("item,condition,text,noun\n" + content, encoding="utf-8")
    options = ("effects", "upper.csv", files / "english.bistro", "--critical", "noun")
    done = bistro_here(*options)
    assert done.code == 0, done.err
    told = "in the critical region of 4 items (column unknown): 'CAT', 'DOG', 'BOOK', 'xyzzy'\n"
    assert told in done.err
    assert "3 of 4 different unknown words are known in lower case, such as 'cat'" in done.err
    for noun in ("CAT", "DOG", "BOOK"):
        content = content.replace(noun, noun.lower())
    (here / "upper.csv").write_text("item,condition,text,noun\n" + content, encoding="utf-8")
    told = "in the critical region of 1 item (column unknown): 'xyzzy'\n"
    assert told in bistro_here(*options).err


def test_brackets_and_the_order_of_conditions(
    bistro_here: Command, files: Path, here: Path, items: Path
) -> None:
    content = ITEMS.replace(" fell.", " [fell].").replace(" sank.", " [sank].")
    (here / "marked.csv").write_text(content, encoding="utf-8")
    model = files / "english.bistro"
    marked = bistro_here("effects", "marked.csv", model)
    assert marked.code == 0, marked.err
    assert marked.out == bistro_here("effects", items, model, "--critical", "Verb").out
    turned = bistro_here("effects", "marked.csv", model, "--conditions", "full,reduced")
    one, other = (
        next(csv.DictReader(io.StringIO(done.out), delimiter="\t")) for done in (marked, turned)
    )
    assert float(one["effect"]) == -float(other["effect"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "no sentence has a critical region"),
        (("--critical", "Verb", "--conditions", "full"), "an effect needs two conditions"),
        (("--critical", "verb"), "has no column 'verb' (did you mean 'Verb'?)"),
        (("--critical", "Verb", "--item", "Nr"), "has no column 'Nr'"),
        (
            ("--critical", "Verb", "--plot", "e.png"),
            "end in .png: write e.svg, and convert it with to_png",
        ),
        (("--critical", "Verb", "--plot", "e.pdf"), "write e.svg, and convert it with to_pdf"),
        (("--critical", "Kind"), "items.csv:2: the critical region 'mv' does not occur"),
    ],
)
def test_bad_arguments(
    bistro_here: Command, files: Path, items: Path, options: tuple[str, ...], told: str
) -> None:
    done = bistro_here("effects", items, files / "english.bistro", *options)
    assert done.code == 2 and told in done.err and done.err.count("\n") == 1


def test_a_column_that_cannot_be_guessed(bistro_here: Command, files: Path, here: Path) -> None:
    (here / "t.csv").write_text("nr,cond,text\n1,a,It [was].\n", encoding="utf-8")
    done = bistro_here("effects", "t.csv", files / "english.bistro")
    assert done.code == 2 and "has no column item: add --item COLUMN" in done.err
