"""Training of many similar transition parsers. Parts that several models share are trained once.

If the trees are given, the distributions of actions, labels, tags and words are trained by four
independent chains. If a configuration differs from an earlier configuration only in the contexts of
one distribution, one new chain is trained and the other three chains are reused. The result is the
model that `bistro.train` creates from the same configuration with oracle derivations, except that
lengths are not matched. Matching the lengths would take longer than training a chain.

>>> bench = Workbench(bistro.builtin(sentences=100, seed=1), seed=1)          # doctest: +SKIP
>>> first = bench.model(config)                                              # doctest: +SKIP
>>> second = bench.model(with_elements(config, "actions", ["s1.tag"]))       # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

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

NO_CONTEXTS = ContextSettings(actions=(), labels=(), tags=(), words=())
USUAL_SAMPLER = TransitionConfig().sampler
TREEBANKS_KEPT = 2
CHAINS_KEPT = 16


def with_elements(
    config: TransitionConfig, distribution: str, elements: Sequence[str]
) -> TransitionConfig:
    """Return the configuration with new contexts for one distribution."""
    return replace(config, contexts=replace(config.contexts, **{distribution: tuple(elements)}))


@dataclass(frozen=True)
class _Encoded:
    codec: Codec
    batch: SentenceBatch
    word_tags: tuple[NDArray[np.int32], NDArray[np.int32]]
    single_root: bool


class Workbench:
    """Trains models on one treebank, and caches the parts that later models may need."""

    def __init__(self, sentences: Sequence[Sentence], seed: int) -> None:
        self.sentences = sentences
        self.seed = seed
        self._encoded = lru_cache(TREEBANKS_KEPT)(self._encode)
        self._chains = lru_cache(CHAINS_KEPT)(self._learn)

    def __reduce__(self) -> tuple[type[Workbench], tuple[Sequence[Sentence], int]]:
        """Return the arguments for creating a copy in another process, with a separate cache."""
        return Workbench, (list(self.sentences), self.seed)

    def model(self, config: TransitionConfig) -> TransitionModel:
        """Train a model with a configuration, reusing all parts in the cache."""
        if config.unknown == "spelling":
            raise BistroError(
                "a search cannot train models with unknown = 'spelling': set unknown = 'classes'"
            )
        bare = replace(config, contexts=NO_CONTEXTS)
        encoded = self._encoded(replace(bare, sampler=USUAL_SAMPLER))
        distributions = {
            name: self._chains(name, with_elements(bare, name, getattr(config.contexts, name)))
            for name in DISTRIBUTIONS
            if self._is_learned(name, config, encoded)
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
            wants_single_root(self.sentences, config.roots),
        )

    @staticmethod
    def _is_learned(name: str, config: TransitionConfig, encoded: _Encoded) -> bool:
        if name == "labels":
            return encoded.codec.is_labelled and config.labels == "two-step"
        return name != "words" or config.lexical != "none"

    def _learn(self, name: str, config: TransitionConfig) -> Arrays:
        """Train one distribution.

        The configuration must contain contexts for this distribution only.
        """
        encoded = self._encoded(replace(config, contexts=NO_CONTEXTS, sampler=USUAL_SAMPLER))
        shape = shape_of(config, encoded.codec, single_root=encoded.single_root)
        recorded = oracle_events(shape, encoded.batch)
        if recorded["failed"].size:
            number = int(recorded["failed"][0]) + 1
            raise BistroError(
                f"the tree of sentence {number} is invalid for roots = '{config.roots}'"
            )
        base = UniformBase(outcomes_of(shape, encoded.codec)[name])
        chain = Chain(name, Events(*recorded[name]), base, config.sampler, self.seed)
        run_chains([chain], config.sampler, "", Session())
        return chain.frozen()
