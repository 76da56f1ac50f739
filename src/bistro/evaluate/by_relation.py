"""Attachment scores for each relation, and the most common confusions.

The gold words are grouped by their relation, ignoring subtypes as in the UD scores. For the words
of a relation,

    uas = share with the correct head    las = share with the correct head and relation
    labels = share with the correct relation, whatever the head

`taken_for` is the wrong relation that the system most often assigns to these words. Weighted by
their words, the rows average to UAS and LAS of `bistro.evaluate.attachment`.

>>> from bistro.treebank.sentence import Sentence
>>> gold = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl", "root"])
>>> rows = score_by_relation([gold], [gold.replace(deprels=["nsubj", "root"])])
>>> [(row.relation, row.uas, row.las, row.taken_for) for row in rows]
[('expl', 100.0, 0.0, ('nsubj', 1)), ('root', 100.0, 100.0, None)]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from bistro.treebank.sentence import Sentence

PROTOCOL = "words of gold by their relation; all words, punctuation included; subtypes ignored"


@dataclass(frozen=True)
class RelationScores:
    """The scores for all words that have a given gold relation. Shares are in percent."""

    relation: str
    words: int
    uas: float
    las: float
    labels: float
    taken_for: tuple[str, int] | None
    """The most common wrong relation and its count, or None if all words are correct."""


def score_by_relation(gold: Iterable[Sentence], system: Iterable[Sentence]) -> list[RelationScores]:
    """Return the scores for every gold relation, starting with the most common."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    heads: Counter[str] = Counter()
    labelled: Counter[str] = Counter()
    for right, predicted in zip(gold, system, strict=True):
        rows = zip(right.heads, predicted.heads, right.deprels, predicted.deprels, strict=True)
        for head, predicted_head, label, predicted_label in rows:
            relation, other = plain_relation(label), plain_relation(predicted_label)
            counts[relation][other] += 1
            heads[relation] += head == predicted_head
            labelled[relation] += head == predicted_head and relation == other
    return [
        RelationScores(
            relation,
            others.total(),
            100.0 * heads[relation] / others.total(),
            100.0 * labelled[relation] / others.total(),
            100.0 * others[relation] / others.total(),
            commonest_other(others, relation),
        )
        for relation, others in sorted(counts.items(), key=lambda item: (-item[1].total(), item[0]))
    ]


def plain_relation(label: str) -> str:
    """Return a relation without its subtype."""
    return label.partition(":")[0]


def percent(part: float, whole: float) -> float | None:
    """Return a fraction as a percentage, or None if the denominator is 0."""
    return 100.0 * part / whole if whole else None


def commonest_other(counts: Counter[str], right: str) -> tuple[str, int] | None:
    """Return the most common wrong value and its count."""
    wrong = ((-times, value) for value, times in counts.items() if value != right)
    most = min(wrong, default=None)
    return (most[1], -most[0]) if most else None
