"""Positions of words and arcs in the picture of a dependency tree.

The height of an arc is its nesting level. The level is 1 plus the highest level among the shorter
arcs that overlap the arc. Two arcs at the same level therefore never overlap, and the crossing arcs
of a non-projective tree have different heights. The arc ends at each word are ordered so that
nested arcs do not touch. The arcs to the left come first, from the shortest to the longest. The
root's arrow comes next, and the arcs to the right come last, from the longest to the shortest.
Words are moved apart until every label fits its arc.

>>> layout = arrange([Arc(0, 1, "det"), Arc(1, 2, "nsubj"), Arc(2, 2, "root")], [30.0, 30.0, 30.0])
>>> [arc.level for arc in layout.arcs], layout.centres[0] < layout.centres[1]
([1, 1], True)
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from bistro.pictures.text import text_width
from bistro.sums import added

LABEL_SIZE = 11
LABEL_PADDING = 4.0
MARGIN = 14.0
WORD_GAP = 16.0
CORNER = 9.0
LEG_DISTANCE = 7.0
WIDEST_FAN = 48.0
"""Maximum width of the group of arc ends at one word. If there are many arc ends, they are drawn
closer together."""


@dataclass
class Arc:
    """A dependency arc. Words are numbered from 0, and a root is an arc from a word to itself."""

    dependent: int
    head: int
    label: str = ""
    probability: float | None = None
    kind: str = ""
    """The style-sheet class of the arc, or an empty string for the default style."""
    level: int = 0
    dependent_offset: float = 0.0
    """Horizontal offset of the arc's end from the centre of the dependent."""
    head_offset: float = 0.0

    @property
    def low(self) -> int:
        """The first word of the arc's span."""
        return min(self.dependent, self.head)

    @property
    def high(self) -> int:
        """The last word of its span."""
        return max(self.dependent, self.head)

    @property
    def is_root(self) -> bool:
        """True if the arc is the arrow of a root."""
        return self.dependent == self.head

    @property
    def caption(self) -> str:
        """The label of the arc, followed by the probability if there is one."""
        percent = "" if self.probability is None else f" {100 * self.probability:.0f}%"
        return self.label + percent

    @property
    def caption_width(self) -> float:
        """The width of its caption."""
        return text_width(self.caption, LABEL_SIZE) + 2 * LABEL_PADDING

    @property
    def legs_inside(self) -> float:
        """Distance between the centres of the arc's words minus the distance between its ends."""
        inwards = self.head_offset - self.dependent_offset
        return inwards if self.head < self.dependent else -inwards

    def overlaps(self, other: Arc) -> bool:
        """Return whether the spans of two arcs share more than an end point."""
        return self.low < other.high and other.low < self.high


@dataclass
class Layout:
    """The finished layout of a dependency tree, with the positions of its words and arcs."""

    arcs: list[Arc]
    roots: list[Arc]
    centres: list[float]
    width: float

    @property
    def levels(self) -> int:
        """The level of the highest arc."""
        return max((arc.level for arc in self.arcs), default=0)

    def legs(self, arc: Arc) -> tuple[float, float]:
        """Return the x positions at which the arc meets its head and its dependent."""
        return (
            self.centres[arc.head] + arc.head_offset,
            self.centres[arc.dependent] + arc.dependent_offset,
        )

    def mirror(self) -> None:
        """Mirror the layout, so that the first word is on the right."""
        self.centres = [self.width - x for x in self.centres]
        for arc in (*self.arcs, *self.roots):
            arc.head_offset = -arc.head_offset
            arc.dependent_offset = -arc.dependent_offset


def arrange(arcs: Sequence[Arc], word_widths: Sequence[float]) -> Layout:
    """Compute the layout of words under `arcs`, and set the positions of the arcs."""
    return arrange_both(arcs, [], word_widths)[0]


def arrange_both(
    above: Sequence[Arc], below: Sequence[Arc], word_widths: Sequence[float]
) -> tuple[Layout, Layout]:
    """Return two layouts of the same words: with arcs above them, and with arcs below them."""
    halves = [width / 2 for width in word_widths]
    layouts = []
    for arcs in (above, below):
        layout = Layout(sorted((a for a in arcs if not a.is_root), key=_by_length), [], [], 0.0)
        layout.roots = [arc for arc in arcs if arc.is_root]
        _set_levels(layout.arcs)
        fans = _set_offsets(layout.arcs, layout.roots, len(word_widths))
        halves = [max(half, fan / 2) for half, fan in zip(halves, fans, strict=True)]
        for root in layout.roots:
            reach = abs(root.dependent_offset) + root.caption_width / 2
            halves[root.dependent] = max(halves[root.dependent], reach)
        layouts.append(layout)
    gaps = _set_gaps(sorted([*layouts[0].arcs, *layouts[1].arcs], key=_by_length), halves)
    centre = MARGIN + (halves[0] if halves else 0.0)
    centres = [centre := centre + gap for gap in [0.0, *gaps]] if halves else []
    for layout in layouts:
        layout.centres = list(centres)
        layout.width = centre + (halves[-1] if halves else 0.0) + MARGIN
    return layouts[0], layouts[1]


def _by_length(arc: Arc) -> tuple[int, int]:
    return arc.high - arc.low, arc.low


def _set_levels(spans: list[Arc]) -> None:
    for rank, arc in enumerate(spans):
        below = (other.level for other in spans[:rank] if arc.overlaps(other))
        arc.level = 1 + max(below, default=0)


def _set_offsets(spans: list[Arc], roots: list[Arc], size: int) -> list[float]:
    """Distribute the arc ends at each word, and return the width of the group at each word."""
    by_word: list[list[Arc]] = [[] for _ in range(size)]
    for arc in spans:
        by_word[arc.dependent].append(arc)
        by_word[arc.head].append(arc)
    for root in roots:
        by_word[root.dependent].append(root)
    fans = []
    for word, attached in enumerate(by_word):
        attached.sort(key=lambda arc: _leg_order(arc, word))
        steps = max(1, len(attached) - 1)
        fans.append(min(LEG_DISTANCE * steps, WIDEST_FAN))
        for place, arc in enumerate(attached):
            offset = fans[-1] * (place - (len(attached) - 1) / 2) / steps
            if arc.dependent == word:
                arc.dependent_offset = offset
            if arc.head == word:
                arc.head_offset = offset
    return fans


def _leg_order(arc: Arc, word: int) -> tuple[int, int]:
    if arc.is_root:
        return (1, 0)
    if arc.high == word:
        return (0, arc.high - arc.low)
    return (2, arc.low - arc.high)


def _set_gaps(spans: list[Arc], halves: list[float]) -> list[float]:
    """Return the distances between the centres of neighbouring words, widened to fit arc labels."""
    gaps = [left + WORD_GAP + right for left, right in itertools.pairwise(halves)]
    for arc in spans:
        span = range(arc.low, arc.high)
        available = added(gaps[gap] for gap in span) - arc.legs_inside
        missing = arc.caption_width + 2 * CORNER - available
        for gap in span:
            gaps[gap] += max(0.0, missing) / len(span)
    return gaps
