"""The page: a sentence is read word by word, and its analyses gain and lose mass."""

from __future__ import annotations

from typing import Any

import pytest

from .browsing import GARDEN_PATH, WORDS, ask, texts

pytestmark = pytest.mark.xdist_group("web")


def share_of(page: Any) -> list[float]:
    """The shares of the rows of analyses, as their bars show them."""
    return [
        float(row.evaluate("row => row.style.getPropertyValue('--share')"))
        for row in page.locator(".analysis:not(.lost)").all()
    ]


def test_a_typed_sentence_gets_words_bars_and_figures(visit: Any) -> None:
    page = visit()
    page.fill("input[name=text]", GARDEN_PATH)
    page.press("input[name=text]", "Enter")
    page.wait_for_selector(".strip")
    assert texts(page, ".strip .column .word") == [*WORDS, "end"]
    read = ask(page, "read", model="english", text=GARDEN_PATH)
    assert texts(page, ".strip .value") == [f"{row['surprisal']:.1f}" for row in read["rows"]]
    heights = page.eval_on_selector_all(
        ".strip .whole", "bars => bars.map((bar) => bar.height.baseVal.value)"
    )
    ratios = [
        height / row["surprisal"]
        for height, row in zip(heights, read["rows"], strict=True)
        if row["surprisal"] > 0.1
    ]
    assert max(ratios) == pytest.approx(min(ratios), rel=1e-3)
    assert "bits in all" in page.text_content(".reading > .note")


def test_unknown_words_are_marked(visit: Any) -> None:
    page = visit(text="The zyxgrm raced.", model="english")
    assert texts(page, ".strip .oov .word") == ["zyxgrm"]
    assert texts(page, ".strip .unknown") == ["unknown"]
    assert "unknown to the model" in page.text_content(".strip .oov title")


def test_standard_errors_are_whiskers(visit: Any) -> None:
    page = visit()

    def doubt(route: Any) -> None:
        answer = route.fetch()
        told = answer.json()
        for row in told["rows"]:
            row["mc_se"] = 1.5 if row["token"] == "fell" else None
        route.fulfill(response=answer, json=told)

    page.route("**/api/read", doubt)
    page.fill("input[name=text]", GARDEN_PATH)
    page.click("button.main")
    page.wait_for_selector(".strip")
    assert page.locator(".strip .whisker").count() == 1
    bar = page.locator(".strip [data-step='7']")
    height = bar.locator(".whole").evaluate("bar => bar.height.baseVal.value")
    value = float(bar.locator(".value").text_content())
    whisker = bar.locator(".whisker").evaluate("line => line.getBBox().height")
    assert whisker / height == pytest.approx(3 / value, rel=0.01)
    assert "± 1.50 (standard error)" in bar.locator("title").text_content()


def test_parts_of_the_surprisal_on_demand(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    assert page.locator(".strip .syntactic").count() == 0
    page.check(".parts")
    page.wait_for_selector(".strip .syntactic")
    assert "parts=1" in page.url
    row = ask(page, "read", model="english", text=GARDEN_PATH)["rows"][6]
    heights = [
        page.eval_on_selector(f".strip [data-step='7'] .{part}", "bar => bar.height.baseVal.value")
        for part in ("syntactic", "lexical")
    ]
    assert heights[0] / sum(heights) == pytest.approx(row["surprisal_syn"] / row["surprisal"], 1e-3)


def test_a_model_without_analyses_has_bars_only(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="ngram")
    assert page.locator(".strip .whole").count() == 9
    for absent in (".bands", ".analysis", ".trees", ".parts", ".orders"):
        assert page.locator(absent).count() == 0


def test_the_player_steps_slides_and_jumps(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    button = page.get_by_role("button", name="One word back")
    assert page.locator(".strip .future").count() == 0
    button.click()
    assert "step=8" in page.url
    page.get_by_role("button", name="To the first word").click()
    assert page.locator(".strip .future").count() == 8
    assert page.text_content(".reached").startswith("The,")
    page.get_by_role("button", name="One word on").click()
    assert page.text_content(".strip .current .word") == "horse"
    page.locator(".player input").fill("7")
    assert page.text_content(".strip .current .word") == "fell"
    page.locator(".strip [data-step='3'] .hit").click()
    assert page.text_content(".strip .current .word") == "raced"
    page.get_by_role("button", name="To the end").click()
    assert page.text_content(".strip .current .word") == "end"


def test_it_plays_and_pauses(visit: Any) -> None:
    page = visit(text="It rains.", model="english")
    page.get_by_role("button", name="Play").click()
    assert page.text_content(".strip .current .word") == "It"
    page.wait_for_selector(".strip [data-step='2'].current")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector(".strip .end.current")
    page.get_by_role("button", name="Play").wait_for()


def test_arrow_keys_step_and_are_announced(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english", step=1)
    page.focus(".reading .canvas")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert page.text_content(".strip .current .word") == "fell"
    said = page.text_content("#live")
    assert said.startswith("Word 7 of 8, fell: ") and "bits" in said
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert page.text_content(".strip .current .word") == "The"
    page.keyboard.press("End")
    assert page.text_content(".strip .current .word") == "end"
    page.focus(".player input")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute(".player input", "aria-valuetext").startswith("., ")


def test_live_analyses_are_those_of_the_server(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english", step=3)
    step = ask(page, "read", model="english", text=GARDEN_PATH, analyses=20)["steps"][2]
    expected = [live["probability"] for live in step["analyses"]]
    expected = [p for rank, p in enumerate(expected[:6]) if rank < 2 or p >= 0.001]
    assert share_of(page) == pytest.approx(expected)
    told = page.locator(".analysis svg").first.get_attribute("aria-label")
    assert "horse" in told and "barn" not in told
    assert page.text_content(".live h3") == "Analyses after “raced”"


def test_a_garden_path_can_be_watched(visit: Any, shoot: Any) -> None:
    """The likeliest analysis before the last verb loses its mass there."""
    page = visit(text=GARDEN_PATH, model="english", step=6, height=1250)
    before = page.locator(".analysis").first
    kind = next(name for name in before.get_attribute("class").split() if name.startswith("c"))
    had = share_of(page)[0]
    shoot(page, "reading", ".reading")
    page.get_by_role("button", name="One word on").click()
    page.get_by_role("button", name="One word on").click()
    now = page.locator(f".analysis.{kind}")
    has = float(
        now.first.evaluate("row => row.style.getPropertyValue('--share')") if now.count() else 0
    )
    assert had > 0.5 and has < had
    assert page.locator(".strip .band").count() > 10
    shoot(page, "garden-path", ".reading")


def test_lost_analyses_are_shown_once_more(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    steps = range(1, 10)
    seen = 0
    for step in steps:
        page.locator(".player input").fill(str(step))
        for row in page.locator(".analysis.lost").all():
            seen += 1
            assert "lost, had" in row.text_content()
    crosses = page.locator(".strip .lost .cross").count()
    assert seen == crosses > 0


def test_the_table_says_what_the_picture_shows(visit: Any) -> None:
    page = visit(text=GARDEN_PATH, model="english")
    page.get_by_text("As a table").click()
    rows = page.locator(".figures-table tbody tr")
    assert rows.count() == 9
    assert rows.nth(6).locator("th").text_content() == "fell"
    label = page.get_attribute(".strip", "aria-label")
    value = page.text_content(".strip [data-step='7'] .value")
    assert f"fell {value} bits" in label
