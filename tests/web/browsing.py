"""A real browser on a real server: fixtures for the tests of the page.

Every page that a test opens is watched: an error in its console or a request to another host fails
the test. Screenshots go to a temporary folder; with BISTRO_SCREENSHOTS=1 they are written to
docs/images, from where the documentation shows them.
"""

from __future__ import annotations

import base64
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

import bistro
from bistro.models.base import Model
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
GARDEN_PATH = "The horse raced past the barn fell."
WORDS = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
HEBREW = [
    ("הילד אכל תפוח .", [2, 0, 2, 2], ["nsubj", "root", "obj", "punct"]),
    ("הכלב ראה ילד .", [2, 0, 2, 2], ["nsubj", "root", "obj", "punct"]),
    ("הילד הגדול ראה כלב .", [3, 1, 0, 3, 3], ["nsubj", "amod", "root", "obj", "punct"]),
    ("הכלב הגדול אכל תפוח .", [3, 1, 0, 3, 3], ["nsubj", "amod", "root", "obj", "punct"]),
]
TAGS = {"nsubj": "NOUN", "obj": "NOUN", "root": "VERB", "amod": "ADJ", "punct": "PUNCT"}


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser; without one the tests are skipped, and say how to get it."""
    found = os.environ.get("BISTRO_CHROMIUM") or shutil.which("chromium")
    if not found:
        pytest.skip("no Chromium: `apt-get install chromium`, or set BISTRO_CHROMIUM to its path")
    return found


def hebrew() -> Treebank:
    """A few made-up sentences of a language that is written from right to left."""
    return Treebank(
        [
            Sentence.from_columns(
                text.split(), heads=heads, deprels=labels, upos=[TAGS[label] for label in labels]
            )
            for text, heads, labels in HEBREW * 10
        ],
        name="hebrew",
    )


@pytest.fixture(scope="session")
def page_models() -> dict[str, Model]:
    """What the page is shown with: parsers of two languages, a language model, word order."""
    english = bistro.builtin(sentences=2000, seed=1)
    return {
        "english": bistro.train("transition", english, seed=1),
        "ngram": bistro.train("ngram", english, seed=1, sampler={"sweeps": 5, "samples": 2}),
        "order": bistro.train("linearize", english, seed=1),
        "hebrew": bistro.train("transition", hebrew(), seed=1),
    }


@pytest.fixture(scope="session")
def serve_page(chromium: str, page_models: dict[str, Model]) -> Iterator[Callable[..., str]]:
    """Start servers for models of the given names; each is told by its address."""
    pytest.importorskip("uvicorn")
    running: list[Any] = []
    known: dict[tuple[str, ...], str] = {}

    def start(*names: str) -> str:
        if names not in known:
            server, known[names] = started({name: page_models[name] for name in names})
            running.append(server)
        return known[names]

    yield start
    for server in running:
        server.should_exit = True


def started(models: dict[str, Model], keys: dict[str, str] | None = None) -> tuple[Any, str]:
    import uvicorn

    from bistro.serve.app import create_app
    from bistro.serve.catalog import Catalog
    from bistro.serve.run import listen

    listening = listen("127.0.0.1", 0)
    app = create_app(Catalog.of(list(models.items())), keys=keys)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    until = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < until, "the server did not start"
        time.sleep(0.02)
    return server, f"http://127.0.0.1:{listening.getsockname()[1]}/"


# Of a module, not of the session: while it lives, its event loop occupies the thread.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """Chromium without a window."""
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def visit(browser: Any, serve_page: Callable[..., str]) -> Iterator[Callable[..., Any]]:
    """Open the page: `visit(text="It rains.", step=2, viewport=..., models=(...))`."""
    complaints: list[str] = []
    contexts = []

    def start(
        *,
        models: tuple[str, ...] = ("english", "ngram", "order", "hebrew"),
        width: int = 1200,
        height: int = 900,
        context: dict[str, Any] | None = None,
        allowed: str = "",
        **state: Any,
    ) -> Any:
        url = serve_page(*models)
        contexts.append(
            browser.new_context(
                viewport={"width": width, "height": height},
                accept_downloads=True,
                **(context or {"reduced_motion": "reduce"}),
            )
        )
        page = contexts[-1].new_page()
        page.set_default_timeout(15_000)
        _watch(page, url, complaints, allowed)
        page.goto(f"{url}#{urlencode(state)}")
        page.wait_for_selector("#composer button.main")
        if "text" in state:
            page.wait_for_selector(".pane:not([aria-busy]) section, .error")
        return page

    yield start
    for one in contexts:
        one.close()
    assert not complaints


def _watch(page: Any, url: str, complaints: list[str], allowed: str) -> None:
    """Note errors and requests that leave the server; `allowed` errors are what a test is about."""

    def note(text: str) -> None:
        if not allowed or allowed not in text:
            complaints.append(text)

    def note_message(message: Any) -> None:
        if message.type in ("error", "warning"):
            note(f"{message.type}: {message.text}")

    def note_request(request: Any) -> None:
        asked = urlsplit(request.url)
        if asked.scheme in ("http", "https", "ws", "wss") and asked.netloc != host:
            note(f"request: {request.url}")

    host = urlsplit(url).netloc
    page.on("pageerror", lambda error: note(f"error: {error}"))
    page.on("console", note_message)
    page.on("request", note_request)


@pytest.fixture
def shoot(tmp_path: Path) -> Callable[..., Path]:
    """Take a picture for the documentation, and check that something is on it."""

    def take(page: Any, name: str, of: str | None = None) -> Path:
        folder = IMAGES if os.environ.get("BISTRO_SCREENSHOTS") == "1" else tmp_path
        path = folder / f"page-{name}.png"
        page.mouse.move(1, 1)
        (page.locator(of).first if of else page).screenshot(path=path)
        assert_drawn(page, path)
        assert folder != IMAGES or path.stat().st_size < 150_000
        return path

    return take


@pytest.fixture
def play(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open the playground of a server without models: `play(n=10, width=390)`."""
    complaints: list[str] = []
    contexts = []
    server, url = started({})

    def start(*, width: int = 1200, height: int = 900, path: str = "play", **state: Any) -> Any:
        scheme = state.pop("scheme", "light")
        size = {"width": width, "height": height}
        contexts.append(browser.new_context(viewport=size, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.set_default_timeout(15_000)
        _watch(page, url, complaints, "")
        page.goto(f"{url}{path}#{urlencode(state)}")
        page.wait_for_selector("section .tables")
        return page

    yield start
    for one in contexts:
        one.close()
    server.should_exit = True
    assert not complaints


def ask(page: Any, name: str, **body: Any) -> dict[str, Any]:
    """Ask the server what it tells the page."""
    answer = page.request.post(page.url.split("#")[0] + f"api/{name}", data=body)
    assert answer.ok
    found: dict[str, Any] = answer.json()
    return found


def texts(page: Any, selector: str) -> list[str]:
    """The texts of all elements that a selector finds."""
    found: list[str] = page.locator(selector).all_text_contents()
    return found


def assert_drawn(page: Any, path: Path) -> None:
    """Fail if a picture has hardly more than one colour."""
    colours = page.evaluate(COUNT_COLOURS, base64.b64encode(path.read_bytes()).decode())
    assert colours > 20, f"{path.name} is blank"


COUNT_COLOURS = """async (text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""
