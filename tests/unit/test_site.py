"""The documentation site builds without a warning and needs no other host.

`site_markdown` and `site_api`, in ``tools``, are what the site adds to Markdown: formulas, and the
reference of modules and classes.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import bistro

pytest.importorskip("zensical", reason="the extra `docs` is not installed")
PROJECT = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=["']?(https?:)?//""")
DIRECTIVE = re.compile(r"^::: ([\w.]+)(?::(\w+))?(.*)$", re.MULTILINE)
PAGES = [path.relative_to(PROJECT / "docs") for path in (PROJECT / "docs").rglob("*.md")]


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of the pages in a folder, strictly."""
    shutil.copy(PROJECT / "zensical.toml", folder)
    # Bistro itself is the one that runs this test.
    paths = [PROJECT / "tools", Path(bistro.__file__).parents[1]]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(PROJECT / "docs", folder / "docs")
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_every_page_is_there(site: Path) -> None:
    assert len(PAGES) > 60
    for page in PAGES:
        name = page.with_name("index.md") if page.name == "README.md" else page
        assert (site / name.with_suffix(".html")).exists(), page


def test_every_page_is_in_the_navigation() -> None:
    listed = (PROJECT / "zensical.toml").read_text("utf-8")
    missing = [page for page in PAGES if f'"{page.as_posix()}"' not in listed]
    assert all(page.parent.name == "decisions" for page in missing), missing


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8").replace('rel="canonical"', "")
        assert not LOADED.search(text), f"{page.name}: {LOADED.search(text)}"


def test_pictures_are_there(site: Path) -> None:
    for page in site.rglob("*.html"):
        for source in re.findall(r'<img[^>]*\bsrc="([^"]+)"', page.read_text("utf-8")):
            assert (page.parent / source).exists(), f"{page.name} shows {source}"


def test_formulas_are_mathematics(site: Path) -> None:
    formulas = 0
    for page in PAGES:
        source = (PROJECT / "docs" / page).read_text("utf-8")
        wanted = len(re.findall("^```math$", source, re.MULTILINE))
        if wanted:
            html = (site / page.with_suffix(".html")).read_text("utf-8")
            found = re.findall(r"<math\b.*?</math>", html, re.DOTALL)
            assert len(found) == wanted, page
            # What the converter does not know it leaves as it is.
            assert not any(re.search(r"\\\w|>&<|&amp;<", formula) for formula in found), page
            formulas += wanted
    assert formulas > 30


def test_the_search_finds_pages_and_names(site: Path) -> None:
    index = (site / "search.json").read_text("utf-8")
    for word in ("Pitman-Yor", "bistro.cross_validate", "calibration"):
        assert word in index


def test_a_dead_link_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# A page\n[nowhere](nowhere.md)\n")
    (tmp_path / "docs" / "site.css").write_text("")
    assert build(tmp_path).returncode != 0


# ---- the reference -----------------------------------------------------------------------------
def functions() -> Iterator[tuple[str, Any]]:
    """Yield the functions and methods of the reference with their names."""
    sys.path.insert(0, str(PROJECT / "tools"))
    public_names = import_module("site_api").public_names
    for page in sorted((PROJECT / "docs" / "api").glob("*.md")):
        for name, inside, members in DIRECTIVE.findall(page.read_text("utf-8")):
            module = import_module(name)
            for public in [inside] if inside else public_names(module):
                value = getattr(module, public)
                if not inspect.isclass(value):
                    yield f"{name}.{public}", value
                    continue
                for member in members.split() or [m for m in vars(value) if m[0] != "_"]:
                    yield f"{name}.{public}.{member}", getattr(value, member, None)


def test_every_parameter_of_the_reference_is_documented() -> None:
    checked, missing = 0, []
    for name, value in functions():
        if isinstance(value, cached_property) or not inspect.isroutine(value):
            continue
        text = inspect.getdoc(value) or ""
        listed = text.partition("Parameters\n----------\n")[2]
        for parameter in inspect.signature(value).parameters:
            entry = rf"^(?:.*, )?\**{parameter}(?:,.*)?$"
            is_named = f"`{parameter}`" in text or re.search(entry, listed, re.MULTILINE)
            if parameter not in ("self", "cls") and not is_named:
                missing.append(f"{name}: {parameter}")
            checked += 1
    assert not missing, "\n".join(missing)
    assert checked > 100
