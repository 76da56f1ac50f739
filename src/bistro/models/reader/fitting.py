"""Fit the weights of a reader, and then its memory, on a development set.

The weights are fitted by expectation-maximisation. The counts of a memory depend only on the text.
Given these counts and the log-probabilities of the mixture, the likelihood of the development set
is a function of six parameters: a discount d and a strength θ per level. The likelihood is
maximised by L-BFGS with respect to logit(d) and log(θ + d). The search always has the same
starting point, so the result is deterministic. A weak prior, with a standard deviation of 2 for the
transformed parameters, keeps them near typical values if the development set is small.

If the development set is large, only some of its sentences are scored, but the memory contains all
of its sentences.

>>> counts = np.array([[[1, 9, 5], [1, 2, 2], [0, 1, 1]], [[0, 9, 5], [0, 0, 0], [0, 0, 0]]])
>>> memory = fitted_memory(np.log([0.01, 0.2]), counts.astype(np.int32), words=100)
>>> len(memory.discounts)
3
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bistro.inference.mixture_weights import mixture_weights
from bistro.models.inputs import Words, as_words
from bistro.models.mixing import mixed_scores, probabilities_of
from bistro.models.reader.config import ReaderConfig
from bistro.models.reader.memory import Floats, Memory
from bistro.models.reader.model import ReaderModel
from bistro.models.reader.recall import LEVELS, Counts, counts_of, events_of
from bistro.treebank.documents import document_numbers

MOST_WORDS = 15_000
"""Maximum number of words that are scored. More words would hardly change the weights."""
TYPICAL = ((0.3, 2000.0), (0.9, 2.5), (0.85, 1.5))
"""Typical values of d and θ + d for each level, as fitted on English treebanks."""
SPREAD = 2.0
"""Standard deviation of the prior."""
LOGIT_BOUNDS = (-6.0, 4.0)
"""Discounts between 0.0025 and 0.98."""
LOG_BOUNDS = (-6.0, 13.0)
"""Bounds of log(θ + d)."""


def fitted(
    model: ReaderModel, config: ReaderConfig, held_out: Sequence[Words], running: int, threads: int
) -> tuple[Floats, Memory | None]:
    """Return the weights and the memory that maximise the probability of held-out sentences.

    Parameters
    ----------
    model
        The reader with its fixed weights, or with equal weights.
    config
        Its settings.
    held_out
        The held-out sentences.
    running
        Number of held-out sentences that are running text, in which words can be remembered.
        Running text comes before all other held-out sentences.
    threads
        Number of threads; 0 uses all cores.
    """
    words = as_words(held_out)
    step = -(-sum(map(len, words)) // MOST_WORDS)
    scores = model.member_scores(words[::step], threads=threads)
    are_fitted = config.weights == "likely" and not config.fixed_weights
    weights = mixture_weights(probabilities_of(scores)) if are_fitted else model.weights
    if not config.memory or not any(map(len, words[:running])):
        return weights, None
    events = events_of(model.vocabulary, words[:running])
    counts = counts_of(events, document_numbers(held_out[:running]), config.memory)
    is_scored = np.repeat(np.arange(running) % step == 0, [len(own) for own in events])
    mixed = mixed_scores(scores, weights).log_probs[: int(is_scored.sum())]
    return weights, fitted_memory(mixed, counts[is_scored], config.memory)


def fitted_memory(log_probs: Floats, counts: Counts, words: int) -> Memory:
    """Return the memory with the highest posterior density, given the development set.

    Parameters
    ----------
    log_probs
        Natural logarithms of the mixture's probabilities, one per event.
    counts
        What is remembered before each event, from `bistro.models.reader.recall.counts_of`.
    words
        Number of words that are remembered.
    """
    from scipy.optimize import minimize  # SciPy takes a second to load.

    possible = np.isfinite(log_probs)
    known, own_counts = log_probs[possible], counts[possible]

    discounts, sums = np.array(TYPICAL).T
    center = np.concatenate([np.log(discounts / (1 - discounts)), np.log(sums)])
    if not known.size:
        return _memory(center, words)

    def loss(x: Floats) -> float:
        """Return the mean surprisal in nats, plus the prior's penalty per word."""
        surprisal = -float(_memory(x, words).with_counts(known, own_counts)[0].mean())
        return surprisal + float(np.sum(((x - center) / SPREAD) ** 2)) / 2 / known.size

    bounds = [LOGIT_BOUNDS] * LEVELS + [LOG_BOUNDS] * LEVELS
    return _memory(minimize(loss, center, method="L-BFGS-B", bounds=bounds).x, words)


def _memory(x: Floats, words: int) -> Memory:
    """Return the memory, given its parameters on the transformed scales used in the search."""
    discounts = 1 / (1 + np.exp(-x[:LEVELS]))
    strengths = np.exp(x[LEVELS:]) - discounts
    return Memory(words, tuple(discounts.tolist()), tuple(strengths.tolist()))
