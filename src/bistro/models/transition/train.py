"""Training of the transition parser on trees, with an optional second, unsupervised stage.

The first stage uses one derivation per tree and four independent chains, or samples derivations in
one chain. The optional second stage resamples the trees and tags of the same sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import Base, SentenceBatch, TransitionShape, UniformBase, oracle_events
from bistro.encoding.events import Events
from bistro.errors import BistroError, ConfigError
from bistro.inference.chains import Stage, Sweeping, fingerprint_of, run_stages
from bistro.inference.gibbs import Chain, Learned
from bistro.inference.spelling import SpelledChain, SpellingLearner
from bistro.models.inputs import Words
from bistro.models.parsing.codec import Codec, Tree, tags_of, training_tree
from bistro.models.parsing.training import trees_of, wants_single_root
from bistro.models.runs import Run, Trace
from bistro.models.transition.config import DISTRIBUTIONS, TransitionConfig
from bistro.models.transition.derivations import ALL_TAGS, DerivationChain, LatentChain, WordTags
from bistro.models.transition.model import TransitionModel, outcomes_of, shape_of
from bistro.progress import phase
from bistro.treebank.fields import EMPTY
from bistro.treebank.projectivity import is_projective
from bistro.treebank.sentence import Sentence

SAMPLING = {"free": 0.67, "matched": 0.4}
"""Approximate share of the training time that is spent on sweeps, for each value of the setting
`lengths`."""
PREPARING = {"free": 0.27, "matched": 0.15}
"""Approximate share of the training time that passes before the sweeps begin, for each value of the
setting `lengths`."""
_NONE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


def train_transition(data: Sequence[Words], config: TransitionConfig, run: Run) -> TransitionModel:
    """Train a transition parser on trees."""
    sampling, preparing = SAMPLING[config.lengths], PREPARING[config.lengths]
    with phase("preparing", total=4, share=preparing) as work:
        training = training_of(data, config, run.seed, work.advance)
    with phase("", share=sampling):
        trace = run_stages(training.stages(), training.fingerprint, run.session)
    with phase("", share=1 - sampling - preparing):
        return training.finish(run, trace)


def _ignore() -> None:
    """Ignore a completed step."""


def training_of(
    data: Sequence[Words],
    config: TransitionConfig,
    seed: int,
    on_step: Callable[[], None] = _ignore,
) -> Training:
    """Prepare the training of a transition parser on trees. `on_step` is called four times."""
    sentences = trees_of(data)
    codec, _ = Codec.learn(sentences, config)
    single_root = wants_single_root(sentences, config.roots)
    on_step()
    return Training(config, codec, sentences, seed, on_step, single_root=single_root)


@dataclass
class Training:
    """A training run, with the events of the trees, the distributions and the training stages."""

    config: TransitionConfig
    codec: Codec
    sentences: Sequence[Sentence]
    seed: int
    on_step: Callable[[], None] = _ignore
    single_root: bool = field(kw_only=True)

    def __post_init__(self) -> None:
        config, codec, sentences, seed = self.config, self.codec, self.sentences, self.seed
        self.shape = shape_of(config, codec, single_root=self.single_root)
        self.trees = [training_tree(sentence, config) for sentence in sentences]
        self.on_step()
        self.batch = codec.encode(sentences, self.trees)
        events = oracle_events_of(self.shape, self.batch, sentences, config)
        self.on_step()
        self.digests = [codec.vocabulary.hash, *(of_name.digest() for of_name in events.values())]
        self.fingerprint = fingerprint_of(TransitionModel.kind, config, seed, self.digests)
        self.spelling = (
            spelling_learner(codec, sentences, config, seed) if "words" in events else None
        )
        self.learned: dict[str, Learned] = {
            name: self._part(name, of_name) for name, of_name in events.items()
        }
        self.on_step()

    def _part(self, name: str, events: Events) -> Learned:
        base: Base = UniformBase(outcomes_of(self.shape, self.codec)[name])
        if self.spelling and name == "words":
            base = self.spelling.base
        if self.config.derivations == "oracle":
            return Chain(name, events, base, self.config.sampler, self.seed)
        levels = events.contexts.shape[1] + 1
        return Learned(name, levels, base, self.config.sampler, self.seed)

    @property
    def chains(self) -> Sequence[Sweeping]:
        """The Markov chains of the training stage that learns from trees."""
        return self.stages()[0].chains

    def stages(self) -> list[Stage]:
        """Return the stage that learns from trees and the optional stage that learns from words."""
        sampler, unsupervised = self.config.sampler, self.config.unsupervised
        before: DerivationChain | SentenceBatch = self.batch
        chains: list[Sweeping] = [
            _with_spelling(self.spelling if name == "words" else None, part)
            for name, part in self.learned.items()
            if isinstance(part, Chain)
        ]
        if self.config.derivations == "sampled":
            before = DerivationChain(
                self.shape, self.batch, self.learned, **self._options(self.config.particles)
            )
            chains = [_with_spelling(self.spelling, before)]
        sweeps = 1 if all(chain.is_deterministic for chain in chains) else sampler.sweeps
        if 0 < unsupervised.sweeps < unsupervised.samples:
            raise ConfigError(
                f"unsupervised.samples = {unsupervised.samples}, but there are only "
                f"{unsupervised.sweeps} sweeps to average over: set unsupervised.samples to at "
                f"most {unsupervised.sweeps}"
            )
        if not unsupervised.sweeps:
            return [Stage(chains, sweeps, sampler.samples)]
        known = [_known(tree, unsupervised.latent) for tree in self.trees]
        latent = LatentChain(
            self.shape,
            self.codec.encode(self.sentences, known),
            self.learned,
            before,
            word_tags=self._tags_allowed(),
            **self._options(unsupervised.particles),
        )
        run = _with_spelling(self.spelling, latent, is_seated=True)
        second = Stage([run], unsupervised.sweeps, unsupervised.samples)
        return [Stage(chains, sweeps, samples=0), second]

    def finish(self, run: Run, trace: Trace, **facts: str) -> TransitionModel:
        """Return the trained model after all stages have run."""
        self.codec.speller = self.spelling.speller() if self.spelling else None
        lifted = sum(not is_projective(sentence.heads) for sentence in self.sentences)
        model = TransitionModel(
            self.config,
            self.codec,
            {name: part.frozen() for name, part in self.learned.items()},
            tags_of_words(self.codec, self.sentences),
            run.origin(trace, **facts, nonprojective_sentences=lifted),
            single_root=self.single_root,
        )
        return model.with_lengths_of(self.sentences, self.seed)

    def forget_samples(self) -> None:
        """Discard the samples that were kept in earlier stages."""
        for part in self.learned.values():
            part.forget_samples()

    def _tags_allowed(self) -> WordTags:
        if self.config.unsupervised.tags == "all":
            return ALL_TAGS
        return tags_of_words(self.codec, self.sentences)

    def _options(self, particles: int) -> dict[str, Any]:
        seen = self.codec.is_labelled and self.config.contexts.see_labels
        return {"particles": particles, "seed": self.seed, "labels_in_contexts": seen}


def oracle_events_of(
    shape: TransitionShape,
    batch: SentenceBatch,
    sentences: Sequence[Sentence],
    config: TransitionConfig,
) -> dict[str, Events]:
    """Return the oracle events of all trees, omitting distributions without events."""
    recorded = oracle_events(shape, batch)
    if recorded["failed"].size:
        place = sentences[int(recorded["failed"][0])].sent_id or int(recorded["failed"][0]) + 1
        raise BistroError(f"the tree of sentence {place} is invalid for roots = '{config.roots}'")
    return {name: Events(*recorded[name]) for name in DISTRIBUTIONS if recorded[name][1].size}


def _known(tree: Tree, latent: str) -> Tree:
    """Return the parts of a tree that are not latent in the second stage.

    If arcs are latent, labels are latent too.
    """
    n = len(tree.heads)
    if latent == "tags":
        return Tree([EMPTY] * n, tree.heads, tree.labels)
    tags = tree.tags if latent == "trees" else [EMPTY] * n
    return Tree(tags, [-1] * n, [EMPTY] * n)


def spelling_learner(
    codec: Codec, sentences: Sequence[Sentence], config: TransitionConfig, seed: int
) -> SpellingLearner | None:
    """Return a learner for the spelling model, or None if unknown words are not spelled out."""
    vocabulary = codec.vocabulary
    if not vocabulary.is_open:
        return None
    begin, tags = tags_of_words(codec, sentences)
    owner = np.repeat(np.arange(len(vocabulary)), np.diff(begin)) - vocabulary.num_classes
    tagged = (owner, tags, len(codec.tags))
    return SpellingLearner(vocabulary, config.spelling, config.sampler, seed, tagged=tagged)


def _with_spelling(
    learner: SpellingLearner | None, chain: Sweeping, *, is_seated: bool = False
) -> Sweeping:
    return SpelledChain(learner, chain, is_seated=is_seated) if learner else chain


def tags_of_words(
    codec: Codec,
    sentences: Sequence[Sentence],
    tagged: NDArray[np.int64] = _NONE,
) -> WordTags:
    """Return the tags of each word in training, stored as word offsets and a list of tags.

    `tagged` encodes additional word-tag pairs as word · (number of tags) + tag.
    """
    ids, _ = codec.vocabulary.encode_all([s.forms for s in sentences])
    numbers = {tag: i for i, tag in enumerate(codec.tags)}
    tags = np.array([numbers[t] for s in sentences for t in tags_of(s, codec.config)], np.int32)
    pairs = np.unique(np.concatenate((ids.astype(np.int64) * len(codec.tags) + tags, tagged)))
    words = pairs // len(codec.tags)
    begin = np.searchsorted(words, np.arange(len(codec.vocabulary) + 1)).astype(np.int32)
    return begin, (pairs % len(codec.tags)).astype(np.int32)
