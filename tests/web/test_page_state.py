"""The page: addresses that keep the view, examples, made-up sentences, errors, hostile text."""

from __future__ import annotations

from typing import Any

import pytest

from .browsing import GARDEN_PATH, texts

pytestmark = pytest.mark.xdist_group("web")


def test_an_address_gives_the_same_view_again(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    page.locator(".player input").fill("5")
    page.locator(".candidate").nth(1).click()
    page.check(".parts")
    view = page.inner_text("main")
    page.reload()
    page.wait_for_selector(".strip .syntactic")
    assert page.inner_text("main") == view
    assert page.text_content(".strip .current .word") == "the"
    assert page.locator(".candidate input").nth(1).is_checked()
    assert page.input_value("input[name=text]") == GARDEN_PATH


def test_back_and_forward(visit: Any) -> None:
    page = visit(text="It rains.", model="english")
    page.fill("input[name=text]", "The dog barked.")
    page.click("button.main")
    page.wait_for_function(
        "() => document.querySelector('.heard bdi')?.textContent.includes('dog')"
    )
    page.get_by_role("button", name="One word back").click()
    page.go_back()
    page.wait_for_function(
        "() => document.querySelector('.heard bdi')?.textContent.includes('rains')"
    )
    assert page.input_value("input[name=text]") == "It rains."
    page.go_forward()
    page.wait_for_function(
        "() => document.querySelector('.heard bdi')?.textContent.includes('dog')"
    )
    assert page.text_content(".strip .current .word") == "."


def test_examples_of_english(visit: Any, shoot: Any) -> None:
    page = visit()
    page.wait_for_selector(".chip")
    page.locator(".chip", has_text=GARDEN_PATH).click()
    page.wait_for_selector(".trees")
    assert page.input_value("input[name=text]") == GARDEN_PATH
    page.evaluate("scrollTo(0, 0)")
    shoot(page, "start")


def test_examples_of_another_language_come_from_the_model(visit: Any) -> None:
    page = visit(models=("hebrew",))
    page.wait_for_selector(".chip")
    assert texts(page, ".chips .note") == ["made up by the model:"]
    assert all("horse" not in text for text in texts(page, ".chip"))
    page.locator(".chip").first.click()
    page.wait_for_selector(".strip")


def test_made_up_sentences_can_be_read(visit: Any) -> None:
    page = visit()
    page.fill(".generated input[type=text]", "The horse")
    page.click(".generated .make")
    page.wait_for_selector(".generated .sentences li")
    made = texts(page, ".generated .sentence")
    assert len(made) == 5 and all(text.startswith("The horse") for text in made)
    page.click(".generated .make")
    page.wait_for_function(
        "before => document.querySelector('.generated .sentence').textContent !== before",
        arg=made[0],
    )
    chosen = texts(page, ".generated .sentence")[1]
    page.locator(".generated .sentence").nth(1).click()
    page.wait_for_selector(".strip")
    assert page.text_content(".heard bdi") == chosen
    assert texts(page, ".strip .column:not(.end) .word") == chosen.split()


def test_an_error_of_the_server_is_shown(visit: Any) -> None:
    page = visit(models=("english",), text="a " * 151, allowed="status of 4")
    told = page.text_content(".error")
    assert "150" in told
    assert page.get_attribute(".error", "role") == "alert"
    page.fill("input[name=text]", "It rains.")
    page.click("button.main")
    page.wait_for_selector(".strip")
    assert page.locator(".error").count() == 0


def test_a_server_that_is_gone_is_an_error_too(visit: Any) -> None:
    page = visit(allowed="ERR_FAILED")
    page.route("**/api/read", lambda route: route.abort())
    page.fill("input[name=text]", "It rains.")
    page.click("button.main")
    page.wait_for_selector(".error")
    assert "does not answer" in page.text_content(".error")


def test_an_unknown_model_in_the_address(visit: Any) -> None:
    page = visit(text="It rains.", model="nobody")
    assert "There is no model “nobody”" in page.text_content(".error")


def test_it_says_that_it_is_reading(visit: Any) -> None:
    page = visit()
    waiting: list[Any] = []
    page.route("**/api/read", lambda route: waiting.append(route))
    page.fill("input[name=text]", "It rains.")
    page.click("button.main")
    page.wait_for_selector(".pane[aria-busy='true'] .status")
    assert "is reading" in page.text_content(".status")
    page.wait_for_timeout(100)
    waiting[0].continue_()
    page.wait_for_selector(".strip")


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)> ran .",
        "</svg><script>window.broken=1</script> fell",
        "a & b < c > d \" ' `",
        "javascript:alert(1) {{7*7}} ${1}",
    ],
)
def test_hostile_text_stays_text(visit: Any, text: str) -> None:
    page = visit(text=text, model="english")
    page.wait_for_selector(".trees .tree")
    assert page.locator("main img, main script").count() == 0
    assert page.evaluate("window.broken") is None
    first = page.text_content(".strip .column .word")
    assert text.replace(" ", "").startswith(first)


def test_an_empty_sentence_asks_for_one(visit: Any) -> None:
    page = visit()
    page.click("button.main")
    assert page.evaluate("document.activeElement.name") == "text"
    assert page.locator(".error").count() == 0


def test_words_are_kept_as_typed_on_demand(visit: Any) -> None:
    page = visit(text="It rains.", model="english")
    assert page.locator(".strip .column").count() == 4
    page.check(".actions input")
    page.click("button.main")
    page.wait_for_function("() => document.querySelectorAll('.strip .column').length === 3")
    assert "spaces=1" in page.url


def test_models_that_cannot_read_say_so(visit: Any) -> None:
    page = visit(models=("order",))
    assert "can read a sentence" in page.text_content(".error")


def test_a_link_to_a_model_that_cannot_read_says_so(visit: Any) -> None:
    page = visit(text="It rains.", model="order")
    told = page.text_content(".error")
    assert "“order” can neither read nor parse a sentence (it can: linearize)" in told
    assert page.locator(".heard").count() == 0
