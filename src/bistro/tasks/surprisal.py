"""Surprisal of the sentences of a treebank or a text, row by row.

>>> for row in surprisal_rows(model, [["Dogs", "bark"]]):                   # doctest: +SKIP
...     print(row.token, row.surprisal)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bistro.models.abilities import SCORE
from bistro.models.base import Model
from bistro.models.inputs import Words
from bistro.models.results.surprisal import COLUMNS, SurprisalRow, Token, word_tokens
from bistro.tasks.stimuli import Stimulus
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
    """Yield one row per word; `sent_ids` are the sentences' names, or their numbers from 1.

    With `multiword`, a multiword token of CoNLL-U is one row, the sum of its words. `options` go to
    the model's `score`.
    """
    texts = list(sentences)
    tokens = None
    if multiword:
        tokens = [written_tokens(s) if isinstance(s, Sentence) else word_tokens(s) for s in texts]
    table = SCORE.of(model).surprisal(texts, eos=eos, names=sent_ids, tokens=tokens, **options)
    return iter(table)


def written_tokens(sentence: Sentence) -> list[Token]:
    """Return the tokens as they are written: words, and multiword tokens in place of theirs."""
    spans = {first: (last, form) for first, last, form in sentence.multiword}
    tokens: list[Token] = []
    place = 1
    while place <= len(sentence):
        last, form = spans.get(place, (place, sentence.forms[place - 1]))
        name: int | str = f"{place}-{last}" if place in spans else place
        tokens.append(Token(name, form, last - place + 1))
        place = last + 1
    return tokens


def stimulus_rows(
    model: Model,
    columns: Sequence[str],
    stimuli: Sequence[Stimulus],
    *,
    eos: bool = True,
    **options: Any,
) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the columns and rows of a table of stimuli, with those of surprisal behind its own.

    A column of surprisal that the table has a name for begins with ``bistro_``.
    """
    table = SCORE.of(model).surprisal(
        [stimulus.words for stimulus in stimuli],
        eos=eos,
        names=[stimulus.name for stimulus in stimuli],
        tokens=[stimulus.tokens for stimulus in stimuli],
        **options,
    )
    before = (cells for s in stimuli for cells in (s.cells if eos else s.cells[:-1]))
    ours = [f"bistro_{name}" if name in columns else name for name in COLUMNS]
    rows = ([*own, *vars(row).values()] for own, row in zip(before, table, strict=True))
    return [*columns, *ours], rows
