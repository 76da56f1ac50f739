"""Dependency trees as pictures: words in a row, arcs above them, one standalone SVG.

Each arc runs from a head to its dependent, where it has its tip; the root's arrow comes from
above. Hovering over an arc tells it in words, and `<desc>` tells the whole tree, for readers who
do not see it. `arc_layout` decides where everything stands.

>>> svg = draw_arcs(["Dogs", "bark"], [2, 0], ["nsubj", "root"], ["NOUN", "VERB"])
>>> svg.startswith("<svg") and "nsubj" in svg
True

Colours are presentation attributes that suit white paper; a page may restyle the classes `paper`,
`word`, `tag`, `arc`, `tip` and `label` under `.bistro-arcs`, for a dark theme for example.
"""

from __future__ import annotations

from collections.abc import Sequence

from bistro.report.arc_layout import CORNER, LABEL_SIZE, MARGIN, Arc, Layout, arrange
from bistro.report.text import text_width, xml_text

NO_HEAD = -1
FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif"
WORD_SIZE, TAG_SIZE = 16, 11
PAPER, INK, MUTED, LINE, ROOT = "#ffffff", "#1d2733", "#66717f", "#5b7db1", "#b3541e"
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
    """Return an SVG picture of a dependency tree.

    `heads` are 1-based, 0 for a root, -1 for a word whose head is unknown: it stands without an
    arc. Several roots are drawn as they are. `probabilities` (of each word's arc) are printed on
    the labels and fade doubtful arcs. A picture wider than `width` pixels is scaled down to it;
    `rtl` puts the first word on the right.
    """
    _check(forms, heads, labels, tags, probabilities)
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
    layout = arrange(arcs, _word_widths(forms, tags))
    if rtl:
        layout.mirror()
    ground = MARGIN + LEVEL_HEIGHT * (layout.levels + bool(layout.roots)) + 6.0
    baseline = ground + 6.0 + WORD_SIZE
    height = baseline + (TAG_SIZE + 9.0 if tags else 5.0) + MARGIN / 2
    parts = _opening(forms, layout, height, width)
    # High arcs first: the legs of long arcs pass behind the labels of short ones.
    for arc in [*layout.roots, *sorted(layout.arcs, key=lambda arc: -arc.level)]:
        parts.append(_draw_arc(arc, forms, layout, ground))
    for word, x in enumerate(layout.centres):
        colour = MUTED if heads[word] == NO_HEAD else INK
        parts.append(_text("word", x, baseline, forms[word], WORD_SIZE, colour, rtl=rtl))
        if tags:
            parts.append(_text("tag", x, baseline + TAG_SIZE + 6, tags[word], TAG_SIZE, MUTED))
    return "\n".join([*parts, "</svg>\n"])


def _check(
    forms: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str] | None,
    tags: Sequence[str] | None,
    probabilities: Sequence[float] | None,
) -> None:
    columns = {"heads": heads, "labels": labels, "tags": tags, "probabilities": probabilities}
    for name, column in columns.items():
        if column is not None and len(column) != len(forms):
            raise ValueError(f"{len(forms)} forms, but {len(column)} {name}")
    for position, head in enumerate(heads, start=1):
        if not NO_HEAD <= head <= len(forms) or head == position:
            raise ValueError(f"word {position} of {len(forms)} cannot have the head {head}")


def _word_widths(forms: Sequence[str], tags: Sequence[str] | None) -> list[float]:
    widths = [text_width(form, WORD_SIZE) for form in forms]
    if tags is None:
        return widths
    return [max(width, text_width(tag, TAG_SIZE)) for width, tag in zip(widths, tags, strict=True)]


def _opening(forms: Sequence[str], layout: Layout, height: float, limit: float | None) -> list[str]:
    shown = layout.width if limit is None else min(limit, layout.width)
    sentence = xml_text(" ".join(forms))
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bistro-arcs" role="img" '
        f'aria-label="{sentence}" width="{shown:.1f}" height="{height * shown / layout.width:.1f}" '
        f'viewBox="0 0 {layout.width:.1f} {height:.1f}" font-family="{xml_text(FONT)}">',
        f"<title>{sentence}</title>",
        f"<desc>{xml_text(_describe(forms, layout))}</desc>",
        f'<rect class="paper" width="{layout.width:.1f}" height="{height:.1f}" rx="6" '
        f'fill="{PAPER}"/>',
    ]


def _describe(forms: Sequence[str], layout: Layout) -> str:
    arcs = [*layout.roots, *sorted(layout.arcs, key=lambda arc: arc.dependent)]
    return " ".join(["A dependency tree.", *(f"{_relation(arc, forms)}." for arc in arcs)])


def _relation(arc: Arc, forms: Sequence[str]) -> str:
    if arc.is_root:
        relation = f"{forms[arc.dependent]} is the root"
    else:
        relation = f"{forms[arc.dependent]} depends on {forms[arc.head]}"
        relation += f" as {arc.label}" if arc.label else ""
    return relation if arc.probability is None else f"{relation} (p = {arc.probability:.4f})"


def _draw_arc(arc: Arc, forms: Sequence[str], layout: Layout, ground: float) -> str:
    """Return a line with its tip, and its label on a small background."""
    start, end = layout.legs(arc)
    colour = ROOT if arc.is_root else LINE
    kind = "root" if arc.is_root else "arc"
    height = MARGIN + 4.0 if arc.is_root else ground - LEVEL_HEIGHT * arc.level
    faded = "" if arc.probability is None else f' opacity="{0.35 + 0.65 * arc.probability:.2f}"'
    label = ""
    if arc.caption:
        x = (start + end) / 2
        label = (
            f'<rect class="paper" x="{x - arc.caption_width / 2:.1f}" y="{height - 8:.1f}" '
            f'width="{arc.caption_width:.1f}" height="16" rx="4" fill="{PAPER}"/>'
            + _text("label", x, height + 4, arc.caption, LABEL_SIZE, INK)
        )
    return (
        f"<g><title>{xml_text(_relation(arc, forms))}</title><g{faded}>"
        f'<path class="arc {kind}" d="{_path(arc, start, end, height, ground)}" fill="none" '
        f'stroke="{colour}" stroke-width="1.4"/>'
        f'<path class="tip {kind}" d="M{end:.1f} {ground:.1f}l{-TIP_HALF_WIDTH} {-TIP_HEIGHT}'
        f'h{2 * TIP_HALF_WIDTH}z" fill="{colour}"/></g>{label}</g>'
    )


def _path(arc: Arc, start: float, end: float, height: float, ground: float) -> str:
    landing = ground - TIP_HEIGHT / 2
    if arc.is_root:
        return f"M{end:.1f} {height:.1f}V{landing:.1f}"
    corner = min(CORNER, abs(end - start) / 2)
    turn = corner if end > start else -corner
    return (
        f"M{start:.1f} {ground:.1f}V{height + corner:.1f}q0 {-corner:.1f} {turn:.1f} {-corner:.1f}"
        f"H{end - turn:.1f}q{turn:.1f} 0 {turn:.1f} {corner:.1f}V{landing:.1f}"
    )


def _text(
    kind: str, x: float, y: float, text: str, size: int, colour: str, *, rtl: bool = False
) -> str:
    direction = ' direction="rtl"' if rtl else ""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="middle" '
        f'font-size="{size}" fill="{colour}"{direction}>{xml_text(text)}</text>'
    )
