"""The result of reading a sentence word by word: the current analyses after each word."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Live:
    """One analysis of the words up to the current position."""

    id: int
    """An identifier that is unique in the reading and does not depend on the number of analyses
    shown."""
    parent: int | None
    """Identifier of the analysis at the previous step that contributes most to the probability of
    this analysis. The value is None at the first word, or if the previous analysis is not
    shown."""
    probability: float
    """The probability of the analysis given the words so far. The probabilities of all current
    analyses sum to 1."""
    heads: list[int]
    """The heads of the words so far. The root is 0, and -1 marks a word that is not attached
    yet."""
    labels: list[str]
    """The labels of the arcs, or ``_`` if a word has no label yet. If no context of the model uses
    labels, an arc represents all possible labels and shows the likeliest label."""
    tags: list[str]
    stack: list[int]
    """Positions, counted from 1, of the words that do not have a head yet."""


@dataclass(frozen=True)
class Step:
    """The current analyses after a word or at the sentence end."""

    word: int
    """The position of the word, counted from 1. For the sentence end, it is the position
    after the last word."""
    token: str
    surprisal: float
    """The surprisal of the word, in bits."""
    entropy: float
    """Entropy over all current analyses, in bits. The entropy in a surprisal table is higher than
    this value, because the table distinguishes derivations of the same tree."""
    alive: int
    """Number of distinct analyses."""
    analyses: list[Live]
    """The most probable analyses, in order of decreasing probability."""


@dataclass(frozen=True)
class Reading:
    """The analyses of a sentence after each word."""

    words: list[str]
    steps: list[Step]
    """The steps, one per word and one for the end of the sentence."""
    protocol: str
    """A short description of how the reading was computed."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with one row per step and analysis. Ranks start at 1."""
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
        """Return a table of the most probable analysis after each word, for notebooks."""
        from bistro.pictures.notebook import table_html  # only notebooks need it

        headers = ["token", "surprisal", "entropy", "alive", "likeliest", "its heads"]
        rows = [(s.token, s.surprisal, s.entropy, s.alive, *_likeliest(s)) for s in self.steps]
        bars = [step.surprisal for step in self.steps]
        return table_html(headers, rows, bars=bars, caption=self.protocol)


def _likeliest(step: Step) -> tuple[str, str]:
    """Format the probability and the heads of the most probable analysis.

    Words without a head are shown as dots.
    """
    if not step.analyses:
        return "", ""
    best = step.analyses[0]
    heads = " ".join("·" if head < 0 else str(head) for head in best.heads)
    return f"{100 * best.probability:.0f} %", heads
