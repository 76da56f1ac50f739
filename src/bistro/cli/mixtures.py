"""Mixtures of models on the command line (`--with`), with given or fitted weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bistro
from bistro.cli.common import option, score_settings
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.models.base import Model
    from bistro.tasks.mixture import Member, Mixture

WITH = option(
    "MODEL2", "Another model to mix with MODEL, word by word (may be repeated).", "--with"
)
DEV = option("DEV", "The text on which the weights of a mixture are fitted.")
WEIGHTS = option("W1,W2...", "The weights of MODEL, MODEL2 and so on, as an alternative to --dev.")


def mixture_of(
    models: Sequence[Model],
    choices: dict[str, Any],
    dev: str | None,
    weights: str | None,
    format: str | None = None,
) -> Mixture:
    """Return the mixture of models, with given weights or with weights fitted on a file.

    `choices` are the scoring options, which are passed only to models that sum over analyses.
    """
    from bistro.tasks.mixture import Mixture

    if (dev is None) == (weights is None):
        raise BistroError(
            "a mixture needs weights: fit them on a development set with --dev DEV, or set "
            "them with --weights W1,W2"
        )
    members = members_of(models, choices)
    if weights is not None:
        return Mixture(members, _numbers(weights))
    return Mixture.fitted(members, bistro.read(dev or "", format=format, roots="any"))


def members_of(models: Sequence[Model], choices: dict[str, Any]) -> list[Member]:
    """Return the members of a mixture: each model with its scoring options."""
    from bistro.models.abilities import SCORE
    from bistro.models.mixing import require_same_events
    from bistro.tasks.mixture import Member

    scorers = [SCORE.of(model) for model in models]
    require_same_events(*scorers)
    nothing = {**dict.fromkeys(choices), "tags_seen": False, "seed": choices["seed"]}
    sums = [bool(scorer.score_options.names()) for scorer in scorers]
    # Options of sums are passed to the parsers; without a parser they are rejected.
    return [
        Member(scorer, score_settings(model, **(choices if own or not any(sums) else nothing)))
        for model, scorer, own in zip(models, scorers, sums, strict=True)
    ]


def require_mixture(others: list[str] | None, dev: str | None, weights: str | None) -> None:
    """Raise an error if mixture options are given without other models."""
    if not others and (dev is not None or weights is not None):
        raise BistroError("--dev and --weights apply to a mixture; add --with MODEL2")


def _numbers(weights: str) -> list[float]:
    try:
        return [float(part) for part in weights.split(",")]
    except ValueError:
        raise BistroError(
            f"--weights must be a list of numbers such as 0.6,0.4, not '{weights}'"
        ) from None
