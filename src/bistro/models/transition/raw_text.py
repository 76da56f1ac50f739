"""Learning from raw text: the text is parsed, and words are learned from the parses.

The semi-supervised training of Buys & Blunsom (2015, §5.4). A parser is trained on the treebank
and parses the text. The words of the text, each in its context along the derivation of its
sentence's best parse, are added to the words of the treebank, and the distribution of words is
learned from both. Tags, actions and labels are learned only from the treebank by default.

    phase 0        the first parser, from the treebank; unknown words by classes
    phase 1 + 2r   round r parses the text with the newest model
    phase 2 + 2r   round r learns all distributions, from the treebank and the parses

The model knows the words of the treebank and the text; the first parser knows only the words of the
treebank, and treats the others as unknown words. A checkpoint records its phase, so an interrupted
run resumes where it was.

>>> model = bistro.train("transition", treebank, text=["news.txt.gz"])       # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro import progress
from bistro._core import UniformBase
from bistro.encoding.vocabulary import Vocabulary, WordCounts
from bistro.errors import ConfigError
from bistro.inference.chains import Session, fingerprint_of, run_chains
from bistro.inference.checkpoint import StoppedError
from bistro.inference.cluster import ClusterError
from bistro.inference.event_runs import EventRuns
from bistro.inference.gibbs import Chain
from bistro.inference.workers import LocalWorkers
from bistro.models.base import Model, from_bytes
from bistro.models.inputs import Words
from bistro.models.parsing.codec import Codec, training_tree
from bistro.models.parsing.training import trees_of, wants_single_root
from bistro.models.runs import Run
from bistro.models.shared import SharedModel
from bistro.models.transition.analyses import Analyses, parse_piece
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel, outcomes_of, shape_of
from bistro.models.transition.text_work import ParsedText, Recorder, count_piece, record_piece
from bistro.models.transition.train import tags_of_words, train_transition
from bistro.treebank.raw_text import PieceFacts, RawText, TextPiece
from bistro.treebank.sentence import Sentence

Item = TypeVar("Item")
FIRST_PARSER = 0
PARSING, LEARNING = 0.6, 0.25
"""Approximate shares of the training time that parsing and learning take."""
PIECES_AT_ONCE = 16
"""Number of pieces whose events are made and sorted together: longer lists mean fewer merges."""


def train_with_text(
    data: Sequence[Words], config: TransitionConfig, run: Run, text: RawText
) -> TransitionModel:
    """Train a transition parser on trees, and its words also on raw text."""
    _check(config)
    return _Training(trees_of(data), config, run, text).model()


def _check(config: TransitionConfig) -> None:
    if config.derivations != "oracle":
        raise ConfigError("raw text is learned along oracle derivations: set derivations = oracle")
    if config.unsupervised.sweeps:
        raise ConfigError("raw text follows a training on trees: set unsupervised.sweeps = 0")
    if config.unknown == "spelling":
        raise ConfigError("raw text is learned with unknown = classes or single, not spelling")
    if config.lexical == "none":
        raise ConfigError("an unlexicalised model learns nothing from raw text: set lexical = full")


@dataclass
class _Training:
    """One training on a treebank and text, from any phase to the model."""

    sentences: list[Sentence]
    config: TransitionConfig
    run: Run
    text: RawText

    def __post_init__(self) -> None:
        config, sentences, text = self.config, self.sentences, self.text
        symbols, self.lifted = Codec.learn(sentences, config)
        session = self.run.session
        self.workers = session.workers or LocalWorkers(session.threads)
        vocabulary = Vocabulary.of(self._count(), config)
        for note in text.notes():
            self.run.session.on_note(note)
        self.codec = Codec(config, vocabulary, symbols.tags, symbols.labels)
        self.single_root = wants_single_root(sentences, config.roots)
        self.recorder = Recorder(config, self.codec, self.single_root)
        content = hashlib.sha256("".join(map(str, sentences)).encode()).hexdigest()
        digests = [content, *(facts.sha256 for facts in text.facts)]
        self.fingerprint = fingerprint_of("transition with text", config, self.run.seed, digests)

    def _count(self) -> WordCounts:
        """Count the words of the text, and add them to the words of the treebank."""
        counts = WordCounts.of(sentence.forms for sentence in self.sentences)

        def reader(pieces: Iterator[TextPiece]) -> Iterator[PieceFacts]:
            for facts, words in self.workers.run(count_piece, None, pieces):
                counts.add(words)
                yield facts

        for _ in progress.each(self.text.read(reader), "counting words", unit="pieces"):
            if self.run.session.stop_asked():
                raise StoppedError("stopped while the words of the raw text were counted")
        return counts

    def model(self) -> TransitionModel:
        """Run all phases that are not finished in a checkpoint."""
        phase, saved = self._saved()
        model, analyses = None, Analyses()
        for number in range(self.config.raw_text.rounds):
            parsing, learning = 1 + 2 * number, 2 + 2 * number
            if phase > learning:
                continue
            analyses = Analyses.restore(saved) if phase in (parsing, learning) else Analyses()
            if phase <= parsing:
                if phase == parsing:
                    model = _parser_in(saved)
                self._parse(model or self._first_parser(), analyses, parsing)
            model = self._learn(analyses, learning)
        assert model is not None
        return model

    def _saved(self) -> tuple[int, Mapping[str, NDArray[Any]]]:
        """Return the phase and the arrays of the checkpoint, if this run resumes from one."""
        found = self.run.session.saved(self.fingerprint)
        return (int(found[0]["phase"]), found[1]) if found else (FIRST_PARSER, {})

    def _session(self, phase: int, carried: Mapping[str, NDArray[Any]]) -> Session:
        return self.run.session.for_phase(self.fingerprint, phase, carried)

    def _first_parser(self) -> TransitionModel:
        config = replace(self.config, unknown="classes")
        run = Run(self.run.seed, session=self._session(FIRST_PARSER, {}))
        with progress.phase("first parser", share=1 - PARSING - LEARNING):
            return train_transition(self.sentences, config, run)

    def _parse(self, model: TransitionModel, analyses: Analyses, phase: int) -> None:
        content = np.frombuffer(model.to_bytes(), dtype=np.uint8)
        session = self._session(phase, {"parser": content})

        def keep() -> None:
            if session.checkpoint:
                session.checkpoint.save("", {}, analyses.state())

        particles = self.config.raw_text.particles
        pieces = ((particles, piece) for piece in self._pieces_after(analyses))
        session.on_words(analyses.words, self.text.words)
        found = self.workers.run(parse_piece, SharedModel(model), pieces)
        try:
            for size, columns in self._counted(found, analyses):
                analyses.add(size, columns)
                session.on_words(analyses.words, self.text.words)
                if session.stop_asked() and analyses.words < self.text.words:
                    raise StoppedError(
                        f"stopped after {analyses.words:,} of {self.text.words:,} words of raw text"
                    )
                if session.checkpoint and session.checkpoint.is_due():
                    keep()
        except (StoppedError, ClusterError):
            keep()
            raise
        keep()

    def _counted(self, pieces: Iterable[Item], analyses: Analyses) -> Iterator[Item]:
        """Yield parsed pieces, and show the number of words before each of them."""
        words = self.text.words
        share = PARSING / self.config.raw_text.rounds
        with progress.phase("parsing", total=words, unit="words", share=share) as work:
            work.skip(analyses.words)
            for piece in pieces:
                yield piece
                work.count(int(analyses.words - work.done))
                work.reach(analyses.words)

    def _pieces_after(self, analyses: Analyses) -> Iterator[TextPiece]:
        """Return the pieces of the text that have not been parsed."""
        ends = list(accumulate((sentences for sentences, _ in self.text.sizes), initial=0))
        with self.run.session.reading_checkpoint():
            place = ends.index(analyses.sentences)
            if sum(words for _, words in self.text.sizes[:place]) != analyses.words:
                raise ValueError("the analyses do not end at the end of a piece")
        return islice(self.text.pieces(), place, None)

    def _parsed_text(self, analyses: Analyses) -> Iterator[ParsedText]:
        """Yield the text with its parses, many pieces at a time."""
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
        """Return the events of the treebank and of the parses, and all tags."""
        trees = [training_tree(sentence, self.config) for sentence in self.sentences]
        of_trees = self.recorder.recorded(self.codec.encode(self.sentences, trees))
        runs = {name: EventRuns(events.levels) for name, events in of_trees.items()}
        for name, events in of_trees.items():
            runs[name].add(events.sorted())
        tagged = np.zeros(0, np.int64)
        items = self._parsed_text(analyses)
        recorded = self.workers.run(record_piece, self.recorder.for_text(), items)
        for found in progress.each(recorded, "taking in parses", unit="pieces"):
            for name, events in found.events.items():
                runs[name].add(events)
            tagged = np.union1d(tagged, found.tagged)
            if self.run.session.stop_asked():
                raise StoppedError("stopped while the parses of the raw text were taken in")
        return runs, tagged

    def _learn(self, analyses: Analyses, phase: int) -> TransitionModel:
        events, tagged = self._events(analyses)
        shape = shape_of(self.config, self.codec, single_root=self.single_root)
        outcomes = outcomes_of(shape, self.codec)
        chains = [
            Chain(name, of_name, UniformBase(outcomes[name]), self.config.sampler, self.run.seed)
            for name, of_name in events.items()
        ]
        session = self._session(phase, analyses.state())
        share = LEARNING / self.config.raw_text.rounds
        with progress.phase("learning from the parses", share=share):
            trace = run_chains(chains, self.config.sampler, self.fingerprint, session)
        facts = {"nonprojective_sentences": self.lifted, "texts": self.text.provenance()}
        model = TransitionModel(
            self.config,
            self.codec,
            {one.name: one.frozen() for one in chains},
            tags_of_words(self.codec, self.sentences, tagged),
            self.run.origin(trace, **facts),
            single_root=self.single_root,
        )
        return model.with_lengths_of(self.sentences, self.run.seed)


def _parser_in(saved: Mapping[str, NDArray[Any]]) -> TransitionModel:
    """Return the parser that a checkpoint keeps for the remaining text."""
    model: Model = from_bytes(saved["parser"].tobytes(), "the parser in the checkpoint")
    assert isinstance(model, TransitionModel)
    return model
