"""A sentence read word by word: the current analyses after each word, with probabilities."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Live:
    """One analysis of the words read so far."""

    id: int
    """Unique in the reading, and independent of the number of analyses shown."""
    parent: int | None
    """The analysis of the previous step that it extends, or from which most of its probability
    comes; None at the first word, and if that analysis is not shown."""
    probability: float
    """Its share, given the words so far; the shares of all current analyses sum to 1."""
    heads: list[int]
    """Heads of the words read so far: 0 is the root, -1 not attached yet."""
    labels: list[str]
    """Labels, ``_`` where there is none yet. If no context of the model uses labels, an arc
    comprises all its labels, and shows the likeliest."""
    tags: list[str]
    stack: list[int]
    """Positions of the words that still need a head, from 1."""


@dataclass(frozen=True)
class Step:
    """The current analyses after a word, or at the end."""

    word: int
    """Position of the word from 1; the end follows the last word."""
    token: str
    surprisal: float
    """In bits."""
    entropy: float
    """Entropy over all current analyses, in bits. (The entropy in a table of surprisal
    distinguishes derivations of the same tree, and is higher.)"""
    alive: int
    """Number of distinct analyses."""
    analyses: list[Live]
    """The likeliest analyses, in order of probability."""


@dataclass(frozen=True)
class Reading:
    """A sentence, read word by word."""

    words: list[str]
    steps: list[Step]
    """One per word, and one for the end of the sentence."""
    protocol: str
    """Description of the computation, in one sentence."""

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each analysis of each step; `rank` counts the analyses from 1."""
        from bistro.data_frames import pandas

        pd = pandas()

        of_step, of_analysis = (
            [field.name for field in fields(kind) if field.name != "analyses"]
            for kind in (Step, Live)
        )
        rows = [
            [getattr(step, name) for name in of_step]
            + [rank]
            + [getattr(live, name) for name in of_analysis]
            for step in self.steps
            for rank, live in enumerate(step.analyses, start=1)
        ]
        table = pd.DataFrame(rows, columns=[*of_step, "rank", *of_analysis])
        return table.astype({"parent": "Int64"})

    def _repr_html_(self) -> str:
        """Show every step with its likeliest analysis in a notebook."""
        from bistro.pictures.notebook import table_html  # only notebooks need it

        headers = ["token", "surprisal", "entropy", "alive", "likeliest", "its heads"]
        rows = [(s.token, s.surprisal, s.entropy, s.alive, *_likeliest(s)) for s in self.steps]
        bars = [step.surprisal for step in self.steps]
        return table_html(headers, rows, bars=bars, caption=self.protocol)


def _likeliest(step: Step) -> tuple[str, str]:
    """Return the share of the likeliest analysis, and its heads; unattached words have a dot."""
    if not step.analyses:
        return "", ""
    best = step.analyses[0]
    heads = " ".join("·" if head < 0 else str(head) for head in best.heads)
    return f"{100 * best.probability:.0f} %", heads
