"""Pictures of trees: well-formed, complete, and nothing on top of anything else."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st
from svg_elements import attribute, number, text_of

from bistro.pictures.arcs import draw_arcs
from bistro.pictures.text import text_width, xml_text

FORMS = ["The", "horse", "raced", "past", "the", "barn", "fell"]
HEADS = [2, 7, 2, 6, 6, 3, 0]
LABELS = ["det", "nsubj", "acl", "case", "det", "obl", "root"]

Box = tuple[float, float, float, float]


def parts(svg: str, kind: str) -> list[Element]:
    """All elements whose first class is `kind`."""
    root = ElementTree.fromstring(svg)
    return [e for e in root.iter() if e.get("class", "").split(" ")[0] == kind]


def boxes(svg: str) -> list[Box]:
    """The backgrounds of the labels (the first one is the paper of the whole picture)."""
    return [
        (number(box, "x"), number(box, "y"), number(box, "width"), number(box, "height"))
        for box in parts(svg, "paper")[1:]
    ]


def overlap(one: Box, other: Box) -> bool:
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def test_every_word_tag_and_label_is_there() -> None:
    tags = ["DET", "NOUN", "VERB", "ADP", "DET", "NOUN", "VERB"]
    svg = draw_arcs(FORMS, HEADS, LABELS, tags)
    assert [e.text for e in parts(svg, "word")] == FORMS
    assert [e.text for e in parts(svg, "tag")] == tags
    assert sorted(str(e.text) for e in parts(svg, "label")) == sorted(LABELS)
    assert len(parts(svg, "arc")) == len(parts(svg, "tip")) == len(FORMS)
    assert svg.count('class="arc root"') == 1


def test_the_tree_is_told_in_words() -> None:
    root = ElementTree.fromstring(draw_arcs(FORMS, HEADS, LABELS))
    assert root.get("role") == "img"
    assert text_of(root, "title") == " ".join(FORMS)
    told = text_of(root, "desc")
    assert "fell is the root." in told
    assert "horse depends on fell as nsubj." in told


def test_arcs_run_from_head_to_dependent() -> None:
    svg = draw_arcs(["a", "b"], [2, 0], ["dep", "root"])
    words = [number(e, "x") for e in parts(svg, "word")]
    path = next(attribute(e, "d") for e in parts(svg, "arc") if e.get("class") == "arc arc")
    start = float(path[1:].split(" ")[0])
    tips = [float(attribute(e, "d")[1:].split(" ")[0]) for e in parts(svg, "tip")]
    assert abs(start - words[1]) < 10
    assert sorted(round(min(abs(tip - word) for tip in tips)) for word in words) == [0, 4]


def test_hostile_text_is_escaped() -> None:
    forms = ["<b>", "&amp;", '"', "\x01\ud800"]
    svg = draw_arcs(forms, [0, 1, 1, 1], ["<", ">", "&", "'"], ["\x00", "]]>", "--", "?"])
    assert [e.text for e in parts(svg, "word")] == ["<b>", "&amp;", '"', "\ufffd\ufffd"]
    assert svg.encode("utf-8")


def test_right_to_left_is_the_mirror_image() -> None:
    left = draw_arcs(FORMS, HEADS, LABELS)
    right = draw_arcs(FORMS, HEADS, LABELS, rtl=True)
    width = float(attribute(ElementTree.fromstring(left), "viewBox").split(" ")[2])
    for one, other in zip(parts(left, "word"), parts(right, "word"), strict=True):
        assert number(one, "x") + number(other, "x") == pytest.approx(width, abs=0.15)
        assert other.get("direction") == "rtl"


def test_forests_and_missing_heads() -> None:
    svg = draw_arcs(["a", "b", "c"], [0, -1, 0], ["root", "", "root"])
    assert svg.count('class="arc root"') == 2
    assert len(parts(svg, "arc")) == 2
    colours = [e.get("fill") for e in parts(svg, "word")]
    assert colours[0] == colours[2] != colours[1]


def test_unlabelled_and_empty() -> None:
    assert boxes(draw_arcs(["a", "b"], [0, 1])) == []
    assert parts(draw_arcs([], []), "word") == []


def test_probabilities_are_printed_and_fade_the_doubtful() -> None:
    svg = draw_arcs(["a", "b"], [0, 1], ["root", "x"], probabilities=[1.0, 0.25])
    assert {e.text for e in parts(svg, "label")} == {"root 100%", "x 25%"}
    assert 'opacity="1.00"' in svg
    assert 'opacity="0.51"' in svg


def test_width_scales_down_but_never_up() -> None:
    natural = ElementTree.fromstring(draw_arcs(FORMS, HEADS, LABELS))
    small = ElementTree.fromstring(draw_arcs(FORMS, HEADS, LABELS, width=100))
    large = ElementTree.fromstring(draw_arcs(FORMS, HEADS, LABELS, width=5000))
    assert number(small, "width") == 100
    assert large.get("width") == natural.get("width")
    ratio = number(natural, "height") / number(natural, "width")
    assert number(small, "height") == pytest.approx(100 * ratio, abs=0.1)
    assert small.get("viewBox") == natural.get("viewBox")


@pytest.mark.parametrize(
    ("heads", "labels"),
    [([3, 0], None), ([1, 0], None), ([-2, 0], None), ([0], None), ([0, 1], [""])],
)
def test_impossible_trees_are_refused(heads: list[int], labels: list[str] | None) -> None:
    with pytest.raises(ValueError):
        draw_arcs(["a", "b"], heads, labels)


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[str], list[int], list[str]]:
    """Words with arbitrary heads: projective, crossing, several roots, cycles, no head."""
    size = draw(st.integers(1, 14))
    heads = [
        draw(st.sampled_from([head for head in range(-1, size + 1) if head != word]))
        for word in range(1, size + 1)
    ]
    word = st.text(min_size=1, max_size=12)
    names = draw(st.lists(word, min_size=size, max_size=size))
    return names, heads, draw(st.lists(word, min_size=size, max_size=size))


@given(trees(), st.booleans())
def test_nothing_covers_anything_else(
    tree: tuple[list[str], list[int], list[str]], rtl: bool
) -> None:
    forms, heads, labels = tree
    svg = draw_arcs(forms, heads, labels, forms, rtl=rtl)
    root = ElementTree.fromstring(svg)
    _, _, width, height = (float(number) for number in attribute(root, "viewBox").split(" "))
    for x, y, w, h in boxes(svg):
        assert x >= -0.1 and x + w <= width + 0.1
        assert y >= 0 and y + h <= height
    for one, other in itertools.combinations(boxes(svg), 2):
        assert not overlap(one, other)
    places = [
        (number(e, "x"), text_width(form, 16) / 2)
        for e, form in zip(parts(svg, "word"), forms, strict=True)
    ]
    for (x, half), (next_x, next_half) in itertools.pairwise(sorted(places)):
        assert x + half <= next_x - next_half + 0.11


def test_text_width() -> None:
    assert text_width("", 10) == 0
    assert text_width("語", 10) > text_width("a", 10) > text_width("i", 10)
    assert text_width("a\u0301\u200d", 10) == text_width("a", 10)
    assert text_width("abc", 20) == pytest.approx(2 * text_width("abc", 10))


def test_xml_text() -> None:
    assert xml_text("a<b>&\x07\ufffe\U0001f600") == "a&lt;b&gt;&amp;\ufffd\ufffd\U0001f600"
