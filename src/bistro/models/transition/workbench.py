"""A workbench for trying transition parsers: what two of them share is trained once.

Given the trees, actions, labels, tags and words are four independent chains. A configuration that
differs from an earlier one in the contexts of one distribution needs one new chain; the other three
are taken from the shelf. The model is the one that `bistro.train` makes of the same configuration,
with the derivations of the oracle.

>>> bench = Workbench(bistro.builtin(sentences=100, seed=1), seed=1)          # doctest: +SKIP
>>> first = bench.model(config)                                              # doctest: +SKIP
>>> second = bench.model(with_elements(config, "actions", ["s1.tag"]))       # doctest: +SKIP
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import SentenceBatch, UniformBase, oracle_events
from bistro.encoding.events import Events
from bistro.errors import BistroError
from bistro.inference.chains import Session, run_chains
from bistro.inference.gibbs import Chain
from bistro.modelfile import Arrays
from bistro.models.base import Origin
from bistro.models.parsing.codec import Codec, training_tree
from bistro.models.parsing.training import wants_single_root
from bistro.models.transition.config import DISTRIBUTIONS, ContextSettings, TransitionConfig
from bistro.models.transition.model import TransitionModel, outcomes_of, shape_of
from bistro.models.transition.train import tags_of_words
from bistro.treebank.sentence import Sentence

Item = TypeVar("Item")
NO_CONTEXTS = ContextSettings(actions=(), labels=(), tags=(), words=())
TREEBANKS_KEPT = 2
CHAINS_KEPT = 16


def with_elements(
    config: TransitionConfig, distribution: str, elements: Sequence[str]
) -> TransitionConfig:
    """Return the configuration with other contexts of one distribution."""
    return replace(config, contexts=replace(config.contexts, **{distribution: tuple(elements)}))


@dataclass(frozen=True)
class _Encoded:
    codec: Codec
    batch: SentenceBatch
    word_tags: tuple[NDArray[np.int32], NDArray[np.int32]]
    single_root: bool


class Workbench:
    """Makes models of one treebank, and keeps the parts that the next one may need."""

    def __init__(self, sentences: Sequence[Sentence], seed: int) -> None:
        self.sentences = sentences
        self.seed = seed
        self._encoded: OrderedDict[Hashable, _Encoded] = OrderedDict()
        self._chains: OrderedDict[Hashable, Arrays] = OrderedDict()

    def model(self, config: TransitionConfig) -> TransitionModel:
        """Return the model of a configuration, training only what is new in it."""
        if config.unknown == "spelling":
            raise BistroError("a search trains models without spelling: set unknown = 'classes'")
        encoding = replace(config, contexts=NO_CONTEXTS, sampler=TransitionConfig().sampler)
        encoded = _shelved(self._encoded, encoding, TREEBANKS_KEPT, lambda: self._encode(config))
        names = [name for name in DISTRIBUTIONS if self._is_learned(name, config, encoded)]
        distributions = {
            name: _shelved(
                self._chains,
                (encoding, config.sampler, name, getattr(config.contexts, name)),
                CHAINS_KEPT,
                lambda name=name: self._learn(name, config, encoded),  # type: ignore[misc]
            )
            for name in names
        }
        return TransitionModel(
            config,
            encoded.codec,
            distributions,
            encoded.word_tags,
            Origin(self.seed, {}, []),
            single_root=encoded.single_root,
        )

    def _encode(self, config: TransitionConfig) -> _Encoded:
        codec, _ = Codec.learn(self.sentences, config)
        trees = [training_tree(sentence, config) for sentence in self.sentences]
        return _Encoded(
            codec,
            codec.encode(self.sentences, trees),
            tags_of_words(codec, self.sentences),
            wants_single_root(self.sentences, config),
        )

    @staticmethod
    def _is_learned(name: str, config: TransitionConfig, encoded: _Encoded) -> bool:
        if name == "labels":
            return encoded.codec.is_labelled and config.labels == "two-step"
        return name != "words" or config.lexical != "none"

    def _learn(self, name: str, config: TransitionConfig, encoded: _Encoded) -> Arrays:
        alone = with_elements(
            replace(config, contexts=NO_CONTEXTS), name, getattr(config.contexts, name)
        )
        shape = shape_of(alone, encoded.codec, single_root=encoded.single_root)
        recorded = oracle_events(shape, encoded.batch)
        if recorded["failed"].size:
            number = int(recorded["failed"][0]) + 1
            raise BistroError(f"sentence {number} is not a tree with {config.roots} root")
        base = UniformBase(outcomes_of(shape, encoded.codec)[name])
        chain = Chain(name, Events(*recorded[name]), base, config.sampler, self.seed)
        run_chains([chain], config.sampler, "", Session())
        return chain.frozen()


def _shelved(
    shelf: OrderedDict[Hashable, Item], key: Hashable, kept: int, make: Callable[[], Item]
) -> Item:
    """Return what is on the shelf under `key`, made now if need be; the oldest falls off."""
    if key not in shelf:
        shelf[key] = make()
    shelf.move_to_end(key)
    while len(shelf) > kept:
        shelf.popitem(last=False)
    return shelf[key]
