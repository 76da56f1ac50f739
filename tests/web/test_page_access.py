"""The page for everyone: keyboards, screen readers, phones, dark rooms, right-to-left scripts."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from .browsing import GARDEN_PATH, texts

pytestmark = pytest.mark.xdist_group("web")

HEBREW = "הכלב הגדול ראה ילד ."
LONG = " ".join(["The old man knew that the boy saw the dog that chased the cat"] * 3) + " ."

# Of every visible text the contrast of its colour with what is behind it, after WCAG 2.
CONTRASTS = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const backdrop = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const told = walker.currentNode.textContent.trim();
    const box = node.getBoundingClientRect();
    const unseen = "title, desc, noscript, .unseen, .skip, .lost, option";
    if (!told || !box.width || node.closest(unseen)) continue;
    const style = getComputedStyle(node);
    const ink = parse(node instanceof SVGElement ? style.fill : style.color);
    let behind = backdrop(node);
    const block = node.previousElementSibling;
    if (block?.matches('.block')) {
      const { fill, fillOpacity } = getComputedStyle(block);
      const over = parse(fill);
      behind = behind.map((part, i) => part + (over[i] - part) * Number(fillOpacity));
    }
    const [a, b] = [light(ink), light(behind)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.push([told, ratio, ink]);
  }
  return bad;
}"""


def fits(page: Any) -> bool:
    fitting: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return fitting


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit: Any, scheme: str) -> None:
    page = visit(
        text=GARDEN_PATH,
        model="english",
        context={"color_scheme": scheme, "reduced_motion": "reduce"},
    )
    assert page.evaluate(CONTRASTS) == []


def test_dark_rooms(visit: Any, shoot: Any) -> None:
    page = visit(
        text=GARDEN_PATH,
        model="english",
        context={"color_scheme": "dark", "reduced_motion": "reduce"},
    )
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in ground.strip("rgb()").split(",")) < 60
    shoot(page, "dark")


@pytest.mark.parametrize("text", [GARDEN_PATH, LONG, "Donaudampfschifffahrtsgesellschaft" * 6])
def test_a_phone_s_width_has_no_sideways_scrolling(visit: Any, text: str) -> None:
    page = visit(text=text, model="english", width=360, height=740)
    page.wait_for_selector(".trees")
    assert fits(page)
    page.get_by_text("As a table").click()
    page.get_by_role("button", name="Compare two").click()
    page.wait_for_selector(".comparison")
    assert fits(page)
    page.click(".generated .make")
    page.wait_for_selector(".generated .sentences li")
    assert fits(page)


def test_a_phone(visit: Any, shoot: Any) -> None:
    phone = {"has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
    page = visit(text=GARDEN_PATH, model="english", step=7, width=360, height=740, context=phone)
    page.get_by_role("button", name="One word back").tap()
    page.get_by_role("button", name="One word on").tap()
    inside = page.evaluate(
        """() => {
      const box = document.querySelector('.reading .canvas').getBoundingClientRect();
      const word = document.querySelector('.strip .current .word').getBoundingClientRect();
      return word.left >= box.left && word.right <= box.right;
    }"""
    )
    assert inside
    for button in page.locator(".player button").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 36
    page.locator(".heard").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('.heard').scrollIntoView()")
    shoot(page, "phone")


def test_everything_with_the_keyboard_alone(visit: Any) -> None:
    page = visit(height=900)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    reached = _tab_to(page, "input[name=text]")
    page.keyboard.type("The old man the boat.")
    page.keyboard.press("Enter")
    page.wait_for_selector(".trees .tree")
    order = [".parts", ".player .play", ".player input", ".reading .canvas", ".candidate input"]
    for selector in [*order, ".trees .tree .node", ".orders button", ".generated .make"]:
        reached = _tab_to(page, selector)
        assert reached, selector
    page.keyboard.press("Enter")
    page.wait_for_selector(".generated .sentences li")


def _tab_to(page: Any, selector: str) -> bool:
    """Go on by Tab until an element has the focus, visibly."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            visible = page.evaluate(
                """() => {
              const node = document.activeElement;
              const shown = node.matches('.node') ? node.querySelector('.hit') : node;
              const style = getComputedStyle(shown);
              return style.outlineStyle !== 'none' || style.stroke !== 'none';
            }"""
            )
            assert visible, selector
            return True
    return False


def test_names_and_roles(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll(
        'button, input, select, [role=img], [role=group], [tabindex="0"]')]
      .filter((node) => node.checkVisibility() && !node.getAttribute('aria-label'))
      .filter((node) => !node.labels?.length && !node.textContent.trim())
      .map((node) => node.outerHTML)"""
    )
    assert unnamed == []
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.get_by_role("group", name="Player").count() == 1
    assert page.get_by_role("slider", name="Word reached").count() == 1
    assert page.get_by_role("status").count() >= 1
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map((one) => +one.tagName[1])")
    assert levels[0] == 1 and all(b - a <= 1 for a, b in itertools.pairwise(levels))


def test_stillness_on_demand(visit: Any) -> None:
    still = visit(text="It rains.", model="english", context={"reduced_motion": "reduce"})
    assert still.evaluate(
        "getComputedStyle(document.querySelector('.strip .now')).transition"
    ).startswith(("none", "all"))
    moving = visit(text="It rains.", model="english", context={"reduced_motion": "no-preference"})
    assert "0.25s" in moving.evaluate(
        "getComputedStyle(document.querySelector('.strip .now')).transition"
    )


def test_right_to_left(visit: Any, shoot: Any) -> None:
    page = visit(text=HEBREW, model="hebrew", height=1250)
    for selector in (".strip .column:not(.end) .word", ".trees .tree .node .word"):
        places = page.eval_on_selector_all(
            selector,
            """words => words.map((word) => [
              +(word.parentNode.dataset.step ?? word.parentNode.dataset.word),
              word.getBoundingClientRect().left])""",
        )
        lefts = [left for _, left in sorted(places)]
        assert lefts == sorted(lefts, reverse=True)
    assert (
        page.evaluate("getComputedStyle(document.querySelector('input[name=text]')).direction")
        == "rtl"
    )
    page.get_by_role("button", name="To the first word").click()
    page.focus(".reading .canvas")
    page.keyboard.press("ArrowLeft")
    assert page.text_content(".strip .current .word") == HEBREW.split()[1]
    page.focus(".player input")
    page.keyboard.press("ArrowLeft")
    assert page.text_content(".strip .current .word") == HEBREW.split()[2]
    assert texts(page, ".strip .unknown") == []
    shoot(page, "right-to-left", ".pane")


def test_paper_has_no_buttons(visit: Any) -> None:
    page = visit(text="It rains.", model="english")
    page.emulate_media(media="print")
    assert not page.locator("#composer").is_visible()
    assert page.locator(".trees .tree").is_visible()
