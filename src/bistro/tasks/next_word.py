"""Next-word prediction: the most probable words after a context, and the scores of given words.

In a cloze task, people are given the beginning of a sentence and continue it. A model gives the
exact probability of every word, the rank of the target word, and the entropy of the whole
distribution.

>>> import bistro
>>> model = bistro.train("ngram", bistro.builtin(sentences=200, seed=1), seed=1)
>>> questions = [Question("1", ["The", "dog"], ["was", "zyzzyva"])]
>>> [(row.word, row.target, row.oov) for row in next_word_rows(model, questions)]
[('was', 1, 0), ('zyzzyva', 1, 1)]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from bistro.errors import BistroError, TreebankError
from bistro.models.abilities import SCORE
from bistro.models.base import Model
from bistro.models.results.next_words import NextWord, NextWords
from bistro.models.results.tokens import words_in
from bistro.tasks.cutting import Cutting, visible_text
from bistro.tasks.mixture import Mixture
from bistro.tasks.stimuli import Table

DEFAULT_TOP = 10
"""Number of words that are shown if there are no targets."""


@dataclass(frozen=True)
class Question:
    """A context and its target words."""

    name: str
    context: list[str]
    targets: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    """The cells of the table row that contains the context."""


@dataclass(frozen=True)
class NextWordRow:
    """The scores of one word after one context. Values that a model does not provide are None."""

    context_id: str
    context: str
    target: int
    """1 for a target word, 0 for one of the most probable words."""
    rank: int | None
    """1 plus the number of words, classes of unknown words and ends that are more probable. None
    for an unknown word that has the probability of its whole class."""
    word: str
    oov: int
    """1 if the word is unknown to the model, so that its class or its spelling was scored."""
    probability: float
    surprisal: float
    """In bits."""
    mc_se: float | None
    """Standard error of the surprisal, if the surprisal is a Monte Carlo estimate."""
    tag: str | None
    """The most probable tag of the word in this context, if the model generates tags."""
    tag_probability: float | None
    entropy: float
    """The entropy of the next word, in bits."""
    entropy_se: float | None
    """Standard error of the entropy."""


COLUMNS = tuple(one.name for one in fields(NextWordRow))


def answers(
    model: Model | Mixture, questions: Iterable[Question], **options: Any
) -> Iterator[tuple[Question, NextWords]]:
    """Yield each question with the distribution of the next word in its context.

    If successive questions have the same context, it is scored only once.
    """
    scorer = model if isinstance(model, Mixture) else SCORE.of(model)
    last: tuple[list[str], NextWords] | None = None
    for question in questions:
        if last is None or last[0] != question.context:
            last = question.context, scorer.next_words(question.context, **options)
        yield question, last[1]


def next_word_rows(
    model: Model | Mixture,
    questions: Iterable[Question],
    *,
    top: int | None = None,
    **options: Any,
) -> Iterator[NextWordRow]:
    """Yield the most probable words after each context, then the target words for the context.

    Parameters
    ----------
    model
        A model that scores words, or a mixture of such models.
    questions
        Contexts with their targets.
    top
        Number of likeliest words that get a row; default: 10, or none if there are targets.
    **options
        Options of the model's scores.
    """
    for question, answer in answers(model, questions, **options):
        yield from rows_of(question, answer, top)


def rows_of(question: Question, answer: NextWords, top: int | None = None) -> list[NextWordRow]:
    """Return the table rows for one context: its most probable words, then its target words."""
    shown = answer.top(number_shown(question, top))
    likeliest = [_row(question, answer, word, 0) for word in shown]
    return likeliest + [_row(question, answer, word, 1) for word in answer.of(question.targets)]


def number_shown(question: Question, top: int | None) -> int:
    """Return how many of the most probable words to show for a context."""
    return (0 if question.targets else DEFAULT_TOP) if top is None else top


def _row(question: Question, answer: NextWords, word: NextWord, target: int) -> NextWordRow:
    tag, share = next(iter((word.tags or {}).items()), (None, None))
    return NextWordRow(
        question.name,
        " ".join(question.context),
        target,
        word.rank,
        word.word,
        word.oov,
        word.probability,
        word.surprisal,
        word.mc_se,
        tag,
        share,
        answer.entropy,
        answer.entropy_se,
    )


def questions_of_table(
    table: Table, text: str, target: str | None, name: str | None, cut: Cutting
) -> Iterator[Question]:
    """Yield the questions in a table that has one context per row and an optional target."""
    place = table.column(text)
    of_target = None if target is None else table.column(target)
    names = None if name is None else table.column(name)
    for number, (line, cells) in enumerate(table.rows, start=1):
        context = context_words(visible_text(cells[place], table.path, line), cut)
        targets = []
        if of_target is not None:
            try:
                targets = [single_word(cells[of_target], cut)]
            except BistroError as error:
                raise TreebankError(str(error), path=table.path, line=line) from None
        called = str(number) if names is None else cells[names]
        yield Question(called, context, targets, list(cells))


def context_words(text: str, cut: Cutting) -> list[str]:
    """Return the words of a context, which may be empty."""
    return words_in(*cut([text])) if text.strip() else []


def single_word(text: str, cut: Cutting) -> str:
    """Tokenise a target as the model does, and return its only word.

    Raise an error unless the target is exactly one word.
    """
    words: Sequence[str] = context_words(visible_text(text), cut)
    if not words:
        raise BistroError("there is no target word")
    if len(words) != 1:
        raise BistroError(
            f"the target '{text.strip()}' has {len(words)} words, but must be a single word: move "
            "the other words to the end of the context"
        )
    return words[0]
