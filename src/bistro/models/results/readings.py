"""A sentence read word by word: which analyses are alive after each word, and how probable."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Live:
    """One analysis of the words read so far."""

    id: int
    """Unique in the reading; the same however many analyses are shown."""
    parent: int | None
    """The analysis of the step before that it grew from, or that most of its probability grew from;
    None at the first word, and where that analysis is not shown."""
    probability: float
    """Its share, given the words so far; those of all analyses alive sum to 1."""
    heads: list[int]
    """Heads of the words read so far: 0 is the root, -1 not attached yet."""
    labels: list[str]
    """``_`` where there is none yet. Where no context of the model sees labels, an arc stands for
    all its labels together, and shows the likeliest."""
    tags: list[str]
    stack: list[int]
    """The words that wait for a head, from 1."""


@dataclass(frozen=True)
class Step:
    """What is alive after a word, or at the end."""

    word: int
    """Its place from 1; the end has the place after the last word."""
    token: str
    surprisal: float
    """In bits."""
    entropy: float
    """Over all analyses alive, in bits. (The entropy of a table of surprisal tells derivations of
    the same tree apart, and is higher.)"""
    alive: int
    """How many distinct analyses there are."""
    analyses: list[Live]
    """The likeliest, in this order."""


@dataclass(frozen=True)
class Reading:
    """A sentence, read word by word."""

    words: list[str]
    steps: list[Step]
    """One per word, and one for the end of the sentence."""
    protocol: str
    """How it was computed, in a sentence."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for every analysis of every step; `rank` counts them from 1."""
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
    """Return the share of the likeliest analysis, and its heads; open words have a dot."""
    if not step.analyses:
        return "", ""
    best = step.analyses[0]
    heads = " ".join("·" if head < 0 else str(head) for head in best.heads)
    return f"{100 * best.probability:.0f} %", heads
