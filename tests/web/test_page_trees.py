"""The page: trees with probabilities, alternatives of a word, other orders."""

from __future__ import annotations

from typing import Any

import pytest

from .browsing import GARDEN_PATH, ask, texts

pytestmark = pytest.mark.xdist_group("web")

TREE = ".trees .tree"


def node(page: Any, word: int) -> Any:
    return page.locator(f"{TREE} .node[data-word='{word}']")


def doubtful_word(page: Any) -> tuple[int, dict[str, Any]]:
    """The word whose head is least sure, and what the server told."""
    told = ask(page, "parse", model="english", text=GARDEN_PATH, kbest=5)
    best = [row[0][1] for row in told["marginals"]["heads"]]
    return best.index(min(best)) + 1, told


def test_the_best_tree_is_drawn_with_its_probabilities(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    word, told = doubtful_word(page)
    best = told["analyses"][0]
    assert page.locator(f"{TREE} .node").count() == 8
    labels = texts(page, f"{TREE} .node .label")
    assert sorted(label.split()[0] for label in labels) == sorted(best["labels"])
    head = best["heads"][word - 1]
    share = dict(told["marginals"]["heads"][word - 1])[head]
    shown = node(page, word).locator(".head").text_content()
    assert shown.removeprefix("↷ ").startswith(f"{100 * share:.0f}"[:1])
    assert node(page, word).locator(".tag").text_content().split()[0] == best["tags"][word - 1]


def test_another_tree_can_be_chosen(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    told = ask(page, "parse", model="english", text=GARDEN_PATH, kbest=5)
    candidates = page.locator(".candidate")
    assert candidates.count() == len(told["analyses"]) > 1
    before = page.inner_html(TREE)
    candidates.nth(1).click()
    assert page.inner_html(TREE) != before
    assert "tree=2" in page.url
    heads = told["analyses"][1]["heads"]
    described = page.locator(".trees details p").text_content()
    words = told["words"]
    for word, head in enumerate(heads):
        expected = "is the root" if head == 0 else f"depends on {words[head - 1]}"
        assert f"{words[word]} {expected}" in described
    page.locator(".candidate input").nth(1).press("ArrowDown")
    assert page.locator(".candidate input").nth(2).is_checked()


def test_differences_are_told_in_words(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    told = ask(page, "parse", model="english", text=GARDEN_PATH, kbest=5)
    first, words = told["analyses"][0]["heads"], told["words"]
    shown = texts(page, ".candidate .difference")
    compared = 0
    for tree, difference in zip(told["analyses"][1:], shown[1:], strict=True):
        changed = [i for i, head in enumerate(tree["heads"]) if head != first[i]]
        if not changed:
            continue
        head = tree["heads"][changed[0]]
        aim = f"under {words[head - 1]}" if head else "as root"
        assert f"{words[changed[0]]} {aim}" in difference
        assert "→" not in difference
        compared += 1
    assert compared


def test_a_tree_without_a_probability_has_no_bar(visit: Any) -> None:
    page = visit(model="english")

    def without_probability(route: Any) -> None:
        answer = route.fetch().json()
        answer["analyses"][0]["posterior"] = None
        route.fulfill(json=answer)

    page.route("**/api/parse", without_probability)
    page.fill("input[name=text]", GARDEN_PATH)
    page.click("button.main")
    page.wait_for_selector(".candidate")
    first, second = (page.locator(".candidate").nth(i) for i in range(2))
    assert first.locator(".mass, .share").count() == 0
    assert first.text_content().startswith("best guess; about ")
    assert second.locator(".mass").count() == 1


def test_alternatives_on_hover(visit: Any, shoot: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english", height=820)
    word, told = doubtful_word(page)
    assert not page.locator(".popover").is_visible()
    page.evaluate("document.querySelector('.trees').scrollIntoView()")
    node(page, word).locator(".hit").hover()
    page.locator(".popover").wait_for()
    sections = [text.lower() for text in texts(page, ".popover h4")]
    assert sections == ["head", "relation", "tag"]
    listed = page.locator(".popover section").first.locator("li")
    heads = [pair for pair in told["marginals"]["heads"][word - 1] if pair[1] >= 0.001][:6]
    assert listed.count() == len(heads) > 1
    assert page.locator(f"{TREE} .others .line").count() >= 1
    dashes = page.eval_on_selector(
        f"{TREE} .others .line", "line => getComputedStyle(line).strokeDasharray"
    )
    assert dashes != "none"
    node(page, word).locator(".hit").click()
    shoot(page, "alternatives")
    page.keyboard.press("Escape")
    assert not page.locator(".popover").is_visible()
    node(page, word).locator(".hit").hover()
    page.locator(".popover").wait_for()
    page.mouse.move(2, 2)
    page.locator(".popover").wait_for(state="hidden")
    assert page.locator(f"{TREE} .others").count() == 0


def test_alternatives_with_the_keyboard(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    page.locator(".candidate input:checked").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.word") == "1"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.word") == "2"
    page.locator(".popover").wait_for()
    assert page.text_content(".popover h3") == "horse"
    assert page.get_attribute(f"{TREE} .node:focus", "aria-expanded") == "true"
    page.keyboard.press("Escape")
    assert not page.locator(".popover").is_visible()
    page.keyboard.press("Enter")
    assert page.locator(".popover").is_visible()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.dataset.word") == "8"


def test_alternatives_on_a_tap(visit: Any) -> None:
    touch = {"has_touch": True, "is_mobile": True}
    page = visit(text=GARDEN_PATH, model="english", width=360, height=740, context=touch)
    node(page, 2).locator(".hit").tap()
    page.locator(".popover").wait_for()
    box = page.locator(".popover").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 360
    page.locator("h1").tap()
    page.locator(".popover").wait_for(state="hidden")


def test_arcs_say_in_words_what_they_show(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    told = ask(page, "parse", model="english", text=GARDEN_PATH)["analyses"][0]
    label = node(page, 1).get_attribute("aria-label")
    assert label.startswith(f"The depends on horse as {told['labels'][0]}, ")
    assert f"tag {told['tags'][0]}" in label


def test_other_orders_of_the_tree(visit: Any) -> None:
    page = visit(text="The old man ate the apple yesterday.", model="english")
    page.get_by_role("button", name="The most probable").click()
    page.wait_for_selector(".orders .sentences li")
    orders = texts(page, ".orders .sentence")
    assert len(orders) == len(set(orders)) > 1
    plain = sorted("The old man ate the apple yesterday .".lower().split())
    for order in orders:
        assert set(order.lower().split()) <= set(plain)
    assert "ln p" in page.text_content(".orders .note")
    page.get_by_role("button", name="Draw some").click()
    page.wait_for_selector(".orders .sentences li")
    page.locator(".orders .sentence").first.click()
    page.wait_for_function("() => location.hash.includes('spaces=1')")


def test_without_a_model_of_word_order_there_are_no_orders(visit: Any) -> None:
    page = visit(models=("english",), text=GARDEN_PATH)
    assert page.locator(".trees").count() == 1
    assert page.locator(".orders").count() == 0
    assert not page.locator("select[name=model]").is_visible()
