"""Explanations of word probabilities in terms of back-off to shorter contexts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from bistro.encoding.events import Events, text_events
from bistro.encoding.vocabulary import END_SYMBOL
from bistro.models.backoff import SPELLED, Backoff, Seen, decided, opened
from bistro.models.inputs import Words, as_words
from bistro.models.ngram.config import WORDS
from bistro.models.results.explanations import Decision, Explanation, meaning_of_numbers
from bistro.treebank.invisible import seen

if TYPE_CHECKING:
    from bistro.models.ngram.model import NgramModel


def explain_words(
    model: NgramModel, sentence: Words, training: Iterable[Words] | None
) -> Explanation:
    """Explain the probability of every word in a sentence and of the sentence end."""
    (words,) = as_words([sentence])
    events = text_events([words], model.vocabulary, model.config.order)
    known = None
    if training is not None:
        known = {WORDS: text_events(as_words(training), model.vocabulary, model.config.order)}
    outcomes = {WORDS: len(model.vocabulary) + 1}
    chains = opened(model, {WORDS: model.words}, outcomes, known)[WORDS]
    tokens = [*words, END_SYMBOL]
    decisions = [
        _decision(model, chains, place, token, events)
        for place, token in enumerate(tokens, start=1)
    ]
    protocol = f"p(word | the words before it); scores are exact. {meaning_of_numbers(decisions)}"
    return Explanation(model.kind, list(words), decisions, protocol)


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
    about = place, place, token, WORDS, names[-1], ""
    return decided(about, levels, scale, reason)
