"""Training of Eisner's model and of its tagger."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bistro._core import UniformBase, dependency_events
from bistro.encoding.events import Events
from bistro.inference.gibbs import Chain
from bistro.models.eisner.config import EisnerConfig
from bistro.models.eisner.model import DISTRIBUTIONS, EisnerModel, States, outcomes_of, shape_of
from bistro.models.inputs import Words
from bistro.models.parsing.codec import Codec, Tree, training_tree
from bistro.models.parsing.training import trees_of, wants_single_root
from bistro.models.runs import Run, Trace
from bistro.progress import phase
from bistro.treebank.sentence import Sentence

PREPARING = 0.36
"""Approximate share of the training time that is spent before the sweeps."""
STEPS = 6


def _ignore(steps: int) -> None:
    """Ignore the number of finished steps."""


class EisnerTraining:
    """A training run for Eisner's model, with its Markov chains."""

    def __init__(
        self,
        data: Sequence[Words],
        config: EisnerConfig,
        seed: int,
        on_steps: Callable[[int], None] = _ignore,
    ) -> None:
        self.config = config
        sentences = trees_of(data)
        self.codec, self.lifted = Codec.learn(sentences, config)
        self.single_root = wants_single_root(sentences, config.roots)
        on_steps(3)
        shape = shape_of(config, self.codec, single_root=self.single_root)
        trees = [training_tree(sentence, config) for sentence in sentences]
        self.states, numbers, words, offsets = tagger_states(self.codec, config, sentences, trees)
        on_steps(2)
        recorded = dependency_events(shape, self.codec.encode(sentences, trees))
        recorded |= tagger_events(numbers, words, offsets, len(self.states.tag))
        events = {d: Events(*recorded[d]) for d in DISTRIBUTIONS if recorded[d][1].size}
        self.digests = [self.codec.vocabulary.hash, *(e.digest() for e in events.values())]
        outcomes = outcomes_of(shape, self.codec, self.states)
        self._by_name = {
            d: Chain(d, e, UniformBase(outcomes[d]), config.sampler, seed)
            for d, e in events.items()
        }
        self.chains = list(self._by_name.values())

    def finish(self, run: Run, trace: Trace, **facts: str) -> EisnerModel:
        """Return the trained model after the chains have run."""
        return EisnerModel(
            self.config,
            self.codec,
            {name: chain.frozen() for name, chain in self._by_name.items()},
            self.states,
            run.origin(trace, **facts, nonprojective_sentences=self.lifted),
            single_root=self.single_root,
        )


def train_eisner(data: Sequence[Words], config: EisnerConfig, run: Run) -> EisnerModel:
    """Train Eisner's model on trees."""
    with phase("preparing", total=STEPS, share=PREPARING) as work:
        training = EisnerTraining(data, config, run.seed, work.advance)
    with phase("", share=1 - PREPARING):
        trace = run.sweep(EisnerModel.kind, config, training.digests, training.chains)
    return training.finish(run, trace)


Numbers = NDArray[np.int32]


def tagger_states(
    codec: Codec, config: EisnerConfig, sentences: Sequence[Sentence], trees: Sequence[Tree]
) -> tuple[States, Numbers, Numbers, NDArray[np.int64]]:
    """Return the tagger's states, the state and word of every token, and the sentence offsets."""
    words, offsets = codec.vocabulary.encode_all([s.forms for s in sentences])
    tag_ids = {tag: i for i, tag in enumerate(codec.tags)}
    label_ids = {label: i for i, label in enumerate(codec.labels)}
    with_labels = codec.is_labelled and config.labels == "generated"
    pairs = np.array(
        [
            (tag_ids[tag], label_ids[label] if with_labels else -1)
            for tree in trees
            for tag, label in zip(tree.tags, tree.labels, strict=True)
        ],
        dtype=np.int32,
    )
    seen, inverse = np.unique(pairs, axis=0, return_inverse=True)
    numbers: Numbers = inverse.reshape(-1).astype(np.int32)
    by_word = np.unique(words.astype(np.int64) * len(seen) + numbers)
    begin = np.searchsorted(by_word // len(seen), np.arange(len(codec.vocabulary) + 1))
    states = States(
        np.ascontiguousarray(seen[:, 0]),
        np.ascontiguousarray(seen[:, 1]),
        begin.astype(np.int32),
        (by_word % len(seen)).astype(np.int32),
    )
    return states, numbers, words, offsets


def tagger_events(
    states: Numbers, words: Numbers, offsets: NDArray[np.int64], num_states: int
) -> dict[str, tuple[Numbers, Numbers]]:
    """Return the tagger's events, namely states given earlier states, and words given states."""
    before = np.roll(states, 1)
    before[offsets[:-1]] = num_states
    return {
        "states": (before[:, None], states),
        "emissions": (np.stack([states, before], axis=1), words),
    }
