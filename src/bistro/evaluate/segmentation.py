"""Scores that compare a segmentation of words into morphemes with a gold annotation.

    boundaries   precision, recall and F1 of the positions inside words where a morpheme begins
    segments     share of the words with all boundaries correct
    labelled     precision, recall and F1 of morphemes: label, begin and end
    words        share of the words with all morphemes correct, labels and positions
    canonical    share of the words whose morphemes have the correct canonical forms

If an annotation gives the canonical form of a morpheme and not its spelling, its position in the
word is found by alignment (`bistro.encoding.morpheme_alignment`), in both files in the same way.
Forms are compared in lower case.

>>> from bistro.treebank.morphology import SegmentedWord, parse_morphemes
>>> gold = [SegmentedWord("undoable", parse_morphemes("un-do-able"))]
>>> system = [SegmentedWord("undoable", parse_morphemes("undo-able"))]
>>> figures = score(gold, system).figures["all"]
>>> figures["boundary_precision"], figures["boundary_recall"]
(100.0, 50.0)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from bistro.encoding.morpheme_alignment import boundaries
from bistro.errors import TreebankError
from bistro.treebank.morphology import SegmentedWord

Span = tuple[str, int, int]
GROUPS = ("all", "seen", "unseen")
PROTOCOL = (
    "all words, punctuation included; positions of morphemes by alignment with the written word; "
    "boundaries inside words only"
)


@dataclass(frozen=True)
class SegmentationScores:
    """Scores in percent for all words, for words seen in training, and for unseen words."""

    figures: dict[str, dict[str, float]]
    words: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return all scores as values that JSON can store."""
        groups = {g: {"words": self.words[g], **self.figures[g]} for g in self.figures}
        return {"protocol": PROTOCOL, **groups}


def spans_of(word: SegmentedWord) -> list[Span]:
    """Return the label, start and end of each morpheme in a word."""
    places = boundaries(word.form, [m.form for m in word.morphemes])
    pairs = zip(word.morphemes, places, places[1:], strict=False)
    return [(m.label, begin, end) for m, begin, end in pairs]


def score(
    gold: Iterable[SegmentedWord],
    system: Iterable[SegmentedWord],
    seen: Container[str] | None = None,
    *,
    gold_name: str = "gold",
    system_name: str = "system",
) -> SegmentationScores:
    """Compare two annotations of the same words.

    `seen` contains the words of the training data.
    """
    counts = {group: Counter[str]() for group in (GROUPS if seen is not None else GROUPS[:1])}
    for right, predicted in zip_longest(gold, system):
        _check_same(right, predicted, gold_name, system_name)
        one = _compare(right, predicted)
        counts["all"].update(one)
        if seen is not None:
            counts["seen" if right.form in seen else "unseen"].update(one)
    figures = {group: _figures(counted) for group, counted in counts.items() if counted["words"]}
    return SegmentationScores(figures, {g: counts[g]["words"] for g in figures})


def _check_same(
    right: SegmentedWord | None, predicted: SegmentedWord | None, gold_name: str, system_name: str
) -> None:
    if right is None or predicted is None:
        shorter = gold_name if right is None else system_name
        raise TreebankError("the file has fewer words than the other file", path=shorter)
    if right.form != predicted.form:
        raise TreebankError(
            f"the word is '{predicted.form}', but {gold_name}:{right.line} has '{right.form}'",
            path=system_name,
            line=predicted.line,
        )


def _compare(right: SegmentedWord, predicted: SegmentedWord) -> dict[str, int]:
    spans, others = spans_of(right), spans_of(predicted)
    inside, guessed = (_inside(s, len(right.form)) for s in (spans, others))
    labelled = Counter(spans) & Counter(others)
    return {
        "words": 1,
        "boundaries": len(inside),
        "boundaries_found": len(guessed),
        "boundaries_right": len(inside & guessed),
        "segments_right": inside == guessed,
        "morphemes": len(spans),
        "morphemes_found": len(others),
        "morphemes_right": sum(labelled.values()),
        "words_right": spans == others,
        "canonical_right": _forms(right) == _forms(predicted),
    }


def _inside(spans: Sequence[Span], length: int) -> set[int]:
    return {begin for _, begin, _ in spans if 0 < begin < length}


def _forms(word: SegmentedWord) -> list[str]:
    return [morpheme.form.lower() for morpheme in word.morphemes]


def _figures(counts: Counter[str]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, what in (("boundary", "boundaries"), ("labelled", "morphemes")):
        right, predicted, gold = (counts[what + end] for end in ("_right", "_found", ""))
        figures[f"{name}_precision"] = _percent(right, predicted)
        figures[f"{name}_recall"] = _percent(right, gold)
        figures[f"{name}_f1"] = _percent(2 * right, predicted + gold)
    for name in ("segments", "words", "canonical"):
        figures[f"{name}_right"] = _percent(counts[f"{name}_right"], counts["words"])
    return figures


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 100.0
