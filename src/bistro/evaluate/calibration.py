"""Calibration of predicted probabilities. Of the arcs with a probability of 90 %, are 90 % correct?

Every word yields a pair (p, c). Here p is the predicted probability of a value in the word's row
(PHead, PDeprel, PUpos or PXpos in MISC). The number c is 1 if the value is correct and 0 otherwise.
The pairs are assigned to 15 bins of equal width according to p. Bin b contains n_b of the N pairs.

    expected calibration error = Σ_b n_b / N · |mean of p in b - mean of c in b|
    Brier score                = mean of (p - c)²

The calibration error is 0 for a perfectly calibrated parser. The Brier score also rewards confident
predictions. Labels are compared together with their subtypes, since the probability applies to the
whole label.

>>> c = calibration_of([(1.0, True), (0.5, True), (0.5, False), (0.5, True), (0.5, False)])
>>> c.expected_calibration_error, c.brier
(0.0, 0.2)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bistro.errors import TreebankError
from bistro.sums import added
from bistro.treebank.probabilities import KEYS, read_probabilities
from bistro.treebank.sentence import Sentence

BINS = 15
PROTOCOL = (
    f"expected calibration error over {BINS} bins of equal width; all words that have a "
    "probability, punctuation included; labels with their subtypes"
)


@dataclass(frozen=True)
class Bin:
    """A bin of words whose predicted probabilities lie between two limits."""

    low: float
    high: float
    words: int
    confidence: float | None
    """Mean predicted probability. The probability and the accuracy of an empty bin are None."""
    accuracy: float | None


@dataclass(frozen=True)
class Calibration:
    """Agreement of predicted probabilities with observed accuracy, in figures from 0 to 1."""

    expected_calibration_error: float
    brier: float
    confidence: float
    """Mean predicted probability. A value above the accuracy means that the model is
    overconfident."""
    accuracy: float
    words: int
    bins: list[Bin]

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by name."""
        return vars(self) | {"bins": [vars(one) for one in self.bins]}


def calibration_of(pairs: Sequence[tuple[float, bool]]) -> Calibration:
    """Return the calibration of predictions that are given as pairs (probability, correctness)."""
    members: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for pair in pairs:
        members[min(int(pair[0] * BINS), BINS - 1)].append(pair)
    bins = [_bin(number, inside) for number, inside in enumerate(members)]
    total = len(pairs)
    gaps = (
        one.words * abs(one.confidence - one.accuracy)
        for one in bins
        if one.confidence is not None and one.accuracy is not None
    )
    return Calibration(
        expected_calibration_error=added(gaps) / total,
        brier=added((p - right) ** 2 for p, right in pairs) / total,
        confidence=added(p for p, _ in pairs) / total,
        accuracy=sum(right for _, right in pairs) / total,
        words=total,
        bins=bins,
    )


def calibrate(
    gold: Iterable[Sentence], system: Iterable[Sentence], *, system_name: str = "system"
) -> dict[str, Calibration]:
    """Return the calibration of each kind of probability in the MISC column, by MISC key.

    Both must have the same words; `bistro.evaluate.attachment.score` checks this.
    """
    pairs: dict[str, list[tuple[float, bool]]] = {key: [] for key in KEYS.values()}
    for right, predicted in zip(gold, system, strict=True):
        if predicted.format != "conllu":
            continue
        for column, key in KEYS.items():
            values = zip(
                read_probabilities(predicted, key, path=system_name),
                getattr(right, column),
                getattr(predicted, column),
                strict=True,
            )
            pairs[key] += [(p, one == other) for p, one, other in values if p is not None]
    calibrations = {key: calibration_of(of_key) for key, of_key in pairs.items() if of_key}
    if not calibrations:
        raise TreebankError(
            f"there are no probabilities ({', '.join(KEYS.values())}) in the MISC column: parse "
            "with --marginals, and write CoNLL-U",
            path=system_name,
        )
    return calibrations


def _bin(number: int, pairs: list[tuple[float, bool]]) -> Bin:
    words = len(pairs)
    return Bin(
        low=number / BINS,
        high=(number + 1) / BINS,
        words=words,
        confidence=added(p for p, _ in pairs) / words if words else None,
        accuracy=sum(right for _, right in pairs) / words if words else None,
    )
