"""Effects of experimental conditions on the surprisal of a critical region.

Every item has two conditions, such as an ambiguous sentence and its control, with the same critical
region in both. The effect for an item is the difference in the surprisal of the region between the
two conditions. The effect in an experiment is the mean over items, with its standard error and an
interval from Student's t-distribution.

>>> regions = [
...     Region(item, condition, "all", "1", "fell", bits, 0.0)
...     for item, pair in (("1", (12.0, 10.0)), ("2", (9.0, 8.0)), ("3", (7.0, 4.0)))
...     for condition, bits in zip(("reduced", "full"), pair)
... ]
>>> [effect] = effects(regions, ("reduced", "full"))
>>> effect.items, effect.mean, round(effect.se, 3), effect.positive
(3, 2.0, 0.577, 3)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from bistro.errors import BistroError
from bistro.evaluate.items import ItemSentence
from bistro.models.abilities import SCORE
from bistro.models.base import Model
from bistro.models.results.scores import TextScores
from bistro.tasks.stimuli import MISSING, Stimulus

LEAST = 2
"""Minimum number of items needed to compute a standard error."""


@dataclass(frozen=True)
class Region:
    """A critical region of one item in one condition, and its surprisal."""

    item: str
    condition: str
    group: str
    """The group to which the item belongs. Effects are computed separately for each group."""
    region: str
    """The index of the region in the sentence."""
    words: str
    surprisal: float
    """Surprisal in bits, summed over the words."""
    mc_se: float
    """Standard error of the surprisal, which is 0 if the surprisal is exact."""
    unknown_words: tuple[str, ...] = ()
    """The words that are unknown to the model."""


@dataclass(frozen=True)
class Pair:
    """A region of one item in both conditions."""

    first: Region
    second: Region

    @property
    def difference(self) -> float:
        """The effect of this item, in bits."""
        return self.first.surprisal - self.second.surprisal

    @property
    def mc_se(self) -> float:
        """Standard error of the difference, if surprisal is estimated."""
        return math.hypot(self.first.mc_se, self.second.mc_se)

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """The words in both regions that are unknown to the model."""
        return self.first.unknown_words + self.second.unknown_words


@dataclass(frozen=True)
class Effect:
    """The effect in one region for a group of items."""

    group: str
    region: str
    pairs: list[Pair]

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.pairs)

    @property
    def means(self) -> tuple[float, float]:
        """Mean surprisal in each of the two conditions."""
        first, second = self._bits()
        return float(first.mean()), float(second.mean())

    @property
    def errors(self) -> tuple[float, float]:
        """Standard errors of the two mean surprisals over items."""
        first, second = (_error(values) for values in self._bits())
        return first, second

    @property
    def mean(self) -> float:
        """The mean difference, in bits."""
        return float(np.mean([pair.difference for pair in self.pairs]))

    @property
    def se(self) -> float:
        """Standard error of the mean difference over items, or NaN if there is only one item."""
        return _error(np.array([pair.difference for pair in self.pairs]))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval for the mean difference."""
        reach = float(stats.t.ppf(0.975, max(1, self.items - 1))) * self.se
        return self.mean - reach, self.mean + reach

    @property
    def t_value(self) -> float:
        """The mean difference divided by its standard error."""
        return self.mean / self.se if self.se > 0 else math.nan

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the paired t-test over items."""
        return float(2 * stats.t.sf(abs(self.t_value), max(1, self.items - 1)))

    @property
    def positive(self) -> int:
        """The number of items with a difference above 0."""
        return sum(bool(pair.difference > 0) for pair in self.pairs)

    @property
    def unknown(self) -> int:
        """The number of items whose region contains an unknown word."""
        return sum(bool(pair.unknown_words) for pair in self.pairs)

    @property
    def mc_se(self) -> float:
        """The part of the standard error that is due to estimated surprisals."""
        return math.sqrt(sum(pair.mc_se**2 for pair in self.pairs)) / self.items

    def _bits(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        return (
            np.array([pair.first.surprisal for pair in self.pairs]),
            np.array([pair.second.surprisal for pair in self.pairs]),
        )


def _error(values: np.ndarray[Any, Any]) -> float:
    if len(values) < LEAST:
        return math.nan
    return float(values.std(ddof=1) / math.sqrt(len(values)))


def critical_regions(
    model: Model, stimuli: Sequence[Stimulus], sentences: Sequence[ItemSentence], **options: Any
) -> list[Region]:
    """Score sentences and return their critical regions.

    Sentences without a critical region are left out.

    Parameters
    ----------
    model
        A model that scores words.
    stimuli
        The stimuli, whose last cell names the region.
    sentences
        The item and condition of each stimulus.
    **options
        Options of the model's scores.
    """
    scored = SCORE.of(model).surprisal(
        [stimulus.words for stimulus in stimuli],
        eos=False,
        tokens=[stimulus.tokens for stimulus in stimuli],
        **options,
    )
    unknown_words = _unknown_words(stimuli, scored.scores)
    owners = (one for one, s in zip(sentences, stimuli, strict=True) for _ in s.tokens)
    cells = (own[-1] for stimulus in stimuli for own in stimulus.cells[:-1])
    return [
        Region(
            *(one.item, one.condition, one.group, region, row.token),
            *(row.surprisal, row.mc_se or 0.0, unknown),
        )
        for one, region, row, unknown in zip(owners, cells, scored, unknown_words, strict=True)
        if region != MISSING
    ]


def _unknown_words(stimuli: Sequence[Stimulus], scores: TextScores) -> Iterator[tuple[str, ...]]:
    """Yield the unknown words in each token."""
    for stimulus, start in zip(stimuli, scores.offsets[:-1].tolist(), strict=True):
        flagged = zip(
            stimulus.words, scores.is_oov[start : start + len(stimulus.words)], strict=True
        )
        for token in stimulus.tokens:
            own = itertools.islice(flagged, token.size)
            yield tuple(word for word, is_oov in own if is_oov)


def effects(regions: Iterable[Region], conditions: tuple[str, str]) -> list[Effect]:
    """Return the effect for each group and region.

    Items that lack one of the conditions are left out.
    """
    of_pair: dict[tuple[str, str], dict[str, dict[str, Region]]] = {}
    for region in regions:
        if region.condition not in conditions:
            continue
        items = of_pair.setdefault((region.group, region.region), {})
        own = items.setdefault(region.item, {})
        if region.condition in own:
            raise BistroError(
                f"item {region.item} occurs twice in condition {region.condition}, but an item can "
                "have only one sentence per condition"
            )
        own[region.condition] = region
    first, second = conditions
    effects = []
    for (group, number), items in of_pair.items():
        pairs = [Pair(own[first], own[second]) for own in items.values() if len(own) == 2]
        if pairs:
            effects.append(Effect(group, number, pairs))
    if not effects:
        raise BistroError(f"no item has a critical region in both conditions, {first} and {second}")
    return effects
