"""The page: a text of several sentences is a list, and each can be read."""

from __future__ import annotations

from typing import Any

import pytest

from .browsing import GARDEN_PATH, WORDS, texts

pytestmark = pytest.mark.xdist_group("web")
TEXT = f"The dog sleeps. {GARDEN_PATH} It rains!"


def test_a_paragraph_becomes_a_list_of_sentences(visit: Any) -> None:
    page = visit(text=TEXT, model="english")
    assert texts(page, ".paragraph button") == [
        "The dog sleeps .", " ".join(WORDS), "It rains !"
    ]  # fmt: skip
    assert texts(page, ".strip .column .word") == ["The", "dog", "sleeps", ".", "end"]
    page.click(".paragraph li:nth-child(2) button")
    page.wait_for_selector(".paragraph li:nth-child(2) button[aria-pressed=true]")
    assert texts(page, ".strip .column .word") == [*WORDS, "end"]
    assert texts(page, ".paragraph button[aria-pressed=true]") == [" ".join(WORDS)]
    assert "sentence=2" in page.url
    page.go_back()
    page.wait_for_selector(".paragraph li:nth-child(1) button[aria-pressed=true]")
    assert texts(page, ".strip .column .word") == ["The", "dog", "sleeps", ".", "end"]


def test_an_address_names_the_sentence(visit: Any) -> None:
    page = visit(text=TEXT, model="english", sentence=3)
    assert texts(page, ".strip .column .word") == ["It", "rains", "!", "end"]
    beyond = visit(text=TEXT, model="english", sentence=99)
    assert texts(beyond, ".strip .column .word") == ["It", "rains", "!", "end"]


def test_one_sentence_has_no_list(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    assert page.locator(".paragraph").count() == 0
    spaced = visit(text=TEXT, model="english", spaces=1)
    assert spaced.locator(".paragraph").count() == 0
