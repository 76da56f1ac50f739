"""One pass of a parser over a file: what goes in, what comes out, and what could not be done."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

from bistro.errors import BistroError
from bistro.models.base import Model
from bistro.models.committee.model import CommitteeModel
from bistro.models.parsing.codec import MISSING, check_evidence, tags_of
from bistro.models.parsing.parser import ParsingAbility
from bistro.models.results.parses import Parse
from bistro.tasks.parsed import ParseWriter, parsing_protocol
from bistro.treebank.projectivity import is_projective
from bistro.treebank.sentence import Sentence


class ParseRun:
    """One pass over the input, and the count of what could not be done as asked."""

    def __init__(self, model: Model, options: dict[str, Any]) -> None:
        self.model = model
        self.options = options
        self.words = 0
        self.sentences = 0
        self.relaxed: list[int] = []
        """Lines of the sentences whose given heads could not be met."""
        self.unknown_tags = 0
        self.missing_tags = 0
        self.kept_graphs = 0
        self._left_open: set[int] = set()
        self._known_tags: frozenset[str] = frozenset()
        self._begin = time.monotonic()

    def parsed(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield the sentences of the output."""
        parse_all = self.model.require("parse_all")
        parses = self._understood(parse_all(self._prepared(sentences), **self.options))
        writer = ParseWriter.of(self.model, given_tags=self.options["tags"] == "given")
        for parse in parses:
            self._count(parse)
            yield from writer.sentences(parse)

    def report(self, name: str) -> str:
        """Return one line on what was done."""
        seconds = max(time.monotonic() - self._begin, 1e-9)
        told = [
            f"{self.sentences:,} sentences, {self.words:,} words, "
            f"{self.words / seconds:,.0f} words/s; {self.protocol()}"
        ]
        if self.relaxed:
            where = f"{'<stdin>' if name == '-' else name}:{self.relaxed[0]}"
            told.append(
                f"given heads not used in {len(self.relaxed):,} sentences, since the model has no "
                f"such tree (first at {where})"
            )
        if self.unknown_tags:
            told.append(f"{self.unknown_tags:,} given tags unknown to the model, so not used")
        if self.missing_tags:
            told.append(f"{self.missing_tags:,} words had no tag, so it was found")
        if self.kept_graphs:
            told.append(f"enhanced graphs (DEPS) of {self.kept_graphs:,} sentences kept as given")
        return "; ".join(told)

    def protocol(self) -> str:
        """Return how the trees were found."""
        return parsing_protocol(self.model, self.options)

    def _understood(self, parses: Iterator[Parse]) -> Iterator[Parse]:
        try:
            yield from parses
        except TypeError as error:
            name = str(error).rpartition("unexpected keyword argument")[2].strip(" '")
            if name not in self.options:
                raise
            option = name.replace("_", "-")
            told = f"a model of kind '{self.model.kind}' has no option '{option}' for parsing"
            raise BistroError(told) from None

    def _prepared(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield sentences as the parser takes them: heads that no tree has are left open."""
        for sentence in sentences:
            if sentence.format == "conllx":
                self._refuse_probabilities()
            if self.options.get("partial") and not self._can_be_met(sentence):
                self._left_open.add(sentence.line)
                sentence = sentence.replace(heads=[-1] * len(sentence))
            yield sentence

    def _can_be_met(self, sentence: Sentence) -> bool:
        if not isinstance(self.model, ParsingAbility | CommitteeModel):
            return is_projective(sentence.heads)
        try:
            check_evidence(sentence, single_root=self.model.single_root)
        except BistroError:
            return False
        return True

    def _refuse_probabilities(self) -> None:
        for name in ("marginals", "kbest", "samples"):
            if name in self.options:
                raise BistroError(
                    f"--{name} writes probabilities, for which CoNLL-X has no column: "
                    "make it CoNLL-U first (bistro convert IN.conll -o IN.conllu --roots any)"
                )

    def _count(self, parse: Parse) -> None:
        sentence = parse.sentence
        self.sentences += 1
        self.words += len(sentence)
        if parse.relaxed or sentence.line in self._left_open:
            self._left_open.discard(sentence.line)
            self.relaxed.append(sentence.line)
        if sentence.format == "conllu" and any(deps != "_" for deps in sentence.deps):
            self.kept_graphs += 1
        if self.options["tags"] == "given":
            self._count_tags(sentence)

    def _count_tags(self, sentence: Sentence) -> None:
        known: list[str] = []
        if isinstance(self.model, ParsingAbility):
            given, known = tags_of(sentence, self.model.config), self.model.codec.tags
        elif isinstance(self.model, CommitteeModel):
            given, known = getattr(sentence, self.model.tag_column), self.model.tag_names
        if known:
            self._known_tags = self._known_tags or frozenset({MISSING, *known})
            self.unknown_tags += sum(tag not in self._known_tags for tag in given)
            self.missing_tags += given.count(MISSING)
