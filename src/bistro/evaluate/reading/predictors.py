"""Predictors of reading times, such as length, frequency, position and surprisal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bistro.evaluate.reading.data import ReadingData
from bistro.evaluate.reading.regression import Floats

MARKS = "\"'.,;:!?()[]«»“”‘’…"
"""Characters that are ignored when the length and frequency of a word are computed."""


@dataclass(frozen=True)
class Predictors:
    """The values of all predictors, with one value per word and predictor.

    A value is NaN if it depends on a preceding word that is missing.
    """

    baseline: dict[str, Floats]
    """The columns of the baseline, such as ``length`` and, for a control model, ``control ngram``
    and ``control ngram, 1 before``."""
    surprisal: dict[str, dict[str, Floats]]
    """The columns of each model: ``surprisal``, ``surprisal, 1 before``, …"""

    def names(self, model: str | None = None) -> list[str]:
        """Return the names of the baseline predictors and of one model's predictors."""
        return [*self.baseline, *(self.surprisal[model] if model is not None else ())]

    def table(self, model: str | None = None) -> Floats:
        """Return the columns of the baseline and of one model, with one row per word."""
        own = self.surprisal[model] if model is not None else {}
        return np.column_stack([*self.baseline.values(), *own.values()])


def build(
    data: ReadingData,
    surprisal: Mapping[str, Floats],
    counts: Mapping[str, int] | None,
    before: int,
    controls: Mapping[str, Floats] | None = None,
) -> Predictors:
    """Return the predictors of the baseline and of every model.

    `surprisal` has one value per word for each model. `controls` has one value per word for each
    control model, whose surprisal belongs to the baseline.
    """
    words = [word.strip(MARKS) or word for words in data.words for word in words]
    own = {"length": np.array([len(word) for word in words], dtype=np.float64)}
    if counts is not None:
        # One is added, so that an unseen word is rarer than all words of the text.
        seen = [counts.get(word.lower(), 0) + 1 for word in words]
        total = sum(counts.values()) + len(counts) + 1
        own["log2 frequency"] = np.log2(np.array(seen, dtype=np.float64) / total)
    own |= {f"control {name}": values for name, values in (controls or {}).items()}
    place = np.concatenate([np.arange(1.0, len(words) + 1) for words in data.words])
    baseline = {"position": place}
    for name, values in own.items():
        baseline |= lagged(name, values, data, before)
    models = {name: lagged("surprisal", v, data, before) for name, v in surprisal.items()}
    return Predictors(baseline, models)


def lagged(name: str, values: Floats, data: ReadingData, before: int) -> dict[str, Floats]:
    """Return the values of each word and of up to `before` preceding words in its text."""
    starts = data.starts[data.text_of_token]
    places = np.arange(len(values))
    columns = {name: values}
    for lag in range(1, before + 1):
        moved = np.concatenate((np.full(lag, np.nan), values[:-lag]))
        columns[f"{name}, {lag} before"] = np.where(places - lag >= starts, moved, np.nan)
    return columns


def word_counts(sentences: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the count of each lowercased word."""
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in sentence:
            low = word.strip(MARKS).lower()
            if low:
                counts[low] = counts.get(low, 0) + 1
    return counts
