"""Surprisal of the sentences of a treebank or a text, row by row; see `bistro.models.results.surprisal`.

>>> for row in surprisal_rows(model, [["Dogs", "bark"]]):                   # doctest: +SKIP
...     print(row.token, row.surprisal)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bistro.models.base import Model, TextScores, Words, as_words
from bistro.models.results.surprisal import COLUMNS, SurprisalRow, Token, rows_of, word_tokens
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
    """Yield a row a word; `sent_ids` are the sentences' names, or their numbers from 1.

    With `multiword`, a multiword token of CoNLL-U is one row, the sum of its words. `options` go to
    the model's `score`.
    """
    given = list(sentences)
    texts = as_words(given)
    scores: TextScores = model.require("score")(texts, **options)
    tokens = [
        written_tokens(sentence)
        if multiword and isinstance(sentence, Sentence)
        else word_tokens(words)
        for sentence, words in zip(given, texts, strict=True)
    ]
    names = sent_ids or [str(number) for number in range(1, len(texts) + 1)]
    yield from rows_of(scores, zip(names, tokens, strict=True), eos=eos)


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
