"""A chart of estimates and their intervals, with one row per estimate and a line at zero.

>>> svg = interval_chart([("ngram", 6.0, 4.0, 9.0), ("parser", 8.0, 5.0, 11.0)], unit="ms")
>>> svg.count('class="dot '), svg.count('class="interval ')
(2, 2)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bistro.pictures.svg import opening, text_at
from bistro.pictures.text import text_width
from bistro.report.frame import (
    COLOURS,
    INK,
    MUTED,
    NAME_SIZE,
    RULE,
    TICK_SIZE,
    number,
    round_ticks,
    tick_at,
)

LINE = 30.0
WIDTH = 620.0
MARGIN = 14.0
_LEGEND = 34.0

Interval = tuple[str, float, float, float]
"""The name of an estimate, its value, and the ends of its interval."""


def interval_chart(
    rows: Sequence[Interval], *, unit: str, series: Sequence[int] | None = None
) -> str:
    """Return the chart as SVG.

    An interval whose ends are NaN is not drawn.

    Parameters
    ----------
    rows
        The estimates.
    unit
        The label of the axis.
    series
        The number of each estimate's series, counted from 1, which determines its colour; default:
        all estimates belong to one series. Colours repeat after the tenth series.
    """
    left = MARGIN + max((text_width(name, NAME_SIZE) for name, *_ in rows), default=0.0) + MARGIN
    values = [value for _, *figures in rows for value in figures if math.isfinite(value)]
    ticks = round_ticks(min([0.0, *values]), max([0.0, *values]))
    floor = MARGIN + LINE * len(rows)
    room = max(WIDTH, text_width(unit, TICK_SIZE))
    width, height = left + room, floor + _LEGEND + MARGIN
    span = ticks[-1] - ticks[0]

    def across(value: float) -> float:
        return left + (value - ticks[0]) / span * (room - 3 * MARGIN)

    title = f"Estimates with 95 % intervals, {unit}: {'; '.join(map(_described, rows))}"
    parts = opening("bistro-chart", title, width, height, corner=6)
    for tick in ticks:
        kind, colour = ("axis", MUTED) if tick == 0 else ("grid", RULE)
        parts.append(_line(kind, across(tick), MARGIN, across(tick), floor, colour))
        parts.append(tick_at(across(tick), floor + 16, number(tick)))
    parts.append(tick_at(across(ticks[0] + span / 2), floor + 34, unit))
    for place, (name, mean, low, high) in enumerate(rows):
        y = MARGIN + LINE * (place + 0.5)
        own = 0 if series is None else (series[place] - 1) % len(COLOURS)
        parts.append(text_at("name", left - MARGIN, y + 5, name, NAME_SIZE, INK, anchor="end"))
        if math.isfinite(low) and math.isfinite(high):
            ends = (across(low), y, across(high), y)
            parts.append(_line(f"interval s{own + 1}", *ends, COLOURS[own], size=3))
        parts.append(
            f'<circle class="dot s{own + 1}" cx="{across(mean):.1f}" cy="{y:.1f}" r="5" '
            f'fill="{COLOURS[own]}"/>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _described(row: Interval) -> str:
    name, mean, low, high = row
    known = math.isfinite(low) and math.isfinite(high)
    return f"{name} {mean:.3g}" + (f" ({low:.3g} to {high:.3g})" if known else "")


def _line(
    kind: str, x1: float, y1: float, x2: float, y2: float, colour: str, *, size: float = 1
) -> str:
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{size:g}"/>'
    )
