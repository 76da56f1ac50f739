"""A table of surprisal in bits, with one row per token.

    surprisal(w_i) = -log2 p(w_i | w_1 ... w_{i-1})

The rows of a sentence, including its end `</s>`, sum to -log2 of the sentence's probability. A
token may consist of several words (``don't`` is *do* and *n't*). The surprisal of such a multiword
token is the sum of the surprisals of its words.

>>> import bistro
>>> model = bistro.train("ngram", bistro.builtin(sentences=200, seed=1), seed=1)
>>> table = model.surprisal(["The", "dog", "sleeps", "."])
>>> [row.token for row in table]
['The', 'dog', 'sleeps', '.', '</s>']
>>> bool(table.to_pandas().surprisal.sum() > 5)
True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, overload

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.models.results.scores import TextScores
from bistro.treebank.sentence import Sentence

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SurprisalRow:
    """One row of a surprisal table, for a token or for the end of a sentence. Values that the model
    does not provide are None."""

    sent_id: str
    word_id: int | str
    """The position of the word, counted from 1. For a token of two words, a range such
    as ``3-4``."""
    token: str
    oov: int
    """1 if the word is unknown to the model, so that its class or its spelling is scored."""
    surprisal: float
    """Surprisal in bits."""
    surprisal_syn: float | None
    """The change in the distribution over analyses, KL(after || before), in bits."""
    surprisal_lex: float | None
    """The lexical part of the surprisal, in bits: the mean surprisal of the word given its
    analyses."""
    entropy: float | None
    """Entropy over the analyses after this word, in bits."""
    entropy_reduction: float | None
    """The reduction in entropy caused by the word. It is never negative."""
    prefix_log2_prob: float
    """Base-2 logarithm of the probability of the sentence up to and including this row."""
    mc_se: float | None
    """Standard error of the surprisal, if it is a Monte Carlo estimate."""


COLUMNS = tuple(field.name for field in fields(SurprisalRow))


@dataclass(frozen=True)
class Token:
    """A token that has its own row, with its identifier, its form and its number of words."""

    id: int | str
    form: str
    size: int = 1


def word_tokens(words: Iterable[str]) -> list[Token]:
    """Return every word as a separate token."""
    return [Token(place, word) for place, word in enumerate(words, start=1)]


def numbered_tokens(items: Iterable[tuple[str, int]]) -> list[Token]:
    """Assign identifiers to tokens, given the form and the number of words of each token."""
    tokens = []
    place = 1
    for form, size in items:
        name: int | str = place if size == 1 else f"{place}-{place + size - 1}"
        tokens.append(Token(name, form, size))
        place += size
    return tokens


def written_tokens(sentence: Sentence) -> list[Token]:
    """Return the tokens as written, with multiword tokens instead of their words."""
    spans = {first: (last, form) for first, last, form in sentence.multiword}
    tokens: list[Token] = []
    place = 1
    while place <= len(sentence):
        last, form = spans.get(place, (place, sentence.forms[place - 1]))
        name: int | str = f"{place}-{last}" if place in spans else place
        tokens.append(Token(name, form, last - place + 1))
        place = last + 1
    return tokens


class SurprisalTable(Sequence[SurprisalRow]):
    """A surprisal table in text order, with the scores from which it is computed."""

    def __init__(self, rows: Iterable[SurprisalRow], scores: TextScores) -> None:
        self.rows = tuple(rows)
        self.scores = scores

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> SurprisalRow: ...
    @overload
    def __getitem__(self, index: slice) -> SurprisalTable: ...
    def __getitem__(self, index: int | slice) -> SurprisalRow | SurprisalTable:
        return (
            SurprisalTable(self.rows[index], self.scores)
            if isinstance(index, slice)
            else self.rows[index]
        )

    def __repr__(self) -> str:
        from bistro.data_frames import aligned

        columns = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        known = {n: c for n, c in columns.items() if any(value is not None for value in c)}
        return aligned(known)

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with the columns in `COLUMNS`. Missing values are NaN."""
        from bistro.data_frames import pandas

        pd = pandas()

        table = pd.DataFrame([vars(row) for row in self.rows], columns=list(COLUMNS))
        return table.astype(dict.fromkeys(COLUMNS[4:], "float64"))

    def _repr_html_(self) -> str:
        """Return an HTML table of the tokens, with surprisal bars, for notebooks."""
        from bistro.pictures.notebook import table_html  # only notebooks need it

        named = ("surprisal", "surprisal_syn", "surprisal_lex", "entropy")
        known = [name for name in named if any(getattr(row, name) is not None for row in self.rows)]
        rows = [[row.token, *(getattr(row, name) for name in known)] for row in self.rows]
        bars = [
            max(0.0, row.surprisal) if math.isfinite(row.surprisal) else 0.0 for row in self.rows
        ]
        return table_html(["token", *known], rows, bars=bars, caption="bits")


def rows_of(
    scores: TextScores, sentences: Iterable[tuple[str, Sequence[Token]]], *, eos: bool = True
) -> Iterator[SurprisalRow]:
    """Yield the rows of scored sentences, given the name and the tokens of each sentence."""
    for number, (name, tokens) in enumerate(sentences):
        first, last = scores.offsets[number : number + 2].tolist()
        end = Token(sum(token.size for token in tokens) + 1, END_SYMBOL)
        assert last - first == end.id
        at = first
        for token in [*tokens, end] if eos else tokens:
            yield _row(scores, name, token, first, at)
            at += token.size


def _row(scores: TextScores, name: str, token: Token, first: int, at: int) -> SurprisalRow:
    """Return the row for a token whose events start at index `at`.

    The events of the token's sentence start at index `first`.
    """
    nats = 1 / math.log(2)
    events = slice(at, at + token.size)
    last = at + token.size - 1
    surprisal = -float(scores.log_probs[events].sum()) * nats
    lexical = entropy = reduction = None
    if scores.lexical is not None:
        lexical = float(scores.lexical[events].sum()) * nats
    if scores.entropy is not None:
        entropy = float(scores.entropy[last]) * nats
        before = float(scores.entropy[at - 1]) * nats if at > first else 0.0
        reduction = max(0.0, before - entropy)
    error = scores.error_of(first, at, at + token.size)
    return SurprisalRow(
        name,
        token.id,
        token.form,
        int(scores.is_oov[events].any()),
        surprisal,
        None if lexical is None else surprisal - lexical,
        lexical,
        entropy,
        reduction,
        float(scores.log_probs[first : last + 1].sum()) * nats,
        None if error is None else error * nats,
    )
