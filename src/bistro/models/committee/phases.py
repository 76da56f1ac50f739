"""Approximate share of each phase in the training time of a committee.

The shares are used to estimate the remaining time. All times are relative: the time for training a
latent-variable member of the default committee is set to 5. The times were measured on English EWT
and French ParTUT. The shares differ by up to a third between these treebanks.
"""

from __future__ import annotations

from collections.abc import Mapping

from bistro.models.committee.config import StackSettings
from bistro.models.committee.members import MemberSettings
from bistro.models.isbn.config import IsbnConfig

LEARNING = 5.0
"""Relative time for training a latent-variable member."""
SWEEP, FINISHING = 0.055, 0.1
"""Relative times for one sweep over the training data and for averaging the samples, per member."""
FITTING = 0.7
"""Relative voting time per member, on a development set."""
CHAINS_OF_FOLD, LEARNING_OF_FOLD = 0.3, 3.3
"""Relative times for training on one of two folds. The first value is for a member that is trained
with Markov chains, and the second value is for a latent-variable member."""
VOTES, LATENT_VOTES = 0.5, 2.5
"""Relative voting times on one of two folds, with both predicted and given tags. The first value is
for a member that is trained with Markov chains, and the second value is for a latent-variable
member."""
JUDGING = 0.6
"""Relative time for training the stacks, per member and pass."""
WITHOUT_VOTING = {"chains": 0.6, "finish": 0.15, "latent": 0.0}
"""Share of each phase when the sharpness is fitted on held-out sentences. The remaining quarter of
the time is spent on voting."""


def phase_shares(
    members: Mapping[str, MemberSettings],
    sweeps: int,
    fits: bool,
    stack: StackSettings | None,
) -> dict[str, float]:
    """Return the share of each phase in the whole training time.

    `fits` is true if the sharpness or the weights are fitted. `stack` is None if no stack is
    trained.
    """
    latent, others = _counts(members)
    costs = {
        "latent": LEARNING * latent,
        "chains": SWEEP * sweeps * others,
        "finish": FINISHING * others,
        "fit": FITTING * len(members) * fits,
    }
    if stack is not None:
        fold, judging = _stack_costs(members, stack)
        costs["fit"] = stack.folds * sum(fold.values()) + judging
    return _normalised(costs)


def stack_shares(members: Mapping[str, MemberSettings], stack: StackSettings) -> dict[str, float]:
    """Return the time share of each phase in stack training, and of each step within a fold."""
    fold, judging = _stack_costs(members, stack)
    whole = _normalised({"folds": stack.folds * sum(fold.values()), "judging": judging})
    return whole | _normalised(fold)


def _stack_costs(
    members: Mapping[str, MemberSettings], stack: StackSettings
) -> tuple[dict[str, float], float]:
    """Return the relative times for the steps within one fold and for training the stacks."""
    latent, others = _counts(members)
    rest = 2 * (1 - 1 / stack.folds)
    fold = {
        "chains": CHAINS_OF_FOLD * others * rest * 0.9,
        "finish": CHAINS_OF_FOLD * others * rest * 0.1,
        "latent": LEARNING_OF_FOLD * latent * rest,
        "votes": (VOTES * others + LATENT_VOTES * latent) * 2 / stack.folds,
    }
    rounds = 1 if stack.rounds == 1 else stack.folds + 1
    return fold, JUDGING * len(members) * stack.passes * rounds


def _counts(members: Mapping[str, MemberSettings]) -> tuple[int, int]:
    """Return the number of latent-variable members and the number of other members."""
    latent = sum(isinstance(settings, IsbnConfig) for settings in members.values())
    return latent, len(members) - latent


def _normalised(costs: Mapping[str, float]) -> dict[str, float]:
    whole = sum(costs.values())
    return {name: cost / whole for name, cost in costs.items()}
