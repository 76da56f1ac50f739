"""Training of a transition parser on raw text, which is parsed automatically.

This is the semi-supervised training of Buys & Blunsom (2015, §5.4). A parser is trained on the
treebank and parses the text (`bistro.models.parsing.raw_text`). The words of the text are added to
the training data. The context of each word is taken from the derivation of the best parse. The
distribution of words is learned from the treebank and the text. By default, the distributions of
tags and actions are also learned from both sources.

>>> model = bistro.train("transition", treebank, text=["news.txt.gz"])       # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro import progress
from bistro._core import UniformBase
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import ConfigError
from bistro.inference.chains import Session, run_chains
from bistro.inference.checkpoint import StoppedError
from bistro.inference.event_runs import MOST_IN_MEMORY, EventRuns
from bistro.inference.gibbs import Chain
from bistro.models.inputs import Words
from bistro.models.parsing.analyses import Analyses
from bistro.models.parsing.codec import Codec, training_tree
from bistro.models.parsing.raw_text import TextTraining
from bistro.models.parsing.training import trees_of, wants_single_root
from bistro.models.runs import Run
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel, outcomes_of, shape_of
from bistro.models.transition.text_work import ParsedText, Recorder, record_piece
from bistro.models.transition.train import tags_of_words, train_transition
from bistro.treebank.raw_text import RawText
from bistro.treebank.sentence import Sentence

PARSING, LEARNING = 0.6, 0.25
"""Approximate shares of the training time spent parsing the text and training on the parses."""
PIECES_AT_ONCE = 16
"""Number of pieces of text whose events are sorted together. The larger this number, the fewer
merges are needed."""


def train_with_text(
    data: Sequence[Words], config: TransitionConfig, run: Run, text: RawText
) -> TransitionModel:
    """Train a transition parser on trees and on raw text."""
    _check(config)
    return _Training(trees_of(data), config, run, text).model()


def _check(config: TransitionConfig) -> None:
    if config.derivations != "oracle":
        raise ConfigError("raw text requires oracle derivations: set derivations = oracle")
    if config.unsupervised.sweeps:
        raise ConfigError(
            "raw text cannot be combined with unsupervised training: set unsupervised.sweeps = 0"
        )
    if config.unknown == "spelling":
        raise ConfigError(
            "raw text cannot be used with unknown = spelling: set unknown = classes or single"
        )
    if config.lexical == "none":
        raise ConfigError("an unlexicalised model learns nothing from raw text: set lexical = full")


def _frozen(chains: list[Chain]) -> dict[str, dict[str, NDArray[Any]]]:
    """Return the frozen franchises of all chains, and empty the list of chains.

    A franchise takes several times as much memory as its frozen form, so each franchise is dropped
    before the next one is frozen.
    """
    arrays = {}
    while chains:
        chain = chains.pop(0)
        arrays[chain.name] = chain.frozen()
    return arrays


class _Training:
    """A run that trains a transition parser on a treebank and on parsed text."""

    def __init__(
        self, sentences: list[Sentence], config: TransitionConfig, run: Run, text: RawText
    ) -> None:
        self.sentences, self.config, self.run, self.text = sentences, config, run, text
        self.training = TextTraining(TransitionModel.kind, sentences, config, run, text, PARSING)
        symbols, self.lifted = Codec.learn(sentences, config)
        vocabulary = Vocabulary.of(self.training.counts, config)
        self.codec = Codec(config, vocabulary, symbols.tags, symbols.labels)
        self.single_root = wants_single_root(sentences, config.roots)
        self.recorder = Recorder(config, self.codec, self.single_root)

    def model(self) -> TransitionModel:
        """Run all training phases, or those remaining after a checkpoint, and return the model."""
        settings = self.config.raw_text
        model = self.training.model(
            settings.rounds, settings.particles, self._first_parser, self._learn
        )
        assert isinstance(model, TransitionModel)
        return model

    def _first_parser(self, session: Session) -> TransitionModel:
        config = replace(self.config, unknown="classes")
        with progress.phase("first parser", share=1 - PARSING - LEARNING):
            return train_transition(self.sentences, config, Run(self.run.seed, session=session))

    def _parsed_text(self, analyses: Analyses) -> Iterator[ParsedText]:
        """Yield the pieces of the text with their parses, several pieces at a time."""
        pieces, first, word = self.text.pieces(), 0, 0
        for place in range(0, len(self.text.sizes), PIECES_AT_ONCE):
            sizes = self.text.sizes[place : place + PIECES_AT_ONCE]
            words = sum(size for _, size in sizes)
            yield ParsedText(
                list(islice(pieces, len(sizes))), analyses.columns_of(word, words), first
            )
            first += sum(size for size, _ in sizes)
            word += words

    def _events(self, analyses: Analyses) -> tuple[dict[str, EventRuns], NDArray[np.int64]]:
        """Return the events from the treebank and from the parses, and all word-tag pairs."""
        trees = [training_tree(sentence, self.config) for sentence in self.sentences]
        of_trees = self.recorder.recorded(self.codec.encode(self.sentences, trees))
        most = MOST_IN_MEMORY // len(of_trees)
        runs = {name: EventRuns(events.levels, most) for name, events in of_trees.items()}
        for name, events in of_trees.items():
            runs[name].add(events.sorted())
        tagged = np.zeros(0, np.int64)
        items = self._parsed_text(analyses)
        recorded = self.training.workers.run(record_piece, self.recorder.for_text(), items)
        for piece in progress.each(recorded, "taking in parses", unit="pieces"):
            for name, events in piece.events.items():
                runs[name].add(events)
            tagged = np.union1d(tagged, piece.tagged)
            if self.run.session.stop_requested():
                raise StoppedError("stopped while learning from the parses of the raw text")
        return runs, tagged

    def _learn(self, analyses: Analyses, session: Session) -> TransitionModel:
        events, tagged = self._events(analyses)
        sampler = self.config.sampler
        shape = shape_of(self.config, self.codec, single_root=self.single_root)
        outcomes = outcomes_of(shape, self.codec)
        # Lists of events are large, and a chain does not need them once it has looked them up.
        chains = [
            Chain(name, events.pop(name), UniformBase(outcomes[name]), sampler, self.run.seed)
            for name in list(events)
        ]
        share = LEARNING / self.config.raw_text.rounds
        with progress.phase("learning from the parses", share=share):
            fingerprint = self.training.fingerprint
            trace = run_chains(chains, sampler, fingerprint, session)
        facts = {"nonprojective_sentences": self.lifted, "texts": self.text.provenance()}
        model = TransitionModel(
            self.config,
            self.codec,
            _frozen(chains),
            tags_of_words(self.codec, self.sentences, tagged),
            self.run.origin(trace, **facts),
            single_root=self.single_root,
        )
        return model.with_lengths_of(self.sentences, self.run.seed)
