"""Draw the derivation of one sentence, step by step: python docs/make_derivation.py

A transition parser is trained on the built-in treebank; then the tree it finds for a sentence is
made again, action by action, and every step is drawn with the stack, what is generated, and the
probability the model gives it. The product of all is the joint probability of words and tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bistro
from bistro._core import Frozen, oracle_events
from bistro.files import writing
from bistro.models.parsing.codec import Tree
from bistro.models.transition.config import DISTRIBUTIONS
from bistro.models.transition.model import TransitionModel, outcomes_of, shape_of
from bistro.pictures.arcs import draw_arcs
from bistro.pictures.svg import FONT
from bistro.pictures.text import text_width, xml_text
from bistro.treebank.sentence import Sentence

IMAGES = Path(__file__).resolve().parent / "images"
WORDS = ["The", "dog", "sees", "her", "."]
# Outcomes of the distribution of actions; 1 is the end of trees with several roots.
SHIFT, LEFT_ARC, RIGHT_ARC = 0, 2, 3
NAMES = {SHIFT: "shift", LEFT_ARC: "left-arc", RIGHT_ARC: "right-arc"}
INK, MUTED, RULE, PAPER, ACCENT = "#1d2733", "#5d6875", "#dfe3e8", "#ffffff", "#3b6fb6"
SIZE, ROW, MARGIN = 14, 27.0, 14.0


@dataclass(frozen=True)
class Step:
    """One transition: the stack before it, what it makes, and the probability of each part."""

    stack: list[str]
    action: str
    made: str
    probabilities: list[tuple[str, float]]

    @property
    def total(self) -> float:
        """The probability of the whole step."""
        return math.prod(p for _, p in self.probabilities)


class Events:
    """The events of one distribution in order, each with its probability under the model."""

    def __init__(self, frozen: Frozen, recorded: tuple[np.ndarray, np.ndarray]) -> None:
        self._rows: Iterator[tuple[np.ndarray, int]] = zip(*recorded, strict=True)
        self._frozen = frozen

    def next(self, possible: list[int] | None = None) -> float:
        """Return p(outcome | context), among the possible outcomes if these are given."""
        context, outcome = next(self._rows)
        p = self._frozen.distribution(np.ascontiguousarray(context))
        return float(p[outcome] / (p[possible].sum() if possible else 1.0))


def derivation(model: TransitionModel, tree: Sentence) -> list[Step]:
    """Return the steps that the deterministic oracle takes to a projective tree."""
    shape = shape_of(model.config, model.codec, single_root=model.single_root)
    batch = model.codec.encode([tree], [Tree(tree.upos, tree.heads, tree.deprels)])
    recorded = oracle_events(shape, batch)
    outcomes = outcomes_of(shape, model.codec)
    arrays = model.arrays()
    events = {}
    for name in DISTRIBUTIONS:
        own = {k.partition(".")[2]: a for k, a in arrays.items() if k.startswith(f"{name}.")}
        events[name] = Events(Frozen(**own, dishes=outcomes[name]), recorded[name])
    stack, shifted = [0], 0
    waiting = [tree.heads.count(word) for word in range(len(tree) + 1)]
    steps = []
    while len(stack) > 1 or shifted < len(tree):
        action = next_action(stack, tree.heads, waiting)
        before = ["ROOT" if word == 0 else tree.forms[word - 1] for word in stack]
        parts = []
        if len(stack) > 1:
            possible = [SHIFT, RIGHT_ARC] if len(stack) == 2 else [SHIFT, LEFT_ARC, RIGHT_ARC]
            parts.append(("action", events["actions"].next(possible)))
        if action == SHIFT:
            shifted += 1
            stack.append(shifted)
            parts += [("tag", events["tags"].next()), ("word", events["words"].next())]
            made = f"{tree.upos[shifted - 1]}  {tree.forms[shifted - 1]}"
        else:
            dependent = stack.pop() if action == RIGHT_ARC else stack.pop(-2)
            waiting[stack[-1]] -= 1
            parts.append(("label", events["labels"].next()))
            arrow = "→" if action == RIGHT_ARC else "←"
            ends = (before[-2], before[-1])
            made = f"{ends[0]} {arrow} {ends[1]}  {tree.deprels[dependent - 1]}"
        steps.append(Step(before, NAMES[action], made, parts))
    return steps


def next_action(stack: list[int], heads: list[int], waiting: list[int]) -> int:
    """Return what the oracle does: an arc as soon as its dependent has all its children."""
    if len(stack) > 1:
        below, top = stack[-2:]
        if heads[top - 1] == below and not waiting[top]:
            return RIGHT_ARC
        if below and heads[below - 1] == top and not waiting[below]:
            return LEFT_ARC
    return SHIFT


def draw_steps(steps: list[Step]) -> str:
    """Return the table of all steps as an SVG picture."""
    headers = ["", "stack before the step", "action", "generates", "with probability", "step"]
    rows = [
        [
            str(number),
            "  ".join(step.stack),
            step.action,
            step.made,
            "  ".join(f"{name} {shown(p)}" for name, p in step.probabilities),
            shown(step.total),
        ]
        for number, step in enumerate(steps, start=1)
    ]
    log_prob = sum(math.log(step.total) for step in steps)
    rows.append(["", "ROOT", "", "", "log probability of words and tree", f"{log_prob:.2f}"])
    widths = [
        max(text_width(row[column], SIZE) for row in [headers, *rows]) + 22
        for column in range(len(headers))
    ]
    width, height = sum(widths) + MARGIN, ROW * (len(rows) + 1) + 2 * MARGIN
    title = "The derivation of: " + " ".join(WORDS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{xml_text(title)}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="{xml_text(FONT)}">',
        f"<title>{xml_text(title)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="6" fill="{PAPER}"/>',
    ]
    for line, row in enumerate([headers, *rows]):
        y = MARGIN + ROW * line + 18
        if line in (1, len(rows)):
            parts.append(
                f'<line x1="{MARGIN}" x2="{width - MARGIN:.0f}" y1="{y - 18:.1f}" '
                f'y2="{y - 18:.1f}" stroke="{RULE}"/>'
            )
        x = MARGIN
        for column, cell in enumerate(row):
            faint = line == 0 or column in (0, 4)
            colour = MUTED if faint else ACCENT if column == 2 else INK
            parts.append(
                f'<text x="{x:.1f}" y="{y:.1f}" font-size="{SIZE - (line == 0)}" '
                f'xml:space="preserve" fill="{colour}">{xml_text(cell)}</text>'
            )
            x += widths[column]
    return "\n".join([*parts, "</svg>\n"])


def shown(p: float) -> str:
    """Return a probability with two significant digits."""
    return f"{p:.2f}" if p >= 0.0995 else f"{p:.2g}" if p >= 1e-4 else f"{p:.1e}"


def main() -> None:
    """Train, parse, and write both pictures."""
    model = bistro.train("transition", bistro.builtin(sentences=5000, seed=1), seed=1)
    parse = model.parse(WORDS)
    tree = Sentence.from_columns(
        WORDS, heads=parse.heads, deprels=parse.labels, upos=parse.tags, roots="one"
    )
    steps = derivation(model, tree)
    pictures = {
        "derivation.svg": draw_steps(steps),
        "derivation-tree.svg": draw_arcs(WORDS, parse.heads, parse.labels, parse.tags),
    }
    for name, picture in pictures.items():
        with writing(IMAGES / name) as stream:
            stream.write(picture.encode())
    total = sum(math.log(step.total) for step in steps)
    print(f"log p of the derivation {total:.4f}, of the tree {parse.log_prob:.4f}")


if __name__ == "__main__":
    main()
