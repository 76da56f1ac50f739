"""The picture and the table of `experiments.unbounded_claim`.

The picture has one panel per task and data size, with accuracy by depth. The lines are the ways of
learning, and the grey band spans all priors and all fixed discounts and strengths. The table has,
for each of them, the best bounded model, the unbounded one, and the difference.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from bistro.pictures.svg import opening, text_at
from bistro.report.frame import COLOURS, INK, MUTED

PANEL, HIGH, LEFT, TOP, GAP = 190.0, 150.0, 62.0, 74.0, 46.0
NAMES = {"ewt": "EWT, UPOS", "ddt": "DDT, UPOS", "wsj": "WSJ, tags", "trees": "WSJ, trees (F1)"}
WAYS = {
    "sampled": "seating sampled",
    "left-out": "minimal seating, fitted to blocks left out",
    "as published": "minimal seating, fitted to itself (as published)",
}
SIZES = {"1": "all data", "8": "an eighth"}
BAND = "#e3e6ea"
FLAT = "Beta(1, 1), Gamma(1, 1)"

Cell = tuple[str, str, str, str]
"""Task, size, way and depth."""


class Panel:
    """One panel: its position and its scale."""

    def __init__(self, column: int, row: int, values: Sequence[float], depths: Sequence[str]):
        self.left = LEFT + column * (PANEL + GAP)
        self.top = TOP + row * (HIGH + 62)
        self.low, self.high = min(values), max(values)
        self.depths = depths

    def x(self, depth: str) -> float:
        """Return the horizontal position of a depth."""
        return self.left + PANEL * self.depths.index(depth) / (len(self.depths) - 1)

    def y(self, value: float) -> float:
        """Return the vertical position of a value."""
        return self.top + HIGH * (self.high - value) / (self.high - self.low)

    def points(self, line: Mapping[str, float]) -> str:
        """Return the points of a line in the syntax of SVG."""
        return " ".join(f"{self.x(d):.1f},{self.y(v):.1f}" for d, v in line.items())

    def frame(self, title: str) -> list[str]:
        """Return the axes: depths below, the minimum and maximum value at the side."""
        middle, floor = self.left + PANEL / 2, self.top + HIGH
        parts = [
            f'<rect x="{self.left}" y="{self.top}" width="{PANEL}" height="{HIGH}" '
            f'fill="none" stroke="{BAND}"/>',
            text_at("name", middle, self.top - 8, title, 12, INK),
        ]
        for depth in self.depths:
            shown = "∞" if depth == "inf" else depth
            parts.append(text_at("tick", self.x(depth), floor + 15, shown, 11, MUTED))
        for value in (self.low, self.high):
            at = (self.left - 6, self.y(value) + 4)
            parts.append(text_at("tick", *at, f"{value:.1f}", 11, MUTED, anchor="end"))
        return parts


def means(rows: Sequence[Mapping[str, str]]) -> dict[Cell, float]:
    """Return the mean over seeds of every cell with flat priors."""
    found = defaultdict(list)
    for row in rows:
        if row["prior"] == FLAT:
            cell = (row["task"], row["size"], row["way"], row["depth"])
            found[cell].append(float(row["right"]))
    return {cell: sum(values) / len(values) for cell, values in found.items()}


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the best bounded depth and no bound as Markdown, for every way and prior."""
    found = defaultdict(lambda: defaultdict(list))  # type: ignore[var-annotated]
    for row in rows:
        name = row["way"] if row["prior"] == FLAT else row["prior"]
        found[row["task"], row["size"], name][row["depth"]].append(float(row["right"]))
    lines = ["| task | part | learned | best depth | | unbounded | difference |", "|---" * 7 + "|"]
    for (task, size, name), by_depth in sorted(found.items()):
        right = {depth: sum(values) / len(values) for depth, values in by_depth.items()}
        unbounded = right.pop("inf", math.nan)
        best = max(right, key=right.__getitem__)
        cells = (task, f"1/{size}", name, best, f"{right[best]:.2f}", f"{unbounded:.2f}")
        lines.append(f"| {' | '.join(cells)} | {unbounded - right[best]:+.2f} |")
    return "\n".join(lines)


def draw(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the picture of all figures as SVG."""
    depths = sorted({row["depth"] for row in rows}, key=float)
    width = LEFT + len(NAMES) * (PANEL + GAP)
    height = TOP + len(SIZES) * (HIGH + 62)
    title = "Accuracy by depth of context, for three ways of learning and all priors"
    parts = opening("bistro-chart", title, width, height, limit=980, corner=6)
    parts += _legend()
    cells = means(rows)
    for row_number, (size, size_name) in enumerate(SIZES.items()):
        for column, (task, name) in enumerate(NAMES.items()):
            here = [r for r in rows if (r["task"], r["size"]) == (task, size)]
            if not here:
                continue
            panel = Panel(column, row_number, [float(r["right"]) for r in here], depths)
            parts += [_band(panel, here), *panel.frame(f"{name}, {size_name}")]
            for number, way in enumerate(WAYS):
                line = {d: cells[task, size, way, d] for d in depths}
                parts.append(_line(panel, line, COLOURS[number]))
    parts.append(text_at("tick", width / 2, height - 8, "depth of context", 12, MUTED))
    return "\n".join([*parts, "</svg>\n"])


def _legend() -> list[str]:
    parts, x = [], LEFT
    for number, label in enumerate(WAYS.values()):
        parts.append(f'<rect x="{x}" y="16" width="18" height="4" fill="{COLOURS[number]}"/>')
        parts.append(text_at("name", x + 24, 22, label, 12, INK, anchor="start"))
        x += 60 + 6.4 * len(label)
    parts.append(f'<rect x="{LEFT}" y="34" width="18" height="10" fill="{BAND}"/>')
    label = "minimal seating fitted to itself: all priors and all fixed discounts and strengths"
    return [*parts, text_at("name", LEFT + 24, 43, label, 12, INK, anchor="start")]


def _band(panel: Panel, rows: Sequence[Mapping[str, str]]) -> str:
    """Return the area between the worst and the best prior of every depth."""
    values = defaultdict(list)
    for row in rows:
        if row["way"] == "as published":
            values[row["depth"]].append(float(row["right"]))
    order = [d for d in panel.depths if d in values]
    above = panel.points({d: max(values[d]) for d in order})
    below = panel.points({d: min(values[d]) for d in reversed(order)})
    return f'<polygon points="{above} {below}" fill="{BAND}"/>'


def _line(panel: Panel, line: Mapping[str, float], colour: str) -> str:
    dots = "".join(
        f'<circle cx="{panel.x(d):.1f}" cy="{panel.y(v):.1f}" r="3" fill="{colour}">'
        f"<title>depth {d}: {v:.2f}</title></circle>"
        for d, v in line.items()
    )
    points = panel.points(line)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}'
