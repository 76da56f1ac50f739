"""Joint sampling of the trees and states of many sentences.

If sentences are parsed one by one, the training counts do not change. In joint sampling, the counts
also include the new sentences. The states of a word that is rare in training are then inferred from
all its occurrences in the text. The chain visits the sentences in turn and removes the dependencies
of the current sentence from the counts. It draws a tree from the chart, under the probabilities
p(word | parent) of the remaining counts, and a state for each arc. These probabilities do not
change within the sentence, whereas in the model each dependency changes the counts for the next
dependency. The tree and its states are therefore proposed in a Metropolis-Hastings step (Johnson,
Griffiths & Goldwater 2007). The proposal is accepted with the following probability.

    min(1, p(new) q(old) / (p(old) q(new)))

Here p updates the counts with each dependency, and the proposal q does not. Weights and
hyper-parameters come from one training sample. If the number of states is not fixed, all unseen
states are treated as a single state.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bistro._core import Stream
from bistro.models.topics.arc_trees import ArcTrees
from bistro.models.topics.samples import TopicSample, dense

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class Unparsed:
    """A sentence to be parsed, with constraints on its tree and its states."""

    words: Numbers
    parents: Numbers
    """Indices of all possible parents in the sentence."""
    places: Numbers
    """For the arc from h to word d + 1, entry [h, d] is the position of the parent in `parents`.
    The root is h = 0."""
    stops: Numbers
    """Indices of the parents that generate a stop. In a model without stops, the array is empty."""
    possible_states: NDArray[np.float32]
    """1 at [d, k] if word d + 1 may have state k, otherwise 0. An array with a single column
    applies to all states."""
    possible_arcs: Floats
    """0 at [h, d] if word d may depend on h, otherwise minus infinity."""


@dataclass(frozen=True)
class Derivation:
    """A tree for a sentence, with the states of its words."""

    heads: list[int]
    places: Numbers
    """Position of each word's parent in the list of possible parents."""
    states: NDArray[np.int64]


@dataclass(frozen=True)
class _Tables:
    """The current estimates of theta for the possible parents and of phi for the words."""

    theta: Floats
    phi: Floats

    def arcs(self, places: Numbers) -> Floats:
        """Return an array with p(word d | parent h) at [h, d], as `ArcTrees` expects it."""
        length = len(self.phi)
        arcs = np.zeros((length + 1, length + 1))
        arcs[:, 1:] = (self.theta @ self.phi.T)[places, np.arange(length)]
        return arcs


class JointTrees:
    """A Markov chain over the trees and states of sentences, given one training sample."""

    def __init__(
        self,
        sample: TopicSample,
        sentences: Sequence[Unparsed],
        *,
        stops: Numbers,
        num_words: int,
        single_root: bool,
        stream: Stream,
    ) -> None:
        self._sentences = sentences
        self._single_root = single_root
        self._stream = stream
        # All counts include the parameters of the Dirichlet distributions from the start.
        weights = sample.strength * np.append(sample.weights, sample.unseen)
        self._by_parent = dense(sample.parents, stops.size, sample.states + 1) + weights
        self._by_word = dense(sample.words, num_words, sample.states + 1) + sample.smoothing
        self._of_state = self._by_word.sum(axis=0)
        self._of_parent = sample.totals(stops)
        for sentence in sentences:
            np.add.at(self._of_parent, sentence.stops, 1)
        self.current: list[Derivation] = []
        self.proposed = self.accepted = 0
        for number, sentence in enumerate(sentences):
            self.current.append(self._propose(sentence, self._tables(sentence)))
            self._count(number, +1)

    def sweep(self) -> list[Floats]:
        """Resample each sentence once, and return its p(word | parent) given the others."""
        return [self._visit(number) for number in range(len(self._sentences))]

    def accepts(self, log_ratio: float) -> bool:
        """Return whether a proposal is accepted, given log[p(new) q(old) / (p(old) q(new))]."""
        return log_ratio >= 0 or self._stream.uniform() < math.exp(log_ratio)

    def _visit(self, number: int) -> Floats:
        sentence, old = self._sentences[number], self.current[number]
        self._count(number, -1)
        tables = self._tables(sentence)
        new = self._propose(sentence, tables)
        ratio = self._log_excess(sentence, new, tables) - self._log_excess(sentence, old, tables)
        self.proposed += 1
        if self.accepts(ratio):
            self.current[number] = new
            self.accepted += 1
        self._count(number, +1)
        return tables.arcs(sentence.places)

    def _tables(self, sentence: Unparsed) -> _Tables:
        theta = self._by_parent[sentence.parents] / self._of_parent[sentence.parents, None]
        phi = self._by_word[sentence.words] / self._of_state
        return _Tables(theta, phi * sentence.possible_states)

    def _propose(self, sentence: Unparsed, tables: _Tables) -> Derivation:
        with np.errstate(divide="ignore"):
            logs = np.log(tables.arcs(sentence.places)) + sentence.possible_arcs
        heads = ArcTrees(logs, single_root=self._single_root).samples(1, self._stream)[0].heads
        places = sentence.places[heads, np.arange(len(heads))]
        sums = np.cumsum(tables.theta[places] * tables.phi, axis=1)
        draws = np.array([self._stream.uniform() for _ in heads]) * sums[:, -1]
        # Because of rounding, a draw may lie at the end; it gets the last possible state.
        last = (sums < sums[:, -1:]).sum(axis=1)
        states = np.minimum((sums <= draws[:, None]).sum(axis=1), last)
        return Derivation(heads, places, states)

    def _log_excess(self, sentence: Unparsed, derivation: Derivation, tables: _Tables) -> float:
        """Return log p - log q for a derivation, up to a constant."""
        parents = sentence.parents[derivation.places].tolist()
        words, states = sentence.words.tolist(), derivation.states.tolist()
        more = Counter[tuple[str, int, int]]()
        log_prob = 0.0
        for v, w, k in zip(parents, words, states, strict=True):
            theta = self._by_parent[v, k] + more["parent", v, k]
            phi = self._by_word[w, k] + more["word", w, k]
            below = (self._of_parent[v] + more["of parent", v, 0]) * (
                self._of_state[k] + more["of state", k, 0]
            )
            log_prob += math.log(theta * phi / below)
            more["parent", v, k] += 1
            more["word", w, k] += 1
            more["of parent", v, 0] += 1
            more["of state", k, 0] += 1
        at = np.arange(len(states)), derivation.states
        proposal = tables.theta[derivation.places, derivation.states] * tables.phi[at]
        return log_prob - float(np.log(proposal).sum())

    def _count(self, number: int, by: int) -> None:
        sentence, derivation = self._sentences[number], self.current[number]
        parents = sentence.parents[derivation.places]
        np.add.at(self._by_parent, (parents, derivation.states), by)
        np.add.at(self._by_word, (sentence.words, derivation.states), by)
        np.add.at(self._of_parent, parents, by)
        np.add.at(self._of_state, derivation.states, by)
