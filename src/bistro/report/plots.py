"""Small charts as SVG: grouped bars for the words of a sentence, lines for a trace.

Both take named series, draw round grid lines and a legend, and write the numbers where a reader
wants them. Axes of bars start at zero; axes of lines follow the data. Colours are presentation
attributes that suit white paper; a page may restyle the classes `grid`, `axis`, `name`, `tick`,
and `bar`, `curve` and `dot` with `s1` to `s4`, under `.bistro-chart`.

>>> svg = bar_chart(["The", "horse"], {"model": [3.5, 9.0], "truth": [3.1, 8.2]}, unit="bits")
>>> svg.count('class="bar')
6
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bistro.report.arcs import FONT
from bistro.report.text import text_width, xml_text

COLOURS = ("#3b6fb6", "#dd9a3c", "#3f8f6b", "#8a5ea8")
INK, MUTED, RULE = "#1d2733", "#5d6875", "#dfe3e8"
NAME_SIZE, TICK_SIZE = 14, 11
BAR, BAR_GAP, GROUP_GAP = 20.0, 3.0, 22.0
PLOT_HEIGHT = 190.0
TOP, BOTTOM, RIGHT = 46.0, 34.0, 16.0
UNIT_LEFT = 4.0
MOST_DOTS = 60
"""A longer line is drawn without a dot at every point."""

Series = Mapping[str, Sequence[float]]


def bar_chart(names: Sequence[str], series: Series, *, unit: str = "") -> str:
    """Return groups of bars, one group a name and one bar a series, labelled with their values.

    Values must not be negative. An infinite one reaches the top and is marked ∞; for NaN there is
    no bar.
    """
    _check(series, len(names))
    finite = [value for values in series.values() for value in values if math.isfinite(value)]
    if any(value < 0 for value in finite):
        raise ValueError("bars cannot show negative values")
    ticks = round_ticks(0.0, max(finite, default=1.0) or 1.0)
    bars = len(series) * (BAR + BAR_GAP) - BAR_GAP
    widths = [max(bars, text_width(name, NAME_SIZE)) + GROUP_GAP for name in names]
    left = _left(ticks)
    frame = _Frame(left, left + sum(widths), ticks, unit, list(series))
    # A long legend may have made the frame wider than its bars: spread them.
    spare = (frame.right - left - sum(widths)) / max(1, len(names))
    widths = [width + spare for width in widths]
    parts = frame.opening(f"Bars of {', '.join(series)} for: {' '.join(names)}")
    middle = left
    for group, name in enumerate(names):
        middle += widths[group] / 2
        x = middle - bars / 2
        for number, values in enumerate(series.values(), start=1):
            parts.append(_bar(frame, x, values[group], number, f"{name}: "))
            x += BAR + BAR_GAP
        parts.append(_text("name", middle, frame.floor + 22, name, NAME_SIZE, INK))
        middle += widths[group] / 2
    return "\n".join([*parts, "</svg>\n"])


def line_chart(
    series: Series,
    *,
    x: Sequence[float] | None = None,
    x_label: str = "",
    y_label: str = "",
    width: float = 860.0,
) -> str:
    """Return one line a series over `x` (1, 2, 3, … unless given); NaN and ∞ interrupt it."""
    length = max((len(values) for values in series.values()), default=0)
    places = list(x) if x is not None else [float(step) for step in range(1, length + 1)]
    _check(series, len(places))
    finite = [value for values in series.values() for value in values if math.isfinite(value)]
    ticks = round_ticks(min(finite, default=0.0), max(finite, default=1.0))
    frame = _Frame(_left(ticks), width - RIGHT, ticks, y_label, list(series))
    parts = frame.opening(f"Lines of {', '.join(series)} by {x_label or 'step'}")
    span = (min(places, default=0.0), max(places, default=1.0))
    for tick in _inside(round_ticks(*span), span):
        across = frame.across(tick, span)
        parts.append(_text("tick", across, frame.floor + 17, _number(tick), TICK_SIZE, MUTED))
    if x_label:
        parts.append(
            _text(
                "tick", (frame.left + frame.right) / 2, frame.floor + 32, x_label, TICK_SIZE, MUTED
            )
        )
    for number, (name, values) in enumerate(series.items(), start=1):
        points = [
            (frame.across(place, span), value) for place, value in zip(places, values, strict=True)
        ]
        parts.append(_curve(frame, points, number, name))
    return "\n".join([*parts, "</svg>\n"])


def round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return at most `most` + 1 evenly spaced round numbers that cover `low` to `high`.

    >>> round_ticks(0, 13)
    [0.0, 5.0, 10.0, 15.0]
    """
    # Closer together than numbers of this size can be told apart, with room for steps between them.
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        half = max(0.5, 1e-9 * abs(low))
        low, high = low - half, low + half
    exponent = math.floor(math.log10((high - low) / most))
    for factor in (1, 2, 5, 10, 20):
        # A power below one is divided by, so that the ticks print as 0.1 and not 0.1000…01.
        scale = 10.0 ** abs(exponent)
        step = factor * scale if exponent >= 0 else factor / scale
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= most:
            break
    if exponent >= 0:
        return [float(index * factor * scale) for index in range(first, last + 1)]
    return [index * factor / scale for index in range(first, last + 1)]


class _Frame:
    """The rectangle of a chart, its grid, and the mapping of values to heights."""

    def __init__(
        self, left: float, right: float, ticks: list[float], unit: str, names: list[str]
    ) -> None:
        legend = sum(28 + text_width(name, TICK_SIZE + 1) for name in names)
        self.left = left
        # The legend stands beside the unit, and neither may reach into the other.
        self.right = max(right, left + legend, UNIT_LEFT + text_width(unit, TICK_SIZE) + 8 + legend)
        self.ticks = ticks
        self.unit = unit
        self.names = names
        self.floor = TOP + PLOT_HEIGHT

    def up(self, value: float) -> float:
        """Return the y of a value; infinite ones lie on the edge."""
        share = (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])
        return self.floor - PLOT_HEIGHT * min(1.0, max(0.0, share))

    def across(self, place: float, span: tuple[float, float]) -> float:
        """Return the x of a place between the two ends of `span`."""
        low, high = span
        inset = 14.0
        share = 0.5 if high == low else (place - low) / (high - low)
        return self.left + inset + share * (self.right - self.left - 2 * inset)

    def opening(self, title: str) -> list[str]:
        width, height = self.right + RIGHT, self.floor + BOTTOM + 4
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="bistro-chart" role="img" '
            f'aria-label="{xml_text(title)}" width="{width:.1f}" height="{height:.1f}" '
            f'viewBox="0 0 {width:.1f} {height:.1f}" font-family="{xml_text(FONT)}">',
            f"<title>{xml_text(title)}</title>",
        ]
        for tick in self.ticks:
            y = self.up(tick)
            kind, colour = ("axis", MUTED) if tick == self.ticks[0] else ("grid", RULE)
            parts.append(
                f'<line class="{kind}" x1="{self.left:.1f}" x2="{self.right:.1f}" y1="{y:.1f}" '
                f'y2="{y:.1f}" stroke="{colour}"/>'
            )
            parts.append(
                _text("tick", self.left - 7, y + 4, _number(tick), TICK_SIZE, MUTED, anchor="end")
            )
        if self.unit:
            parts.append(
                _text("tick", UNIT_LEFT, TOP - 16, self.unit, TICK_SIZE, MUTED, anchor="start")
            )
        return parts + self._legend()

    def _legend(self) -> list[str]:
        if len(self.names) < 2:
            return []
        parts = []
        x = self.right
        for number in range(len(self.names), 0, -1):
            name = self.names[number - 1]
            x -= text_width(name, TICK_SIZE + 1)
            parts.append(_text("name", x, 18, name, TICK_SIZE + 1, INK, anchor="start"))
            x -= 16
            parts.append(_rectangle(x, 8, 11, 11, number))
            x -= 12
        return parts


def _bar(frame: _Frame, x: float, value: float, number: int, told: str) -> str:
    if math.isnan(value):
        return ""
    y = frame.up(value)
    decimals = 2 if frame.ticks[-1] <= 1 else 1
    label = "∞" if math.isinf(value) else f"{value:.{decimals}f}"
    return (
        f"<g><title>{xml_text(told + frame.names[number - 1])} {label} {xml_text(frame.unit)}"
        f"</title>{_rectangle(x, y, BAR, frame.floor - y, number)}"
        + _text("tick", x + BAR / 2, y - 4, label, TICK_SIZE - 1, MUTED)
        + "</g>"
    )


def _rectangle(x: float, y: float, width: float, height: float, number: int) -> str:
    return (
        f'<rect class="bar s{number}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="2" fill="{COLOURS[number - 1]}"/>'
    )


def _curve(frame: _Frame, points: list[tuple[float, float]], number: int, name: str) -> str:
    colour = COLOURS[number - 1]
    path, pen = "", "M"
    for x, value in points:
        if math.isfinite(value):
            path += f"{pen}{x:.1f} {frame.up(value):.1f}"
        pen = "L" if math.isfinite(value) else "M"
    dots = [
        f'<circle class="dot s{number}" cx="{x:.1f}" cy="{frame.up(value):.1f}" r="3" '
        f'fill="{colour}"><title>{xml_text(name)} {value:.6g}</title></circle>'
        for x, value in points
        if math.isfinite(value) and len(points) <= MOST_DOTS
    ]
    return (
        f'<path class="curve s{number}" d="{path}" fill="none" stroke="{colour}" '
        f'stroke-width="2" stroke-linejoin="round"/>' + "".join(dots)
    )


def _text(
    kind: str, x: float, y: float, text: str, size: int, colour: str, *, anchor: str = "middle"
) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'font-size="{size}" fill="{colour}">{xml_text(text)}</text>'
    )


def _check(series: Series, length: int) -> None:
    if not 1 <= len(series) <= len(COLOURS):
        raise ValueError(f"1 to {len(COLOURS)} series can be drawn, not {len(series)}")
    for name, values in series.items():
        if len(values) != length:
            raise ValueError(f"series {name!r} has {len(values)} values for {length} places")


def _left(ticks: list[float]) -> float:
    return max(text_width(_number(tick), TICK_SIZE) for tick in ticks) + 16


def _inside(ticks: list[float], span: tuple[float, float]) -> list[float]:
    return [tick for tick in ticks if span[0] <= tick <= span[1]]


def _number(value: float) -> str:
    return f"{value:,.10g}".replace("-", "−")
