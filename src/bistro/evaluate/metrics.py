"""The thirteen metrics of the CoNLL 2018 shared task, computed over aligned words.

Each metric counts items in gold, items in the system's output, and correct ones:

    precision = correct / system        recall = correct / gold
    F1 = 2 · correct / (gold + system)  aligned accuracy = correct / aligned

The aligned items are the words of gold that have a partner in the system (`word_alignment`); a head
is correct if it is the partner of gold's head. All metrics agree with those of the official scorer.

>>> Metric(correct=3, gold=4, system=6, aligned=4).f1
60.0
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.evaluate.word_alignment import NOT_ALIGNED, Alignment, common_spans
from bistro.evaluate.word_arrays import Codes, Integers, Words
from bistro.treebank.fields import EMPTY

# fmt: off
CONTENT_RELATIONS = {
    "acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep",
    "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod", "nsubj",
    "nummod", "obj", "obl", "orphan", "parataxis", "reparandum", "root", "vocative", "xcomp",
}
# fmt: on
CHILD_RELATIONS = {"aux", "case", "cc", "clf", "cop", "det", "mark"}
"""Relations of the function words that MLAS compares along with their content words."""
FUNCTION_RELATIONS = CHILD_RELATIONS | {"punct"}

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Metric:
    """The counts behind a metric, and its precision, recall, F1 and accuracy in percent.

    A figure is None if its denominator is 0.
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None
    """Number of aligned words, or None for Tokens, Sentences and Words, which are not aligned."""

    @property
    def precision(self) -> float | None:
        """Share of correct items among the system items."""
        return _percent(self.correct, self.system)

    @property
    def recall(self) -> float | None:
        """Share of correct items among the gold items."""
        return _percent(self.correct, self.gold)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        return _percent(2 * self.correct, self.gold + self.system)

    @property
    def aligned_accuracy(self) -> float | None:
        """Share of correct items among the aligned items."""
        return None if self.aligned is None else _percent(self.correct, self.aligned)

    def to_dict(self) -> dict[str, Any]:
        """Return figures and counts by name."""
        names = ("precision", "recall", "f1", "aligned_accuracy")
        return {name: getattr(self, name) for name in names} | asdict(self)


def _percent(part: int, whole: int) -> float | None:
    return 100.0 * part / whole if whole else None


@dataclass(frozen=True)
class AlignedWords:
    """Two files with aligned words, and methods that compare the columns of these words.

    All arrays of flags have one entry per aligned pair.
    """

    gold: Words
    system: Words
    alignment: Alignment
    codes: Codes

    def agree(self, column: str) -> Flags:
        """Return a mask of pairs with the same value in a column."""
        one, other = getattr(self.gold, column), getattr(self.system, column)
        return np.asarray(one[self.alignment.gold] == other[self.alignment.system])

    def lemmas(self) -> Flags:
        """Return a mask of pairs with the same lemma.

        If the gold word has no lemma, any lemma is correct.
        """
        none = self.gold.lemmas[self.alignment.gold] == self.codes.lemmas[EMPTY]
        return np.asarray(self.agree("lemmas") | none)

    def heads(self) -> Flags:
        """Return a mask of pairs whose heads are aligned with each other or are both the root."""
        parents = self.system.parents[self.alignment.system]
        partners = np.where(parents >= 0, self._partners()[np.maximum(parents, 0)], parents)
        return np.asarray(self.gold.parents[self.alignment.gold] == partners)

    def content(self) -> Flags:
        """Return a mask of the pairs whose gold words are content words."""
        content: Flags = self.marked(self.gold, CONTENT_RELATIONS)[self.alignment.gold]
        return content

    def marked(self, words: Words, relations: set[str]) -> Flags:
        """Return a mask of the words in a file that have one of the given relations."""
        flags = self.codes.deprels.flags(relations.__contains__)
        return np.asarray(flags[words.deprels], dtype=bool)

    def function_children(self, right: Flags) -> Flags:
        """Return a mask of the pairs whose dependent function words match.

        `right` marks the pairs with the same relation, tag and features. A gold function word
        matches if `right` marks it and it is aligned with a dependent of the system word. The mask
        is true for a pair if all function words of both words match.
        """
        is_child = self.marked(self.gold, CHILD_RELATIONS)[self.alignment.gold]
        parents = self.gold.parents[self.alignment.gold]
        same = np.bincount(
            parents[is_child & right & self.heads() & (parents >= 0)], minlength=len(self.gold)
        )[self.alignment.gold]
        of_gold = self._count_children(self.gold)[self.alignment.gold]
        of_system = self._count_children(self.system)[self.alignment.system]
        return np.asarray((same == of_gold) & (same == of_system))

    def _partners(self) -> Integers:
        """Return the gold word that is aligned with each system word."""
        partners = np.full(len(self.system), NOT_ALIGNED, dtype=np.int64)
        partners[self.alignment.system] = self.alignment.gold
        return partners

    def _count_children(self, words: Words) -> Integers:
        """Return the number of function words that depend on each word in a file."""
        is_child = self.marked(words, CHILD_RELATIONS) & (words.parents >= 0)
        return np.bincount(words.parents[is_child], minlength=len(words))


def count_metrics(words: AlignedWords) -> dict[str, Metric]:
    """Return the metrics by name.

    `tokens` is missing if the files have different characters.
    """
    heads, upos, feats = words.heads(), words.agree("upos"), words.agree("feats")
    relations, lemmas = words.agree("deprels"), words.lemmas()
    labelled = heads & relations
    of_words = {
        "upos": upos,
        "xpos": words.agree("xpos"),
        "ufeats": feats,
        "alltags": upos & words.agree("xpos") & feats,
        "lemmas": lemmas,
        "uas": heads,
        "las": labelled,
    }
    of_content = {
        "clas": labelled,
        "mlas": labelled & upos & feats & words.function_children(relations & upos & feats),
        "blex": labelled & lemmas,
    }
    gold, system, content = words.gold, words.system, words.content()
    sizes = len(gold), len(system)
    in_gold = int(words.marked(gold, CONTENT_RELATIONS).sum())
    in_system = int(words.marked(system, CONTENT_RELATIONS).sum())
    pairs, content_pairs = len(content), int(content.sum())
    return (
        _count_segments(words)
        | {name: Metric(int(right.sum()), *sizes, pairs) for name, right in of_words.items()}
        | {
            name: Metric(int((right & content).sum()), in_gold, in_system, content_pairs)
            for name, right in of_content.items()
        }
    )


def _count_segments(words: AlignedWords) -> dict[str, Metric]:
    """Return the metrics for tokens, sentences and words."""
    gold, system, alignment = words.gold, words.system, words.alignment
    segments: dict[str, Metric] = {}
    if alignment.same_text:
        borders = gold.token_borders, system.token_borders
        segments["tokens"] = _spans(*borders)
    if alignment.by == "words":
        segments["sentences"] = _spans(gold.sentence_starts, system.sentence_starts)
    else:
        segments["sentences"] = _spans(gold.sentence_borders, system.sentence_borders)
    segments["words"] = Metric(len(alignment.gold), len(gold), len(system))
    return segments


def _spans(gold: Integers, system: Integers) -> Metric:
    return Metric(common_spans(gold, system), len(gold) - 1, len(system) - 1)
