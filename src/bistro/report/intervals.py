"""A chart of estimates and their intervals, with one row per estimate and a line at zero.

>>> svg = interval_chart([("ngram", 6.0, 4.0, 9.0), ("parser", 8.0, 5.0, 11.0)], unit="ms")
>>> svg.count('class="dot"'), svg.count('class="interval"')
(2, 2)
"""

from __future__ import annotations

from collections.abc import Sequence

from bistro.pictures.svg import opening, text_at
from bistro.pictures.text import text_width
from bistro.report.frame import COLOURS, INK, MUTED, NAME_SIZE, RULE, TICK_SIZE, round_ticks

LINE = 30.0
WIDTH = 620.0
MARGIN = 14.0
_LEGEND = 34.0

Interval = tuple[str, float, float, float]
"""The name of an estimate, its value, and the ends of its interval."""


def interval_chart(rows: Sequence[Interval], *, unit: str) -> str:
    """Return the chart as SVG."""
    left = MARGIN + max((text_width(name, NAME_SIZE) for name, *_ in rows), default=0.0) + MARGIN
    values = [0.0, *(value for _, *figures in rows for value in figures)]
    ticks = round_ticks(min(values), max(values))
    floor = MARGIN + LINE * len(rows)
    width, height = left + WIDTH, floor + _LEGEND + MARGIN
    span = ticks[-1] - ticks[0]

    def across(value: float) -> float:
        return left + (value - ticks[0]) / span * (WIDTH - 3 * MARGIN)

    description = "; ".join(
        f"{name} {mean:.3g} ({low:.3g} to {high:.3g})" for name, mean, low, high in rows
    )
    parts = opening(
        "bistro-chart", f"Estimates with 95 % intervals, {unit}: {description}", width, height
    )
    for tick in ticks:
        kind, colour = ("axis", MUTED) if tick == 0 else ("grid", RULE)
        parts.append(_line(kind, across(tick), MARGIN, across(tick), floor, colour))
        parts.append(text_at("tick", across(tick), floor + 16, f"{tick:g}", TICK_SIZE, MUTED))
    parts.append(text_at("unit", across(ticks[0] + span / 2), floor + 34, unit, TICK_SIZE, MUTED))
    for place, (name, mean, low, high) in enumerate(rows):
        y = MARGIN + LINE * (place + 0.5)
        parts.append(text_at("name", left - MARGIN, y + 5, name, NAME_SIZE, INK, anchor="end"))
        parts.append(_line("interval", across(low), y, across(high), y, COLOURS[0], size=3))
        parts.append(
            f'<circle class="dot" cx="{across(mean):.1f}" cy="{y:.1f}" r="5" fill="{COLOURS[0]}"/>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _line(
    kind: str, x1: float, y1: float, x2: float, y2: float, colour: str, *, size: float = 1
) -> str:
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{size:g}"/>'
    )
