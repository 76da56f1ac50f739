"""Run a test suite, and compute the surprisal of regions, the margins of predictions, and accuracy.

    accuracy = items for which all predictions hold / items

An item whose margin (see `suite_formulas`) is above 0 in all predictions is correct. An item is a
*tie* if its smallest margin is 0, which means that the model finds no difference where a difference
was predicted. A tie counts as wrong. The number of ties is reported, since an n-gram model, which
uses only a few words of context, may produce many ties. If surprisals are Monte Carlo estimates,
use more particles or repeats until margins no longer change sign.

>>> import bistro
>>> model = bistro.train("ngram", bistro.builtin(sentences=2000, seed=1), seed=1)
>>> result = run_suite(model, pairs_suite([("The dog sleeps .", "The sleeps dog .")]))
>>> result.accuracy, result.items[0].right
(1.0, True)
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bistro.errors import BistroError
from bistro.models.abilities import SCORE, TOKENISE
from bistro.models.base import Model
from bistro.models.results.scores import TextScores
from bistro.tasks.suite import Condition, Item, Suite, pairs_suite
from bistro.tasks.suite_formulas import END_REGION

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ItemResult", "SuiteResult", "pairs_suite", "run_suite"]

METRICS: dict[str, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "max": max,
    "min": min,
}
NO_WORDS = 0.0
"""The surprisal of a region without words."""
TIE_WITHIN = 1e-9
"""The absolute value, in bits, up to which a margin counts as 0, since sums of the same terms
may differ by rounding errors."""


@dataclass(frozen=True)
class ItemResult:
    """The surprisals of an item, the margins of its predictions, and its unknown words."""

    name: str
    bits: dict[tuple[str, str], float]
    margins: list[float]
    unknown_words: list[str] = field(default_factory=list)
    """The words that are unknown to the model. A word that occurs several times is repeated."""

    @property
    def unknown(self) -> int:
        """Number of unknown words in all conditions."""
        return len(self.unknown_words)

    @property
    def right(self) -> bool:
        """True if all predictions hold."""
        return all(margin > TIE_WITHIN for margin in self.margins)

    @property
    def tied(self) -> bool:
        """True if the item is wrong only because the two sides of some prediction are equal."""
        return not self.right and all(margin >= -TIE_WITHIN for margin in self.margins)


@dataclass(frozen=True)
class SuiteResult:
    """The results of a model on a suite."""

    suite: Suite
    items: list[ItemResult]

    @property
    def accuracy(self) -> float:
        """Share of items for which all predictions hold."""
        return sum(item.right for item in self.items) / len(self.items)

    @property
    def ties(self) -> int:
        """Number of ties, which count as wrong."""
        return sum(item.tied for item in self.items)

    @property
    def tie_share(self) -> float:
        """The share of items that are ties."""
        return self.ties / len(self.items)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% Wilson interval for the accuracy, treating items as independent."""
        n, p, z = len(self.items), self.accuracy, 1.96
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    def groups(self) -> dict[str, SuiteResult]:
        """Return the results for each group of pairs, in the order of the file."""
        pairs: dict[str, list[tuple[Item, ItemResult]]] = {}
        for item, found in zip(self.suite.items, self.items, strict=True):
            pairs.setdefault(item.group, []).append((item, found))
        return {
            name: SuiteResult(
                replace(self.suite, items=[item for item, _ in own]), [found for _, found in own]
            )
            for name, own in pairs.items()
        }

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per item, condition and region.

        The columns `right` and `tie` describe the whole item.
        """
        from bistro.data_frames import pandas

        pd = pandas()

        return pd.DataFrame(
            [
                (self.suite.name, item.name, condition, region, bits, item.right, item.tied)
                for item in self.items
                for (condition, region), bits in item.bits.items()
            ],
            columns=["suite", "item", "condition", "region", "surprisal", "right", "tie"],
        )


def run_suite(model: Model, suite: Suite, **options: Any) -> SuiteResult:
    """Score all sentences in a suite.

    Parameters
    ----------
    model
        A model that scores words. A model that has learned to tokenise from its treebank (a
        pipeline) splits the texts of the suite itself.
    suite
        The suite, from `read_suite` or `pairs_suite`.
    **options
        Options of the model's `score`.
    """
    if suite.metric not in METRICS:
        raise BistroError(
            f"the suite '{suite.name}' uses the metric '{suite.metric}', which is not one of "
            f"{', '.join(METRICS)}"
        )
    if TOKENISE.is_of(model):
        suite = suite.cut(TOKENISE.of(model).cut_cells)
    sentences = [condition.words for item in suite.items for condition in item.conditions]
    scores = SCORE.of(model).score(sentences, **options)
    return SuiteResult(suite, list(results_of(suite, scores)))


def results_of(suite: Suite, scores: TextScores) -> Iterator[ItemResult]:
    """Yield the results of all items, given the scores of their sentences in order."""
    metric = METRICS[suite.metric]
    number = 0
    for item in suite.items:
        bits: dict[tuple[str, str], float] = {}
        unknown: list[str] = []
        for condition in item.conditions:
            first, last = scores.offsets[number : number + 2].tolist()
            bits.update(_regions(condition, scores, first, metric))
            words = zip(condition.words, scores.is_oov[first : last - 1], strict=True)
            unknown += [word for word, is_oov in words if is_oov]
            number += 1
        margins = [formula.margin(bits) for formula in suite.predictions]
        yield ItemResult(item.name, bits, margins, unknown)


def _regions(
    condition: Condition,
    scores: TextScores,
    at: int,
    metric: Callable[[Sequence[float]], float],
) -> Iterator[tuple[tuple[str, str], float]]:
    bits = -scores.log_probs[at : at + len(condition.words) + 1] / math.log(2)
    at = 0
    for region, words in condition.regions.items():
        of_words = bits[at : at + len(words)].tolist()
        yield (condition.name, region), metric(of_words) if of_words else NO_WORDS
        at += len(words)
    yield (condition.name, END_REGION), float(bits[at])
