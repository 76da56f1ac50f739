"""The desk in a browser: the whole way with the keyboard, two windows, a server that is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bistro
from benchmarks.desk_kills import Server, run
from bistro.models.base import Model
from bistro.treebank.treebank import write

from .browsing import _watch, hebrew, texts


@pytest.fixture(scope="module")
def model(page_models: dict[str, Model], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser in a file."""
    path = tmp_path_factory.mktemp("model") / "english.bistro"
    page_models["english"].save(path)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Sentences without trees, and one whose tag is wrong."""
    whole = list(bistro.builtin(sentences=30, seed=11))
    bare = [s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in whole[:20]]
    path = tmp_path / "mine.conllu"
    noun = next(s for s in whole[20:] if "NOUN" in s.upos)
    wrong = list(noun.upos)
    wrong[wrong.index("NOUN")] = "DET"
    write([*bare, noun.replace(upos=wrong), *whole[20:]], path)
    return path


class Work:
    """A server in a process of its own, and pages of it."""

    def __init__(self, browser: Any, model: Path, file: Path) -> None:
        self.browser, self.model, self.file = browser, model, file
        self.complaints: list[str] = []
        self.contexts: list[Any] = []
        self.server = Server(model, file)
        self.port = int(self.server.address.rpartition(":")[2])

    def page(self, width: int = 1250, allowed: str = "", **context: Any) -> Any:
        """Open the desk."""
        size = {"width": width, "height": 900}
        self.contexts.append(self.browser.new_context(viewport=size, **context))
        page = self.contexts[-1].new_page()
        page.set_default_timeout(15_000)
        _watch(page, f"{self.server.address}/", self.complaints, allowed)
        page.goto(f"{self.server.address}/desk")
        page.wait_for_selector(".board svg")
        return page

    def kill_and_start(self) -> None:
        """Kill the server, and start another one at the same address."""
        self.server.kill()
        self.server = Server(self.model, self.file, self.port)

    def close(self) -> None:
        """End everything."""
        for context in self.contexts:
            context.close()
        self.server.kill()
        assert not self.complaints


@pytest.fixture
def work(browser: Any, model: Path, file: Path) -> Iterator[Work]:
    """A desk with the file on it."""
    found = Work(browser, model, file)
    yield found
    found.close()


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def decided(page: Any, number: int) -> None:
    """Wait until so many decisions can be undone, and the tree is drawn again."""
    page.wait_for_function(
        "(number) => document.querySelector('.state').textContent.includes(`${number} not saved`)",
        arg=number,
    )


def read(path: Path) -> Any:
    return bistro.read(path, roots="any", partial=True)


def test_the_whole_way_by_keyboard(work: Work, file: Path, shoot: Callable[..., Path]) -> None:
    before = file.read_bytes()
    page = work.page(allowed="ERR_")
    press(page, "Tab")  # "Skip to the tree"
    press(page, "Enter")
    assert page.evaluate("document.activeElement.classList.contains('board')")
    # A head, with the arrow keys.
    size = page.locator(".board .node").count()
    press(page, "Home", "h", "End", "ArrowLeft", "Enter")
    decided(page, 1)
    # A relation and a tag, written.
    press(page, "l")
    page.keyboard.type("nmod")
    press(page, "Enter")
    decided(page, 2)
    press(page, "ArrowRight", "t")
    page.keyboard.type("X")
    press(page, "Enter")
    decided(page, 3)
    press(page, "m")
    page.keyboard.type("lemma")
    press(page, "Enter")
    decided(page, 4)
    press(page, "f")
    page.keyboard.type("A=b")
    press(page, "Enter")
    decided(page, 5)
    press(page, "u")
    decided(page, 6)
    press(page, "Control+z", "Control+y")
    decided(page, 8)
    # The rest is as suggested.
    press(page, "Enter")
    decided(page, 9)
    press(page, "c")
    page.wait_for_selector(".row.done")
    assert file.read_bytes() == before
    press(page, "Control+s")
    page.wait_for_selector("text=all saved")
    first = read(file)[0]
    assert (first.heads[0], first.deprels[0]) == (size - 1, "nmod")
    assert (first.upos[1], first.lemmas[1]) == ("X", "lemma")
    assert first.feats == next(iter(bistro.builtin(sentences=30, seed=11))).feats  # undone
    assert -1 not in first.heads
    # A finding, accepted by one key.
    page.evaluate("location.hash = '#sentence=21'")
    page.wait_for_selector(".board .finding")
    shoot(page, "desk-finding", ".sheet")
    word = int(page.locator(".board .finding").first.get_attribute("data-word"))
    assert read(file)[20].upos[word - 1] == "DET"
    for _ in range(word - 1):
        press(page, "ArrowRight")
    press(page, "a")
    decided(page, 1)
    press(page, "Control+s")
    page.wait_for_selector("text=all saved")
    assert read(file)[20].upos[word - 1] == "NOUN"
    page.reload()
    page.wait_for_selector(".board svg")
    assert "sentence=21" in page.url
    page.wait_for_selector("text=1 of 31 confirmed")


def test_a_killed_server_loses_nothing(work: Work, file: Path) -> None:
    page = work.page(allowed="ERR_")
    page.locator(".board").focus()
    press(page, "Enter", "Enter")
    decided(page, 2)
    work.server.kill()
    press(page, "Enter")  # nobody answers
    page.wait_for_selector("#messages .error")
    assert "waiting" in texts(page, "#messages")[0]
    work.server = Server(work.model, file, work.port)
    decided(page, 3)
    press(page, "Enter")
    decided(page, 4)
    press(page, "Control+s")
    page.wait_for_selector("text=all saved")
    heads = read(file)[0].heads
    assert sum(head >= 0 for head in heads) == min(4, len(heads))
    press(page, "u")
    decided(page, 1)


def test_a_second_window_is_told(work: Work) -> None:
    one, two = work.page(allowed="409"), work.page(allowed="409")
    for page in (one, two):
        page.locator(".board").focus()
    press(one, "Enter")
    decided(one, 1)
    press(two, "Home", "h", "End", "Enter")
    two.wait_for_selector("#messages .error")
    assert "another window" in texts(two, "#messages")[0]
    decided(two, 1)
    press(two, "Enter", "Enter")  # to the next open word, and what is suggested there
    decided(two, 2)


def test_with_the_mouse(work: Work, file: Path) -> None:
    page = work.page()
    nodes = page.locator(".board .node[data-word='1'] .hit, .board .node[data-word='3'] .hit")
    boxes = sorted((nodes.nth(i).bounding_box() for i in range(2)), key=lambda box: box["x"])
    middle = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.move(*middle[0])
    page.mouse.down()
    page.mouse.move(middle[1][0] - 5, middle[1][1] - 5)
    page.mouse.move(*middle[1])
    page.mouse.up()
    decided(page, 1)
    page.mouse.click(*middle[1])
    assert page.locator(".panel h3").text_content().startswith("3 ")
    page.locator(".options button").first.click()
    decided(page, 2)
    page.locator("button.save").click()
    page.wait_for_selector("text=all saved")
    assert read(file)[0].heads[0] == 3
    with page.expect_download() as kept:
        page.locator("text=Download").click()
    assert Path(kept.value.path()).read_bytes() == file.read_bytes()


def test_words_are_split_and_joined(work: Work) -> None:
    page = work.page()
    page.locator(".board").focus()
    size = page.locator(".board .node").count()
    press(page, "Home")
    form = page.locator(".board .node[data-word='1'] .word").text_content()
    press(page, "s")
    page.keyboard.type(f"{form} x")
    press(page, "Enter")
    decided(page, 1)
    assert page.locator(".board .node").count() == size + 1
    assert "multiword" in texts(page, "#board-help")[0]
    press(page, "j")
    decided(page, 2)
    assert page.locator(".board .node").count() == size


@pytest.mark.parametrize(
    ("width", "scheme"), [(1250, "light"), (1250, "dark"), (390, "light")], ids=str
)
def test_axe_finds_nothing(work: Work, width: int, scheme: str, shoot: Callable[..., Path]) -> None:
    package = pytest.importorskip("axe_playwright_python")
    axe = (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")
    page = work.page(width=width, color_scheme=scheme)
    page.evaluate(axe)

    def check(where: str) -> None:
        found = page.evaluate("axe.run()")["violations"]
        assert [(where, one["id"], one["nodes"][0]["html"]) for one in found] == []

    check("start")
    page.locator(".board").focus()
    press(page, "l")
    check("writing")
    press(page, "Escape", "?", "h")
    check("choosing a head")
    press(page, "Escape", "?")
    page.evaluate("location.hash = '#sentence=21'")
    page.wait_for_selector(".board .finding")
    check("finding")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("location.hash = '#sentence=18'")  # not annotated
    page.wait_for_selector(".board .suggested")
    page.set_viewport_size({"width": min(width, 1060), "height": 700})
    shoot(page, f"desk-{'phone' if width < 500 else scheme}")


def test_from_right_to_left(
    browser: Any, page_models: dict[str, Model], tmp_path: Path, shoot: Callable[..., Path]
) -> None:
    path, file = tmp_path / "hebrew.bistro", tmp_path / "hebrew.conllu"
    page_models["hebrew"].save(path)
    sentences = list(hebrew())[:4]
    write([s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in sentences], file)
    work = Work(browser, path, file)
    page = work.page()
    page.locator(".board").focus()
    press(page, "Home", "ArrowLeft")  # to the second word
    assert page.locator(".panel h3").text_content().startswith("2 ")
    shoot(page, "desk-right-to-left")
    press(page, "h", "Home", "ArrowLeft", "ArrowLeft", "Enter")
    decided(page, 1)
    press(page, "Control+s")
    page.wait_for_selector("text=all saved")
    assert read(file)[0].heads[1] == 3
    work.close()


def test_kills_at_random_moments(tmp_path: Path) -> None:
    kills, answered = run(2, 3, tmp_path)
    assert (kills, answered > 0) == (2, True)
