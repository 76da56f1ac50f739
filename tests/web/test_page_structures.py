"""Models that are no dependency parsers: phrases of a sentence, states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import bistro
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog

from .browsing import _watch, started, texts

TREES = """(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat))) (. .))
(S (NP (DT a) (NN cat)) (VP (VBD slept)) (. .))
(S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN in) (NP (NN rain)))) (. .))
"""


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A model of trees and one of topics."""
    path = tmp_path_factory.mktemp("trees") / "train.mrg"
    Path(path).write_text(TREES * 10)
    treebank = bistro.builtin(sentences=100, seed=1)
    return {
        "trees": bistro.train("trees", path, seed=1, sampler={"sweeps": 3, "samples": 1}),
        "topics": bistro.train("topics", treebank, seed=1, sweeps=4, samples=1),
    }


def test_the_interface(others: dict[str, Any]) -> None:
    app = create_app(Catalog.of(list(others.items())))
    with TestClient(app, base_url="http://localhost") as client:
        able = {one["id"]: one["abilities"] for one in client.get("/api/models").json()["models"]}
        assert "phrases" in able["trees"]
        assert "states" in able["topics"]
        body = {"model": "trees", "words": ["the", "dog", "saw", "a", "cat", "."]}
        found = client.post("/api/phrases", json=body).json()
        assert found["brackets"].startswith("(")
        assert found["svg"].startswith("<svg")
        states = client.post("/api/states", json={"model": "topics"}).json()["states"]
        assert all(0 <= state["share"] <= 1 and state["words"] for state in states)
        refused = client.post("/api/states", json={"model": "trees"})
        assert refused.status_code == 422


@pytest.fixture
def address(others: dict[str, Any], chromium: str) -> Iterator[str]:
    server, url = started(others)
    yield url
    server.should_exit = True


def test_on_the_page(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    _watch(page, address, complaints, "")
    page.goto(f"{address}#model=trees&text=the+dog+saw+a+cat+.")
    page.wait_for_selector(".phrases img")
    assert page.evaluate("document.querySelector('.phrases img').naturalWidth") > 100
    assert "(S" in texts(page, ".phrases details p")[0]
    page.goto(f"{address}#model=topics&text=The+dog+sleeps+.")
    page.wait_for_selector(".states tbody tr")
    assert page.locator(".states tbody tr").count() > 3
    context.close()
    assert complaints == []
