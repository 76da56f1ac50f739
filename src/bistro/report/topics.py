"""Cards for latent states, with the most likely words and the parents of each state.

>>> svg = topic_cards([TopicCard("state 3", "4 % of words", [("will", 0.4), ("can", 0.2)], "go")])
>>> svg.count('class="bar')
2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bistro.models.results.structures import TopState
from bistro.pictures.svg import opening
from bistro.pictures.text import text_width, xml_text
from bistro.report.frame import COLOURS, INK, MUTED, RULE

CARD, GAP, MARGIN = 190.0, 16.0, 18.0
LINE = 20.0
COLUMNS = 5
NAME_SIZE, WORD_SIZE, SMALL = 14, 13, 11


@dataclass(frozen=True)
class TopicCard:
    """The text and figures on the card of one state."""

    name: str
    share: str
    words: list[tuple[str, float]]
    """The words with their probabilities, starting with the most likely."""
    parents: str


def state_card(state: TopState) -> TopicCard:
    """Return the card of a state."""
    return TopicCard(
        f"state {state.name}" if state.name.isdecimal() else state.name,
        f"{100 * state.share:.1f} %",
        state.words,
        "of " + ", ".join(parent for parent, _ in state.parents),
    )


def topic_cards(cards: Sequence[TopicCard], *, columns: int = COLUMNS) -> str:
    """Return an SVG picture of the cards, row by row."""
    lines = max((len(card.words) for card in cards), default=0)
    tall = 62.0 + LINE * lines
    used = max(1, min(columns, len(cards)))
    rows = -(-len(cards) // used)
    width = 2 * MARGIN + used * (CARD + GAP) - GAP
    height = 2 * MARGIN + rows * (tall + GAP) - GAP
    title = f"The words of {len(cards)} latent states"
    parts = opening("bistro-chart", title, width, height, corner=0)
    for number, card in enumerate(cards):
        x = MARGIN + (number % used) * (CARD + GAP)
        y = MARGIN + (number // used) * (tall + GAP)
        parts += _card(card, x, y, tall)
    return "\n".join([*parts, "</svg>\n"])


def _card(card: TopicCard, x: float, y: float, tall: float) -> list[str]:
    parts = [
        f'<rect class="grid" x="{x:.1f}" y="{y:.1f}" width="{CARD}" height="{tall:.1f}" '
        f'rx="6" fill="none" stroke="{RULE}"/>',
        _text("name", x + 12, y + 22, card.name, NAME_SIZE, INK, weight="bold"),
        _text("tick", x + CARD - 12, y + 22, card.share, SMALL, MUTED, anchor="end"),
    ]
    most = card.words[0][1] if card.words else 1.0
    for place, (word, probability) in enumerate(card.words):
        line = y + 44 + LINE * place
        length = (CARD - 24) * probability / most
        tip = f"{word}: {100 * probability:.1f} %"
        parts.append(
            f'<rect class="bar s1" x="{x + 12:.1f}" y="{line - 13:.1f}" width="{length:.1f}" '
            f'height="17" fill="{COLOURS[0]}" fill-opacity="0.18">'
            f"<title>{xml_text(tip)}</title></rect>"
        )
        shown = _fitting(word, WORD_SIZE)
        parts.append(_text("name", x + 16, line, shown, WORD_SIZE, INK))
    below = _fitting(card.parents, SMALL)
    parts.append(_text("tick", x + 12, y + tall - 8, below, SMALL, MUTED))
    return parts


def _fitting(text: str, size: float) -> str:
    """Truncate a text to the width of a card."""
    if text_width(text, size) <= CARD - 30:
        return text
    while text and text_width(text + "…", size) > CARD - 30:
        text = text[:-1]
    return text + "…"


def _text(
    kind: str,
    x: float,
    y: float,
    text: str,
    size: float,
    colour: str,
    *,
    anchor: str = "start",
    weight: str = "normal",
) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
        f'text-anchor="{anchor}" font-weight="{weight}">{xml_text(text)}</text>'
    )
