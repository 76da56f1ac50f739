"""The parts of a mixture of word-order models, built from the learned arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bistro.modelfile import Arrays
from bistro.models.linearize.config import OBSERVED, LinearizeConfig, order_of
from bistro.models.linearize.ngrams import DependentNgram, Part
from bistro.models.linearize.observed import ObservedOrders
from bistro.models.linearize.steps import saved_steps
from bistro.models.linearize.trees import Labels


class LearnedOrders(NamedTuple):
    """Learned arrays of one labelling, for each model in the mixture and for a 1-gram model."""

    labels: Labels
    arrays: Mapping[str, Arrays]
    """Arrays for each type of model: oo, n1, n2, …"""


def make_parts(learned: LearnedOrders, config: LinearizeConfig) -> dict[str, Part]:
    """Return the parts, keyed by model type.

    With Pitman-Yor smoothing, `oo` backs off to the n-gram model of the highest order.
    """
    labels, arrays = learned
    ngrams: dict[int, DependentNgram] = {}
    for n in sorted(order for kind in arrays if (order := order_of(kind))):
        steps = saved_steps(arrays[f"n{n}"], labels.outcomes, config.k)
        ngrams[n] = DependentNgram(labels, n, steps, config.seen, ngrams.get(1), config.most_cells)
    parts: dict[str, Part] = {f"n{n}": ngram for n, ngram in ngrams.items()}
    if OBSERVED in arrays:
        base = ngrams[max(ngrams)] if config.smoothing == "pitman-yor" else None
        parts[OBSERVED] = ObservedOrders(arrays[OBSERVED], base, len(labels.heads) + 1)
    return parts
