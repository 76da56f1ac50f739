"""Pictures in which a bar below every word shows its surprisal in bits.

If the model distinguishes syntactic from lexical surprisal, the bar has two parts: the change in
the distribution over analyses (syntactic), and the rest (lexical). Long sentences are drawn on
several lines. All bars in a picture have the same scale, and pictures with the same value of `most`
share a scale.

>>> svg = surprisal_strip(["The", "horse", "fell"], [3.0, 9.5, 14.2])
>>> svg.count('class="bar')
3
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bistro.pictures.svg import opening, text_at
from bistro.pictures.text import text_width, xml_text
from bistro.report.frame import INK, TICK_SIZE, rectangle, tick_at
from bistro.sums import added

WORD_SIZE = 15
BAR, LONGEST = 22.0, 84.0
MARGIN, GAP, LEAST = 14.0, 14.0, 34.0
LINE = WORD_SIZE + 40.0
"""The height of one line of words, without the bars below it."""
PARTS = ("lexical", "syntactic")


def surprisal_strip(
    words: Sequence[str],
    bits: Sequence[float],
    syntactic: Sequence[float] | None = None,
    *,
    most: float | None = None,
    width: float = 900.0,
) -> str:
    """Return an SVG picture of surprisals.

    `most` is the surprisal, in bits, that a full-length bar represents.
    """
    if len(words) != len(bits):
        raise ValueError(f"{len(words)} words, but {len(bits)} values")
    finite = [value for value in bits if math.isfinite(value)]
    scale = LONGEST / max(most or max(finite, default=1.0), 1e-9)
    lines = _lines(words, width)
    used = max((added(room for _, room in line) for line in lines), default=0.0) + 2 * MARGIN
    top = MARGIN + (18.0 if syntactic is not None else 0.0)
    deepest = LONGEST if len(finite) < len(bits) else scale * max(finite, default=0.0)
    line_height = LINE + min(LONGEST, deepest)
    height = top + line_height * len(lines)
    title = "Surprisal in bits. " + ", ".join(
        f"{word} {value:.1f}" for word, value in zip(words, bits, strict=True)
    )
    parts = opening("bistro-chart", title, used, height)
    if syntactic is not None:
        parts += _legend()
    for number, line in enumerate(lines):
        x, y = MARGIN, top + line_height * number
        for word, room in line:
            known = None if syntactic is None else syntactic[word]
            parts.append(_word(words[word], bits[word], known, scale, x + room / 2, y))
            x += room
    return "\n".join([*parts, "</svg>\n"])


def _lines(words: Sequence[str], width: float) -> list[list[tuple[int, float]]]:
    """Return, for each line, the indices of its words and their widths."""
    lines: list[list[tuple[int, float]]] = [[]]
    used = 0.0
    for number, word in enumerate(words):
        room = max(LEAST, text_width(word, WORD_SIZE)) + GAP
        if lines[-1] and used + room > width - 2 * MARGIN:
            lines.append([])
            used = 0.0
        lines[-1].append((number, room))
        used += room
    return lines


def _word(word: str, bits: float, syntactic: float | None, scale: float, x: float, y: float) -> str:
    top = y + WORD_SIZE + 8
    long = LONGEST if math.isinf(bits) else min(LONGEST, scale * max(0.0, bits))
    shown = "∞" if math.isinf(bits) else f"{bits:.1f}"
    description = f"{word}: {shown} bits"
    bars = rectangle(x - BAR / 2, top, BAR, long, 1)
    if syntactic is not None and math.isfinite(bits) and bits > 0:
        part = long * min(1.0, max(0.0, syntactic / bits))
        description += f", of which syntactic {syntactic:.1f}"
        bars = rectangle(x - BAR / 2, top, BAR, long - part, 1)
        bars += rectangle(x - BAR / 2, top + long - part, BAR, part, 2)
    return (
        f"<g><title>{xml_text(description)}</title>"
        + text_at("name", x, y + WORD_SIZE, word, WORD_SIZE, INK)
        + bars
        + tick_at(x, top + long + 13, shown)
        + "</g>"
    )


def _legend() -> list[str]:
    parts, x = [], MARGIN
    for number, name in enumerate(PARTS, start=1):
        parts.append(rectangle(x, 6, 11, 11, number))
        parts.append(text_at("name", x + 16, 16, name, TICK_SIZE + 1, INK, anchor="start"))
        x += 32 + text_width(name, TICK_SIZE + 1)
    return parts
