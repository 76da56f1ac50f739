"""Compute the surprisal of the sentences in a treebank or a text, row by row.

>>> for row in surprisal_rows(model, [["Dogs", "bark"]]):                   # doctest: +SKIP
...     print(row.token, row.surprisal)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from bistro.errors import ConfigError
from bistro.inference.workers import Workers
from bistro.models.abilities import SCORE
from bistro.models.base import Model
from bistro.models.inputs import Words
from bistro.models.results.surprisal import (
    COLUMNS,
    SurprisalRow,
    Token,
    numbered_tokens,
    word_tokens,
    written_tokens,
)
from bistro.models.results.tokens import CutToken, words_in
from bistro.tasks import spread
from bistro.tasks.cutting import Cutting, visible, visible_text
from bistro.tasks.mixture import Mixture
from bistro.tasks.regions import Parts, bracketed, region_rows
from bistro.tasks.stimuli import Stimulus
from bistro.treebank.documents import check_documents
from bistro.treebank.sentence import Sentence

__all__ = ["COLUMNS", "SurprisalRow", "surprisal_rows", "written_tokens"]


def surprisal_rows(
    model: Model,
    sentences: Iterable[Words],
    sent_ids: Sequence[str] | None = None,
    *,
    eos: bool = True,
    multiword: bool = False,
    **options: Any,
) -> Iterator[SurprisalRow]:
    """Yield one row per word, with its surprisal in bits.

    Parameters
    ----------
    model
        A model that scores words.
    sentences
        Sentences of a treebank, or lists of words.
    sent_ids
        Names of the sentences; default: their numbers from 1.
    eos
        Whether the end of each sentence has a row.
    multiword
        Whether a multiword token of CoNLL-U is one row, the sum of its words.
    **options
        Options of the model's `score`.
    """
    texts = list(sentences)
    tokens = None
    if multiword:
        tokens = [written_tokens(s) if isinstance(s, Sentence) else word_tokens(s) for s in texts]
    table = SCORE.of(model).surprisal(texts, eos=eos, names=sent_ids, tokens=tokens, **options)
    return iter(table)


class ReadSentence(NamedTuple):
    """A sentence to score, with its name, its words, and the tokens that get one row each."""

    name: str
    words: list[str]
    rows: list[Token]
    parts: Parts | None = None
    """The texts and names of the regions, if each row is a bracketed region."""
    document: int | str = 0
    """The number or the name of the document."""


def cut_sentence(tokens: Sequence[CutToken], name: str, *, multiword: bool) -> ReadSentence:
    """Prepare a tokenised sentence for scoring.

    With `multiword`, a token has one row for all its words.
    """
    words = words_in(tokens)
    sizes = ((token.form, len(token.words)) for token in tokens)
    return ReadSentence(name, words, numbered_tokens(sizes) if multiword else word_tokens(words))


def read_sentence(
    sentence: Sentence, name: str, path: str, *, multiword: bool, cut: Cutting | None
) -> ReadSentence:
    """Prepare a sentence from a file for scoring.

    `cut` splits a line of text into words. If `cut` is None, the line is not split.
    """
    words = [visible(form, path, sentence.line) for form in sentence.forms]
    if cut is not None:
        return cut_sentence(cut([" ".join(words)])[0], name, multiword=multiword)
    rows = written_tokens(sentence) if multiword else word_tokens(words)
    return ReadSentence(sentence.sent_id or name, words, rows)


def bracketed_sentence(sentence: Sentence, name: str, path: str, cut: Cutting) -> ReadSentence:
    """Prepare a line of text for scoring, with one row per bracketed region."""
    text = visible_text(" ".join(sentence.forms), path, sentence.line)
    parts = bracketed(text, path, sentence.line)
    rows, words = region_rows(parts, cut)
    return ReadSentence(sentence.sent_id or name, words, rows, parts)


def scored_rows(
    model: Model | Mixture,
    sentences: Sequence[ReadSentence],
    *,
    eos: bool = True,
    memory: bool = False,
    workers: Workers | None = None,
    **options: Any,
) -> Iterator[SurprisalRow]:
    """Yield the rows of all sentences.

    With `memory`, scores depend on the earlier sentences in the document. `workers` score the
    sentences in batches. By default, this process scores all sentences.
    """
    names, texts, tokens, _, documents = (list(part) for part in zip(*sentences, strict=True))
    if memory:
        check_documents(documents, len(texts))
        options["documents"] = documents
    if isinstance(model, Mixture):
        if workers is not None:
            raise ConfigError("a mixture (--with) is scored by one process: leave out --cluster")
        return iter(model.surprisal(texts, eos=eos, names=names, tokens=tokens, **options))
    if workers is None:
        return iter(
            SCORE.of(model).surprisal(texts, eos=eos, names=names, tokens=tokens, **options)
        )
    return spread.surprisal_rows(workers, model, texts, names, tokens, eos=eos, options=options)


def stimulus_rows(
    model: Model | Mixture,
    columns: Sequence[str],
    stimuli: Sequence[Stimulus],
    *,
    eos: bool = True,
    memory: bool = False,
    workers: Workers | None = None,
    **options: Any,
) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns and rows of a stimulus table, with surprisal columns appended.

    If the table already has a column with the name of a surprisal column, the new column gets the
    prefix ``bistro_``.
    """
    sentences = [
        ReadSentence(stimulus.name, stimulus.words, stimulus.tokens, document=stimulus.document)
        for stimulus in stimuli
    ]
    table = scored_rows(model, sentences, eos=eos, memory=memory, workers=workers, **options)
    before = (cells for s in stimuli for cells in (s.cells if eos else s.cells[:-1]))
    ours = [f"bistro_{name}" if name in columns else name for name in COLUMNS]
    rows = ([*own, *vars(row).values()] for own, row in zip(before, table, strict=True))
    return [*columns, *ours], rows
