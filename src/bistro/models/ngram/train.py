"""Training of the n-gram model: one chain over the events of a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bistro._core import UniformBase
from bistro.inference.chains import Session, Sweeping, fingerprint_of, run_chains
from bistro.inference.gibbs import Chain
from bistro.inference.spelling import SpelledChain, SpellingLearner
from bistro.models.base import Origin
from bistro.models.inputs import Words, as_words
from bistro.models.ngram.config import NgramConfig
from bistro.models.ngram.model import WORDS, NgramModel


def train_ngram(
    data: Sequence[Words],
    config: NgramConfig,
    seed: int,
    treebank: dict[str, Any],
    session: Session,
) -> NgramModel:
    """Train an n-gram model on the words of a treebank or text."""
    vocabulary, events = NgramModel.prepare(as_words(data), config)
    learner = None
    if vocabulary.is_open:
        learner = SpellingLearner(
            vocabulary, config.spelling, config.sampler, seed, predicts_end=True
        )
    base = learner.base if learner else UniformBase(len(vocabulary) + 1)
    chain = Chain(WORDS, events, base, config.sampler, seed)
    fingerprint = fingerprint_of(NgramModel.kind, config, seed, [vocabulary.hash, events.digest()])
    run: Sweeping = SpelledChain(learner, chain) if learner else chain
    trace = run_chains([run], config.sampler, fingerprint, session)
    origin = Origin(seed, treebank, trace)
    speller = learner.speller() if learner else None
    return NgramModel(config, vocabulary, chain.frozen(), origin, speller)
