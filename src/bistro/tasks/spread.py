"""Divide a model's work into batches for workers, on threads or on a cluster.

The workers are defined in `bistro.inference.workers`.

Sentences are divided into batches, in order, and the results are recombined in the same order. The
result is the same as that of a single call, for any number of workers. Random draws depend on a
sentence's position in the input, so each batch includes the position of its first sentence.

>>> import bistro
>>> from bistro.inference.workers import LocalWorkers
>>> treebank = bistro.builtin(sentences=60, seed=1)
>>> model = bistro.train("eisner", treebank, sampler={"sweeps": 2, "samples": 1})
>>> parses = parsed(LocalWorkers(2), model, treebank, {})
>>> sum(facts.words for facts, _ in parses) == sum(map(len, treebank))
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from bistro.errors import ConfigError
from bistro.inference.workers import Workers
from bistro.models.abilities import ANNOTATE, PARSE, PARSE_TREES, REMEMBER, SCORE
from bistro.models.base import Model
from bistro.models.inputs import SENTENCES_AT_ONCE, Words, as_words
from bistro.models.results.scores import TextScores
from bistro.models.results.structures import TreeParse
from bistro.models.results.surprisal import SurprisalRow, Token, rows_of
from bistro.models.scoring import distinct
from bistro.models.shared import SharedModel
from bistro.tasks.parsed import ParseFacts, ParseWriter, Written
from bistro.treebank.sentence import Sentence

PIECE_SENTENCES = 100
"""Number of sentences per batch. A batch takes between a tenth of a second and several seconds,
depending on the model."""
Item = TypeVar("Item")
Result = TypeVar("Result")


def pieces_of(
    items: Iterable[Item], size: int = PIECE_SENTENCES
) -> Iterator[tuple[int, list[Item]]]:
    """Yield items in batches, each with the index of its first item."""
    waiting, first = iter(items), 0
    while piece := list(islice(waiting, size)):
        yield first, piece
        first += len(piece)


class Question(NamedTuple):
    """A batch of sentences, and the options for the method that is called."""

    items: list[Any]
    options: dict[str, Any]
    first: int = 0
    """The index of the first item."""


def parsed(
    workers: Workers,
    model: Model,
    sentences: Iterable[Sentence],
    options: Mapping[str, Any],
    *,
    given_tags: bool = False,
) -> Iterator[tuple[ParseFacts, list[Written]]]:
    """Yield the parses of ``model.parse_all(sentences, **options)`` as text for a file."""
    if options.get("resample"):
        raise ConfigError(
            "--resample draws the trees of all sentences together: leave out --cluster"
        )
    draws = bool(options.get("samples"))
    if draws and not getattr(PARSE.of(model).parse_options, "samples_by_number", True):
        raise ConfigError(
            f"samples from {model.kind} models are drawn by one process: leave out --cluster"
        )
    # The core uses one random stream for all sentences that it processes at once.
    size = SENTENCES_AT_ONCE if draws else PIECE_SENTENCES
    questions = (
        Question(piece, {**options, **({"first": first} if draws else {}), "threads": 1}, first)
        for first, piece in pieces_of(sentences, size)
    )
    task = partial(parse_piece, given_tags=given_tags)
    for answer in workers.run(task, SharedModel(model), questions):
        yield from answer


def parse_piece(
    shared: SharedModel[Any], question: Question, *, given_tags: bool
) -> list[tuple[ParseFacts, list[Written]]]:
    """Parse sentences and return the parses as text (a task for workers)."""
    parser = PARSE.of(shared.open())
    writer = ParseWriter.of(parser, given_tags=given_tags)
    writer.sentences_written = question.first
    return [
        (
            ParseFacts.of(parse, parser, given_tags=given_tags),
            [Written.of(sentence) for sentence in writer.sentences(parse)],
        )
        for parse in parser.parse_all(question.items, **question.options)
    ]


def annotate_all(
    workers: Workers, model: Model, sentences: Iterable[Sentence], options: Mapping[str, Any]
) -> Iterator[Sentence]:
    """Yield the results of ``model.annotate_all(sentences, **options)``."""
    worker_options = {**options, "threads": 1}
    questions = (Question(piece, worker_options) for _, piece in pieces_of(sentences))
    for answer in workers.run(_annotate, SharedModel(model), questions):
        yield from answer


def _annotate(shared: SharedModel[Any], question: Question) -> list[Sentence]:
    return list(ANNOTATE.of(shared.open()).annotate_all(question.items, **question.options))


def parse_trees(
    workers: Workers, model: Model, sentences: Iterable[Words], options: Mapping[str, Any]
) -> Iterator[TreeParse]:
    """Yield the results of ``model.parse_trees(sentences, **options)``."""
    worker_options = {**options, "threads": 1}
    questions = (
        Question(piece, {**worker_options, "first": first})
        for first, piece in pieces_of(sentences, TREE_SENTENCES)
    )
    for answer in workers.run(_parse_trees, SharedModel(model), questions):
        yield from answer


TREE_SENTENCES = 10
"""Number of sentences per batch in constituency parsing, which is about a hundred times slower than
dependency parsing."""


def _parse_trees(shared: SharedModel[Any], question: Question) -> list[TreeParse]:
    return list(PARSE_TREES.of(shared.open()).parse_trees(question.items, **question.options))


def surprisal_rows(
    workers: Workers,
    model: Model,
    texts: Sequence[Words],
    names: Sequence[str],
    tokens: Sequence[Sequence[Token]],
    *,
    eos: bool,
    options: Mapping[str, Any],
) -> Iterator[SurprisalRow]:
    """Yield the rows of ``model.surprisal(texts, names=names, tokens=tokens, **options)``."""
    scorer: Any = SCORE.of(model)
    known = scorer.score_options.names()
    own = {name: value for name, value in options.items() if name != "documents"}
    if "threads" in known:
        own["threads"] = 1
    words = as_words(texts)
    different, order = distinct(words)

    def questions() -> Iterator[Question]:
        for first, piece in pieces_of(different):
            place = {"part": (first, len(different))} if "part" in known else {}
            yield Question(piece, {**own, **place})

    parts = list(workers.run(score_piece, SharedModel(scorer), questions()))
    scores = TextScores.joined(parts).taken(order)
    if options.get("documents") is not None:
        # The memory of a document needs all of its sentences, in their order.
        scores = REMEMBER.of(model).remember(scores, words, options["documents"])
    return rows_of(scores, zip(names, tokens, strict=True), eos=eos)


def score_piece(shared: SharedModel[Any], question: Question) -> TextScores:
    """Score sentences and return the scores (a task for workers)."""
    return SCORE.of(shared.open()).score(question.items, **question.options)
