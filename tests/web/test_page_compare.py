"""The page: two sentences or two models side by side."""

from __future__ import annotations

from typing import Any

import pytest

from .browsing import GARDEN_PATH, ask, texts

pytestmark = pytest.mark.xdist_group("web")

WITHOUT, WITH = "While the man hunted the deer ran.", "While the man hunted, the deer ran."


def test_two_sentences_are_aligned(visit: Any, shoot: Any) -> None:
    page = visit(text=WITHOUT, model="english", compare=1, text2=WITH, model2="english", width=1300)
    page.wait_for_selector(".comparison")
    columns = "While the man hunted , the deer ran . end"
    assert " ".join(texts(page, ".comparison .word")) == columns
    assert texts(page, ".comparison .alone .word") == [","]
    assert page.locator(".comparison rect.first").count() == 9
    assert page.locator(".comparison rect.second").count() == 10
    rows = [ask(page, "read", model="english", text=text)["rows"] for text in (WITHOUT, WITH)]
    shown = texts(page, ".comparison .column:nth-of-type(8) .value")
    assert shown == [f"{rows[0][6]['surprisal']:.1f}", f"{rows[1][7]['surprisal']:.1f}"]
    assert page.locator(".pane").count() == 2
    boxes = [pane.bounding_box() for pane in page.locator(".pane").all()]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]
    shoot(page, "compare")


def test_two_models_read_one_sentence(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    page.get_by_role("button", name="Compare two").click()
    page.select_option("select[name=model2]", "ngram")
    page.click("button.main")
    page.wait_for_function(
        "() => document.querySelector('.comparison .key.second')?.textContent.startsWith('ngram')"
    )
    assert page.locator(".comparison rect.first").count() == 9
    assert page.locator(".comparison rect.second").count() == 9
    assert page.locator(".pane").nth(1).locator(".trees").count() == 0
    assert "compare=1" in page.url and "model2=ngram" in page.url
    page.get_by_role("button", name="Compare two").click()
    page.locator(".comparison").wait_for(state="detached")
    assert page.locator(".pane").count() == 1


def test_each_side_has_its_own_player_in_the_address(visit: Any) -> None:
    page = visit(text=WITHOUT, model="english", compare=1, text2=WITH, model2="english")
    page.wait_for_selector(".comparison")
    page.locator(".pane").nth(1).get_by_role("button", name="To the first word").click()
    assert "step2=1" in page.url and "step=" not in page.url
    page.reload()
    page.wait_for_selector(".comparison")
    assert page.locator(".pane").nth(1).locator(".strip .future").count() == 9
    assert page.locator(".pane").nth(0).locator(".strip .future").count() == 0


def test_a_pair_of_examples_opens_a_comparison(visit: Any) -> None:
    page = visit()
    page.locator(".chip", has_text="↔").click()
    page.wait_for_selector(".comparison")
    assert page.input_value("input[name=text2]")
    assert page.get_by_role("button", name="Compare two").get_attribute("aria-pressed") == "true"


def test_an_error_on_one_side_leaves_the_other(visit: Any) -> None:
    page = visit(
        text=GARDEN_PATH,
        model="english",
        compare=1,
        text2="b " * 151,
        model2="english",
        allowed="status of 4",
    )
    page.wait_for_selector(".pane .strip")
    page.wait_for_selector(".pane .error")
    assert page.locator(".comparison").count() == 0
