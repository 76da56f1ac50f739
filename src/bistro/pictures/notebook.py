"""HTML fragments for notebooks, such as tables with bars, and drawings of seatings and chains.

Notebooks show an object by calling its method ``_repr_html_``. The colours are the same as in SVG
pictures. Text inherits the notebook's colour, so that it is readable on light and dark backgrounds.

>>> table_html(["word", "bits"], [["a & b", 1.5]]).count("<td")
2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bistro.pictures.svg import opening, text_at
from bistro.pictures.text import text_width, xml_text

Cell = str | int | float | None
COLOURS = (
    *("#3b6fb6", "#dd9a3c", "#3f8f6b", "#8a5ea8", "#c4504f"),
    *("#3c97a8", "#7d8230", "#b0699a", "#8c6d4f", "#5a6473"),
)
INK, MUTED = "#1d2733", "#5d6875"
BAR = 140.0
TABLE_WIDTH, UNIT, GAP, NAME = 640.0, 6.0, 8.0, 110.0
PANEL, HIGH, PANELS = 300.0, 70.0, 2


def table_html(
    headers: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    bars: Sequence[float] = (),
    caption: str = "",
) -> str:
    """Return a table.

    The numbers in `bars` are drawn as bars at the end of each row.
    """
    most = max(bars, default=0.0)
    head = "".join(f"<th>{xml_text(header)}</th>" for header in headers)
    body = []
    for place, row in enumerate(rows):
        cells = "".join(f"<td>{xml_text(_shown(cell))}</td>" for cell in row)
        if bars:
            cells += f'<td style="text-align: left">{_bar(bars[place], most)}</td>'
        body.append(f"<tr>{cells}</tr>")
    head += "<th></th>" if bars else ""
    description = f"<caption>{xml_text(caption)}</caption>" if caption else ""
    lines = "\n".join(body)
    return f"<table>{description}<thead><tr>{head}</tr></thead>\n<tbody>{lines}</tbody></table>\n"


def facts_html(title: str, facts: Mapping[str, Cell]) -> str:
    """Return a heading and a two-column table of names and values."""
    rows = "\n".join(
        f'<tr><th style="text-align: left">{xml_text(name)}</th>'
        f'<td style="text-align: left">{xml_text(_shown(value))}</td></tr>'
        for name, value in facts.items()
    )
    return f"<strong>{xml_text(title)}</strong>\n<table><tbody>{rows}</tbody></table>\n"


def draw_seating(restaurants: Mapping[str, Mapping[str, Sequence[int]]]) -> str:
    """Draw tables as circles, with one row per restaurant and one colour per dish.

    Parameters
    ----------
    restaurants
        The sizes of the tables of each dish in each restaurant, by its name.

    >>> draw_seating({"after the": {"dog": [2, 1], "cat": [1]}}).count("<circle")
    3
    """
    dishes = list(dict.fromkeys(dish for tables in restaurants.values() for dish in tables))
    colours = {dish: COLOURS[place % len(COLOURS)] for place, dish in enumerate(dishes)}
    parts: list[str] = []
    top = GAP
    for name, tables in restaurants.items():
        drawn, top = _restaurant(name, tables, colours, top)
        parts += drawn
    title = "Tables of " + ", ".join(restaurants)
    return "\n".join(
        [*opening("bistro-seating", title, TABLE_WIDTH, top, corner=6), *parts, "</svg>\n"]
    )


def _restaurant(
    name: str, tables: Mapping[str, Sequence[int]], colours: Mapping[str, str], top: float
) -> tuple[list[str], float]:
    """Draw a restaurant's tables in wrapped rows, and return the SVG and its lower y coordinate."""
    x, y, high = NAME, top, 30.0
    parts = []
    for dish, sizes in tables.items():
        for size in sizes:
            radius = max(9.0, UNIT * size**0.5 + 3)
            half = max(radius, text_width(dish, 10) / 2)
            if x + 2 * half + GAP > TABLE_WIDTH and x > NAME:
                x, y, high = NAME, y + high + 4, 30.0
            high = max(high, 2 * radius + 14)
            parts += [
                f'<circle cx="{x + half:.1f}" cy="{y + radius:.1f}" r="{radius:.1f}" '
                f'fill="{colours[dish]}" fill-opacity="0.55" stroke="{colours[dish]}"/>',
                text_at("count", x + half, y + radius + 4, str(size), 11, INK),
                text_at("dish", x + half, y + 2 * radius + 11, dish, 10, MUTED),
            ]
            x += 2 * half + GAP
    count = sum(sum(sizes) for sizes in tables.values())
    description = f"{count} at {sum(len(sizes) for sizes in tables.values())}"
    parts.append(text_at("name", GAP, top + 12, name, 12, INK, anchor="start"))
    parts.append(text_at("tick", GAP, top + 26, description, 10, MUTED, anchor="start"))
    return parts, y + high + GAP


def draw_chains(chains: Mapping[str, Sequence[Sequence[float]]]) -> str:
    """Plot each quantity against the sweep, with one panel per quantity and one line per chain.

    >>> draw_chains({"d": [[0.1, 0.2], [0.2, 0.2]]}).count("<polyline")
    2
    """
    rows = -(-len(chains) // PANELS)
    width = 2 * GAP + min(PANELS, len(chains)) * (PANEL + 3 * GAP) - 3 * GAP
    parts = opening("bistro-chains", "Chains", width, rows * (HIGH + 36) + GAP, corner=6)
    for place, (name, lines) in enumerate(chains.items()):
        left = GAP + place % PANELS * (PANEL + 3 * GAP)
        parts += _panel(name, lines, left, 24 + place // PANELS * (HIGH + 36))
    return "\n".join([*parts, "</svg>\n"])


def _panel(name: str, lines: Sequence[Sequence[float]], left: float, top: float) -> list[str]:
    values = [value for line in lines for value in line]
    low, high = min(values), max(values)
    span = high - low or 1.0
    parts = [
        text_at("name", left, top - 8, name, 12, INK, anchor="start"),
        text_at("tick", left + PANEL, top - 8, f"{low:.3g} to {high:.3g}", 10, MUTED, anchor="end"),
    ]
    for place, line in enumerate(lines):
        step = PANEL / max(1, len(line) - 1)
        points = " ".join(
            f"{left + i * step:.1f},{top + HIGH * (1 - (value - low) / span):.1f}"
            for i, value in enumerate(line)
        )
        colour = COLOURS[place % len(COLOURS)]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
    return parts


def _bar(value: float, most: float) -> str:
    wide = BAR * value / most if most > 0 else 0.0
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{BAR:.0f}" height="10" '
        f'aria-hidden="true"><rect width="{wide:.1f}" height="10" rx="2" fill="{COLOURS[0]}"/>'
        "</svg>"
    )


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:,.2f}" if isinstance(cell, float) else str(cell)
