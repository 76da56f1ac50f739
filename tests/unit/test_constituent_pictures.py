"""Pictures of constituency trees."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from svg_elements import SVG, attribute, number

from bistro.pictures.constituents import draw_constituents
from bistro.treebank.brackets import Tree, parse_tree


def texts(svg: str, kind: str) -> dict[str, tuple[float, float]]:
    found = ElementTree.fromstring(svg).iter(f"{SVG}text")
    return {str(t.text): (number(t, "x"), number(t, "y")) for t in found if t.get("class") == kind}


def test_words_in_order_phrases_above() -> None:
    tree = parse_tree("(S (NP (DT the) (NN dog)) (VP (VBZ sleeps)))")
    svg = draw_constituents(tree)
    words, phrases, tags = (texts(svg, kind) for kind in ("word", "phrase", "tag"))
    assert [*words] == ["the", "dog", "sleeps"]
    assert words["the"][0] < words["dog"][0] < words["sleeps"][0]
    assert len({y for _, y in words.values()}) == len({y for _, y in tags.values()}) == 1
    assert phrases["S"][1] < phrases["NP"][1] < tags["DT"][1] < words["the"][1]
    middle = (tags["DT"][0] + tags["NN"][0]) / 2
    assert abs(phrases["NP"][0] - middle) < 0.11
    assert svg.count('class="edge"') == 5


def test_labels_stay_on_the_paper() -> None:
    svg = draw_constituents(parse_tree("(X (VERYLONGTAGNAME a) (B b))"), note="a note " * 10)
    _, _, width, height = map(float, attribute(ElementTree.fromstring(svg), "viewBox").split(" "))
    for kind in ("word", "tag", "phrase", "note"):
        for x, y in texts(svg, kind).values():
            assert 0 < x < width
            assert 0 < y < height


def test_marked_nodes_stand_out() -> None:
    tree = parse_tree("(S (NP (NN a)) (VP (VB b)))")
    svg = draw_constituents(tree, marked=[tree, tree.children[1]])
    assert svg.count("font-weight") == 2
    assert svg.count('stroke-width="2.2"') == 1


def test_odd_words_are_safe() -> None:
    tree = Tree("S", [Tree("<&>", word="<b>&\x01")])
    ElementTree.fromstring(draw_constituents(tree))


def test_a_word_alone() -> None:
    assert texts(draw_constituents(parse_tree("(NN a)")), "word").keys() == {"a"}
