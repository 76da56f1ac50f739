"""Learning syntactic topics by sampling the states of all words, given the trees.

The chain sweeps over all (parent, word) pairs in the treebank. After each sweep, the chain draws
the common weights and the hyper-parameters. Evenly spaced samples from the second half of the
sweeps are kept. If the states are tags, they are fixed, but weights and hyper-parameters are still
drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import Stream, TopicSampler
from bistro.encoding.events import Events
from bistro.encoding.vocabulary import Vocabulary
from bistro.inference.chains import Figures, fingerprint_of, run_chains, short
from bistro.inference.settings import SamplerSettings
from bistro.models.base import flat
from bistro.models.checks import Expected, check_arrays
from bistro.models.inputs import Words
from bistro.models.parsing.training import trees_of, wants_single_root
from bistro.models.runs import Run
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.contexts import parent_numbers
from bistro.models.topics.model import TopicsModel
from bistro.models.topics.samples import MOST, TopicSample, triples
from bistro.rng import purpose_key
from bistro.treebank.sentence import Sentence

Numbers = NDArray[np.int32]
FIRST_OPEN_SLOTS = 64
PARAMETERS = ("strength", "smoothing", "gamma")
NUMBERS = ("unseen", "stop_weight", *PARAMETERS)


class TopicsChain:
    """A Markov chain over the states of all words in a treebank, with the samples kept so far."""

    is_deterministic = False

    def __init__(
        self,
        parents: Numbers,
        words: Numbers,
        stops: Numbers,
        num_words: int,
        config: TopicsConfig,
        seed: int,
        tags: Numbers | None = None,
        number: int = 0,
    ) -> None:
        self._config = config
        self._seed = seed
        self._name = f"topics.{number}" if number else "topics"
        # Sorted by parent, so that its counts stay in the cache, and then by word for locality.
        order = np.lexsort((words, parents))
        self._parents = np.ascontiguousarray(parents[order])
        self._words = np.ascontiguousarray(words[order])
        self._tags = None if tags is None else np.ascontiguousarray(tags[order])
        states = config.states if tags is None else int(tags.max()) + 1
        self._first = {name: getattr(config, name) for name in PARAMETERS}
        self.sampler = TopicSampler(
            self._parents,
            self._words,
            stops if config.stops else stops[:0],
            num_parents=stops.size,
            num_words=num_words,
            slots=states or FIRST_OPEN_SLOTS,
            open=states is None,
            **self._first,
        )
        self.samples: list[TopicSample] = []

    def seat(self) -> None:
        """Draw an initial state for every word given the preceding words, or use the word's tag."""
        if self._tags is None:
            self.sampler.seat(self._stream("seat", 0))
            return
        self.sampler.restore(
            self._tags,
            self.sampler.weights,
            unseen=0.0,
            stop_weight=self.sampler.stop_weight,
            **self._first,
        )

    def step(self, sweep: int, *, keep: bool) -> None:
        """Perform one sweep. Keep the sample if `keep` is true and the sweep is selected."""
        if self._tags is None:
            self.sampler.sweep(self._stream("sweep", sweep))
        self.sampler.draw_weights(self._stream("weights", sweep))
        if self._config.hyper == "slice":
            shape, rate = self._config.prior
            self.sampler.draw_parameters(shape, rate, self._stream("hyper", sweep))
        if keep and sweep + 1 in kept_sweeps(self._config):
            self.samples.append(self._sample())

    def log_likelihood(self) -> float:
        """Return log p(states, stops, words | weights, hyper-parameters)."""
        return self.sampler.log_joint()

    def figures(self) -> Figures:
        """Return the number of non-empty states and the hyper-parameters."""
        drawn = zip(PARAMETERS, map(short, self.sampler.parameters), strict=True)
        return {"live_states": self.sampler.live, **dict(drawn)}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all values that change during sweeps, for a checkpoint."""
        return {
            "topics.states": self.sampler.states,
            "topics.weights": self.sampler.weights,
            "topics.numbers": np.array(
                [self.sampler.unseen, self.sampler.stop_weight, *self.sampler.parameters]
            ),
            **flat({f"topics.{i}": sample.arrays() for i, sample in enumerate(self.samples)}),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore the chain from a saved state."""
        most_states = len(state["topics.weights"]) - 1
        check_arrays(
            state,
            {
                "topics.states": Expected("i", self.sampler.states.shape, 0, most_states),
                "topics.weights": Expected("f", self.sampler.weights.shape, 0, 1),
                "topics.numbers": Expected("f", (len(NUMBERS),), 0, MOST),
            },
        )
        # Arrays that were read from a file are not writable, so they are copied.
        states, weights = (np.array(state[f"topics.{name}"]) for name in ("states", "weights"))
        numbers = zip(NUMBERS, state["topics.numbers"].tolist(), strict=True)
        self.sampler.restore(states, weights, **dict(numbers))
        self.samples = []
        while f"topics.{len(self.samples)}.weights" in state:
            prefix = f"topics.{len(self.samples)}."
            own = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
            self.samples.append(TopicSample.from_arrays(own))

    def _sample(self) -> TopicSample:
        sampler = self.sampler
        parents, words = (triples(rows, sampler.states) for rows in (self._parents, self._words))
        strength, smoothing, _ = sampler.parameters
        return TopicSample(
            parents,
            words,
            sampler.weights,
            strength,
            smoothing,
            sampler.unseen,
            sampler.stop_weight,
        )

    def _stream(self, purpose: str, index: int) -> Stream:
        return Stream(self._seed, purpose_key(f"{self._name}.{purpose}"), index)


def kept_sweeps(config: TopicsConfig) -> list[int]:
    """Return the numbers of the sweeps after which a sample is kept.

    These sweeps are evenly spaced in the second half of the training run.
    """
    spacing = max(1, config.sweeps // 2 // config.samples)
    return [config.sweeps - i * spacing for i in reversed(range(config.samples))]


def train_topics(data: Sequence[Words], config: TopicsConfig, run: Run) -> TopicsModel:
    """Train a model of syntactic topics on a treebank."""
    sentences = trees_of(data)
    single_root = wants_single_root(sentences, config.roots)
    vocabulary, parents, words = pairs_of(sentences, config)
    stops = stops_of(words, len(sentences), root=len(vocabulary), config=config)
    tags, numbers = (
        tag_numbers(sentences, config.source) if config.source != "latent" else ([], None)
    )
    chains = [
        TopicsChain(parents, words, stops, len(vocabulary), config, run.seed, numbers, number)
        for number in range(config.chains)
    ]
    digests = [vocabulary.hash, Events(parents[:, None], words).digest()]
    digests += [hashlib.sha256(numbers.tobytes()).hexdigest()] if numbers is not None else []
    fingerprint = fingerprint_of(TopicsModel.kind, config, run.seed, digests)
    length = SamplerSettings(sweeps=config.sweeps, samples=max(1, config.sweeps // 2))
    owners = [f"chain{number}." for number in range(config.chains)] if len(chains) > 1 else ()
    trace = run_chains(chains, length, fingerprint, run.session, owners)
    samples = [sample for chain in chains for sample in chain.samples]
    origin = run.origin(trace)
    return TopicsModel(
        config, vocabulary, tags, samples, origin, single_root=single_root, stops=stops
    )


def pairs_of(
    sentences: Sequence[Sentence], config: TopicsConfig
) -> tuple[Vocabulary, Numbers, Numbers]:
    """Return the vocabulary of a treebank, and the parent index and word index of each word."""
    vocabulary = Vocabulary.of((sentence.forms for sentence in sentences), config)
    words, offsets = vocabulary.encode_all([s.forms for s in sentences])
    parents = [
        parent_numbers(words[a:b], sentence.heads, root=len(vocabulary), directed=config.directed)
        for sentence, a, b in zip(sentences, offsets, offsets[1:], strict=False)
    ]
    return vocabulary, np.concatenate(parents), words


def stops_of(words: Numbers, sentences: int, *, root: int, config: TopicsConfig) -> Numbers:
    """Return the number of stops that each parent generates.

    Every word and every root generates one stop on each side.
    """
    if not config.stops:
        return np.zeros((root + 1) * (2 if config.directed else 1), dtype=np.int32)
    counts = np.append(np.bincount(words, minlength=root), sentences).astype(np.int32)
    return np.repeat(counts, 2) if config.directed else 2 * counts


def tag_numbers(sentences: Sequence[Sentence], column: str) -> tuple[list[str], Numbers]:
    """Return the tags in a treebank column, and the tag index of each word."""
    by_word = [tag for sentence in sentences for tag in getattr(sentence, column)]
    tags = sorted(set(by_word))
    names = {tag: i for i, tag in enumerate(tags)}
    return tags, np.array([names[tag] for tag in by_word], dtype=np.int32)
