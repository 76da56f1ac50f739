"""The next-word distribution: probabilities of all words and of the sentence end after a context.

    p(w | w_1 ... w_i) = p(w_1 ... w_i w) / p(w_1 ... w_i)

A model lists events: its known words, its classes of unknown words (or one event for all strings
that it would spell), and the end of the sentence. The probabilities of all events sum to 1, or to
less if they are computed by a search that drops analyses. A word that is not listed has the
probability of its class or of its spelling.

>>> import bistro
>>> model = bistro.train("ngram", bistro.builtin(sentences=200, seed=1), seed=1)
>>> found = model.next_words(["The", "dog"])
>>> len(found.top(3)), found.of(["sleeps"])[0].word
(3, 'sleeps')
>>> 0.99 < found.covered <= 1.01 and found.entropy > 0
True
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
ROUNDING = 1e-9
"""Log-probabilities that differ by less than this value are treated as equal."""
LEAST_TAG = 5e-4
"""Only tags with at least this probability are shown."""


class Estimates(NamedTuple):
    """Probabilities of events, either exact or averaged over runs."""

    log_probs: Floats
    """The natural log-probabilities, one per event."""
    is_oov: Flags
    """Whether each event is an unknown word or represents unknown words."""
    steps: Floats | None = None
    """First-order deviation of each run from the mean log-probability of each event, shape (runs,
    events)."""

    @classmethod
    def exact(cls, probabilities: Floats, is_oov: Flags) -> Estimates:
        """Create estimates from exact probabilities, which have no standard errors."""
        return cls(_log(probabilities), is_oov)

    @classmethod
    def of_runs(cls, shares: Floats, weights: Floats, is_oov: Flags) -> Estimates:
        """Return means over runs, weighted by the probability each run assigns to the context."""
        means: Floats = weights @ shares
        if len(weights) < 2:
            return cls(_log(means), is_oov)
        ratios = np.divide(shares, means, out=np.ones_like(shares), where=means > 0)
        return cls(_log(means), is_oov, len(weights) * weights[:, None] * (ratios - 1))

    def errors(self) -> Floats | None:
        """Return the standard error of every log-probability, or None for exact values."""
        if self.steps is None:
            return None
        spread: Floats = np.std(self.steps, axis=0, ddof=1) / math.sqrt(len(self.steps))
        return spread

    def at(self, places: Sequence[int] | NDArray[np.int64]) -> Estimates:
        """Return the estimates of the events at the given indices."""
        steps = None if self.steps is None else self.steps[:, places]
        return Estimates(self.log_probs[places], self.is_oov[places], steps)


class NextSums(ABC):
    """The base class for the next-word distributions of all model families."""

    names: Sequence[str]
    """The names of the listed events."""
    listed: Estimates
    """The probabilities of the listed events, given the context."""
    spells_unknown: bool = False
    """Whether the probability of an unknown word is that of its spelling rather than that of its
    whole class."""

    @abstractmethod
    def of(self, words: Sequence[str]) -> Estimates:
        """Return the probabilities of the given words."""

    def tags(self, words: Sequence[str]) -> list[dict[str, float]] | None:
        """Return the probabilities of the tags of each word, or None if the model has no tags."""
        return None


def run_weights(log_probs: Floats) -> Floats:
    """Return the weight of each run, given the log-probability that it assigns to the context."""
    weights: Floats = np.exp(log_probs - np.logaddexp.reduce(log_probs))
    return weights


def with_rest(listed: Estimates) -> Estimates:
    """Prepend one event for all unknown words. This event receives the remaining probability."""
    rest = max(1 - float(np.exp(listed.log_probs).sum()), 0.0)
    steps = None
    if listed.steps is not None:
        # What the listed events gain, the remaining probability loses.
        gained = listed.steps @ np.exp(listed.log_probs)
        column = -gained / rest if rest > 0 else np.zeros_like(gained)
        steps = np.concatenate([column[:, None], listed.steps], axis=1)
    logs = np.concatenate([_log(np.array([rest])), listed.log_probs])
    return Estimates(logs, np.concatenate([[True], listed.is_oov]).astype(np.bool_), steps)


@dataclass(frozen=True)
class NextWord:
    """One possible next word."""

    rank: int | None
    """1 plus the number of listed events that are more probable. None for an unknown word that has
    the probability of its whole class."""
    word: str
    oov: int
    """1 if the word is unknown to the model, so that its class or its spelling is scored."""
    probability: float
    surprisal: float
    """Surprisal in bits."""
    mc_se: float | None
    """Standard error of the surprisal, if it is a Monte Carlo estimate."""
    tags: dict[str, float] | None
    """The probabilities of the word's tags, likeliest first, if the model generates tags."""


COLUMNS = tuple(field.name for field in fields(NextWord))


class NextWords:
    """The next-word distribution after a context."""

    def __init__(self, context: Sequence[str], sums: NextSums) -> None:
        self.context = list(context)
        self.sums = sums
        self.probabilities: Floats = np.exp(sums.listed.log_probs)
        """The probabilities of the listed events, in the order of `words`."""

    @property
    def words(self) -> Sequence[str]:
        """The listed events: words, classes of unknown words, and the sentence end."""
        return self.sums.names

    @property
    def covered(self) -> float:
        """Sum of all listed probabilities. The sum is 1, or less if a search dropped analyses."""
        return float(self.probabilities.sum())

    @cached_property
    def entropy(self) -> float:
        """Entropy of the next event, in bits. All unknown words of a class count as one event."""
        share = self.probabilities / self.covered
        return float(-(share * _log2(share)).sum())

    @cached_property
    def entropy_se(self) -> float | None:
        """Standard error of the entropy (delta method), or None if the entropy is exact."""
        steps = self.sums.listed.steps
        if steps is None:
            return None
        share = self.probabilities / self.covered
        moved = steps @ (-share * (_log2(share) + self.entropy))
        return float(np.std(moved, ddof=1)) / math.sqrt(len(steps))

    def top(self, k: int = 10) -> list[NextWord]:
        """Return the `k` most probable events."""
        if k < 0:
            raise ConfigError(f"k is {k}, but must be at least 0")
        order = np.lexsort((np.arange(len(self.probabilities)), -self.probabilities))[:k]
        return self._rows([self.sums.names[i] for i in order], self.sums.listed.at(order))

    def of(self, words: Sequence[str]) -> list[NextWord]:
        """Return one row for each of the `words`, which may be unknown to the model.

        A word that has the probability of its whole class has no rank, since the probability of a
        class cannot be compared with the probabilities of single words.
        """
        if isinstance(words, str):
            raise ConfigError("give a list of words, not a string")
        if not words:
            return []
        rows = self._rows(words, self.sums.of(words))
        if self.sums.spells_unknown:
            return rows
        return [replace(row, rank=None) if row.oov else row for row in rows]

    def _rows(self, words: Sequence[str], estimates: Estimates) -> list[NextWord]:
        tags = self.sums.tags(words)
        ordered = np.sort(self.sums.listed.log_probs)
        ranks = 1 + len(ordered) - np.searchsorted(ordered, estimates.log_probs + ROUNDING, "right")
        errors = estimates.errors()
        return [
            NextWord(
                int(ranks[i]),
                word,
                int(estimates.is_oov[i]),
                math.exp(estimates.log_probs[i]),
                -float(estimates.log_probs[i]) / math.log(2),
                None if errors is None else float(errors[i]) / math.log(2),
                None if tags is None else tags[i],
            )
            for i, word in enumerate(words)
        ]

    def to_pandas(self, k: int = 10) -> pd.DataFrame:
        """Return the `k` most probable events as a data frame."""
        from bistro.data_frames import pandas

        pd = pandas()

        return pd.DataFrame([vars(row) for row in self.top(k)], columns=list(COLUMNS))

    def _repr_html_(self) -> str:
        """Return the most probable events as an HTML table, for notebooks."""
        from bistro.pictures.notebook import table_html  # only notebooks need it

        rows = self.top()
        cells = [(row.word, f"{row.probability:.4f}", row.surprisal) for row in rows]
        bars = [row.probability for row in rows]
        caption = f"entropy {self.entropy:.2f} bits"
        return table_html(["word", "probability", "surprisal"], cells, bars=bars, caption=caption)


def shown_tags(names: Sequence[str], masses: Floats) -> dict[str, float]:
    """Return the probabilities of a word's tags, most probable first."""
    total = float(masses.sum())
    if not total > 0:
        return {}
    shares: dict[str, float] = {}
    for name, share in zip(names, (masses / total).tolist(), strict=True):
        shares[name] = shares.get(name, 0.0) + share
    ranked = sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
    return {name: share for name, share in ranked if share >= LEAST_TAG}


def _log2(shares: Floats) -> Floats:
    """Return base-2 logarithms, with 0 for impossible events."""
    logs: Floats = np.log2(np.where(shares > 0, shares, 1.0))
    return logs


def _log(probabilities: Floats) -> Floats:
    """Return natural logarithms, with minus infinity for impossible events."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(probabilities)
    return logs
