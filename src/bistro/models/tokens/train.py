"""Training of the model of words and sentences, on running text restored from a treebank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bistro._core import UniformBase
from bistro.encoding.characters import Characters
from bistro.errors import BistroError
from bistro.inference.choices import Choice, ChoiceLearner
from bistro.inference.gibbs import Chain
from bistro.inference.settings import SamplerSettings
from bistro.models.runs import Run
from bistro.models.tokens.around import SENTENCES, WORDS, Around, learners
from bistro.models.tokens.config import TokensConfig
from bistro.models.tokens.model import CHARACTERS, TokensModel
from bistro.models.tokens.splits import Example, Splits, learned
from bistro.models.tokens.text import (
    has_spaces,
    hidden_stream,
    last_places,
    running_text,
    window_events,
)
from bistro.progress import phase
from bistro.treebank.sentence import Sentence
from bistro.treebank.text_tokens import TextToken


def train_tokens(data: Sequence[Sentence], config: TokensConfig, run: Run) -> TokensModel:
    """Train the model on treebank sentences that mark which words have no space after them."""
    _check(data)
    text, tokens, ends = running_text(data)
    characters = Characters.of([text], least=config.unknown_below)
    stream = hidden_stream(characters, text, tokens, ends)
    events = window_events(stream, config.order)
    chain = Chain(CHARACTERS, events, UniformBase(len(characters)), config.sampler, run.seed)
    with phase("characters", share=0.7):
        trace = run.sweep(TokensModel.kind, config, [events.digest()], [chain])
    with phase("words in tokens", share=0.2):
        splits = _splits(tokens, config, run.seed)
    with phase("ends of words and sentences", share=0.1):
        around = _around(text, tokens, ends, config, run.seed)
    return TokensModel(config, characters, chain.frozen(), splits, around, run.origin(trace))


def _check(data: Sequence[Sentence]) -> None:
    if not all(isinstance(sentence, Sentence) for sentence in data):
        raise BistroError(
            "word and sentence boundaries are learned from a treebank, but lists of words were "
            "given"
        )
    if not has_spaces(data):
        raise BistroError(
            "word boundaries cannot be learned from this treebank, since it does not mark words "
            "that are not followed by a space (SpaceAfter=No in MISC, or # text)"
        )


def _splits(tokens: Sequence[TextToken], config: TokensConfig, seed: int) -> Splits | None:
    before = ["", *(token.form for token in tokens[:-1])]
    examples: list[Example] = [
        (token.form, token.words, last) for token, last in zip(tokens, before, strict=True)
    ]
    parts = learned(examples, config.split_sampler, seed)
    if parts is None:
        return None
    learner, rules, end = parts
    choice = _learned(learner, config.split_sampler)
    return Splits(choice, [rules[int(name)] for name in choice.outcomes.names], end)


def _around(
    text: str,
    tokens: Sequence[TextToken],
    ends: NDArray[np.bool_],
    config: TokensConfig,
    seed: int,
) -> Around:
    last = last_places(tokens)
    places = {WORDS: last.tolist(), SENTENCES: last[ends].tolist()}
    by_name = learners(text, places, config.split_sampler, seed)
    return Around({n: _learned(own, config.split_sampler) for n, own in by_name.items()})


def _learned(learner: ChoiceLearner, settings: SamplerSettings) -> Choice:
    learner.seat()
    for sweep in range(settings.sweeps):
        learner.step(sweep, keep=sweep >= settings.sweeps - settings.samples)
    return learner.choice()
