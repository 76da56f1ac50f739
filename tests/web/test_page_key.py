"""The page of a server that requires a key."""

from __future__ import annotations

from typing import Any

import pytest

from bistro.models.base import Model

from .browsing import started

pytestmark = pytest.mark.xdist_group("web")


def test_the_page_asks_for_the_key(browser: Any, page_models: dict[str, Model]) -> None:
    server, url = started({"ngram": page_models["ngram"]}, {"0123456789abcdef": "ann"})
    page = browser.new_page()
    keys = ["wrong", "0123456789abcdef"]
    asked: list[str] = []

    def answer(dialog: Any) -> None:
        asked.append(dialog.message)
        dialog.accept(keys[len(asked) - 1])

    page.on("dialog", answer)
    page.goto(url)
    page.wait_for_selector("#composer button")
    assert asked == ["This server requires a key."] * 2
    page.reload()
    page.wait_for_selector("#composer button")
    assert len(asked) == 2
    page.close()
    server.should_exit = True
