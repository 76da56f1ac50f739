"""Attachment by relation: which dependencies a parser finds, and what it takes the others for.

The words of gold are grouped by their relation (subtypes ignored, as in UD's scores). Of the words
of a relation,

    uas = share with the right head    las = share with the right head and relation
    labels = share with the right relation, whatever the head

`taken_for` is the wrong relation that the system most often gives to words of this one. Weighted
by their words, the rows give UAS and LAS of `bistro.evaluate.attachment` again.

>>> from bistro.treebank.sentence import Sentence
>>> gold = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl", "root"])
>>> rows = score_by_relation([gold], [gold.replace(deprels=["nsubj", "root"])])
>>> [(row.relation, row.uas, row.las, row.taken_for) for row in rows]
[('expl', 100.0, 0.0, ('nsubj', 1)), ('root', 100.0, 100.0, None)]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from bistro.treebank.sentence import Sentence

PROTOCOL = "words of gold by their relation; all words, punctuation included; subtypes ignored"


@dataclass(frozen=True)
class RelationScores:
    """The words of one relation in gold; shares in percent."""

    relation: str
    words: int
    uas: float
    las: float
    labels: float
    taken_for: tuple[str, int] | None
    """The commonest wrong relation, and for how many words; None if there is none."""


@dataclass
class _Counts:
    words: int = 0
    heads: int = 0
    labelled: int = 0
    found: Counter[str] = field(default_factory=Counter)


def score_by_relation(gold: Iterable[Sentence], system: Iterable[Sentence]) -> list[RelationScores]:
    """Return the scores of every relation of gold, the commonest first."""
    counts: defaultdict[str, _Counts] = defaultdict(_Counts)
    for right, given in zip(gold, system, strict=True):
        rows = zip(right.heads, given.heads, right.deprels, given.deprels, strict=True)
        for head, found_head, label, found_label in rows:
            relation, found = plain_relation(label), plain_relation(found_label)
            of_relation = counts[relation]
            of_relation.words += 1
            of_relation.heads += head == found_head
            of_relation.labelled += head == found_head and relation == found
            of_relation.found[found] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1].words, item[0]))
    return [_summarise(relation, of_relation) for relation, of_relation in ordered]


def plain_relation(label: str) -> str:
    """Return a relation without its subtype."""
    return label.partition(":")[0]


def commonest_other(found: Counter[str], right: str) -> tuple[str, int] | None:
    """Return the value that was found most often instead of the right one, and how often."""
    wrong = ((-times, value) for value, times in found.items() if value != right)
    most = min(wrong, default=None)
    return (most[1], -most[0]) if most else None


def _summarise(relation: str, counts: _Counts) -> RelationScores:
    return RelationScores(
        relation,
        counts.words,
        100.0 * counts.heads / counts.words,
        100.0 * counts.labelled / counts.words,
        100.0 * counts.found[relation] / counts.words,
        commonest_other(counts.found, relation),
    )
