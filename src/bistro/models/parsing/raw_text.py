"""Training with raw text, which is parsed by a parser that was trained on the treebank.

A parser that also learns from raw text is trained in phases. Training may have several rounds.

    phase 0        the first parser, from the treebank; unknown words by classes
    phase 1 + 2r   round r parses the text with the newest model
    phase 2 + 2r   round r learns from the treebank and the parses

The vocabulary of the model contains the words of the treebank and the text. The vocabulary of the
first parser contains only the words of the treebank. A checkpoint records its phase, so an
interrupted run resumes where it stopped. The kinds of parsers differ only in how they learn from
the parses. All other training steps are in this module.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro import progress
from bistro.encoding.vocabulary import WordCounts
from bistro.inference.chains import Session, fingerprint_of
from bistro.inference.checkpoint import StoppedError
from bistro.inference.cluster import ClusterError
from bistro.inference.workers import LocalWorkers, Workers
from bistro.models.base import from_bytes
from bistro.models.parsing.analyses import Analyses, parse_piece
from bistro.models.runs import Run
from bistro.models.shared import SharedModel
from bistro.treebank.raw_text import PieceFacts, RawText, TextPiece
from bistro.treebank.sentence import Sentence

Item = TypeVar("Item")
FIRST_PARSER = 0


def count_piece(shared: None, piece: TextPiece) -> tuple[PieceFacts, WordCounts]:
    """Return statistics and word counts for a piece of text."""
    sentences, facts = piece.read()
    return facts, WordCounts.of(sentences)


@dataclass
class TextTraining:
    """A training run with raw text, which consists of several phases."""

    kind: str
    """The kind of the model."""
    sentences: Sequence[Sentence]
    config: Any
    """The settings of the model, which include a group ``raw_text``."""
    run: Run
    text: RawText
    parsing_share: float
    """Approximate share of the training time that is spent on parsing the text."""
    counts: WordCounts = field(init=False)
    """Counts of all words in the treebank and the raw text."""
    workers: Workers = field(init=False)
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        session = self.run.session
        self.workers = session.workers or LocalWorkers(session.threads)
        self.counts = self._count()
        for note in self.text.notes():
            session.on_note(note)
        content = hashlib.sha256("".join(map(str, self.sentences)).encode()).hexdigest()
        digests = [content, *(facts.sha256 for facts in self.text.facts)]
        self.fingerprint = fingerprint_of(
            f"{self.kind} with text", self.config, self.run.seed, digests
        )

    def _count(self) -> WordCounts:
        """Return the word counts of the treebank and the raw text together."""
        counts = WordCounts.of(sentence.forms for sentence in self.sentences)

        def reader(pieces: Iterator[TextPiece]) -> Iterator[PieceFacts]:
            for facts, words in self.workers.run(count_piece, None, pieces):
                counts.add(words)
                yield facts

        for _ in progress.each(self.text.read(reader), "counting words", unit="pieces"):
            if self.run.session.stop_requested():
                raise StoppedError("stopped while counting the words of the raw text")
        return counts

    def model(
        self,
        rounds: int,
        size: int,
        first: Callable[[Session], Any],
        learn: Callable[[Analyses, Session], Any],
    ) -> Any:
        """Run all phases, or those remaining after a checkpoint, and return the last model.

        `first` trains the first parser, and `learn` trains the model of each round. `size` is the
        number of particles or the beam width used to parse the text.
        """
        phase, saved = self.run.session.saved_phase(self.fingerprint) or (FIRST_PARSER, {})
        model: Any = None
        for number in range(rounds):
            parsing, learning = 1 + 2 * number, 2 + 2 * number
            if phase > learning:
                continue
            analyses = Analyses.restore(saved) if phase in (parsing, learning) else Analyses()
            if phase <= parsing:
                if phase == parsing:
                    model = from_bytes(saved["parser"].tobytes(), "the parser in the checkpoint")
                parser = model or first(self._session(FIRST_PARSER, {}))
                self._parse(parser, analyses, parsing, size, self.parsing_share / rounds)
            model = learn(analyses, self._session(learning, analyses.state()))
        return model

    def _session(self, phase: int, carried: Mapping[str, NDArray[Any]]) -> Session:
        return self.run.session.for_phase(self.fingerprint, phase, carried)

    def _parse(self, model: Any, analyses: Analyses, phase: int, size: int, share: float) -> None:
        content = np.frombuffer(model.to_bytes(), dtype=np.uint8)
        session = self._session(phase, {"parser": content})

        def keep() -> None:
            if session.checkpoint:
                session.checkpoint.save("", {}, analyses.state())

        pieces = ((size, piece) for piece in self._pieces_after(analyses))
        session.on_words(analyses.words, self.text.words)
        results = self.workers.run(parse_piece, SharedModel(model), pieces)
        try:
            for sentences, columns in self._counted(results, analyses, share):
                analyses.add(sentences, columns)
                session.on_words(analyses.words, self.text.words)
                if session.stop_requested() and analyses.words < self.text.words:
                    raise StoppedError(
                        f"stopped after {analyses.words:,} of {self.text.words:,} words of raw text"
                    )
                if session.checkpoint and session.checkpoint.is_due():
                    keep()
        except (StoppedError, ClusterError):
            keep()
            raise
        keep()

    def _counted(self, pieces: Iterable[Item], analyses: Analyses, share: float) -> Iterator[Item]:
        """Yield the parsed pieces, and report the number of words parsed so far as progress."""
        words = self.text.words
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
                raise ValueError("the analyses do not match the pieces of the text")
        return islice(self.text.pieces(), place, None)
