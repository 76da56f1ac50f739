"""The page's files: small, plain, and safe to serve under a strict content policy."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

PAGE = Path(str(files("bistro.serve") / "page"))
SCRIPTS = sorted(PAGE.glob("*.js"))
UNSAFE = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
NAMESPACE = "http://www.w3.org/2000/svg"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_small_and_make_no_html(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.startswith("// "), "the first line says what the module is for"
    assert text.count("\n") < 250
    assert max(map(len, text.splitlines())) <= 120
    assert not UNSAFE.search(text)
    imported = re.findall(r'^import .* from "(.*)";', text, re.M)
    assert all((PAGE / name).is_file() and name.startswith("./") for name in imported)


@pytest.mark.parametrize("file", sorted(PAGE.iterdir()), ids=lambda path: path.name)
def test_nothing_comes_from_other_hosts(file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace(NAMESPACE, "")
    assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text)
    assert "@import" not in text and "url(" not in text


class Inline(HTMLParser):
    """Collect what a strict content policy forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        self.found += [name for name in names if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)


@pytest.mark.parametrize("name", ["index.html", "play.html", "desk.html"])
def test_the_page_has_nothing_inline(name: str) -> None:
    reader = Inline()
    reader.feed((PAGE / name).read_text(encoding="utf-8"))
    assert reader.found == []
