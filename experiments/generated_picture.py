"""Distributions of the lengths of sentences and arcs, as charts side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from bistro.report.plots import line_chart

Trees = Sequence[Sequence[int]]
"""Heads of the words of each sentence, 0 for the root."""

BIN, LONGEST = 4, 120
LONGEST_ARC = 40
WIDTH = 430.0


def distributions(title: str, kinds: Mapping[str, Trees]) -> list[str]:
    """Return two charts: percentages of sentences by length, and of arcs by length."""
    edges = np.arange(0, LONGEST + BIN, BIN)
    sentences = {
        kind: (100 * np.histogram([len(t) for t in trees], edges)[0] / len(trees)).tolist()
        for kind, trees in kinds.items()
    }
    arcs = {kind: _arc_shares(trees) for kind, trees in kinds.items()}
    places = [float(edge + BIN / 2) for edge in edges[:-1]]
    return [
        line_chart(
            sentences,
            x=places,
            x_label=f"{title}: words per sentence",
            y_label=f"% of sentences, by {BIN} words",
            width=WIDTH,
        ),
        line_chart(
            arcs,
            x_label=f"{title}: words from dependent to head",
            y_label="% of arcs",
            width=WIDTH,
            log=True,
        ),
    ]


def _arc_shares(trees: Trees) -> list[float]:
    lengths = [abs(head - at) for heads in trees for at, head in enumerate(heads, 1) if head > 0]
    counts = np.bincount(lengths, minlength=LONGEST_ARC + 1)[1 : LONGEST_ARC + 1]
    shares: list[float] = (100 * counts / len(lengths)).tolist()
    return shares


def side_by_side(charts: Sequence[str], columns: int = 2) -> str:
    """Arrange charts of the same size in rows of one picture with a white background."""
    sizes = re.search(r'width="([\d.]+)" height="([\d.]+)"', charts[0])
    assert sizes is not None
    width, height = float(sizes[1]), float(sizes[2])
    rows = -(-len(charts) // columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * width:.0f}" '
        f'height="{rows * height:.0f}" viewBox="0 0 {columns * width:.0f} {rows * height:.0f}">',
        '<rect width="100%" height="100%" rx="6" fill="#ffffff"/>',
    ]
    for number, chart in enumerate(charts):
        x, y = number % columns * width, number // columns * height
        parts.append(chart.replace("<svg ", f'<svg x="{x:.0f}" y="{y:.0f}" ', 1))
    return "\n".join([*parts, "</svg>\n"])
