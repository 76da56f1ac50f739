"""Models, and an application that serves them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

import bistro
from bistro.models.base import Model
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog

from .browsing import browser, chromium, page_models, play, serve_page, shoot, visit  # noqa: F401


@pytest.fixture(scope="session")
def models() -> dict[str, Model]:
    """A small model of each kind that the interface can ask."""
    treebank = bistro.builtin(sentences=300, seed=1)
    return {
        "parser": bistro.train("transition", treebank, seed=1),
        "ngram": bistro.train("ngram", treebank, seed=1, sampler={"sweeps": 5, "samples": 2}),
        "order": bistro.train("linearize", treebank, seed=1),
    }


@pytest.fixture(scope="session")
def catalog(models: dict[str, Model]) -> Catalog:
    """The same, with ids."""
    return Catalog.of(list(models.items()))


@pytest.fixture(scope="session")
def client(catalog: Catalog) -> Iterator[TestClient]:
    """A client of an application with the usual limits."""
    with TestClient(create_app(catalog), base_url="http://localhost") as found:
        yield found
