"""The probabilities of several language models are mixed word by word.

    p(w_i | before) = Σ_m λ_m p_m(w_i | before)

The weights λ are given, or learned on a development text by expectation-maximisation
(`bistro.inference.mixture_weights`). The scores are mixed by `bistro.models.mixing`. Either
all models must assign probabilities to the same events (the same words, in any order, and the same
classes of unknown words), or all models must have an open vocabulary, in which every string is a
word.

>>> better, worse = np.log([0.5, 0.4, 0.5]), np.log([0.1, 0.5, 0.1])
>>> weights = fitted_weights([better, worse])
>>> 0.9 < weights[0] <= 1.0
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import ConfigError
from bistro.inference.mixture_weights import mixture_weights
from bistro.models.abilities import Scorer
from bistro.models.inputs import Words, as_words
from bistro.models.mixing import mixed_scores, require_same_events, shares_of
from bistro.models.next_words import MixedSums, require_same_runs
from bistro.models.results.scores import TextScores
from bistro.models.scoring import Scoring

CLOSE_ENOUGH = 1e-8
SUM_WITHIN = 1e-6
"""The largest allowed difference between the sum of the given weights and 1."""

Logs = NDArray[np.float64]


def fitted_weights(logs: Sequence[Logs]) -> list[float]:
    """Return the mixture weights that maximise the likelihood of the events."""
    if len({log.shape for log in logs}) != 1 or not logs[0].size:
        raise ValueError("all models must score the same events, and there must be at least one")
    table = np.stack(logs)
    highest = np.max(table, axis=0)
    scale = np.where(np.isfinite(highest), highest, 0.0)
    weights: list[float] = mixture_weights(np.exp(table - scale), CLOSE_ENOUGH).tolist()
    return weights


def mixed(logs: Sequence[Logs], weights: Sequence[float]) -> Logs:
    """Return the log-probabilities of the mixture."""
    return shares_of(np.stack(logs), np.array(weights))[0]


def checked_weights(weights: Sequence[float], models: int) -> list[float]:
    """Return normalised weights. Raise an error if the weights are invalid."""
    if len(weights) != models or min(weights) < 0 or abs(sum(weights) - 1) > SUM_WITHIN:
        shown = ", ".join(f"{weight:g}" for weight in weights)
        raise ConfigError(
            f"the weights {shown} are not valid: give one weight per model ({models}); weights "
            "must be at least 0 and sum to 1"
        )
    return [weight / sum(weights) for weight in weights]


@dataclass(frozen=True)
class Member:
    """A model in a mixture, with its own scoring options."""

    scorer: Scorer
    options: Mapping[str, Any]

    def score(self, sentences: Iterable[Words]) -> TextScores:
        """Score sentences with the member's own options."""
        return self.scorer.score(sentences, **self.options)


class Mixture(Scoring):
    """A mixture of models, whose probabilities are mixed word by word.

    A mixture scores text in the same way as a model.
    """

    kind: ClassVar[str] = "mixture"
    parts: ClassVar[Sequence[Any]] = ()

    def __init__(self, members: Sequence[Member], weights: Sequence[float]) -> None:
        require_same_events(*(member.scorer for member in members))
        self.members = list(members)
        self.weights = checked_weights(weights, len(members))

    @classmethod
    def fitted(cls, members: Sequence[Member], development: Iterable[Words]) -> Mixture:
        """Return the mixture of `members` with the best weights for a `development` text."""
        require_same_events(*(member.scorer for member in members))
        words = as_words(development)
        return cls(members, fitted_weights([m.score(words).log_probs for m in members]))

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the first model."""
        return self.members[0].scorer.vocabulary

    def score(self, sentences: Iterable[Words], **options: Any) -> TextScores:
        """Return the mixed log-probabilities of `sentences`.

        The members have their own options, so `options` must be empty.
        """
        self.score_options.of(options, self.kind, "score words")
        words = as_words(sentences)
        return self.combined([member.score(words) for member in self.members])

    def combined(self, parts: Sequence[TextScores]) -> TextScores:
        """Combine the scores of the members (`parts`) into the scores of the mixture."""
        require_same_runs([part.deviation for part in parts])
        return mixed_scores(parts, np.array(self.weights))

    def next_sums(self, context: Sequence[str], **options: Any) -> MixedSums:
        """Return the mixed probabilities of all words after a `context`.

        The members have their own options, so `options` must be empty.
        """
        self.score_options.of(options, self.kind, "score words")
        sums = [m.scorer.next_sums(context, **m.options) for m in self.members]
        return MixedSums(sums, self.weights)

    def score_protocol(self, **options: Any) -> str:
        """Describe the members and their weights. The `options` are not used."""
        described = (
            f"{weight:.3f} {member.scorer.score_protocol(**member.options)}"
            for weight, member in zip(self.weights, self.members, strict=True)
        )
        return f"mixture of {' + '.join(described)}"
