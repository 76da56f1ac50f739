"""The treebanks of the parsing experiments, and a common way to train, parse and score."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.attachment import AttachmentScores, score
from bistro.models.committee.model import CommitteeModel
from bistro.models.parsing.parser import ParsingAbility
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

Parser: TypeAlias = ParsingAbility | CommitteeModel


@dataclass(frozen=True)
class Split:
    """Name, training, development and test part of one treebank."""

    name: str
    train: Treebank
    dev: Treebank
    test: Treebank


FILES = {
    "wsj": "ptb_sample/wsj-{}.conll",
    "ewt": "en_ewt/en_ewt-ud-{}.conllu",
    "ddt": "da_ddt/danish_ddt_{}.conll",
}


def load_split(name: str) -> Split:
    """Read one of the treebanks."""
    parts = [bistro.read(data_dir() / FILES[name].format(p)) for p in ("train", "dev", "test")]
    return Split(name, *parts)


def with_analysis(model: Parser, sentence: Sentence, parse: Any) -> Sentence:
    """Return the sentence with the tree and tags that the parser predicted."""
    tags = {model.tag_column: model.shown_tags(parse.tags)}
    return sentence.replace(heads=parse.heads, deprels=parse.labels, **tags)


@dataclass(frozen=True)
class Outcome:
    """Scores and speed of one model on one set of sentences."""

    scores: AttachmentScores
    tag_accuracy: float | None
    sentences_a_second: float

    def row(self) -> str:
        """Return UAS, LAS under both conventions, tag accuracy and speed as text."""

        def show(value: float | None) -> str:
            return "   n/a" if value is None else f"{value:6.2f}"

        plain = self.scores.no_punct
        figures = (self.scores.uas, self.scores.las, plain.uas, plain.las, self.tag_accuracy)
        return " ".join(map(show, figures)) + f" {self.sentences_a_second:8.0f}"


HEADINGS = f"{'UAS':>6} {'LAS':>6} {'UASnp':>6} {'LASnp':>6} {'tags':>6} {'sent/s':>8}"


def evaluate(
    model: Parser,
    sentences: Sequence[Sentence],
    *,
    gold: Sequence[Sentence] | None = None,
    **options: Any,
) -> Outcome:
    """Parse on one core and score; `gold` is the gold standard if the input is not."""
    begin = time.process_time()
    parses = list(model.parse_all(sentences, threads=1, **options))
    seconds = time.process_time() - begin
    system = [with_analysis(model, s, p) for s, p in zip(sentences, parses, strict=True)]
    scores = score(gold or sentences, system)
    return Outcome(scores, getattr(scores, model.tag_column), len(sentences) / seconds)
