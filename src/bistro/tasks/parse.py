"""One pass of a parser over a file, with a report of any problems."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bistro.errors import BistroError
from bistro.models.abilities import PARSE
from bistro.models.base import Model
from bistro.models.parsing.codec import can_be_met
from bistro.progress import number_of, pace
from bistro.tasks.parsed import ParseFacts, ParseWriter, Written
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    from bistro.inference.workers import Workers


class ParseRun:
    """One pass of a parser over the input, with a count of input values that could not be used."""

    def __init__(
        self, model: Model, options: Mapping[str, Any], workers: Workers | None = None
    ) -> None:
        """Initialise the run.

        `workers` parse the sentences in batches. By default, threads in this process are used.
        """
        self.model = PARSE.of(model)
        self._whole = model
        self._workers = workers
        self.model.parse_options.of(options, model.kind, "parse")
        self._options = dict(options)
        self.words = 0
        self.sentences = 0
        self.relaxed: list[int] = []
        """Line numbers of the sentences whose heads in the input could not be used."""
        self.unknown_tags = 0
        self.missing_tags = 0
        self.kept_graphs = 0
        self._left_open: set[int] = set()
        self._begin = time.monotonic()

    def parsed(self, sentences: Iterable[Sentence]) -> Iterator[Sentence | Written]:
        """Yield the output sentences."""
        sentences = self._prepared(sentences)
        if self._workers is not None:
            from bistro.tasks import spread  # only for clusters, which few use

            results = spread.parsed(
                self._workers,
                self._whole,
                sentences,
                self._options,
                given_tags=self._tags_are_given,
            )
            for facts, written in results:
                self._count(facts)
                yield from written
            return
        writer = ParseWriter.of(self.model, given_tags=self._tags_are_given)
        for parse in self.model.parse_all(sentences, **self._options):
            self._count(ParseFacts.of(parse, self.model, given_tags=self._tags_are_given))
            yield from writer.sentences(parse)

    def report(self, name: str) -> str:
        """Return a one-line report."""
        seconds = time.monotonic() - self._begin
        parts = [f"{pace(self.sentences, self.words, seconds=seconds)}; {self.protocol()}"]
        if self.relaxed:
            where = f"{'<stdin>' if name == '-' else name}:{self.relaxed[0]}"
            parts.append(
                f"given heads not used in {number_of(len(self.relaxed), 'sentence')}, since the "
                f"model has no such tree (first at {where})"
            )
        if self.unknown_tags:
            parts.append(f"{self.unknown_tags:,} given tags unknown to the model, so not used")
        if self.missing_tags:
            parts.append(f"{number_of(self.missing_tags, 'word')} without a tag: it was predicted")
        if self.kept_graphs:
            kept = number_of(self.kept_graphs, "sentence")
            parts.append(f"enhanced graphs (DEPS) of {kept} kept as given")
        return "; ".join(parts)

    def protocol(self) -> str:
        """Return a description of the parser's search."""
        return self.model.parse_protocol(**self._options)

    @property
    def _tags_are_given(self) -> bool:
        return self._options.get("tags") == "given"

    def _prepared(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Prepare sentences for the parser. Heads that do not fit any tree are removed."""
        for sentence in sentences:
            if sentence.format == "conllx":
                self._refuse_probabilities()
            single_root = self.model.single_root
            if self._options.get("partial") and not can_be_met(sentence, single_root=single_root):
                self._left_open.add(sentence.line)
                sentence = sentence.replace(heads=[-1] * len(sentence))
            yield sentence

    def _refuse_probabilities(self) -> None:
        for name in ("marginals", "kbest", "samples"):
            if name in self._options:
                raise BistroError(
                    f"--{name} writes probabilities, for which CoNLL-X has no column: convert the "
                    "input to CoNLL-U first (bistro convert IN.conll -o IN.conllu --roots any)"
                )

    def _count(self, facts: ParseFacts) -> None:
        self.sentences += 1
        self.words += facts.words
        if facts.relaxed or facts.line in self._left_open:
            self._left_open.discard(facts.line)
            self.relaxed.append(facts.line)
        self.kept_graphs += facts.has_graph
        self.unknown_tags += facts.unknown_tags
        self.missing_tags += facts.missing_tags


def together(models: Sequence[Model]) -> Model:
    """Return a single model, or a committee of several models with equal weights."""
    if len(models) == 1:
        return models[0]
    # Imported here, so that parsing with one model does not load the committee.
    from bistro.models.committee.model import CommitteeModel

    return CommitteeModel.of(models)
