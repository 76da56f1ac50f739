"""Common parts of charts, such as the frame with grid and legend, round tick values and colours.

>>> frame = Frame(300.0, round_ticks(0, 13), "bits", ["model", "truth"])
>>> frame.up(0.0) == frame.floor, frame.up(15.0) == frame.top
(True, True)
"""

from __future__ import annotations

import math

from bistro.pictures.svg import opening, text_at
from bistro.pictures.text import text_width
from bistro.sums import added

COLOURS = (
    *("#3b6fb6", "#dd9a3c", "#3f8f6b", "#8a5ea8", "#c4504f"),
    *("#3c97a8", "#7d8230", "#b0699a", "#8c6d4f", "#5a6473"),
)
INK, MUTED, RULE = "#1d2733", "#5d6875", "#dfe3e8"
NAME_SIZE, TICK_SIZE = 14, 11
PLOT_HEIGHT = 190.0
TOP, BOTTOM, RIGHT = 46.0, 34.0, 16.0
UNIT_LEFT = 4.0
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return at most `most` + 1 evenly spaced round numbers that span `low` to `high`.

    >>> round_ticks(0, 13)
    [0.0, 5.0, 10.0, 15.0]
    """
    # Closer together than floating-point numbers of this size can be distinguished.
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        half = max(0.5, 1e-9 * abs(low))
        low, high = low - half, low + half
    exponent = math.floor(math.log10((high - low) / most))
    for factor in (1, 2, 5, 10, 20):
        # Dividing by the inverse of a power below one makes ticks print as 0.1, not 0.1000…01.
        scale = 10.0 ** abs(exponent)
        step = factor * scale if exponent >= 0 else factor / scale
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= most:
            break
    if exponent >= 0:
        return [float(index * factor * scale) for index in range(first, last + 1)]
    return [index * factor / scale for index in range(first, last + 1)]


class Frame:
    """The plot area of a chart, its grid, and the mapping from values to y coordinates."""

    def __init__(
        self,
        width: float,
        ticks: list[float],
        unit: str,
        names: list[str],
        *,
        height: float = PLOT_HEIGHT,
        log: bool = False,
        legend: bool = True,
    ) -> None:
        """Set up the frame.

        `width` is the width of the plot. With `log`, ticks and values are base-10 logarithms.
        """
        self.ticks, self.unit, self.names, self.log = ticks, unit, names, log
        self.legend = legend and len(names) > 1
        self.height = height
        self.left = max(text_width(self.shown(tick), TICK_SIZE) for tick in ticks) + 16
        room = added(28 + text_width(name, TICK_SIZE + 1) for name in names) if self.legend else 0.0
        # The legend is next to the unit, and they must not overlap.
        description = UNIT_LEFT + text_width(unit, TICK_SIZE) + 8 + room
        self.right = max(self.left + width, self.left + room, description)
        self.top = TOP if self.legend else TOP - 16
        self.floor = self.top + height

    def up(self, value: float) -> float:
        """Return the y coordinate of a value.

        Infinite values are drawn at the edge of the plot.
        """
        share = (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])
        return self.floor - self.height * min(1.0, max(0.0, share))

    def shown(self, tick: float) -> str:
        """Format a tick."""
        if not self.log:
            return number(tick)
        return number(10.0**tick) if tick > -4 else "10" + f"{tick:.0f}".translate(RAISED)

    def across(self, place: float, span: tuple[float, float]) -> float:
        """Return the x coordinate of a position between the two ends of `span`."""
        low, high = span
        inset = 14.0
        share = 0.5 if high == low else (place - low) / (high - low)
        return self.left + inset + share * (self.right - self.left - 2 * inset)

    def opening(self, title: str) -> list[str]:
        """Return the start of the SVG picture, with its size, title, grid and legend."""
        width, height = self.right + RIGHT, self.floor + BOTTOM + 4
        parts = opening("bistro-chart", title, width, height)
        for tick in self.ticks:
            y = self.up(tick)
            kind, colour = ("axis", MUTED) if tick == self.ticks[0] else ("grid", RULE)
            parts.append(line_at(kind, self.left, self.right, y, y, colour))
            parts.append(tick_at(self.left - 7, y + 4, self.shown(tick), anchor="end"))
        if self.unit:
            parts.append(tick_at(UNIT_LEFT, self.top - 16, self.unit, anchor="start"))
        return parts + self._legend()

    def _legend(self) -> list[str]:
        if not self.legend:
            return []
        parts = []
        x = self.right
        for place in range(len(self.names), 0, -1):
            name = self.names[place - 1]
            x -= text_width(name, TICK_SIZE + 1)
            parts.append(text_at("name", x, 18, name, TICK_SIZE + 1, INK, anchor="start"))
            x -= 16
            parts.append(rectangle(x, 8, 11, 11, place))
            x -= 12
        return parts


def rectangle(x: float, y: float, width: float, height: float, number: int) -> str:
    """Return a bar in the colour of a series.

    Series are counted from 1.
    """
    return (
        f'<rect class="bar s{number}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="2" fill="{COLOURS[number - 1]}"/>'
    )


def tick_at(x: float, y: float, text: str, *, size: int = TICK_SIZE, anchor: str = "middle") -> str:
    """Return text in the font size of tick labels."""
    return text_at("tick", x, y, text, size, MUTED, anchor=anchor)


def line_at(
    kind: str, x1: float, x2: float, y1: float, y2: float, colour: str, *, dashes: str = ""
) -> str:
    """Return a line with an optional dash pattern, `dashes`."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" '
        f'y2="{y2:.1f}" stroke="{colour}"{dashed}/>'
    )


def inside(ticks: list[float], span: tuple[float, float]) -> list[float]:
    """Return the ticks that are within a span."""
    return [tick for tick in ticks if span[0] <= tick <= span[1]]


def number(value: float) -> str:
    """Format a tick with thousands separators and a real minus sign."""
    return f"{value:,.10g}".replace("-", "−")
