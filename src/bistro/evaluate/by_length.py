"""Attachment scores by dependency length.

Short arcs are easy to predict, so good parsers differ from weak parsers mainly on long arcs. The
length of an arc is the distance in words between head and dependent. Arcs from the root are a
separate class (Titov & Henderson 2007, Table 2). The gold arc and the predicted arc of a word may
differ in length, so each length class has its own precision and recall. For `las`, an arc is
correct if its head and its label (without subtype) are correct. For `uas`, only the head must be
correct. The scores for C correct arcs, G gold arcs and S system arcs are as follows.

    precision = C / S    recall = C / G    F1 = 2 C / (G + S)

>>> from bistro.treebank.sentence import Sentence
>>> gold = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl", "root"])
>>> [row.las.f1 for row in score_by_length([gold], [gold]) if row.gold]
[100.0, 100.0]
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bistro.evaluate.by_relation import percent, plain_relation
from bistro.treebank.fields import EMPTY
from bistro.treebank.punctuation import Punctuation, mark
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

CLASSES = ("to root", "1", "2", "3-6", ">= 7")
_FIRST_LENGTHS = (1, 2, 3, 7)
PROTOCOL = (
    "F1, precision and recall of arcs by the distance between head and dependent in words; "
    "subtypes of relations ignored"
)


@dataclass(frozen=True)
class Rates:
    """Precision, recall and F1 in percent; a rate is None if its denominator is 0."""

    precision: float | None
    recall: float | None
    f1: float | None

    @classmethod
    def of(cls, right: int, gold: int, system: int) -> Rates:
        """Compute the rates from the numbers of correct, gold and system items."""
        f1 = percent(2 * right, gold + system)
        return cls(percent(right, system), percent(right, gold), f1)


@dataclass(frozen=True)
class LengthScores:
    """The numbers of arcs in one length class, and their scores."""

    length: str
    gold: int
    system: int
    las: Rates
    uas: Rates

    def to_dict(self) -> dict[str, Any]:
        """Return all scores by name."""
        return vars(self) | {"las": vars(self.las), "uas": vars(self.uas)}


def score_by_length(
    gold: Iterable[Sentence], system: Iterable[Sentence], punct: Punctuation | None = None
) -> list[LengthScores]:
    """Return the scores for each length class, with or without punctuation.

    `punct` is the rule that recognises punctuation in the gold trees. If `punct` is None, all words
    count. A word without a head in the system's tree has no system arc.
    """
    counts: Counter[tuple[str, str]] = Counter()
    labels = set()
    for right, predicted in zip(gold, system, strict=True):
        skipped = mark(right, punct) if punct else [False] * len(right)
        rows = zip(
            right.heads, predicted.heads, right.deprels, predicted.deprels, skipped, strict=True
        )
        for word, (head, predicted_head, label, predicted_label, skip) in enumerate(rows, start=1):
            if skip:
                continue
            labels.add(predicted_label)
            counts["gold", length_class(word, head)] += 1
            if predicted_head == MISSING:
                continue
            counts["system", length_class(word, predicted_head)] += 1
            if head == predicted_head:
                counts["uas", length_class(word, head)] += 1
                same = plain_relation(label) == plain_relation(predicted_label)
                counts["las", length_class(word, head)] += same
    return [_summarise(counts, name, labelled=not labels <= {EMPTY}) for name in CLASSES]


def length_class(word: int, head: int) -> str:
    """Return the name of an arc's length class.

    >>> length_class(3, 0), length_class(3, 9), length_class(12, 3)
    ('to root', '3-6', '>= 7')
    """
    if head == 0:
        return CLASSES[0]
    return CLASSES[bisect.bisect_right(_FIRST_LENGTHS, abs(word - head))]


def _summarise(counts: Counter[tuple[str, str]], name: str, *, labelled: bool) -> LengthScores:
    gold, system = counts["gold", name], counts["system", name]
    uas, las = (Rates.of(counts[kind, name], gold, system) for kind in ("uas", "las"))
    return LengthScores(name, gold, system, las if labelled else Rates(None, None, None), uas)
