"""Tables for a study: gains, coefficients, and exported reading times with their predictors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from bistro.evaluate.reading.data import ReadingData
from bistro.evaluate.reading.study import ReadingStudy

GAINS = ("model", "gain", "low", "high", "verdict")
COEFFICIENTS = ("model", "predictor", "estimate", "se", "low", "high", "t", "p")
Row = list[str | int | float]


def gain_rows(study: ReadingStudy) -> Iterator[Row]:
    """Yield the gain of each model over the baseline."""
    for name, gain in study.gains.items():
        yield [name, gain.mean, gain.low, gain.high, gain.verdict]


def coefficient_rows(study: ReadingStudy) -> Iterator[Row]:
    """Yield the coefficients of each model's regression."""
    for name, fit in study.fits.items():
        columns = (fit.estimates, fit.errors, fit.low, fit.high, fit.t_values)
        for predictor, *values, p in zip(
            fit.names, *(c.tolist() for c in columns), fit.p_values.tolist(), strict=True
        ):
            yield [name, predictor, *values, f"{p:.3g}"]


def tidy_columns(data: ReadingData, study: ReadingStudy) -> list[str]:
    """Return the column names of the reading-time table that is written for other programs.

    Columns that Bistro adds have names that are valid in R.
    """
    own = [_plain(name) for name in study.predictors.baseline]
    several = len(study.predictors.surprisal) > 1
    for model, columns in study.predictors.surprisal.items():
        own += [_plain(name) + (f"_{_plain(model)}" if several else "") for name in columns]
    several = len(study.unknown) > 1
    own += [f"oov_{_plain(model)}" if several else "oov" for model in study.unknown]
    condition = ["condition"] if data.conditions is not None else []
    own = ["participant", "item", *condition, "word", "time", *own, "used"]
    return [*own, *(f"data_{name}" if name in own else name for name in data.kept)]


def tidy_rows(
    data: ReadingData, study: ReadingStudy
) -> Iterator[Sequence[str | int | float | None]]:
    """Yield one row per reading time, with all predictors."""
    columns = [*study.predictors.baseline.values()]
    columns += [v for own in study.predictors.surprisal.values() for v in own.values()]
    values = [[_known(v) for v in row] for row in np.column_stack(columns).tolist()]
    words = [word for own in data.words for word in own]
    texts = data.text_of_token.tolist()
    unknown = np.array(list(study.unknown.values()), np.int64).T.tolist() or [[]] * len(words)
    labels = [
        [item] if data.conditions is None else [item, data.conditions[number]]
        for number, item in enumerate(data.items)
    ]
    rows = zip(
        data.reader.tolist(), data.token.tolist(), data.times.tolist(), study.used.tolist(),
        strict=True,
    )  # fmt: skip
    for number, (reader, token, time, used) in enumerate(rows):
        first = (data.participants[reader], *labels[texts[token]], words[token], _known(time))
        kept = (cells[number] for cells in data.kept.values())
        yield (*first, *values[token], *unknown[token], int(used), *kept)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _plain(name: str) -> str:
    """Return a name without spaces or punctuation, such as ``surprisal_1_before``."""
    return "_".join("".join(c if c.isalnum() else " " for c in name).split())
