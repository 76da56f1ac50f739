"""Two language models in one: their probabilities mixed word by word.

    p(w_i | before) = λ p_1(w_i | before) + (1 - λ) p_2(w_i | before)

λ is learned on a development text by expectation-maximisation: each event is shared between the
models by how well each predicted it, and λ becomes the first one's mean share. The likelihood has
one maximum in λ, so EM finds it. Both models must give probabilities to the same events: the same
vocabulary, with the same classes of unknown words, or both an open one, in which every string is a
word.

>>> better, worse = np.log([0.5, 0.4, 0.5]), np.log([0.1, 0.5, 0.1])
>>> weight = mixing_weight(better, worse)
>>> 0.9 < weight <= 1.0
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.models.abilities import Scorer

MOST_STEPS = 1000
CLOSE_ENOUGH = 1e-8

Logs = NDArray[np.float64]


def mixing_weight(first: Logs, second: Logs) -> float:
    """Return the λ of the first model that gives events of these log-probabilities the most."""
    if first.shape != second.shape or not first.size:
        raise ValueError("both models must score the same events, at least one")
    weight = 0.5
    for _ in range(MOST_STEPS):
        share = weight * np.exp(first - mixed(first, second, weight))
        before, weight = weight, float(share.mean())
        if abs(weight - before) < CLOSE_ENOUGH:
            break
    return min(1.0, weight)


def mixed(first: Logs, second: Logs, weight: float) -> Logs:
    """Return the log-probabilities of the mixture."""
    with np.errstate(divide="ignore"):
        logs: Logs = np.logaddexp(np.log(weight) + first, np.log1p(-weight) + second)
    return logs


def require_same_events(first: Scorer, second: Scorer) -> None:
    """Refuse two models that do not tell the same words apart."""
    one, other = first.vocabulary, second.vocabulary
    if one.hash == other.hash or (one.is_open and other.is_open):
        return
    if one.is_open != other.is_open:
        raise BistroError(
            "one model spells unknown words (unknown = spelling), the other has classes for them, "
            "so their probabilities are of different events: train both in the same way"
        )
    raise BistroError(
        f"the models have different vocabularies ({len(one):,} and {len(other):,} words and "
        "classes), so their probabilities are of different events: train both on the same "
        "sentences with the same unknown, unknown_below and unknown_suffixes, or both with "
        "unknown = spelling"
    )
