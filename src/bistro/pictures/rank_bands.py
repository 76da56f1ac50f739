"""Plots of the deviation of ranks from a uniform distribution, with a simultaneous band.

There is one panel per quantity. The line shows the share of ranks below each value minus the
expected share. The line stays within the grey band if the ranks are uniform. A line above the
middle means too many low ranks, and a line below the middle means too many high ranks. A
wave-shaped line means that there are too many or too few ranks at both ends.

>>> svg = draw_rank_bands({"d": [0.1, 0.2]}, [(-0.1, 0.15), (-0.1, 0.15)], set())
>>> svg.count('class="band"'), svg.count('class="curve s1"')
(1, 1)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from bistro.pictures.svg import opening, text_at

WIDE, HIGH, GAP, TOP, MARGIN, PER_ROW = 190.0, 84.0, 18.0, 24.0, 8.0, 3
INK, MUTED, BAND = "#1d2733", "#5d6875", "#e3e8ee"
COLOURS = {False: ("s1", "#3b6fb6"), True: ("s5", "#c4504f")}
"""The class and colour of a line that stays within the band, and of a line that leaves the band."""


def draw_rank_bands(
    differences: Mapping[str, Sequence[float]],
    band: Sequence[tuple[float, float]],
    rejected: Collection[str],
    *,
    title: str = "Ranks of true values, compared with uniform ranks",
) -> str:
    """Return an SVG picture with one panel per quantity.

    Parameters
    ----------
    differences
        Observed minus expected share of ranks below 1, 2, ..., by quantity.
    band
        The smallest and the largest difference that are allowed.
    rejected
        Quantities whose line leaves the band; they are drawn in red.
    title
        Title of the picture, for screen readers.
    """
    columns = min(PER_ROW, len(differences))
    rows = -(-len(differences) // PER_ROW)
    width = 2 * MARGIN + columns * (WIDE + GAP) - GAP
    height = MARGIN + rows * (TOP + HIGH + GAP)
    most = max(max(-low, high) for low, high in band)
    most = max(most, *(abs(d) for line in differences.values() for d in line)) * 1.05
    parts = opening("bistro-chart", title, width, height, corner=6)
    for place, (name, line) in enumerate(differences.items()):
        left = MARGIN + place % PER_ROW * (WIDE + GAP)
        top = TOP + place // PER_ROW * (TOP + HIGH + GAP)
        parts += _panel(name, line, band, (left, top, most), is_rejected=name in rejected)
    return "\n".join([*parts, "</svg>\n"])


def _panel(
    name: str,
    line: Sequence[float],
    band: Sequence[tuple[float, float]],
    place: tuple[float, float, float],
    *,
    is_rejected: bool,
) -> list[str]:
    left, top, most = place
    middle = top + HIGH / 2

    def points(values: Sequence[float]) -> list[str]:
        # The line begins and ends at 0: no rank is below the first value, all are below the end.
        ends = [0.0, *values, 0.0]
        step = WIDE / (len(ends) - 1)
        return [
            f"{left + i * step:.1f},{middle - HIGH / 2 * value / most:.1f}"
            for i, value in enumerate(ends)
        ]

    upper, lower = points([high for _, high in band]), points([low for low, _ in band])
    kind, colour = COLOURS[is_rejected]
    return [
        text_at("name", left, top - 7, name, 12, INK, anchor="start"),
        f'<polygon class="band" points="{" ".join([*upper, *reversed(lower)])}" fill="{BAND}"/>',
        f'<line class="axis" x1="{left:.1f}" x2="{left + WIDE:.1f}" y1="{middle:.1f}" '
        f'y2="{middle:.1f}" stroke="{MUTED}" stroke-dasharray="4 3"/>',
        f'<polyline class="curve {kind}" points="{" ".join(points(line))}" fill="none" '
        f'stroke="{colour}" stroke-width="1.8" stroke-linejoin="round"/>',
        text_at("tick", left, top + HIGH + 11, "low ranks", 10, MUTED, anchor="start"),
        text_at("tick", left + WIDE, top + HIGH + 11, "high ranks", 10, MUTED, anchor="end"),
    ]
