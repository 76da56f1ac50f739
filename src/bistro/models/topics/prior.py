"""Draws of states and words from the prior of syntactic topics, for simulation-based calibration.

The parents generate their dependents one after another. For each dependent, a state is drawn given
the parent, and then a word is drawn given the state. In a model with stops, a stop may be drawn
instead of a state. The distributions are integrated out, so outcomes that were drawn earlier become
more probable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bistro._core import TopicSampler
from bistro.errors import ConfigError
from bistro.inference.simulated import Quantities, Simulated
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.train import PARAMETERS, TopicsChain

PARENTS, CHOICES, WORD_TYPES, MOST_STATES = 3, 10, 4, 4
"""Sizes of the simulated data, chosen so that a run takes about a minute: parents, draws per
parent, word types, and the maximum number of states."""
STOP = -1


def simulate_topics(config: TopicsConfig, seed: int) -> Simulated:
    """Draw hyper-parameters, states and words from the prior, and return a chain for the words."""
    if config.source != "latent":
        raise ConfigError("calibration requires latent states: set source = 'latent'")
    if config.states is not None:
        config = replace(config, states=min(config.states, MOST_STATES))
    rng = np.random.default_rng(seed)
    drawn = TopicDraws(config, rng)
    while not drawn.words:  # A chain needs a word: data without words are drawn again.
        drawn = TopicDraws(config, rng)
    true, chain = (drawn.chain(config, seed) for _ in range(2))
    drawn.put_into(true.sampler)
    chain.seat()
    return Simulated.of_chain(
        topic_quantities(true.sampler),
        chain,
        lambda: topic_quantities(chain.sampler),
    )


@dataclass
class TopicDraws:
    """Hyper-parameters, common weights, states and words drawn from the prior."""

    config: TopicsConfig
    rng: np.random.Generator

    def __post_init__(self) -> None:
        config, rng = self.config, self.rng
        self.parameters = {name: float(getattr(config, name)) for name in PARAMETERS}
        if config.hyper == "slice":
            shape, rate = config.prior
            self.parameters = {name: rng.gamma(shape, 1 / rate) for name in PARAMETERS}
        self._draw_weights()
        self.parents: list[int] = []
        self.states: list[int] = []
        self.words: list[int] = []
        self.stops = np.zeros(PARENTS, dtype=np.int32)
        for parent in range(PARENTS):
            for _ in range(CHOICES):
                self._choose(parent)

    def _draw_weights(self) -> None:
        """Draw the common weights of the states and of the stop."""
        groups = 1 if self.config.states is None else self.config.states
        self._share = self.parameters["gamma"] / (groups + self.config.stops)
        # With a tiny concentration all but one of the weights are 0 in double precision.
        logs = np.array([self._log_gamma() for _ in range(groups + self.config.stops)])
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        self.stop_weight = float(weights[-1]) if self.config.stops else 0.0
        is_open = self.config.states is None
        self.weights: list[float] = [] if is_open else weights[:groups].tolist()
        self.unseen = float(weights[0]) if is_open else 0.0

    def _log_gamma(self) -> float:
        """Draw the logarithm of a Gamma(share) variable, without underflow for very small
        values."""
        larger = self.rng.gamma(self._share + 1)
        return float(np.log(larger) + np.log(self.rng.random()) / self._share)

    def _choose(self, parent: int) -> None:
        strength, smoothing = self.parameters["strength"], self.parameters["smoothing"]
        own = [s for s, v in zip(self.states, self.parents, strict=True) if v == parent]
        urn = [own.count(k) + strength * weight for k, weight in enumerate(self.weights)]
        urn += [strength * self.unseen]
        urn += [self.stops[parent] + strength * self.stop_weight]
        outcome = int(self.rng.choice(len(urn), p=np.array(urn) / sum(urn)))
        if outcome == len(self.weights) + 1:
            self.stops[parent] += 1
            return
        if outcome == len(self.weights):
            self.weights.append(self.unseen * self.rng.beta(1.0, self._share))
            self.unseen -= self.weights[-1]
        same = [w for w, s in zip(self.words, self.states, strict=True) if s == outcome]
        counts = np.bincount(same, minlength=WORD_TYPES) + smoothing
        self.parents.append(parent)
        self.states.append(outcome)
        self.words.append(int(self.rng.choice(WORD_TYPES, p=counts / counts.sum())))

    def chain(self, config: TopicsConfig, seed: int) -> TopicsChain:
        """Return a Markov chain for the drawn words, whose states are not set yet."""
        parents, words = (np.array(row, dtype=np.int32) for row in (self.parents, self.words))
        return TopicsChain(parents, words, self.stops, WORD_TYPES, config, seed)

    def put_into(self, sampler: TopicSampler) -> None:
        """Copy states, weights and hyper-parameters into a sampler for the same words."""
        order = np.lexsort((self.words, self.parents))
        sampler.restore(
            np.array(self.states, dtype=np.int32)[order],
            np.array(self.weights),
            unseen=self.unseen,
            stop_weight=self.stop_weight,
            **self.parameters,
        )


def topic_quantities(sampler: TopicSampler) -> Quantities:
    """Return statistics of a sampler that do not depend on how its states are numbered."""
    sizes = np.bincount(sampler.states)
    return {
        **dict(zip(PARAMETERS, sampler.parameters, strict=True)),
        "live_states": sampler.live,
        "pairs_in_one_state": float((sizes * (sizes - 1)).sum() / 2),
        "stop_weight": sampler.stop_weight,
        "log_joint": sampler.log_joint(),
    }
