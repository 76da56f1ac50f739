"""Word-by-word scores of a mixture of several models.

    p(w_i | before) = Σ_m weight_m p_m(w_i | before)

The share of member m in a word, weight_m p_m / Σ, is the posterior probability that m generated it.
Monte Carlo errors of the members are propagated by the delta method. To first order, the change in
the log-probability of the mixture is the sum of the changes in the members' log-probabilities,
weighted by their shares.

    δ log p(w_i) = Σ_m share_m(i) δ log p_m(w_i)

Members that draw have the same number of runs. Run r of the mixture combines run r of every member,
so the spread of the runs reflects both the shared and the separate errors of the members.

>>> is_eos, offsets = TextScores.ends([1])
>>> parts = [TextScores(np.log([p, 0.5]), is_eos, ~is_eos, offsets) for p in (0.5, 0.1)]
>>> mixed = mixed_scores(parts, np.array([0.5, 0.5]))
>>> np.exp(mixed.log_probs).round(2).tolist(), mixed.standard_error
([0.3, 0.5], None)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.models.abilities import Scorer
from bistro.models.results.scores import TextScores, deviation_of_steps

Floats = NDArray[np.float64]


def probabilities_of(members: Sequence[TextScores]) -> Floats:
    """Return the probability of every event under every member, with shape (members, events).

    If a member has no remaining analysis of the preceding words, it assigns probability 0 to the
    next word.
    """
    return np.nan_to_num(np.exp([scores.log_probs for scores in members]))


def shares_of(log_probs: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the log-probabilities of a mixture, and the share of every member in every event.

    Parameters
    ----------
    log_probs
        Natural logarithms, shape (members, events).
    weights
        One per member; they sum to 1.
    """
    # A member that has lost all analyses of the preceding words gives the next word probability 0.
    known = np.where(np.isnan(log_probs), -np.inf, log_probs)
    with np.errstate(divide="ignore"):
        joint = known + np.log(weights)[:, None]
    total = np.logaddexp.reduce(joint, axis=0)
    # An event with probability 0 under all members is shared by their weights.
    with np.errstate(invalid="ignore"):
        shares = np.where(np.isfinite(total), np.exp(joint - total), weights[:, None])
    return total, shares


def mixed_scores(members: Sequence[TextScores], weights: Floats) -> TextScores:
    """Return the scores of a mixture, with errors estimated from the runs of its members."""
    first = members[0]
    logs = np.stack([scores.log_probs for scores in members])
    total, shares = shares_of(logs, weights)
    return TextScores(
        total,
        first.is_eos,
        np.logical_or.reduce([scores.is_oov for scores in members]),
        first.offsets,
        deviation=_deviation(members, shares),
    )


def _deviation(members: Sequence[TextScores], shares: Floats) -> Floats | None:
    """Return first-order approximations of the per-run prefix estimates, divided by their mean."""
    parts = [scores.relative_steps() for scores in members]
    steps = [
        share * np.where(share > 0, part, 0.0)
        for share, part in zip(shares, parts, strict=True)
        if part is not None
    ]
    if not steps:
        return None
    if len({len(step) for step in steps}) > 1:
        raise ValueError("members that use sampling must have the same number of runs")
    return deviation_of_steps(np.sum(steps, axis=0), members[0].offsets)


def require_same_events(*models: Scorer) -> None:
    """Raise an error if the models have different vocabularies.

    The scores of models with different vocabularies cannot be mixed.
    """
    one = models[0].vocabulary
    for model in models[1:]:
        other = model.vocabulary
        if (one.is_open and other.is_open) or one.has_same_events(other):
            continue
        if one.is_open != other.is_open:
            raise BistroError(
                "one model spells unknown words (unknown = spelling) and the other assigns them to "
                "classes, so their probabilities cannot be compared: train both with the same "
                "value of unknown"
            )
        raise BistroError(
            f"the models have different vocabularies ({len(one):,} and {len(other):,} words and "
            "classes), so their probabilities cannot be compared: train both on the same sentences "
            "with the same unknown, unknown_below and unknown_suffixes, or both with unknown = "
            "spelling"
        )
