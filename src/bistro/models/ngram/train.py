"""Training of the n-gram model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bistro._core import UniformBase
from bistro.encoding.events import text_events
from bistro.encoding.vocabulary import Vocabulary
from bistro.inference.chains import Sweeping
from bistro.inference.gibbs import Chain
from bistro.inference.spelling import SpelledChain, SpellingLearner
from bistro.models.inputs import Words, as_words
from bistro.models.ngram.config import WORDS, NgramConfig
from bistro.models.ngram.model import NgramModel
from bistro.models.runs import Run
from bistro.progress import phase
from bistro.treebank.raw_text import RawText

if TYPE_CHECKING:
    from bistro.models.ngram.text_model import TextModel

PREPARING = 0.12
"""Approximate share of the training time that is spent before the sweeps."""


def train_ngram(data: Sequence[Words], config: NgramConfig, run: Run) -> NgramModel | TextModel:
    """Train an n-gram model on the words or characters of a treebank or text."""
    if config.units != "words":
        # Imported here, since models of words do not need it.
        from bistro.models.ngram.text_model import train_text

        return train_text(data, config, run)
    with phase("preparing", total=3, share=PREPARING) as work:
        texts = as_words(data)
        vocabulary = Vocabulary.of(texts, config)
        work.advance()
        events = text_events(texts, vocabulary, config.order)
        work.advance()
        learner = None
        if vocabulary.is_open:
            learner = SpellingLearner(
                vocabulary, config.spelling, config.sampler, run.seed, predicts_end=True
            )
        base = learner.base if learner else UniformBase(len(vocabulary) + 1)
        chain = Chain(WORDS, events, base, config.sampler, run.seed)
    sweeping: Sweeping = SpelledChain(learner, chain) if learner else chain
    digests = [vocabulary.hash, events.digest()]
    with phase("", share=1 - PREPARING):
        trace = run.sweep(NgramModel.kind, config, digests, [sweeping])
    speller = learner.speller() if learner else None
    return NgramModel(config, vocabulary, chain.frozen(), run.origin(trace), speller)


def train_with_text(
    data: Sequence[Words], config: NgramConfig, run: Run, text: RawText
) -> NgramModel | TextModel:
    """Train an n-gram model on the words of a treebank and of raw text."""
    words = [*as_words(data), *text]
    for note in text.notes():
        run.session.on_note(note)
    both = Run(run.seed, {**run.treebank, "texts": text.provenance()}, run.session)
    return train_ngram(words, config, both)
