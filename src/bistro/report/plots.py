"""Small SVG charts: grouped bars for the words of a sentence, and lines for a trace.

Bar charts and line charts show named series, with labelled values, a legend, and grid lines at
round numbers. The axes of bar charts start at zero, and the axes of line charts follow the data.
Colours are presentation attributes that suit white paper; a page may restyle the classes `grid`,
`axis`, `name`, `tick`, and `bar`, `curve` and `dot` with `s1` to `s10`, under `.bistro-chart`.

>>> svg = bar_chart(["The", "horse"], {"model": [3.5, 9.0], "truth": [3.1, 8.2]}, unit="bits")
>>> svg.count('class="bar')
6
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bistro.pictures.svg import text_at
from bistro.pictures.text import text_width, xml_text
from bistro.report.frame import (
    COLOURS,
    INK,
    MUTED,
    NAME_SIZE,
    PLOT_HEIGHT,
    RIGHT,
    TICK_SIZE,
    Frame,
    inside,
    line_at,
    number,
    rectangle,
    round_ticks,
    tick_at,
)
from bistro.sums import added

BAR, BAR_GAP, GROUP_GAP = 20.0, 3.0, 22.0
MOST_DOTS = 60
"""Lines with at most this many points are drawn with a dot at every point.

Lines in small charts never have dots.
"""
SMALL = 400.0

Series = Mapping[str, Sequence[float]]


def bar_chart(
    names: Sequence[str], series: Series, *, unit: str = "", errors: Series | None = None
) -> str:
    """Draw groups of bars with labelled values: one group per name, and one bar per series.

    Values must not be negative. The bar for an infinite value reaches the top and is marked ∞. NaN
    has no bar. `errors` contains the half-length of each error bar.
    """
    _check(series, len(names))
    reaches = {name: list((errors or {}).get(name, [0.0] * len(names))) for name in series}
    tops = [
        value + (error if math.isfinite(error) else 0.0)
        for name, values in series.items()
        for value, error in zip(values, reaches[name], strict=True)
    ]
    finite = [value for values in series.values() for value in values if math.isfinite(value)]
    if any(value < 0 for value in finite):
        raise ValueError("bars cannot show negative values")
    ticks = round_ticks(0.0, max(filter(math.isfinite, tops), default=1.0) or 1.0)
    bars = len(series) * (BAR + BAR_GAP) - BAR_GAP
    widths = [max(bars, text_width(name, NAME_SIZE)) + GROUP_GAP for name in names]
    frame = Frame(added(widths), ticks, unit, list(series))
    # A long legend may have made the frame wider than its bars: spread them.
    spare = (frame.right - frame.left - added(widths)) / max(1, len(names))
    widths = [width + spare for width in widths]
    parts = frame.opening(f"Bars of {', '.join(series)} for: {' '.join(names)}")
    middle = frame.left
    for group, name in enumerate(names):
        middle += widths[group] / 2
        x = middle - bars / 2
        for place, (own, values) in enumerate(series.items(), start=1):
            error = reaches[own][group]
            parts.append(_bar(frame, x, values[group], place, f"{name}: ", error))
            x += BAR + BAR_GAP
        parts.append(text_at("name", middle, frame.floor + 22, name, NAME_SIZE, INK))
        middle += widths[group] / 2
    return "\n".join([*parts, "</svg>\n"])


def line_chart(
    series: Series,
    *,
    x: Sequence[float] | None = None,
    x_label: str = "",
    y_label: str = "",
    width: float = 860.0,
    height: float = PLOT_HEIGHT,
    log: bool = False,
    legend: bool = True,
    mark: float | None = None,
    band: tuple[str, Sequence[float], Sequence[float]] | None = None,
) -> str:
    """Draw one line per series over `x` (default: 1, 2, 3, …).

    NaN and ∞ interrupt a line.

    With `log`, the value axis is logarithmic, and all values must be above 0. A dashed line is
    drawn at `mark`. A `band` has a name and two edges, and belongs to the last series.
    """
    length = max((len(values) for values in series.values()), default=0)
    places = list(x) if x is not None else [float(step) for step in range(1, length + 1)]
    _check(series, len(places))
    if log:
        series = {name: [_logarithm(v) for v in values] for name, values in series.items()}
    edges = list(band[1:]) if band is not None else []
    shown = [*series.values(), *edges]
    finite = [value for values in shown for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    most = 6 if height >= PLOT_HEIGHT else 4
    ticks = _decades(low, high) if log else round_ticks(low, high, most)
    frame = Frame(0.0, ticks, y_label, list(series), height=height, log=log, legend=legend)
    frame.right = max(frame.right, width - RIGHT)
    parts = frame.opening(f"Lines of {', '.join(series)} by {x_label or 'step'}")
    span = (min(places, default=0.0), max(places, default=1.0))
    parts += _places(frame, span, x_label)
    if mark is not None:
        at = frame.across(mark, span)
        parts.append(line_at("axis", at, at, frame.top, frame.floor, MUTED, dashes="5 4"))
    if band is not None:
        xs = [frame.across(at, span) for at in places]
        parts.append(_band(frame, xs, band, len(series)))
    dots = length <= MOST_DOTS and width > SMALL
    for place, (name, values) in enumerate(series.items(), start=1):
        points = [(frame.across(at, span), v) for at, v in zip(places, values, strict=True)]
        parts.append(_curve(frame, points, place, name, dots=dots))
    return "\n".join([*parts, "</svg>\n"])


def _places(frame: Frame, span: tuple[float, float], label: str) -> list[str]:
    """Return the ticks and the name of the horizontal axis."""
    most = 6 if frame.right > SMALL else 4
    parts = [
        tick_at(frame.across(tick, span), frame.floor + 17, number(tick))
        for tick in inside(round_ticks(*span, most), span)
    ]
    middle = (frame.left + frame.right) / 2
    return [*parts, tick_at(middle, frame.floor + 32, label)]


def _logarithm(value: float) -> float:
    return math.log10(value) if value > 0 and math.isfinite(value) else math.nan


def _decades(low: float, high: float) -> list[float]:
    """Return at most five powers of ten that cover the values, which are given as logarithms."""
    first, last = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    step = -(-(last - first) // 5)
    return [float(first + step * i) for i in range(-(-(last - first) // step) + 1)]


def _bar(
    frame: Frame, x: float, value: float, place: int, description: str, error: float = 0.0
) -> str:
    if math.isnan(value):
        return ""
    y = frame.up(value)
    decimals = 2 if frame.ticks[-1] <= 1 else 1
    label = "∞" if math.isinf(value) else f"{value:.{decimals}f}"
    return (
        f"<g><title>{xml_text(description + frame.names[place - 1])} {label} {xml_text(frame.unit)}"
        f"</title>{rectangle(x, y, BAR, frame.floor - y, place)}"
        + _error_bar(frame, x + BAR / 2, value, error)
        + tick_at(
            x + BAR / 2,
            frame.up(value + (error if error > 0 else 0.0)) - 4,
            label,
            size=TICK_SIZE - 1,
        )
        + "</g>"
    )


def _error_bar(frame: Frame, x: float, value: float, error: float) -> str:
    if not error > 0 or not math.isfinite(value):
        return ""
    low, high = frame.up(value - error), frame.up(value + error)
    ends = "".join(line_at("error", x - 4, x + 4, y, y, INK) for y in (low, high))
    return line_at("error", x, x, low, high, INK) + ends


def _curve(
    frame: Frame, points: list[tuple[float, float]], place: int, name: str, *, dots: bool
) -> str:
    colour = COLOURS[place - 1]
    path, pen = "", "M"
    for x, value in points:
        if math.isfinite(value):
            path += f"{pen}{x:.1f} {frame.up(value):.1f}"
        pen = "L" if math.isfinite(value) else "M"
    line = (
        f'<path class="curve s{place}" d="{path}" fill="none" stroke="{colour}" '
        f'stroke-width="{2 if frame.right > SMALL else 1.4}" stroke-linejoin="round">'
        f"<title>{xml_text(name)}</title></path>"
    )
    if not dots:
        return line
    return line + "".join(
        f'<circle class="dot s{place}" cx="{x:.1f}" cy="{frame.up(value):.1f}" r="3" '
        f'fill="{colour}"><title>{xml_text(name)} {value:.6g}</title></circle>'
        for x, value in points
        if math.isfinite(value)
    )


def _band(
    frame: Frame,
    xs: Sequence[float],
    band: tuple[str, Sequence[float], Sequence[float]],
    place: int,
) -> str:
    """Return the area between two edges, drawn wherever both edges are known."""
    name, low, high = band
    known = [
        (x, one, other)
        for x, one, other in zip(xs, low, high, strict=True)
        if math.isfinite(one) and math.isfinite(other)
    ]
    there = "L".join(f"{x:.1f} {frame.up(one):.1f}" for x, one, _ in known)
    back = "L".join(f"{x:.1f} {frame.up(other):.1f}" for x, _, other in reversed(known))
    colour = COLOURS[place - 1]
    return (
        f'<path class="band s{place}" d="M{there}L{back}Z" fill="{colour}" fill-opacity="0.18" '
        f'stroke="none"><title>{xml_text(name)}</title></path>'
    )


def _check(series: Series, length: int) -> None:
    if not 1 <= len(series) <= len(COLOURS):
        raise ValueError(f"a plot can show 1 to {len(COLOURS)} series, not {len(series)}")
    for name, values in series.items():
        if len(values) != length:
            raise ValueError(
                f"the series {name!r} has {len(values)} values, but there are {length} positions"
            )
