"""SVG elements that all pictures share, such as the opening tag and text.

>>> opening("chart", "R & D", 100, 50)[1]
'<title>R &amp; D</title>'
"""

from __future__ import annotations

from bistro.pictures.text import xml_text

FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif"
PAPER = "#ffffff"


def opening(
    kind: str,
    title: str,
    width: float,
    height: float,
    *,
    limit: float | None = None,
    description: str = "",
    corner: int | None = None,
) -> list[str]:
    """Return the opening elements of a picture of class `kind`.

    A picture that is wider than `limit` is scaled down to that width. The text `description` is for
    screen readers. `corner` is the corner radius of the white background. Without `corner`, there
    is no background.
    """
    shown = width if limit is None else min(limit, width)
    tall = height if shown == width else height * shown / width
    name, box = xml_text(title), f'width="{width:.1f}" height="{height:.1f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" role="img" '
        f'aria-label="{name}" width="{shown:.1f}" height="{tall:.1f}" '
        f'viewBox="0 0 {width:.1f} {height:.1f}" font-family="{xml_text(FONT)}">',
        f"<title>{name}</title>",
    ]
    if description:
        parts.append(f"<desc>{xml_text(description)}</desc>")
    if corner is not None:
        rounded = f' rx="{corner}"' if corner else ""
        parts.append(f'<rect class="paper" {box}{rounded} fill="{PAPER}"/>')
    return parts


def text_at(
    kind: str,
    x: float,
    y: float,
    text: str,
    size: int,
    colour: str,
    *,
    anchor: str = "middle",
    more: str = "",
) -> str:
    """Return a text element at a position. The text is centred unless `anchor` is given."""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'font-size="{size}" fill="{colour}"{more}>{xml_text(text)}</text>'
    )
