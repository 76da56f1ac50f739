"""The reliability diagram plots observed accuracy against predicted probability.

A point is a bin of words. The horizontal position of a point is the mean probability of its words,
the vertical position is their accuracy, and the area grows with the number of words. Points on the
diagonal indicate good calibration, and points below it indicate overconfidence.

>>> from bistro.evaluate.calibration import calibration_of
>>> svg = reliability_diagram({"PHead": calibration_of([(0.9, True), (0.8, False)])})
>>> svg.count("<circle")                      # two bins, and one in the legend
3
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from bistro.evaluate.calibration import Bin, Calibration
from bistro.pictures.svg import opening, text_at
from bistro.pictures.text import text_width, xml_text
from bistro.report.frame import COLOURS, INK, MUTED, RULE, TICK_SIZE, tick_at

SIDE = 320.0
LEFT, TOP, RIGHT, BOTTOM = 54.0, 16.0, 16.0, 46.0
LARGEST, SMALLEST = 11.0, 2.5
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def reliability_diagram(calibrations: Mapping[str, Calibration]) -> str:
    """Return a square SVG picture with one series of points per type of probability."""
    names = [
        f"{name}: error {100 * one.expected_calibration_error:.1f} %"
        for name, one in calibrations.items()
    ]
    legend = max(26 + text_width(name, TICK_SIZE + 1) for name in names)
    width, height = LEFT + SIDE + RIGHT + legend, TOP + SIDE + BOTTOM
    title = f"Reliability diagram. {'; '.join(names)}."
    parts = opening("bistro-chart", title, width, height, corner=0) + _grid()
    for number, (name, calibration) in enumerate(calibrations.items(), start=1):
        parts += _series(name, calibration, number)
        y = TOP + 12 + 22 * number
        x = LEFT + SIDE + RIGHT
        parts.append(_point(x + 6, y - 4, 5, number, name))
        parts.append(
            text_at("name", x + 18, y, names[number - 1], TICK_SIZE + 1, INK, anchor="start")
        )
    return "\n".join([*parts, "</svg>\n"])


def _across(value: float) -> float:
    return LEFT + SIDE * value


def _up(value: float) -> float:
    return TOP + SIDE * (1 - value)


def _grid() -> list[str]:
    parts = []
    for tick in TICKS:
        x, y = _across(tick), _up(tick)
        kind, colour = ("axis", MUTED) if tick == 0 else ("grid", RULE)
        parts.append(_line(kind, LEFT, y, LEFT + SIDE, y, colour))
        parts.append(_line(kind, x, TOP, x, TOP + SIDE, colour))
        parts.append(tick_at(LEFT - 7, y + 4, f"{tick:.1f}", anchor="end"))
        parts.append(tick_at(x, TOP + SIDE + 17, f"{tick:.1f}"))
    parts.append(_line("axis", _across(0), _up(0), _across(1), _up(1), MUTED, dashed=True))
    middle = TOP + SIDE / 2
    parts.append(tick_at(LEFT + SIDE / 2, TOP + SIDE + 36, "predicted probability"))
    turned = tick_at(0, 0, "observed accuracy")
    parts.append(f'<g transform="translate(15 {middle:.1f}) rotate(-90)">{turned}</g>')
    return parts


def _series(name: str, calibration: Calibration, number: int) -> list[str]:
    most = max(one.words for one in calibration.bins)
    places = [
        (one, _across(one.confidence), _up(one.accuracy))
        for one in calibration.bins
        if one.confidence is not None and one.accuracy is not None
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for _, x, y in places)
    line = (
        f'<polyline class="curve s{number}" points="{path}" fill="none" '
        f'stroke="{COLOURS[number - 1]}" stroke-width="1.2" opacity="0.6"/>'
    )
    dots = [
        _point(x, y, max(SMALLEST, LARGEST * math.sqrt(one.words / most)), number, _tip(name, one))
        for one, x, y in places
    ]
    return [line, *dots]


def _tip(name: str, one: Bin) -> str:
    return f"{name} {one.confidence:.3f}: {one.accuracy:.3f} of {one.words:,} words are correct"


def _point(x: float, y: float, radius: float, number: int, tip: str) -> str:
    return (
        f'<circle class="dot s{number}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" '
        f'fill="{COLOURS[number - 1]}" fill-opacity="0.75"><title>{xml_text(tip)}</title></circle>'
    )


def _line(
    kind: str, x1: float, y1: float, x2: float, y2: float, colour: str, *, dashed: bool = False
) -> str:
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}"{dashes}/>'
    )
