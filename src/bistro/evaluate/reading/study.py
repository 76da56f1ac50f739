"""A study of whether surprisal predicts reading times, and which model predicts them best.

>>> import bistro
>>> from bistro.evaluate.reading.scores import item_surprisal
>>> from bistro.evaluate.reading.simulation import simulated
>>> words = [sentence.forms for sentence in bistro.builtin(sentences=40, seed=1)]
>>> model = bistro.train("ngram", bistro.builtin(sentences=300, seed=2), seed=1)
>>> bits = {"ngram": item_surprisal(model, words)}
>>> data = simulated(words, bits["ngram"], participants=20, effect=5.0, seed=1)
>>> study(data, bits).gains["ngram"].verdict
'gain'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from bistro.errors import BistroError
from bistro.evaluate.reading.data import ReadingData
from bistro.evaluate.reading.gain import (
    FOLDS,
    Gain,
    deal,
    exchange_probability,
    held_out_likelihoods,
    mean_gain,
)
from bistro.evaluate.reading.predictors import Predictors, build, lagged
from bistro.evaluate.reading.regression import Fit, Floats, Groups, fit
from bistro.evaluate.reading.scores import Flags
from bistro.progress import number_of

SPILL_OVER = 3
"""Number of preceding words in the spill-over curve."""
FASTEST, SLOWEST = 100.0, 3000.0
"""Range of plausible reading times in milliseconds. By default, times outside this range are left
out."""
SHORTEST_MEDIAN = 20.0
"""If the median of all times is below this value, the times cannot be in milliseconds."""
REMEDY = "check the column of times and the options --fastest, --slowest, --before and --known-only"


@dataclass(frozen=True)
class Comparison:
    """A comparison of two models on the same reading times."""

    first: str
    second: str
    difference: Gain
    probability: float
    """The p-value of the difference, from a permutation test that exchanges the models item by
    item."""


@dataclass(frozen=True)
class ReadingStudy:
    """The results of a reading-time study, and a description of how they were computed."""

    fits: dict[str, Fit]
    spill_over: dict[str, Fit]
    gains: dict[str, Gain]
    comparisons: list[Comparison]
    left_out: dict[str, int]
    """Numbers of rows that were left out, by reason."""
    protocol: str
    used: Flags
    predictors: Predictors
    unknown: Mapping[str, Flags]
    """For each model, a mask of the words that are unknown to it. The dictionary may be empty."""


def study(
    data: ReadingData,
    surprisal: Mapping[str, Floats],
    *,
    controls: Mapping[str, Floats] | None = None,
    counts: Mapping[str, int] | None = None,
    before: int = 1,
    fastest: float = FASTEST,
    slowest: float = SLOWEST,
    logarithm: bool = False,
    unknown: Mapping[str, Flags] | None = None,
    known_only: bool = False,
    seed: int = 1,
) -> ReadingStudy:
    """Fit and compare models that predict reading times from surprisal.

    Parameters
    ----------
    data
        Reading times.
    surprisal
        For each model, one value per word, item after item.
    controls
        For each control model, one value per word. These values and those of the preceding words
        are part of the baseline for all models.
    counts
        Counts of words in some text; if given, the baseline includes their frequency.
    before
        Number of preceding words that are also predictors.
    fastest, slowest
        Times outside of these are left out.
    logarithm
        Predict the natural logarithm of times instead of times.
    unknown
        For each model, a mask of the words that are unknown to it.
    known_only
        Leave out words that are `unknown` to a model, and the words after them.
    seed
        Seed of folds and intervals.
    """
    if not surprisal:
        raise BistroError("a study needs at least one model")
    design = partial(build, data, surprisal, counts, controls=controls)
    predictors = design(before)
    known = _known(data, unknown or {}, before) if known_only else None
    used, left_out = _used_rows(data, predictors, (fastest, slowest), known)
    times, readers, items = _rows(data, used, logarithm)
    fits, likelihoods = {}, {}
    folds = deal(items, FOLDS, np.random.default_rng([seed, 0]))
    for name in (None, *surprisal):
        table = predictors.table(name)[data.token[used]]
        likelihoods[name] = held_out_likelihoods(times, table, readers, folds)
        if name is not None:
            fits[name] = fit(times, table, predictors.names(name), readers, items)
    gains = {
        name: mean_gain(likelihoods[name] - likelihoods[None], items, _random(seed, 1))
        for name in surprisal
    }
    pairs = [
        Comparison(
            a,
            b,
            mean_gain(likelihoods[a] - likelihoods[b], items, _random(seed, 1)),
            exchange_probability(likelihoods[a] - likelihoods[b], items, _random(seed, 2)),
        )
        for a, b in combinations(surprisal, 2)
    ]
    own = ["length", *(["frequency"] if counts is not None else [])]
    own += [f"surprisal under {name}" for name in controls or {}]
    return ReadingStudy(
        fits,
        _spill_over(data, design, (fastest, slowest), known, logarithm),
        gains,
        pairs,
        left_out,
        _protocol(data, int(used.sum()), before, own, logarithm, seed)
        + _unknown_words(unknown or {}, known_only),
        used,
        predictors,
        unknown or {},
    )


def _random(seed: int, part: int) -> np.random.Generator:
    return np.random.default_rng([seed, part])


def _known(data: ReadingData, unknown: Mapping[str, Flags], before: int) -> Flags:
    """Return a mask of the words that are known to all models.

    The preceding words in the text, up to `before` of them, must also be known.
    """
    lost = np.any([np.zeros(len(data.text_of_token), np.bool_), *unknown.values()], axis=0)
    columns = lagged("unknown", lost.astype(np.float64), data, before)
    return np.asarray(np.nansum(list(columns.values()), axis=0) == 0)


def _used_rows(
    data: ReadingData, predictors: Predictors, bounds: tuple[float, float], known: Flags | None
) -> tuple[Flags, dict[str, int]]:
    columns = [*predictors.baseline.values()]
    columns += [v for own in predictors.surprisal.values() for v in own.values()]
    complete = np.isfinite(np.sum(columns, axis=0))[data.token]
    timed = np.isfinite(data.times)
    fastest, slowest = bounds
    inside = timed & (data.times >= fastest) & (data.times <= slowest)
    used = inside & complete
    left_out = {
        "no time": int((~timed).sum()),
        f"below {fastest:g} or above {slowest:g} ms": int((timed & ~inside).sum()),
        "too few words before": int((inside & ~complete).sum()),
    }
    if known is not None:
        left_out["a word is unknown"] = int((used & ~known[data.token]).sum())
        used &= known[data.token]
    if not used.any():
        reasons = ", ".join(f"{why}: {number:,}" for why, number in left_out.items() if number)
        raise BistroError(
            f"{data.path}: all rows of the table are left out ({reasons}): "
            f"{wrong_unit(data.times) or REMEDY}"
        )
    return used, left_out


def wrong_unit(times: Floats) -> str:
    """Return a message if the times cannot be in milliseconds, otherwise an empty string.

    >>> wrong_unit(np.array([0.3, 0.41, np.nan]))
    'the median time is 0.355, but times must be in milliseconds, not in seconds or logarithms'
    """
    timed = times[np.isfinite(times)]
    if not len(timed) or (median := float(np.median(timed))) >= SHORTEST_MEDIAN:
        return ""
    return (
        f"the median time is {median:.3g}, but times must be in milliseconds, not in seconds or "
        "logarithms"
    )


def _rows(data: ReadingData, used: Flags, logarithm: bool) -> tuple[Floats, Groups, Groups]:
    times = data.times[used]
    items = data.item_of_token[data.token[used]]
    return (np.log(times) if logarithm else times), data.reader[used], items


def _spill_over(
    data: ReadingData,
    design: Callable[[int], Predictors],
    bounds: tuple[float, float],
    known: Flags | None,
    logarithm: bool,
) -> dict[str, Fit]:
    """Fit each regression again, with more preceding words as predictors.

    The result is empty if the items are too short.
    """
    if max(map(len, data.words)) <= SPILL_OVER + 1:
        return {}
    predictors = design(SPILL_OVER)
    used, _ = _used_rows(data, predictors, bounds, known)
    times, readers, items = _rows(data, used, logarithm)
    names = {name: predictors.names(name) for name in predictors.surprisal}
    return {
        name: fit(times, predictors.table(name)[data.token[used]], own, readers, items)
        for name, own in names.items()
    }


def _protocol(
    data: ReadingData, rows: int, before: int, own: Sequence[str], logarithm: bool, seed: int
) -> str:
    what = "log reading times" if logarithm else "reading times in ms"
    return (
        f"{what}; {rows:,} of {number_of(len(data.times), 'row')}, "
        f"{number_of(len(data.participants), 'participant')}, {_items(data)}; "
        f"baseline: position, {', '.join(own)} of the word and of {before} before, an "
        "intercept per participant; errors clustered by participant and item; gain in nats per "
        f"row, {FOLDS} folds of items, interval by bootstrap over items; seed {seed}"
    )


def _unknown_words(unknown: Mapping[str, Flags], known_only: bool) -> str:
    """Describe the number and treatment of unknown words, for the protocol."""
    counts = [f"{int(own.sum()):,} of {len(own):,} for {name}" for name, own in unknown.items()]
    treatment = "left out" if known_only else "used"
    return f"; unknown words, {treatment}: {', '.join(counts)}" if counts else ""


def _items(data: ReadingData) -> str:
    items = len(set(data.items))
    texts = f" in {len(data.items)} versions" if len(data.items) > items else ""
    return f"{number_of(items, 'item')}{texts}"
