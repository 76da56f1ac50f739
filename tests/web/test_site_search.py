"""The documentation site in a browser, from a server of plain files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import bistro

pytest.importorskip("zensical", reason="the extra `docs` is not installed")
PROJECT = Path(__file__).resolve().parents[2]
PHONE = {"width": 390, "height": 844}


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that does not write a log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(PROJECT / "docs", folder / "docs")
    shutil.copy(PROJECT / "zensical.toml", folder)
    path = os.pathsep.join(map(str, [PROJECT / "tools", Path(bistro.__file__).parents[1]]))
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    environment = {**os.environ, "PYTHONPATH": path}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    handler = partial(Quiet, directory=str(folder / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_the_search_finds_a_function(browser: Any, address: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    # On a busy machine, the button shows before its script runs, and the field opens late.
    page.goto(address + "index.html", wait_until="networkidle")
    page.get_by_role("button", name="Search").first.click()
    page.get_by_role("combobox", name="Search").fill("cross_validate")
    page.wait_for_selector("text=bistro.cross_validate")
    assert all(url.startswith((address, "data:", "blob:")) for url in asked)
    page.close()


def test_formulas_have_a_size_and_fit_a_phone(browser: Any, address: str) -> None:
    page = browser.new_page(viewport=PHONE)
    page.goto(address + "pitman-yor.html")
    boxes = page.locator("math").evaluate_all("all => all.map(one => one.clientHeight)")
    assert len(boxes) >= 4 and all(height > 15 for height in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.close()
