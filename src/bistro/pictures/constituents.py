"""Draw constituency trees as standalone SVG pictures, with phrases above a row of words.

A word is placed under its tag. A phrase is placed midway between its first and last child, one
level above its highest child. The nodes on the path from the root to a given node, which form the
context of that node's rule, can be highlighted. Hovering over a phrase shows its words, and
`<desc>` contains the whole tree in bracket notation.

>>> from bistro.treebank.brackets import parse_tree
>>> svg = draw_constituents(parse_tree("(S (NP (NN time)) (VP (VBZ flies)))"))
>>> svg.startswith("<svg") and "flies" in svg
True
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from bistro.pictures.arcs import INK, LINE, MUTED, ROOT
from bistro.pictures.svg import opening, text_at
from bistro.pictures.text import text_width, xml_text
from bistro.treebank.brackets import Tree, format_tree

WORD_SIZE, LABEL_SIZE = 16, 13
LEVEL_HEIGHT = 40.0
MARGIN = 14.0
WORD_GAP = 18.0


@dataclass
class _Place:
    """The position of a node, given by the middle of its label and its level above the words."""

    node: Tree
    children: list[_Place] = field(default_factory=list)
    x: float = 0.0
    level: int = 0


def draw_constituents(tree: Tree, *, marked: Collection[Tree] = (), note: str = "") -> str:
    """Draw a constituency tree as an SVG picture.

    Nodes in `marked` are highlighted, and `note` is written below the tree.
    """
    places = _places(tree)
    width = _arrange(places)
    width = max(width, text_width(note, LABEL_SIZE) + 2 * MARGIN)
    top = places[0].level
    ground = MARGIN + LABEL_SIZE + LEVEL_HEIGHT * top
    height = ground + WORD_SIZE + 12.0 + MARGIN + (LABEL_SIZE + 10.0 if note else 0.0)
    strong = {id(node) for node in marked}
    parts = opening(
        "bistro-constituents",
        " ".join(tree.leaves()),
        width,
        height,
        description=f"A constituency tree. {format_tree(tree)}",
        corner=6,
    )
    lines, labels = [], []
    for place in places:
        y = ground - LEVEL_HEIGHT * place.level
        for child in place.children:
            both = id(place.node) in strong and id(child.node) in strong
            lines.append(_line(place, child, y, ground - LEVEL_HEIGHT * child.level, both))
        labels.append(_label(place, y, id(place.node) in strong))
        if place.node.word is not None:
            y += WORD_SIZE + 6
            labels.append(text_at("word", place.x, y, place.node.word, WORD_SIZE, INK))
    if note:
        labels.append(text_at("note", width / 2, height - MARGIN, note, LABEL_SIZE, MUTED))
    return "\n".join([*parts, *lines, *labels, "</svg>\n"])


def _places(tree: Tree) -> list[_Place]:
    """Return one unplaced `_Place` for every node of the tree, parents first."""
    places = [_Place(tree)]
    for place in places:
        place.children = [_Place(child) for child in place.node.children]
        places += place.children
    return places


def _arrange(places: list[_Place]) -> float:
    """Fill in the positions of the nodes, and return the width of the picture."""
    order = {id(node): i for i, node in enumerate(places[0].node.nodes())}
    edge = MARGIN
    for place in sorted(places, key=lambda place: order[id(place.node)]):
        if place.node.word is not None:
            half = max(
                text_width(place.node.word, WORD_SIZE), text_width(place.node.label, LABEL_SIZE)
            )
            place.x = edge + half / 2
            edge += half + WORD_GAP
    for place in reversed(places):
        if place.children:
            place.x = (place.children[0].x + place.children[-1].x) / 2
            place.level = 1 + max(child.level for child in place.children)
    return edge - WORD_GAP + MARGIN


def _line(parent: _Place, child: _Place, above: float, below: float, strong: bool) -> str:
    """Return a branch line that is diagonal for one level and then vertical, to avoid crossings."""
    colour, width = (ROOT, 2.2) if strong else (LINE, 1.4)
    return (
        f'<path class="edge" d="M{parent.x:.1f} {above + 4:.1f}'
        f"L{child.x:.1f} {above + LEVEL_HEIGHT - LABEL_SIZE - 1:.1f}"
        f'V{below - LABEL_SIZE - 1:.1f}" '
        f'stroke="{colour}" stroke-width="{width}" fill="none"/>'
    )


def _label(place: _Place, y: float, strong: bool) -> str:
    colour = ROOT if strong else (INK if place.node.word is None else MUTED)
    kind = "phrase" if place.node.word is None else "tag"
    weight = ' font-weight="bold"' if strong else ""
    text = text_at(kind, place.x, y, place.node.label, LABEL_SIZE, colour, more=weight)
    words = xml_text(" ".join(place.node.leaves()))
    return f"<g><title>{xml_text(place.node.label)}: {words}</title>{text}</g>"
