"""The documentation site builds without a warning and needs no other host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="the extra `docs` is not installed")
PROJECT = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=["']?(https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    pages = [path.relative_to(PROJECT / "docs") for path in (PROJECT / "docs").rglob("*.md")]
    assert len(pages) > 60
    for page in pages:
        name = page.with_name("index.md") if page.name == "README.md" else page
        assert (site / name.with_suffix(".html")).exists(), page


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8").replace('rel="canonical"', "")
        assert not LOADED.search(text), f"{page.name}: {LOADED.search(text)}"


def test_pictures_are_there(site: Path) -> None:
    for page in site.rglob("*.html"):
        for source in re.findall(r'<img[^>]*\bsrc="([^"]+)"', page.read_text("utf-8")):
            assert (page.parent / source).exists(), f"{page.name} shows {source}"
