"""Pictures of reports: two trees in one, surprisal under words, charts on a logarithmic scale."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest
from svg_elements import attribute, number, text_of

from bistro.pictures.text import is_right_to_left
from bistro.report.comparison import draw_comparison
from bistro.report.frame import round_ticks
from bistro.report.html import Percent, folded, legend, table
from bistro.report.learning import learning_blocks
from bistro.report.plots import line_chart
from bistro.report.strip import surprisal_strip

FORMS = ["The", "dog", "barks", "."]
RIGHT = ([2, 3, 0, 3], ["det", "nsubj", "root", "punct"])


def classes(svg: str, tag: str = "path") -> list[str]:
    name = "{http://www.w3.org/2000/svg}" + tag
    return [attribute(e, "class") for e in ElementTree.fromstring(svg).iter(name)]


def test_equal_trees_are_drawn_once() -> None:
    svg = draw_comparison(FORMS, RIGHT, RIGHT)
    assert len(classes(svg)) == 2 * len(FORMS)
    assert not re.search("wrong|missed|relabelled", svg)


def test_what_differs_is_seen() -> None:
    found = ([3, 3, 0, 3], ["det", "obj", "root", "punct"])
    svg = draw_comparison(FORMS, RIGHT, found, ["DET", "NOUN", "VERB", "PUNCT"])
    kinds = [kind for kind in classes(svg) if kind.startswith("arc")]
    assert sorted(kinds) == sorted(
        ["arc arc wrong", "arc arc relabelled", "arc root", "arc arc", *["arc arc missed"] * 2]
    )
    told = text_of(ElementTree.fromstring(svg), "desc")
    assert "Below the words. The depends on dog as det. dog depends on barks as nsubj." in told


def test_arcs_below_stay_inside_the_picture_and_under_the_words() -> None:
    found = ([0, 1, 2, 3], ["root", "dep", "dep", "dep"])
    svg = draw_comparison(FORMS, RIGHT, found)
    root = ElementTree.fromstring(svg)
    height = number(root, "height")
    words = [number(e, "y") for e in root.iter() if e.get("class") == "word"]
    below = [
        float(y)
        for e in root.iter()
        if "missed" in (e.get("class") or "") and (e.get("class") or "").startswith("arc")
        for y in re.findall(r"[MV](?:[\d.]+ )?([\d.]+)", attribute(e, "d"))
    ]
    assert len(below) >= 3
    assert max(words) < min(below)
    assert max(below) < height


def test_subtypes_are_no_difference() -> None:
    found = (RIGHT[0], ["det", "nsubj:pass", "root", "punct"])
    assert "relabelled" not in draw_comparison(FORMS, RIGHT, found)


def test_trees_without_relations_are_compared_by_heads() -> None:
    plain = (RIGHT[0], ["_"] * 4)
    for right, found in ((RIGHT, plain), (plain, RIGHT)):
        assert "relabelled" not in draw_comparison(FORMS, right, found)
    assert "wrong" in draw_comparison(FORMS, RIGHT, ([3, 3, 0, 3], ["_"] * 4))


def test_a_word_without_a_head_has_only_the_right_arc() -> None:
    svg = draw_comparison(["It", "rains"], ([2, 0], ["expl", "root"]), ([-1, 0], ["_", "root"]))
    assert sum(kind.startswith("arc") for kind in classes(svg)) == 2
    with pytest.raises(ValueError, match="heads"):
        draw_comparison(["It"], ([0, 1], ["root", "dep"]), ([0], ["root"]))


def bars(svg: str) -> list[tuple[str, float]]:
    root = ElementTree.fromstring(svg)
    rectangles = [e for e in root.iter() if (e.get("class") or "").startswith("bar")]
    return [(attribute(e, "class"), number(e, "height")) for e in rectangles]


def test_bars_hang_as_deep_as_the_surprisal() -> None:
    heights = [height for _, height in bars(surprisal_strip(["a", "b", "c"], [2.0, 4.0, 8.0]))]
    assert heights[2] == pytest.approx(2 * heights[1], abs=0.2)
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.2)


def test_the_parts_of_a_bar_add_up() -> None:
    parts = bars(surprisal_strip(["a"], [4.0], [1.0]))[2:]  # two are in the legend
    (_, lexical), (_, syntactic) = parts
    assert [kind for kind, _ in parts] == ["bar s1", "bar s2"]
    assert lexical == pytest.approx(3 * syntactic, abs=0.2)


def test_long_sentences_take_several_lines() -> None:
    svg = surprisal_strip(["word"] * 60, [1.0] * 60, width=600)
    root = ElementTree.fromstring(svg)
    assert number(root, "width") <= 600
    ys = {e.get("y") for e in root.iter() if e.get("class") == "name"}
    assert len(ys) > 3


def test_impossible_words_are_marked() -> None:
    assert "∞" in surprisal_strip(["a", "b"], [math.inf, 1.0])
    with pytest.raises(ValueError, match="2 words"):
        surprisal_strip(["a", "b"], [1.0])


def test_a_logarithmic_axis() -> None:
    svg = line_chart({"x": [1e-6, 1.0, 1000.0, 0.0]}, log=True, width=300, height=100)
    texts = {e.text for e in ElementTree.fromstring(svg).iter() if e.text}
    assert "10⁻⁶" in texts
    (path,) = re.findall(r'class="curve s1" d="([^"]+)"', svg)
    ys = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", path)]
    assert len(ys) == 3  # 0 has no logarithm
    assert ys[0] - ys[1] == pytest.approx(2 * (ys[1] - ys[2]), abs=0.5)


def test_blocks() -> None:
    html = table(["x", "share"], [["a", Percent(50.0)], ["b", Percent(None)]], dense=True)
    assert '<i style="width:50.0%">' in html
    assert ">–<" in html
    assert 'class="dense short"' in html
    assert folded("more & more", "<p>x</p>").startswith("<details><summary>more &amp; more")
    assert legend(["a", "b"]).count('class="s') == 2


def test_directions() -> None:
    assert is_right_to_left(["مرحبا", "abc"])
    assert not is_right_to_left(["abc", "."])
    assert not is_right_to_left([])


def test_learning_without_a_trace_and_with_one_sweep() -> None:
    assert "no training trace" in learning_blocks([])[0]
    row = {"sweep": 1, "log_likelihood": -1.0, "rules.discount": [0.5], "rules.strength": [2.0]}
    blocks = "".join(learning_blocks([row]))
    assert "0.5" in blocks
    assert "<svg" not in blocks


def test_ticks_are_few_where_there_is_little_room() -> None:
    assert len(round_ticks(0, 100, 4)) <= 5
