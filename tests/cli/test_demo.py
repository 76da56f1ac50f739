"""`bistro demo`: a report and a model, from nothing."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import bistro
from bistro.cli import demo
from bistro.treebank import samples

from .program import Command


class Page(HTMLParser):
    """Notes the tags of a page, checks that they are closed, and collects what it would load."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link", "col"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.loads += [v for k, v in attrs if k in ("src", "href") and v and v[0] != "#"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the built-in treebanks smaller, so that the demo takes a second."""
    monkeypatch.setattr(samples, "ENGLISH_SENTENCES", 300)


def test_the_english_demo(bistro_here: Command, here: Path, small: None) -> None:
    done = bistro_here("demo")
    assert done.code == 0
    for phrase in ("surprisal, bits", "truth", "fell", "UAS", "perplexity", "generated:"):
        assert phrase in done.out
    assert "bistro surprisal bistro-demo/demo.bistro" in done.err
    assert sorted(path.name for path in here.rglob("*")) == [
        "bistro-demo",
        "committee.bistro",
        "demo.bistro",
        "ngram.bistro",
        "report.html",
    ]
    assert bistro.load("bistro-demo/demo.bistro").origin.treebank["sentences"] == 270


@pytest.mark.parametrize("installed", [True, False])
def test_the_packages_of_serve_are_named_if_one_is_missing(
    bistro_here: Command,
    here: Path,
    small: None,
    monkeypatch: pytest.MonkeyPatch,
    installed: bool,
) -> None:
    modules = {"fastapi", "uvicorn"} | ({"python_multipart"} if installed else set())
    monkeypatch.setattr(demo, "find_spec", lambda name: name if name in modules else None)
    told = bistro_here("demo").err
    assert told.endswith("bistro serve bistro-demo/demo.bistro\n") == installed
    assert ("pip install fastapi uvicorn python-multipart)" in told) != installed


def test_the_report_is_one_self_contained_page(
    bistro_here: Command, here: Path, small: None
) -> None:
    bistro_here("demo", "-o", "out/there")
    text = (here / "out" / "there" / "report.html").read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    page = Page(text)
    assert page.open == []
    assert page.loads == []
    assert page.seen.count("svg") >= 5
    assert not re.search(r"url\(|@import|<script[^>]*src", text)
    assert set(re.findall(r"https?://[^\s\"'<)]+", text)) <= {"http://www.w3.org/2000/svg"}
    for title in ("The treebank", "Learning", "Perplexity", "Surprisal", "Generated sentences"):
        assert title in text


def test_the_seed_decides_the_demo(bistro_here: Command, here: Path, small: None) -> None:
    first, second, other = (bistro_here("demo", "--seed", seed) for seed in (1, 1, 2))
    assert first.out == second.out
    assert first.out != other.out


def test_the_turkish_demo(bistro_here: Command, here: Path) -> None:
    try:
        version(samples.TURKISH_PACKAGE)
    except PackageNotFoundError:
        pytest.skip(f"needs {samples.INSTALL}")
    done = bistro_here("demo", "--treebank", "turkish", "-o", "turkish")
    assert done.code == 0
    assert "truth" not in done.out
    told = json.loads(bistro_here("info", "turkish/demo.bistro", "--json").out)
    assert told["treebank"]["license"] == "Apache-2.0"
    Page((here / "turkish" / "report.html").read_text("utf-8"))


def test_without_the_turkish_package_it_says_how_to_get_it(
    bistro_here: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "TURKISH_PACKAGE", "no-such-package")
    done = bistro_here("demo", "--treebank", "turkish")
    assert done.code == 2
    assert "pip install turkish-treebanks==1.0.0" in done.err
    assert list(here.iterdir()) == []


def test_a_folder_that_cannot_be_made(bistro_here: Command, here: Path, small: None) -> None:
    (here / "taken").write_text("a file")
    done = bistro_here("demo", "-o", "taken")
    assert done.code == 2
    assert "bistro: taken: the folder cannot be created" in done.err
    assert [path.name for path in here.iterdir()] == ["taken"]


def test_an_unknown_treebank_is_refused(bistro_here: Command, here: Path) -> None:
    done = bistro_here("demo", "--treebank", "klingon")
    assert done.code == 2
    assert "english" in done.err
    assert done.err.count("\n") == 1
