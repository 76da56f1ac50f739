"""The scores of a text are the log-probabilities of all words and sentence ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


def steps_between(
    deviation: NDArray[np.float64], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the relative error of every event's estimate in every run.

    This function is the inverse of `deviation_of_steps`.
    """
    before = np.ones_like(deviation)
    before[:, 1:] = deviation[:, :-1]
    before[:, offsets[:-1]] = 1.0
    return deviation - before


def deviation_of_steps(
    steps: NDArray[np.float64], offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the first-order deviations of prefixes, given the relative errors of their words.

    Parameters
    ----------
    steps
        Relative error of every event in every run, shape (runs, events).
    offsets
        The events of sentence i are ``offsets[i]:offsets[i+1]``.
    """
    # The probability of a prefix is a product over words, so the words' errors add up.
    sums = np.cumsum(steps, axis=1)
    before = np.concatenate((np.zeros((len(sums), 1)), sums), axis=1)[:, offsets[:-1]]
    deviation: NDArray[np.float64] = 1.0 + sums - np.repeat(before, np.diff(offsets), axis=1)
    return deviation


@dataclass(frozen=True)
class TextScores:
    """The log-probabilities of all events in a text.

    The events are the words and a `</s>` after each sentence.
    """

    log_probs: NDArray[np.float64]
    """The natural log-probabilities, one per event."""
    is_eos: NDArray[np.bool_]
    is_oov: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    """The events of sentence i are ``offsets[i]:offsets[i+1]``. The last event of each sentence is
    `</s>`."""
    lexical: NDArray[np.float64] | None = None
    """Lexical part of each surprisal, in nats: the surprisal given the analyses."""
    entropy: NDArray[np.float64] | None = None
    """Entropy over the analyses after each event, in nats."""
    deviation: NDArray[np.float64] | None = None
    """Per-run prefix estimates divided by their mean, shape (runs, events), or None if scores are
    exact."""

    @staticmethod
    def ends(lengths: Iterable[int]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return `is_eos` and `offsets` for sentences with the given numbers of words."""
        offsets = np.cumsum([0, *(length + 1 for length in lengths)], dtype=np.int64)
        is_eos = np.zeros(int(offsets[-1]), dtype=np.bool_)
        is_eos[offsets[1:] - 1] = True
        return is_eos, offsets

    @classmethod
    def joined(cls, parts: Sequence[TextScores]) -> TextScores:
        """Concatenate the scores of several texts under the same model."""
        lengths = [int(n) - 1 for part in parts for n in np.diff(part.offsets)]
        is_eos, offsets = cls.ends(lengths)

        def whole(arrays: list[NDArray[Any] | None]) -> NDArray[Any] | None:
            known = [array for array in arrays if array is not None]
            return np.concatenate(known, axis=-1) if known and len(known) == len(parts) else None

        return cls(
            np.concatenate([part.log_probs for part in parts]),
            is_eos,
            np.concatenate([part.is_oov for part in parts]),
            offsets,
            *(whole([getattr(p, n) for p in parts]) for n in ("lexical", "entropy", "deviation")),
        )

    def taken(self, sentences: Sequence[int]) -> TextScores:
        """Return the scores of the sentences with these indices, which may be repeated."""
        if list(sentences) == list(range(len(self.offsets) - 1)):
            return self
        bounds = [self.offsets[number : number + 2].tolist() for number in sentences]
        events = np.concatenate([np.zeros(0, np.int64), *(np.arange(a, b) for a, b in bounds)])
        _, offsets = self.ends(b - a - 1 for a, b in bounds)
        parts = (self.lexical, self.entropy)
        lexical, entropy = (None if part is None else part[events] for part in parts)
        deviation = None if self.deviation is None else self.deviation[:, events]
        return TextScores(
            self.log_probs[events],
            self.is_eos[events],
            self.is_oov[events],
            offsets,
            lexical,
            entropy,
            deviation,
        )

    @property
    def standard_error(self) -> NDArray[np.float64] | None:
        """Delta-method estimate of the Monte Carlo error of each log-probability log(P_i /
        P_{i-1}).

        The estimates of the two prefixes come from the same runs, so their errors partly cancel.
        The result is therefore based on the difference between their relative deviations.
        """
        steps = self.relative_steps()
        if steps is None:
            return None
        spread: NDArray[np.float64] = np.std(steps, axis=0, ddof=1)
        return spread / math.sqrt(len(steps))

    def relative_steps(self) -> NDArray[np.float64] | None:
        """Return the first-order deviations of the runs, or None if the scores are exact."""
        return None if self.deviation is None else steps_between(self.deviation, self.offsets)

    def error_of(self, first: int, begin: int, end: int) -> float | None:
        """Return the standard error of the summed log-probability of events ``begin:end``.

        The events belong to the sentence that starts at `first`. The error of log(P_end / P_begin)
        is estimated by the delta method.
        """
        if self.deviation is None:
            return None
        before = self.deviation[:, begin - 1] if begin > first else 1.0
        spread = np.std(self.deviation[:, end - 1] - before, ddof=1)
        return float(spread) / math.sqrt(len(self.deviation))
