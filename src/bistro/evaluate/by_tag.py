"""Tagging accuracy for each gold tag, and the most common confusions.

>>> from bistro.treebank.sentence import Sentence
>>> gold = Sentence.from_columns(["It", "rains"], upos=["PRON", "VERB"])
>>> rows = score_by_tag([gold], [gold.replace(upos=["NOUN", "VERB"])], "upos")
>>> [(row.tag, row.right, row.taken_for) for row in rows]
[('PRON', 0.0, ('NOUN', 1)), ('VERB', 100.0, None)]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from bistro.evaluate.by_relation import commonest_other
from bistro.treebank.sentence import Sentence


@dataclass(frozen=True)
class TagScores:
    """The scores for all words that have a given gold tag."""

    tag: str
    words: int
    right: float
    """Share of words with the correct tag, in percent."""
    taken_for: tuple[str, int] | None
    """The most common wrong tag and its count, or None if all words are correct."""


def score_by_tag(
    gold: Iterable[Sentence], system: Iterable[Sentence], column: str
) -> list[TagScores]:
    """Return the scores for every gold tag in `column`, starting with the most common."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for right, predicted in zip(gold, system, strict=True):
        for tag, other in zip(getattr(right, column), getattr(predicted, column), strict=True):
            counts[tag][other] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1].total(), item[0]))
    return [
        TagScores(
            tag, others.total(), 100.0 * others[tag] / others.total(), commonest_other(others, tag)
        )
        for tag, others in ordered
    ]
