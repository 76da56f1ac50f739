"""The report page and its charts: self-contained, escaped, and true to the numbers."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from svg_elements import attribute, number

from bistro.errors import OutputError
from bistro.pictures.text import text_width
from bistro.report.frame import COLOURS, round_ticks
from bistro.report.html import (
    Page,
    bar_chart,
    facts,
    figure,
    line_chart,
    paragraph,
    sentences,
    table,
)

VOID = {"meta", "link", "br", "img", "hr"}


class Reader(HTMLParser):
    """Collects tags and text, and checks that every tag is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture
def page() -> Page:
    bars = bar_chart(["a", "<b>"], {"model": [1.0, 2.5], "truth": [0.5, 3.0]}, unit="bits")
    return (
        Page("Tom & <Jerry>", subtitle="two > one", footer="seed 1")
        .section("Facts", facts({"words <n>": 61234}), paragraph("a < b"))
        .section("Chart", figure(bars, "caption & more"))
        .section("List", sentences(["<script>alert(1)</script>"]))
    )


def test_page_is_well_formed_and_escaped(page: Page) -> None:
    reader = read(page.render())
    assert "Tom & <Jerry>" in reader.text
    assert "<script>alert(1)</script>" in reader.text
    assert "script" not in [tag for tag, _ in reader.tags]
    assert "61,234" in reader.text


def test_page_needs_nothing_from_elsewhere(page: Page) -> None:
    html = page.render()
    for tag, attributes in read(html).tags:
        assert tag not in ("script", "link", "img", "iframe")
        assert not {"src", "srcset", "onload", "onclick"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert "@import" not in html
    assert "url(" not in html
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    assert 'name="viewport"' in html


def test_contents_link_to_the_sections(page: Page) -> None:
    tags = read(page.render()).tags
    links = [str(a["href"])[1:] for tag, a in tags if tag == "a"]
    assert links == [a["id"] for tag, a in tags if tag == "section"]
    assert len(links) == 3


def test_style_names_every_class_of_the_drawings(page: Page) -> None:
    """A class without a rule would keep its white-paper colour on a dark screen."""
    html = page.render()
    style = html[html.index("<style>") : html.index("</style>")]
    used = {name for _, a in read(html).tags for name in (a.get("class") or "").split()}
    for name in used - {"s1", "s2", "s3", "s4"}:
        assert f".{name}" in style


def test_write(page: Page, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    page.write(target)
    assert target.read_text(encoding="utf-8") == page.render()
    with pytest.raises(OutputError):
        page.write(tmp_path / "absent" / "report.html")


def test_table() -> None:
    html = table(
        ["model", "perplexity", "share"], [["5-gram", 108.912, "3.1 %"], ["x", None, "n/a"]]
    )
    assert "<td>5-gram</td>" in html
    assert '<td class="number">108.91</td>' in html
    assert '<td class="number">3.1 %</td>' in html
    assert '<td class="number">–</td>' in html
    assert '<th class="number">share</th>' in html
    with pytest.raises(ValueError):
        table(["one"], [["a", "b"]])
    assert read(table(["one"], [], "nothing & nobody")).text.count("one") == 1


def svg_parts(svg: str, tag: str, kind: str) -> list[Element]:
    root = ElementTree.fromstring(svg)
    name = "{http://www.w3.org/2000/svg}" + tag
    return [e for e in root.iter(name) if e.get("class", "").startswith(kind)]


def test_bar_heights_are_proportional() -> None:
    svg = bar_chart(["a", "b", "c"], {"x": [1.0, 2.0, 4.0]})
    heights = [number(e, "height") for e in svg_parts(svg, "rect", "bar s1")]
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.2)
    assert heights[2] == pytest.approx(4 * heights[0], abs=0.4)


def test_bars_of_two_series_have_a_legend_and_values() -> None:
    svg = bar_chart(["a"], {"model": [1.25], "truth": [3.0]}, unit="bits")
    text = [e.text for e in ElementTree.fromstring(svg).iter() if e.text]
    assert {"model", "truth", "bits", "1.2", "3.0"} <= set(text)
    assert len(svg_parts(svg, "rect", "bar")) == 4


def test_the_legend_keeps_clear_of_the_unit() -> None:
    series = {name: [0.64] for name in ("all", "before the head", "after the head", "both sides")}
    svg = bar_chart(["a"], series, unit="bits per dependent")
    texts = {e.text: e for e in ElementTree.fromstring(svg).iter() if e.get("font-size")}
    end = number(texts["bits per dependent"], "x") + text_width("bits per dependent", 11)
    boxes = [number(e, "x") for e in svg_parts(svg, "rect", "bar") if e.get("y") == "8.0"]
    assert len(boxes) == 4
    assert min(boxes) > end
    assert "0.64" in texts


def test_infinite_and_missing_bars() -> None:
    svg = bar_chart(["a", "b", "c"], {"x": [math.inf, math.nan, 1.0]})
    bars = svg_parts(svg, "rect", "bar")
    assert len(bars) == 2
    assert number(bars[0], "height") >= number(bars[1], "height")
    assert "∞" in svg


def test_all_zero_bars_stand_on_the_axis() -> None:
    bars = svg_parts(bar_chart(["a"], {"x": [0.0]}), "rect", "bar")
    assert [number(bar, "height") for bar in bars] == [0.0]


def test_charts_refuse_what_they_cannot_draw() -> None:
    with pytest.raises(ValueError, match="negative"):
        bar_chart(["a"], {"x": [-1.0]})
    with pytest.raises(ValueError, match="2 values, but there are 1"):
        bar_chart(["a"], {"x": [1.0, 2.0]})
    with pytest.raises(ValueError, match="series"):
        bar_chart(["a"], {})
    with pytest.raises(ValueError, match="series"):
        bar_chart(["a"], {str(n): [1.0] for n in range(len(COLOURS) + 1)})


def curve(svg: str) -> list[tuple[str, float, float]]:
    (path,) = svg_parts(svg, "path", "curve s1")
    return [
        (pen, float(x), float(y))
        for pen, x, y in re.findall(r"([ML])([\d.]+) ([\d.]+)", attribute(path, "d"))
    ]


def test_line_rises_with_the_values_and_breaks_at_gaps() -> None:
    points = curve(line_chart({"ll": [-10.0, -5.0, math.nan, -4.0]}, x_label="sweep"))
    assert [pen for pen, _, _ in points] == ["M", "L", "M"]
    assert points[0][2] > points[1][2] > points[2][2]
    assert points[0][1] < points[1][1] < points[2][1]


def test_line_over_given_places() -> None:
    points = curve(line_chart({"speed": [1.0, 2.0, 3.0]}, x=[0, 1, 10]))
    first, second, third = (x for _, x, _ in points)
    assert third - second == pytest.approx(9 * (second - first), rel=1e-2)


@pytest.mark.parametrize(
    "values", [[], [3.0], [2.0, 2.0], [math.nan], [1e-300, 2e-300], [1e9, -1e9]]
)
def test_awkward_lines_still_draw(values: list[Any]) -> None:
    ElementTree.fromstring(line_chart({"x": values}))


@example(low=73776661888.0, span=6.103515625e-05)
@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e12))
def test_ticks_cover_the_data_in_few_round_steps(low: float, span: float) -> None:
    high = low + span
    ticks = round_ticks(low, high)
    assert 2 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))
    if high > low:
        slack = 1e-9 * max(abs(low), abs(high))
        assert ticks[0] <= low + slack
        assert ticks[-1] >= high - slack
