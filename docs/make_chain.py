"""Draw a sentence as the chain of its tags: python docs/make_chain.py

The tree of a tagged sentence in the twin-tag grammar, with the ancestors of one node marked, and
the probability of that node's rule when more and more of them are seen, under a model of the
built-in treebank.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bistro
from bistro.files import writing
from bistro.models.tags.model import TagsModel
from bistro.pictures.svg import FONT
from bistro.pictures.text import text_width, xml_text
from bistro.treebank.sentence import Sentence

IMAGES = Path(__file__).resolve().parent / "images"
WORDS = ["The", "old", "dog", "sees", "her", "."]
MARKED = 4
"""The word whose ancestors are marked."""
INK, MUTED, RULE, PAPER, ACCENT, TINT = (
    "#1d2733",
    "#5d6875",
    "#c3cad3",
    "#ffffff",
    "#3b6fb6",
    "#e3edf9",
)
SIZE, ACROSS, DOWN, BELOW = 14, 88.0, 40.0, 62.0
LEFT, TOP = 46.0, 34.0


class Drawing:
    """Lines first, then labels on white or tinted paper."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.labels: list[str] = []

    def line(self, start: tuple[float, float], end: tuple[float, float], *, marked: bool) -> None:
        """Add an edge of the tree."""
        colour, width = (ACCENT, 2.2) if marked else (RULE, 1.4)
        self.lines.append(
            f'<line x1="{start[0]:.0f}" y1="{start[1]:.0f}" x2="{end[0]:.0f}" y2="{end[1]:.0f}" '
            f'stroke="{colour}" stroke-width="{width}"/>'
        )

    def label(
        self, at: tuple[float, float], text: str, *, marked: bool = False, word: bool = False
    ) -> None:
        """Add a symbol or a word of the tree."""
        width = text_width(text, SIZE) + 12
        paper = TINT if marked else PAPER
        style = f'font-style="italic" fill="{INK}"' if word else f'fill="{INK}"'
        self.labels.append(
            f'<rect x="{at[0] - width / 2:.0f}" y="{at[1] - 12:.0f}" width="{width:.0f}" '
            f'height="23" rx="5" fill="{paper}"/>'
            f'<text x="{at[0]:.0f}" y="{at[1] + 5:.0f}" text-anchor="middle" {style}>'
            f"{xml_text(text)}</text>"
        )

    def text(self, x: float, y: float, text: str, *, anchor: str = "start") -> None:
        """Add small print."""
        self.labels.append(
            f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{MUTED}" '
            f'font-size="13">{xml_text(text)}</text>'
        )


def place(step: int) -> tuple[float, float]:
    """Return where a tag of the chain stands; step 0 is the start."""
    return LEFT + step * ACROSS, TOP + step * DOWN


def chain(drawing: Drawing, tags: list[str]) -> None:
    """Draw the tree."""
    for step, (word, tag) in enumerate(zip(WORDS, tags, strict=True)):
        above, marked = place(step), step <= MARKED
        twin, leaf = (above[0], above[1] + BELOW), (above[0], above[1] + BELOW + 40)
        is_node = step == MARKED
        drawing.line(above, place(step + 1), marked=step < MARKED)
        drawing.line(above, twin, marked=is_node)
        drawing.line(twin, leaf, marked=is_node)
        drawing.label(above, tags[step - 1] if step else "<s>", marked=marked)
        drawing.label(twin, f"{tag}'", marked=is_node)
        drawing.label(leaf, word, marked=is_node, word=True)
    end = place(len(WORDS))
    drawing.line(end, (end[0], end[1] + BELOW), marked=False)
    drawing.label(end, tags[-1])
    drawing.label((end[0], end[1] + BELOW), "</s>", word=True)


def probabilities(model: TagsModel, sentence: Sentence) -> list[float]:
    """Return p(word | twin), p(word | twin, tag before), ... up to the start."""
    derivation = model.task.derivation(sentence)
    assert derivation is not None
    rules = model.rules
    tags = rules.left[derivation[: 2 * MARKED + 1 : 2]].tolist()
    rule = int(derivation[2 * MARKED + 1])
    context = [int(rules.left[rule]), *reversed(tags)]
    elements = np.array([e for k in range(len(context)) for e in context[: k + 1]], np.int32)
    offsets = np.cumsum([0, *range(1, len(context) + 1)]).astype(np.int64)
    found = model.trie.probabilities(elements, offsets, np.full(len(context), rule, np.int32))
    return [float(p) for p in found]


def bars(drawing: Drawing, names: list[str], values: list[float]) -> None:
    """Draw the probabilities, the shortest context first."""
    x, y = LEFT + 6.6 * ACROSS, TOP - 12
    drawing.text(x - 70, y + 4, f"p({WORDS[MARKED]} | what is seen)")
    for row, value in enumerate(values):
        height = y + 30 + 26 * row
        seen = " ".join(names[: row + 1])
        drawing.text(x + 92, height + 4, seen, anchor="end")
        length = 90 * value / max(values)
        drawing.labels.append(
            f'<rect x="{x + 100:.0f}" y="{height - 8:.0f}" width="{length:.0f}" height="15" '
            f'rx="2" fill="{ACCENT}"/>'
        )
        drawing.text(x + 106 + length, height + 4, f"{value:.3f}")


def picture() -> str:
    """Return the drawing."""
    treebank = bistro.builtin(sentences=3000, seed=1)
    model = bistro.train("tags", treebank, seed=1)
    tags = model.tag(WORDS).tags
    drawing = Drawing()
    chain(drawing, tags)
    names = [f"{tags[MARKED]}'", *reversed(tags[:MARKED]), "<s>"]
    bars(drawing, names, probabilities(model, Sentence.from_columns(WORDS, upos=tags)))
    width, height = LEFT + 9.4 * ACROSS, TOP + len(WORDS) * DOWN + BELOW + 30
    title = f"The tags of “{' '.join(WORDS)}” as a chain, and what one word is given"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" font-size="{SIZE}" '
        f'role="img"><title>{xml_text(title)}</title>\n'
        f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>\n'
        + "\n".join([*drawing.lines, *drawing.labels])
        + "\n</svg>\n"
    )


def main() -> None:
    """Write the picture."""
    IMAGES.mkdir(exist_ok=True)
    with writing(IMAGES / "tag-chain.svg") as stream:
        stream.write(picture().encode())


if __name__ == "__main__":
    main()
