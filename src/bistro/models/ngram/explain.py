"""Why an n-gram model gives a word its probability: the chain of ever fewer words before it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bistro.encoding.events import Events, padded_events
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.models.backoff import Backoff, Seen, opened
from bistro.models.inputs import Words, as_words
from bistro.models.results.explanations import Decision, Explanation, numbers_told
from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro.models.ngram.model import NgramModel

WORDS = "words"
SPELLED = "the model does not know the word: times the probability of its spelling"


def explain_words(
    model: NgramModel, sentence: Words, training: Iterable[Words] | None
) -> Explanation:
    """Return a decision for every word of a sentence and for its end."""
    (words,) = as_words([sentence])
    events = _events(model, [words])
    known = {WORDS: _events(model, as_words(training))} if training is not None else None
    samples = model.config.sampler.samples
    outcomes = {WORDS: len(model.vocabulary) + 1}
    chains = opened({WORDS: model.word_arrays}, outcomes, model.origin, samples, known)[WORDS]
    tokens = [*words, END_SYMBOL]
    decisions = [
        _decision(model, chains, place, token, events)
        for place, token in enumerate(tokens, start=1)
    ]
    protocol = f"p(word | the words before it); scores are exact. {numbers_told(decisions)}"
    return Explanation(model.kind, list(words), decisions, protocol)


def _events(model: NgramModel, texts: Sequence[Sequence[str]]) -> Events:
    vocabulary = model.vocabulary
    ids, offsets = vocabulary.encode_all(texts)
    return padded_events(
        ids, offsets, model.config.order, start=vocabulary.start, end=vocabulary.end
    )


def _decision(
    model: NgramModel, chains: Backoff, place: int, token: str, events: Events
) -> Decision:
    numbers: list[int] = events.contexts[place - 1].tolist()
    outcome = int(events.outcomes[place - 1])
    names = model.vocabulary.decode([*numbers, outcome])
    context = [
        Seen(f"{back} back", name, number)
        for back, (name, number) in enumerate(zip(names, numbers, strict=False), start=1)
    ]
    scale, reason = 1.0, ""
    is_word = outcome != model.vocabulary.end
    if model.speller and is_word and model.vocabulary.is_unknown(token):
        scale = math.exp(float(np.squeeze(model.speller.log_unseen([seen(token)])[:, 0])))
        reason = SPELLED
    levels = chains.chain(context, outcome, scale)
    p = sum(level.contribution for level in levels)
    told = place, place, token, WORDS, names[-1], ""
    return Decision(*told, p, scale, reason, levels)
