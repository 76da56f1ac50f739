"""`train`: from a treebank or text to a model, of any kind.

>>> import bistro
>>> model = bistro.train("ngram", [["a", "rose", "is", "a", "rose"]], seed=1, order=2)
>>> model.kind
'ngram'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bistro import config as configuration
from bistro._core import UniformBase
from bistro.errors import BistroError, nearest
from bistro.inference.chains import Session, Sweeping, fingerprint_of, run_chains
from bistro.inference.gibbs import Chain
from bistro.inference.spelling import SpelledChain, SpellingLearner
from bistro.models.base import Model, Origin, Words, as_words
from bistro.models.committee.config import CommitteeConfig
from bistro.models.committee.model import CommitteeModel
from bistro.models.committee.train import train_committee
from bistro.models.eisner.config import EisnerConfig
from bistro.models.eisner.model import EisnerModel
from bistro.models.eisner.train import train_eisner
from bistro.models.grammar.model import GrammarConfig, GrammarModel
from bistro.models.grammar.train import train_grammar
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.model import IsbnModel
from bistro.models.isbn.train import train_isbn
from bistro.models.linearize.config import LinearizeConfig
from bistro.models.linearize.model import LinearizeModel
from bistro.models.linearize.train import train_linearize
from bistro.models.morphology.train_words import train_words
from bistro.models.morphology.words import WordsModel
from bistro.models.ngram.model import WORDS, NgramConfig, NgramModel
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.model import TopicsModel
from bistro.models.topics.train import train_topics
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from bistro.models.transition.raw_text import train_with_text
from bistro.models.transition.train import train_transition
from bistro.models.unbounded.config import InfiniteConfig
from bistro.models.unbounded.model import InfiniteModel, model_class
from bistro.models.unbounded.train import examples_of, train_infinite
from bistro.rng import check_seed
from bistro.treebank.examples import Examples
from bistro.treebank.raw_text import RawText
from bistro.treebank.tree_files import read_examples
from bistro.treebank.treebank import Treebank


def train_ngram(
    data: Sequence[Words],
    config: NgramConfig,
    seed: int,
    treebank: dict[str, Any],
    session: Session,
) -> NgramModel:
    """Train an n-gram model on the words of a treebank or text."""
    vocabulary, events = NgramModel.prepare(as_words(data), config)
    learner = None
    if vocabulary.is_open:
        learner = SpellingLearner(
            vocabulary, config.spelling, config.sampler, seed, predicts_end=True
        )
    base = learner.base if learner else UniformBase(len(vocabulary) + 1)
    chain = Chain(WORDS, events, base, config.sampler, seed)
    fingerprint = fingerprint_of(NgramModel.kind, config, seed, [vocabulary.hash, events.digest()])
    run: Sweeping = SpelledChain(learner, chain) if learner else chain
    trace = run_chains([run], config.sampler, fingerprint, session)
    origin = Origin(seed, treebank, trace)
    speller = learner.speller() if learner else None
    return NgramModel(config, vocabulary, chain.frozen(), origin, speller)


def _train_unbounded(data: Sequence[Any], config: InfiniteConfig, *rest: Any) -> Model:
    """Train a model with unbounded contexts: of trees, or of the morphemes of written words."""
    of_words = model_class(config.home) is WordsModel
    return train_words(data, config, *rest) if of_words else train_infinite(data, config, *rest)


TRAINERS: dict[str, tuple[type[Any], Callable[..., Model]]] = {
    NgramModel.kind: (NgramConfig, train_ngram),
    TopicsModel.kind: (TopicsConfig, train_topics),
    TransitionModel.kind: (TransitionConfig, train_transition),
    EisnerModel.kind: (EisnerConfig, train_eisner),
    IsbnModel.kind: (IsbnConfig, train_isbn),
    CommitteeModel.kind: (CommitteeConfig, train_committee),
    LinearizeModel.kind: (LinearizeConfig, train_linearize),
    InfiniteModel.kind: (InfiniteConfig, _train_unbounded),
    GrammarModel.kind: (GrammarConfig, train_grammar),
}
"""The configuration and the trainer of every kind."""
USES_DEV = (CommitteeModel.kind, IsbnModel.kind, LinearizeModel.kind)
"""Kinds that learn something from a development set."""


def config_class(kind: str) -> type[Any]:
    """Return the configuration class of a kind of model."""
    if kind not in TRAINERS:
        raise BistroError(
            f"unknown kind of model '{kind}'{nearest(kind, TRAINERS)}: "
            f"one of {', '.join(sorted(TRAINERS))}"
        )
    return TRAINERS[kind][0]


def train(
    kind: str,
    data: str | os.PathLike[str] | Iterable[Any],
    *,
    config: Any = None,
    seed: int = 1,
    dev: Iterable[Words] | None = None,
    session: Session | None = None,
    text: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    **settings: Any,
) -> Model:
    """Train a model of `kind` on a treebank, or on sentences given as lists of words.

    Models with unbounded contexts learn from what their task learns from, or from its file.
    `config` is a configuration object or nothing for the defaults; keyword arguments change single
    settings of it (``order=3``, ``sampler={"sweeps": 20}``). A committee fits the weights of its
    members on `dev`; a latent-variable parser stops learning when it is best there. `text` names
    files of raw text, a sentence a line, from which a transition parser learns words beside its
    treebank. The seed, a whole number from 0 to 2^64 - 1, decides
    everything.
    """
    chosen = config_class(kind)
    given = configuration.to_dict(config if config is not None else chosen())
    config = configuration.from_dict(chosen, _merged(given, settings), where=f"train {kind}")
    check_seed(seed)
    if dev is not None and kind not in USES_DEV:
        raise BistroError(f"a model of kind '{kind}' learns nothing from a development set")
    items, facts = _training_data(kind, data, config)
    session = session or Session()
    if not text:
        fitting = {} if dev is None else {"dev": dev if isinstance(dev, Treebank) else list(dev)}
        return TRAINERS[kind][1](items, config, seed, facts, session, **fitting)
    if kind != TransitionModel.kind:
        hint = ": give the text as training data" if kind == NgramModel.kind else ""
        raise BistroError(
            f"only a transition parser learns from raw text beside its treebank, not {kind}{hint}"
        )
    return train_with_text(items, config, seed, facts, session, RawText(text))


def _training_data(
    kind: str, data: str | os.PathLike[str] | Iterable[Any], config: Any
) -> tuple[Sequence[Any], dict[str, Any]]:
    """Return what is learned from, and what the model says of it."""
    if kind == InfiniteModel.kind:
        examples = examples_of(data, config)
        return examples, provenance(examples)
    if kind == GrammarModel.kind:
        trees = read_examples(data) if isinstance(data, str | os.PathLike) else data
        return list(trees), provenance(trees)
    if isinstance(data, str | os.PathLike):
        raise BistroError(
            "training data is a treebank, or sentences that are each a list of words: "
            "read a file with bistro.read first"
        )
    sentences = [sentence for sentence in data if len(sentence)]
    if not sentences:
        raise BistroError("there is nothing to train on: the treebank or text has no words")
    counted = {"sentences": len(sentences), "words": sum(map(len, sentences))}
    return sentences, provenance(data) | counted


def provenance(data: Any) -> dict[str, Any]:
    """Return what a model says of where its training data came from."""
    if isinstance(data, Treebank | Examples):
        named = {"name": data.label, "sha256": data.sha256, "license": data.license}
        return {key: value for key, value in named.items() if value}
    return {}


def _merged(settings: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(settings)
    for key, value in changes.items():
        inner = merged.get(key)
        merged[key] = (
            _merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
        )
    return merged
