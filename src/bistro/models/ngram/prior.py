"""Texts drawn from the prior of the n-gram model, for simulation-based calibration."""

from __future__ import annotations

import numpy as np

from bistro._core import UniformBase
from bistro.encoding.events import Events
from bistro.errors import ConfigError
from bistro.inference.gibbs import Chain
from bistro.inference.prior_draws import Urn, simulated_chain
from bistro.inference.simulated import Simulated
from bistro.models.ngram.config import WORDS, NgramConfig

WORD_TYPES, TOKENS = 3, 40
"""Numbers of word types and tokens in the simulated data. A run with these sizes takes about a
minute. The sentence end is an additional outcome."""


def simulate_ngram(config: NgramConfig, seed: int) -> Simulated:
    """Draw hyper-parameters and a text from the prior, and return a chain for the text."""
    if config.unknown == "spelling":
        raise ConfigError("calibration needs a closed vocabulary: set unknown = 'classes'")
    start, end = WORD_TYPES + 1, WORD_TYPES
    width = config.order - 1
    empty = Events(np.zeros((0, width), np.int32), np.zeros(0, np.int32))
    base = UniformBase(WORD_TYPES + 1)
    true = Chain(WORDS, empty, base, config.sampler, seed)
    urn = Urn(true, seed=seed)
    contexts, outcomes, before = [], [], [start] * width
    for _ in range(TOKENS):
        word = urn.draw(before, range(WORD_TYPES + 1))
        contexts.append(before)
        outcomes.append(word)
        before = [start] * width if word == end else [word, *before][:width]
    events = Events(
        np.array(contexts, np.int32).reshape(TOKENS, width), np.array(outcomes, np.int32)
    )
    chain = Chain(WORDS, events, base, config.sampler, seed)
    return simulated_chain(true, chain)
