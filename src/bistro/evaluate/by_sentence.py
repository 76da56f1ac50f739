"""Attachment scores by sentence length.

Long sentences are rarer than short sentences, and they are harder to parse.

Sentences are grouped by their number of words, including punctuation. Within a group, UAS is the
share of words with the correct head. LAS is the share of words with the correct head and relation,
ignoring subtypes. `exact` is the share of sentences whose heads are all correct.

>>> from bistro.treebank.sentence import Sentence
>>> gold = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl", "root"])
>>> [(row.length, row.words, row.uas) for row in score_by_sentence([gold], [gold], [10, 20])]
[('1-10', 2, 100.0), ('11-20', 0, None), ('> 20', 0, None)]
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bistro.errors import ConfigError
from bistro.evaluate.by_relation import percent, plain_relation
from bistro.treebank.sentence import Sentence

BORDERS = (10, 20, 30, 40)
PROTOCOL = "sentences by their number of words; all words, punctuation included; subtypes ignored"


@dataclass(frozen=True)
class SentenceScores:
    """The scores for one sentence-length class.

    Shares are in percent. The percentages of an empty class are None.
    """

    length: str
    sentences: int
    words: int
    uas: float | None
    las: float | None
    exact: float | None
    """The share of sentences whose heads are all correct."""


def check_borders(borders: Sequence[int]) -> None:
    """Raise an error unless the class limits are at least 1 and strictly increasing."""
    if not borders or borders[0] < 1 or any(a >= b for a, b in pairwise(borders)):
        shown = ", ".join(map(str, borders)) or "none"
        raise ConfigError(
            f"sentence-length limits must be positive and increasing, as in 10,20,40, not {shown}"
        )


def score_by_sentence(
    gold: Iterable[Sentence], system: Iterable[Sentence], borders: Sequence[int] = BORDERS
) -> list[SentenceScores]:
    """Return the scores for each sentence-length class.

    `borders` are the upper limits of all classes except the last.
    """
    check_borders(borders)
    counts = [[0] * 5 for _ in range(len(borders) + 1)]
    for right, predicted in zip(gold, system, strict=True):
        heads = [a == b for a, b in zip(right.heads, predicted.heads, strict=True)]
        labels = zip(right.deprels, predicted.deprels, strict=True)
        same = [plain_relation(a) == plain_relation(b) for a, b in labels]
        labelled = sum(a and b for a, b in zip(heads, same, strict=True))
        row = counts[bisect.bisect_left(borders, len(right))]
        for place, more in enumerate((1, len(right), sum(heads), labelled, all(heads))):
            row[place] += more
    names = class_names(borders)
    return [_summarise(name, *row) for name, row in zip(names, counts, strict=True)]


def class_names(borders: Sequence[int]) -> list[str]:
    """Return the names of the sentence-length classes.

    >>> class_names([1, 10])
    ['1', '2-10', '> 10']
    """
    lows = [1, *(border + 1 for border in borders)]
    spans = zip(lows, borders, strict=False)
    return [*(str(a) if a == b else f"{a}-{b}" for a, b in spans), f"> {borders[-1]}"]


def _summarise(
    name: str, sentences: int, words: int, heads: int, labelled: int, exact: int
) -> SentenceScores:
    shares = percent(heads, words), percent(labelled, words), percent(exact, sentences)
    return SentenceScores(name, sentences, words, *shares)
