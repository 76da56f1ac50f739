"""`bistro report`: one page a model, with the figures of the other commands."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.treebank.brackets import write_trees
from bistro.treebank.treebank import Treebank, write

from .program import Command, Ended

SHORT = {"sweeps": 4, "samples": 2}
VOID = frozenset({"meta", "br", "hr", "img", "input", "link", "col"})


class Page(HTMLParser):
    """Reads a page: its tags must be closed in order; keeps tiles, headings and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.source = path.read_text("utf-8")
        self.open: list[str] = []
        self.loads: list[str] = []
        self.text = ""
        self.cells: dict[str, list[str]] = {"h2": [], "dt": [], "dd": [], "h3": []}
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [v for k, v in attrs if k in ("src", "href") and v and v[0] != "#"]
        assert tag != "script"
        if tag not in VOID:
            self.open.append(tag)
        if tag in self.cells:
            self.cells[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] in self.cells:
            self.cells[self.open[-1]][-1] += data

    @property
    def tiles(self) -> dict[str, str]:
        return dict(zip(self.cells["dt"], self.cells["dd"], strict=True))

    def check_alone(self) -> None:
        assert self.source.startswith("<!DOCTYPE html>")
        assert self.loads == []
        assert not re.search(r"url\(|@import|<script|<link|<img", self.source)
        links = set(re.findall(r"https?://[^\s\"'<)]+", self.source))
        assert links <= {"http://www.w3.org/2000/svg"}


@pytest.fixture(scope="module")
def parser(files: Path, english: Treebank) -> Path:
    model = bistro.train("transition", english[:300], seed=1, sampler=SHORT)
    model.save(files / "parser.bistro")
    return files / "parser.bistro"


def made(bistro_here: Command, model: object, test: object, *options: object) -> Page:
    done = bistro_here("report", model, "--test", test, "-o", "page.html", *options)
    assert (done.code, done.out) == (0, ""), done.err
    page = Page(Path("page.html"))
    page.check_alone()
    return page


def test_the_page_of_a_parser(bistro_here: Command, here: Path, files: Path, parser: Path) -> None:
    page = made(bistro_here, parser, files / "test.conllu")
    assert page.cells["h2"] == [
        *("The model", "Accuracy", "By relation", "By length", "By tag", "Calibration"),
        *("Sentences", "Perplexity", "Surprisal", "Learning"),
    ]
    assert {"Surest", "Most doubtful", "Most wrong", "actions", "words"} <= set(page.cells["h3"])
    assert page.source.count("<svg") > 20
    for told in ("minimum risk", "subtypes of relations ignored", "summed over analyses", "seed"):
        assert told in page.text
    assert page.tiles["kind"] == "transition"


@pytest.mark.parametrize("tags", ["joint", "given"])
def test_its_figures_are_those_of_evaluate(
    bistro_here: Command, here: Path, files: Path, parser: Path, tags: str
) -> None:
    page = made(bistro_here, parser, files / "test.conllu", "--tags", tags)
    test = files / "test.conllu"
    done = bistro_here("parse", parser, test, "--marginals", "--tags", tags, "-o", "found.conllu")
    assert done.code == 0
    done = bistro_here("evaluate", test, "found.conllu", "--json", "--by-length", "--calibration")
    told = json.loads(done.out)
    tiles = page.tiles
    assert tiles["UAS"] == f"{told['uas']:.2f}"
    assert tiles["LAS"] == f"{told['las']:.2f}"
    assert int(tiles["words"].replace(",", "")) == told["words"]
    if tags == "joint":
        assert tiles["tags"] == f"{told['upos']:.2f}"
    else:
        assert "tags" not in tiles
        assert "By tag" not in page.cells["h2"]
    for name in ("uas", "las"):
        assert f"{told['no_punct'][name]:.2f}" in page.text
    for row in told["by_length"]["all_words"]:
        for value in (row["las"]["precision"], row["las"]["recall"], row["uas"]["f1"]):
            assert value is None or f"{value:.2f}" in page.text
    keys = [key for key in told["calibration"] if key != "protocol"]
    assert keys == ["PHead", "PDeprel", "PUpos"][: 3 if tags == "joint" else 2]
    for key in keys:
        error = 100 * told["calibration"][key]["expected_calibration_error"]
        assert f"{key}: error {error:.1f} %" in page.text
        assert f"{error:.2f}" in page.text


def test_the_classes_of_sentences_can_be_chosen(
    bistro_here: Command, here: Path, files: Path, parser: Path
) -> None:
    test = files / "test.conllu"
    page = made(bistro_here, parser, test, "--by-sentences", "7,9", "--by-sentences", "12")
    for name in ("1-7", "8-9", "10-12", "> 12"):
        assert name in page.text


def test_perplexity_and_surprisal_of_an_n_gram_model(
    bistro_here: Command, here: Path, files: Path
) -> None:
    page = made(bistro_here, files / "english.bistro", files / "test.txt")
    assert page.cells["h2"] == ["The model", "Perplexity", "Surprisal", "Learning"]
    done = bistro_here("perplexity", files / "english.bistro", files / "test.txt", "--json")
    figures = json.loads(done.out)
    assert f"{figures['perplexity']:.2f}" in page.text
    assert f"{figures['bits_per_word']:.2f}" in page.text
    assert "depth 2" in page.text


@pytest.mark.parametrize(
    ("kind", "settings", "sections"),
    [
        ("eisner", {"sampler": SHORT}, {"Accuracy", "By relation", "Calibration", "Sentences"}),
        (
            "committee",
            {"sampler": SHORT, "members": ["left", "right"]},
            {"Accuracy", "Calibration"},
        ),
        ("topics", {"states": 4, "sweeps": 10}, {"Accuracy", "By length", "States"}),
        ("linearize", {}, {"Word order", "Learning"}),
        ("tags", {}, {"Accuracy", "By tag", "Calibration"}),
    ],
)
def test_other_kinds_show_what_they_can_do(
    bistro_here: Command,
    here: Path,
    files: Path,
    english: bistro.Treebank,
    kind: str,
    settings: dict[str, Any],
    sections: set[str],
) -> None:
    bistro.train(kind, english[:200], seed=1, **settings).save("model.bistro")
    page = made(bistro_here, "model.bistro", files / "test.conllu")
    assert {"The model", "Learning", *sections} <= set(page.cells["h2"])
    if kind == "tags":
        bistro_here("tag", "model.bistro", files / "test.conllu", "-o", "tagged.conllu")
        done = bistro_here("evaluate", files / "test.conllu", "tagged.conllu", "--json")
        assert page.tiles["UPOS"] == f"{json.loads(done.out)['upos']:.2f}"
    if kind == "topics":
        assert "By relation" not in page.cells["h2"]


@pytest.mark.parametrize("option", [("--tags", "given"), ("--by-sentences", "5,10")])
def test_options_of_parsers_are_refused_for_others(
    bistro_here: Command, here: Path, files: Path, english: bistro.Treebank, option: tuple[str, ...]
) -> None:
    bistro.train("ngram", english[:40], sampler=SHORT).save(here / "words.bistro")
    done = bistro_here("report", "words.bistro", "--test", files / "test.conllu", *option)
    assert (done.code, done.out) == (2, "")
    assert "are for parsers: leave them out for an ngram model" in done.err


def test_a_page_is_html(bistro_here: Command, here: Path, files: Path, parser: Path) -> None:
    done = bistro_here("report", parser, "--test", files / "test.conllu", "-o", "page.pdf")
    assert (done.code, done.out) == (2, "")
    assert "page.pdf: the file is written as .html, so its name cannot end in .pdf" in done.err


def test_constituency(bistro_here: Command, here: Path) -> None:
    trees = bistro.builtin_trees(sentences=108, seed=1)
    write_trees(trees[100:], "test.mrg")
    bistro.train("trees", trees[:100], seed=1).save("trees.bistro")
    page = made(bistro_here, "trees.bistro", "test.mrg")
    bistro_here("parse", "trees.bistro", "test.mrg", "-o", "found.mrg")
    told = json.loads(bistro_here("evaluate", "--brackets", "test.mrg", "found.mrg", "--json").out)
    assert page.tiles["labelled F1"] == f"{told['all']['labelled']['f1']:.2f}"
    bistro.train("grammar", trees[:100], seed=1, sampler=SHORT).save("grammar.bistro")
    page = made(bistro_here, "grammar.bistro", "test.mrg")
    assert "Perplexity" in page.cells["h2"]


def test_conllx_and_stdin(
    bistro_here: Command, here: Path, files: Path, parser: Path, english: bistro.Treebank
) -> None:
    bistro_here("convert", files / "test.conllu", "-o", "test.conll")
    page = made(bistro_here, parser, "test.conll")
    same = made(bistro_here, parser, files / "test.conllu")
    assert page.tiles == same.tiles
    content = (files / "test.conllu").read_bytes()
    done = bistro_here("report", parser, "--test", "-", "-o", "-", stdin=content)
    assert done.code == 0
    assert "standard input" in done.out
    assert done.out.startswith("<!DOCTYPE html>")


def test_a_treebank_of_heads_alone(
    bistro_here: Command, here: Path, parser: Path, english: bistro.Treebank
) -> None:
    bare = [s.replace(upos=["_"] * len(s), deprels=["_"] * len(s)) for s in english[300:]]
    write(bare, "bare.conllu")
    page = made(bistro_here, parser, "bare.conllu")
    assert {"By relation", "By tag"}.isdisjoint(page.cells["h2"])
    assert {"LAS", "tags"}.isdisjoint(page.tiles)
    assert 'class="arc arc relabelled"' not in page.source


def test_the_same_command_gives_the_same_page(
    bistro_here: Command, here: Path, files: Path, parser: Path
) -> None:
    one = made(bistro_here, parser, files / "test.conllu").source
    assert made(bistro_here, parser, files / "test.conllu", "--threads", "1").source == one


# ---- what cannot be done -------------------------------------------------------------------------
def refused(done: Ended, *phrases: str) -> None:
    assert done.code == 2
    assert done.err.startswith("bistro: ")
    assert done.err.count("\n") == 1, done.err
    for phrase in phrases:
        assert phrase in done.err


def test_a_test_file_without_trees(
    bistro_here: Command, here: Path, files: Path, parser: Path
) -> None:
    done = bistro_here("report", parser, "--test", files / "test.txt")
    refused(done, "test.txt:1: word 1 of this sentence has no head", "annotated test file")
    assert list(here.iterdir()) == []


def test_a_test_file_without_tags(
    bistro_here: Command, here: Path, files: Path, english: bistro.Treebank
) -> None:
    bistro.train("tags", english[:50], seed=1).save("tagger.bistro")
    write([english[0].replace(upos=["_"] * len(english[0]))], "untagged.conllu")
    done = bistro_here("report", "tagger.bistro", "--test", "untagged.conllu")
    refused(done, "untagged.conllu:", "has no tag in UPOS")


def test_files_of_the_wrong_kind(
    bistro_here: Command, here: Path, files: Path, parser: Path
) -> None:
    trees = bistro.builtin_trees(sentences=20, seed=1)
    write_trees(trees, "test.mrg")
    bistro.train("trees", trees, seed=1).save("trees.bistro")
    refused(bistro_here("report", "trees.bistro", "--test", files / "test.conllu"), "test.conllu")
    refused(bistro_here("report", parser, "--test", "test.mrg"), "test.mrg")
    refused(bistro_here("report", files / "test.conllu", "--test", "test.mrg"), "test.conllu")
    refused(bistro_here("report", parser, "--test", "absent.conllu"), "absent.conllu")


def test_an_empty_test_file(bistro_here: Command, here: Path, parser: Path) -> None:
    Path("empty.conllu").write_text("")
    refused(bistro_here("report", parser, "--test", "empty.conllu"), "empty.conllu", "empty")


def test_output_that_cannot_be_written(
    bistro_here: Command, here: Path, files: Path, parser: Path
) -> None:
    for output in ("absent/page.html", "."):
        done = bistro_here("report", parser, "--test", files / "test.conllu", "-o", output)
        refused(done, output)


@pytest.mark.parametrize("given", ["ten", "20,10", "0,5", "10,,20", "-3"])
def test_lengths_that_make_no_classes(
    bistro_here: Command, here: Path, files: Path, parser: Path, given: str
) -> None:
    done = bistro_here("report", parser, "--test", files / "test.conllu", f"--by-sentences={given}")
    refused(done, "10,20,40")


def test_a_test_file_is_needed(bistro_here: Command, here: Path, parser: Path) -> None:
    refused(bistro_here("report", parser), "--test")
