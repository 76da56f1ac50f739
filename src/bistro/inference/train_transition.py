"""Training of the transition parser: the events of one derivation a tree, four chains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bistro._core import Base, UniformBase, oracle_events
from bistro.encoding.events import Events
from bistro.errors import BistroError
from bistro.inference.chains import Session, Sweeping, fingerprint_of, run_chains
from bistro.inference.derivations import DerivationChain
from bistro.inference.gibbs import Chain, Learned
from bistro.inference.spelling import SpelledChain, SpellingLearner
from bistro.models.base import Origin, Words
from bistro.models.transition import DISTRIBUTIONS, TransitionModel, outcomes_of, shape_of
from bistro.models.transition_config import TransitionConfig
from bistro.models.transition_data import Codec, tags_of, training_tree
from bistro.treebank.sentence import Sentence


def train_transition(
    data: Sequence[Words],
    config: TransitionConfig,
    seed: int,
    treebank: dict[str, Any],
    session: Session,
) -> TransitionModel:
    """Train a transition parser on trees, following the deterministic oracle."""
    sentences = [sentence for sentence in data if isinstance(sentence, Sentence)]
    if len(sentences) != len(data):
        raise BistroError("a parser learns from trees: give a treebank, not lists of words")
    codec, lifted = Codec.learn(sentences, config)
    single_root = wants_single_root(sentences, config)
    shape = shape_of(config, codec, single_root=single_root)
    trees = [training_tree(sentence, config) for sentence in sentences]
    batch = codec.encode(sentences, trees)
    recorded = oracle_events(shape, batch)
    if recorded["failed"].size:
        place = sentences[int(recorded["failed"][0])].sent_id or int(recorded["failed"][0]) + 1
        raise BistroError(f"sentence {place} is not a tree with {config.roots} root")
    events = {name: Events(*recorded[name]) for name in DISTRIBUTIONS if recorded[name][1].size}
    bases: dict[str, Base] = {
        name: UniformBase(outcomes) for name, outcomes in outcomes_of(shape, codec).items()
    }
    learner = spelling_learner(codec, sentences, config, seed) if "words" in events else None
    if learner:
        bases["words"] = learner.base
    digests = [codec.vocabulary.hash, *(of_name.digest() for of_name in events.values())]
    fingerprint = fingerprint_of(TransitionModel.kind, config, seed, digests)
    if config.derivations == "oracle":
        chains = [Chain(name, e, bases[name], config.sampler, seed) for name, e in events.items()]
        runs = [_with_spelling(learner if c.name == "words" else None, c) for c in chains]
        trace = run_chains(runs, config.sampler, fingerprint, session)
        distributions = {chain.name: chain.frozen() for chain in chains}
    else:
        learned = {
            name: Learned(name, e.contexts.shape[1] + 1, bases[name], config.sampler, seed)
            for name, e in events.items()
        }
        sampled = DerivationChain(
            shape,
            batch,
            learned,
            particles=config.particles,
            seed=seed,
            labels_in_contexts=codec.is_labelled and config.contexts.see_labels,
        )
        run = _with_spelling(learner, sampled)
        trace = run_chains([run], config.sampler, fingerprint, session)
        distributions = sampled.frozen()
    codec.speller = learner.speller() if learner else None
    return TransitionModel(
        config,
        codec,
        distributions,
        tags_of_words(codec, sentences),
        Origin(seed, {**treebank, "nonprojective_sentences": lifted}, trace),
        single_root=single_root,
    )


def spelling_learner(
    codec: Codec, sentences: Sequence[Sentence], config: TransitionConfig, seed: int
) -> SpellingLearner | None:
    """Return what learns to spell the words of a treebank given their tags, if they are spelled."""
    vocabulary = codec.vocabulary
    if not vocabulary.is_open:
        return None
    begin, tags = tags_of_words(codec, sentences)
    owner = np.repeat(np.arange(len(vocabulary)), np.diff(begin)) - vocabulary.num_classes
    tagged = (owner, tags, len(codec.tags))
    return SpellingLearner(vocabulary, config.spelling, config.sampler, seed, tagged=tagged)


def _with_spelling(learner: SpellingLearner | None, chain: Sweeping) -> Sweeping:
    return SpelledChain(learner, chain) if learner else chain


class _HasRoots(Protocol):
    @property
    def roots(self) -> str: ...


def wants_single_root(sentences: Sequence[Sentence], config: _HasRoots) -> bool:
    """Tell whether sentences have one root, by the settings or as the data shows."""
    several = next((s for s in sentences if s.heads.count(0) != 1), None)
    if config.roots == "auto":
        return several is None
    if config.roots == "one" and several is not None:
        name = several.sent_id or f"at line {several.line}"
        raise BistroError(f"sentence {name} has several roots, but roots = 'one'")
    return config.roots == "one"


def tags_of_words(
    codec: Codec, sentences: Sequence[Sentence]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the tags every word had in training, as offsets by word and a list of tags."""
    ids, _ = codec.vocabulary.encode_all([s.forms for s in sentences])
    numbers = {tag: i for i, tag in enumerate(codec.tags)}
    tags = np.array([numbers[t] for s in sentences for t in tags_of(s, codec.config)], np.int64)
    pairs = np.unique(ids.astype(np.int64) * len(codec.tags) + tags)
    words = pairs // len(codec.tags)
    begin = np.searchsorted(words, np.arange(len(codec.vocabulary) + 1)).astype(np.int32)
    return begin, (pairs % len(codec.tags)).astype(np.int32)
