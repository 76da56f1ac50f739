"""Draw dependency trees as standalone SVG pictures, with arcs above a row of words.

Each arc runs from a head to its dependent, with the arrowhead at the dependent. The arrow to the
root comes from above. Hovering over an arc shows its description, and `<desc>` describes the whole
tree for screen readers. The module `arc_layout` computes all positions.

>>> svg = draw_arcs(["Dogs", "bark"], [2, 0], ["nsubj", "root"], ["NOUN", "VERB"])
>>> svg.startswith("<svg") and "nsubj" in svg
True

Colours are presentation attributes that suit white paper; a page may restyle the classes `paper`,
`word`, `tag`, `arc`, `tip` and `label` under `.bistro-arcs`, for a dark theme for example.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bistro.pictures.arc_layout import CORNER, LABEL_SIZE, MARGIN, Arc, Layout, arrange_both
from bistro.pictures.svg import PAPER, opening, text_at
from bistro.pictures.text import text_width, xml_text

NO_HEAD = -1
WORD_SIZE, TAG_SIZE = 16, 11
INK, MUTED, LINE, ROOT = "#1d2733", "#66717f", "#5b7db1", "#b3541e"
COLOURS = {"wrong": "#c0392b", "relabelled": "#b7791f", "missed": "#2f855a"}
"""Colours of the arcs in which two trees differ: see `bistro.report.comparison`."""
LEVEL_HEIGHT = 26.0
TIP_HEIGHT = 7.0
TIP_HALF_WIDTH = 3.5


def draw_arcs(
    forms: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    *,
    probabilities: Sequence[float] | None = None,
    width: float | None = None,
    rtl: bool = False,
) -> str:
    """Draw a dependency tree as an SVG picture.

    Parameters
    ----------
    forms
        The words.
    heads
        The head of each word, from 1; 0 for a root, -1 for an unknown head, which is not drawn.
    labels, tags
        Labels of the arcs and tags of the words.
    probabilities
        Probabilities of the arcs: printed on the labels; doubtful arcs are paler.
    width
        Width in pixels to which a wider picture is scaled down.
    rtl
        Whether the first word is on the right.
    """
    check_columns(forms, heads, labels, tags, probabilities)
    arcs = [
        Arc(
            dependent=word,
            head=head - 1 if head > 0 else word,
            label=labels[word] if labels else "",
            probability=probabilities[word] if probabilities is not None else None,
        )
        for word, head in enumerate(heads)
        if head != NO_HEAD
    ]
    above, below = arrange_both(arcs, [], word_widths(forms, tags))
    unknown = [word for word, head in enumerate(heads) if head == NO_HEAD]
    return picture(forms, tags, above, below, faint=unknown, limit=width, rtl=rtl)


@dataclass(frozen=True)
class Side:
    """The layout, position and direction of the arcs above or below the words."""

    layout: Layout
    ground: float
    """The y coordinate at which arcs meet the words."""
    far: float
    """The y coordinate at which the arrow of a root begins."""
    up: int
    """-1 for arcs above the words, since y grows downwards; 1 for arcs below them."""


def picture(
    forms: Sequence[str],
    tags: Sequence[str] | None,
    above: Layout,
    below: Layout,
    *,
    faint: Sequence[int] = (),
    limit: float | None = None,
    rtl: bool = False,
) -> str:
    """Return an SVG picture of words with arcs above and below them, drawn from two layouts."""
    if rtl:
        above.mirror()
        below.mirror()
    ground = MARGIN + LEVEL_HEIGHT * (above.levels + bool(above.roots)) + 6.0
    baseline = ground + 6.0 + WORD_SIZE
    height = under = baseline + (TAG_SIZE + 9.0 if tags else 5.0)
    if below.arcs or below.roots:
        height += LEVEL_HEIGHT * (below.levels + bool(below.roots)) + MARGIN
    height += MARGIN / 2
    sides = [Side(above, ground, MARGIN + 4.0, -1), Side(below, under, height - MARGIN - 4.0, 1)]
    description = _describe("A dependency tree.", forms, above)
    if below.arcs or below.roots:
        description += " " + _describe("Below the words.", forms, below)
    parts = opening(
        "bistro-arcs",
        " ".join(forms),
        above.width,
        height,
        limit=limit,
        description=description,
        corner=6,
    )
    for side in sides:
        # High arcs are drawn first, so that their legs pass behind the labels of short arcs.
        for arc in [*side.layout.roots, *sorted(side.layout.arcs, key=lambda arc: -arc.level)]:
            parts.append(_draw_arc(arc, forms, side))
    for word, x in enumerate(above.centres):
        colour = MUTED if word in faint else INK
        direction = ' direction="rtl"' if rtl else ""
        parts.append(text_at("word", x, baseline, forms[word], WORD_SIZE, colour, more=direction))
        if tags:
            parts.append(text_at("tag", x, baseline + TAG_SIZE + 6, tags[word], TAG_SIZE, MUTED))
    return "\n".join([*parts, "</svg>\n"])


def check_columns(
    forms: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str] | None,
    tags: Sequence[str] | None,
    probabilities: Sequence[float] | None,
) -> None:
    """Raise an error if the columns have different lengths or a head is invalid."""
    columns = {"heads": heads, "labels": labels, "tags": tags, "probabilities": probabilities}
    for name, column in columns.items():
        if column is not None and len(column) != len(forms):
            raise ValueError(f"{len(forms)} forms, but {len(column)} {name}")
    for position, head in enumerate(heads, start=1):
        if not NO_HEAD <= head <= len(forms) or head == position:
            raise ValueError(f"word {position} of {len(forms)} cannot have the head {head}")


def word_widths(forms: Sequence[str], tags: Sequence[str] | None) -> list[float]:
    """Return the width of each word, or of its tag if the tag is wider."""
    widths = [text_width(form, WORD_SIZE) for form in forms]
    if tags is None:
        return widths
    return [max(width, text_width(tag, TAG_SIZE)) for width, tag in zip(widths, tags, strict=True)]


def _describe(begin: str, forms: Sequence[str], layout: Layout) -> str:
    arcs = [*layout.roots, *sorted(layout.arcs, key=lambda arc: arc.dependent)]
    return " ".join([begin, *(f"{_relation(arc, forms)}." for arc in arcs)])


def _relation(arc: Arc, forms: Sequence[str]) -> str:
    if arc.is_root:
        relation = f"{forms[arc.dependent]} is the root"
    else:
        relation = f"{forms[arc.dependent]} depends on {forms[arc.head]}"
        relation += f" as {arc.label}" if arc.label else ""
    return relation if arc.probability is None else f"{relation} (p = {arc.probability:.4f})"


def _draw_arc(arc: Arc, forms: Sequence[str], side: Side) -> str:
    """Return the SVG elements of an arc, with an arrow and a label on a small background."""
    start, end = side.layout.legs(arc)
    kind = " ".join(["root" if arc.is_root else "arc", *([arc.kind] if arc.kind else [])])
    colour = COLOURS[arc.kind] if arc.kind else ROOT if arc.is_root else LINE
    height = side.far if arc.is_root else side.ground + side.up * LEVEL_HEIGHT * arc.level
    faded = "" if arc.probability is None else f' opacity="{0.35 + 0.65 * arc.probability:.2f}"'
    dashes = ' stroke-dasharray="5 3"' if side.up > 0 else ""
    label = ""
    if arc.caption:
        x = (start + end) / 2
        label = (
            f'<rect class="paper" x="{x - arc.caption_width / 2:.1f}" y="{height - 8:.1f}" '
            f'width="{arc.caption_width:.1f}" height="16" rx="4" fill="{PAPER}"/>'
            + text_at("label", x, height + 4, arc.caption, LABEL_SIZE, INK)
        )
    return (
        f"<g><title>{xml_text(_relation(arc, forms))}</title><g{faded}>"
        f'<path class="arc {kind}" d="{_path(arc, start, end, height, side)}" fill="none" '
        f'stroke="{colour}" stroke-width="{2 if arc.kind else 1.4}"{dashes}/>'
        f'<path class="tip {kind}" d="M{end:.1f} {side.ground:.1f}l{-TIP_HALF_WIDTH} '
        f'{side.up * TIP_HEIGHT}h{2 * TIP_HALF_WIDTH}z" fill="{colour}"/></g>{label}</g>'
    )


def _path(arc: Arc, start: float, end: float, height: float, side: Side) -> str:
    landing = side.ground + side.up * TIP_HEIGHT / 2
    if arc.is_root:
        return f"M{end:.1f} {height:.1f}V{landing:.1f}"
    corner = min(CORNER, abs(end - start) / 2)
    turn = corner if end > start else -corner
    rise = side.up * corner
    return (
        f"M{start:.1f} {side.ground:.1f}V{height - rise:.1f}q0 {rise:.1f} {turn:.1f} {rise:.1f}"
        f"H{end - turn:.1f}q{turn:.1f} 0 {turn:.1f} {-rise:.1f}V{landing:.1f}"
    )
