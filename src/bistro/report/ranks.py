"""Rank plots, which show whether all chains take small, medium and large values equally often.

All draws of all chains are ranked together, and a small histogram for each chain shows the ranks of
that chain's draws. If all chains sample the same distribution, all bars are about as high as the
dashed line. If the bars of a chain are higher on one side than on the other, its values are too low
or too high. If the bars are highest in the middle, the distribution of the chain is too narrow; if
they are highest at both ends, it is too wide.

>>> svg = rank_plot(np.array([[1.0, 3.0], [2.0, 4.0]]), ["seed 1", "seed 2"], bins=2)
>>> svg.count('class="bar')
4
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bistro.pictures.svg import opening, text_at
from bistro.report.frame import INK, MUTED, TICK_SIZE, line_at, rectangle, tick_at

BINS = 16
PANEL, HEIGHT, GAP, MARGIN = 150.0, 74.0, 16.0, 10.0


def rank_counts(draws: NDArray[np.float64], bins: int = BINS) -> NDArray[np.int64]:
    """Return, for each chain, the number of draws whose ranks fall into each of `bins` equal bins.

    >>> rank_counts(np.array([[1.0, 2.0], [3.0, 4.0]]), bins=2).tolist()
    [[2, 0], [0, 2]]
    """
    ranks = rankdata(draws, method="average").reshape(draws.shape)
    places = np.minimum(((ranks - 0.5) * bins / draws.size).astype(np.int64), bins - 1)
    return np.stack([np.bincount(row, minlength=bins) for row in places])


def rank_plot(draws: NDArray[np.float64], names: Sequence[str], *, bins: int = BINS) -> str:
    """Return an SVG picture with one histogram per chain, all on the same scale."""
    counts = rank_counts(draws, bins)
    expected = draws.shape[1] / bins
    most = max(float(counts.max()), 2 * expected)
    width = 2 * MARGIN + len(names) * (PANEL + GAP) - GAP
    height = HEIGHT + 40.0
    title = f"Ranks of the draws of {', '.join(names)} among all"
    parts = opening("bistro-chart", title, width, height)
    for place, name in enumerate(names):
        left = MARGIN + place * (PANEL + GAP)
        parts += _panel(counts[place], name, left, most, expected, place + 1)
    return "\n".join([*parts, "</svg>\n"])


def _panel(
    counts: NDArray[np.int64], name: str, left: float, most: float, expected: float, colour: int
) -> list[str]:
    floor = 22.0 + HEIGHT
    wide = PANEL / counts.size
    bars = [
        rectangle(left + i * wide, floor - HEIGHT * n / most, wide - 1, HEIGHT * n / most, colour)
        for i, n in enumerate(counts.tolist())
    ]
    line = floor - HEIGHT * expected / most
    return [
        text_at("name", left + PANEL / 2, 14, name, TICK_SIZE + 1, INK),
        *bars,
        line_at("axis", left, left + PANEL, line, line, MUTED, dashes="4 3"),
        line_at("axis", left, left + PANEL, floor, floor, MUTED),
        tick_at(left, floor + 14, "low", size=TICK_SIZE - 1, anchor="start"),
        tick_at(left + PANEL, floor + 14, "high", size=TICK_SIZE - 1, anchor="end"),
    ]
