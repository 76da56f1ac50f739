"""Surprisal, word by word: how unexpected each word is, in bits.

    surprisal(w_i) = -log2 p(w_i | w_1 ... w_{i-1})

The rows of a sentence, its end `</s>` included, sum to -log2 of the sentence's probability.

>>> for row in surprisal_rows(model, [["Dogs", "bark"]]):                   # doctest: +SKIP
...     print(row.token, row.surprisal)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.models.base import Model, TextScores, Words, as_words


@dataclass(frozen=True)
class SurprisalRow:
    """One word, or the end of a sentence. What a model cannot tell is None."""

    sent_id: str
    word_id: int
    token: str
    oov: int
    """1 if the model does not know the word and scored its class instead."""
    surprisal: float
    """In bits."""
    surprisal_syn: float | None
    """How far the word moves the belief about the analysis: KL(after || before), in bits."""
    surprisal_lex: float | None
    """The rest: the mean surprisal of the word itself, given its analyses, in bits."""
    entropy: float | None
    """Over the analyses after this word, in bits."""
    entropy_reduction: float | None
    """How much of it the word took away; never below 0."""
    prefix_log2_prob: float
    """Base-2 logarithm of the probability of the sentence up to and including this row."""
    mc_se: float | None
    """Standard error of the surprisal where it is a Monte Carlo estimate."""


COLUMNS = tuple(field.name for field in fields(SurprisalRow))


def surprisal_rows(
    model: Model,
    sentences: Iterable[Words],
    sent_ids: Sequence[str] | None = None,
    *,
    eos: bool = True,
    **options: Any,
) -> Iterator[SurprisalRow]:
    """Yield a row a word; `sent_ids` are the sentences' names, or their numbers from 1.

    `options` go to the model's `score`.
    """
    texts = as_words(sentences)
    scores: TextScores = model.require("score")(texts, **options)
    for number, words in enumerate(texts):
        name = sent_ids[number] if sent_ids else str(number + 1)
        first, last = int(scores.offsets[number]), int(scores.offsets[number + 1])
        tokens = [*words, END_SYMBOL]
        for place in range(len(tokens) - (not eos)):
            yield _row(scores, first, first + place, name, tokens[place])
        assert last - first == len(tokens)


def _row(scores: TextScores, first: int, event: int, name: str, token: str) -> SurprisalRow:
    def bits(values: NDArray[np.float64] | None, at: int = event) -> float | None:
        return None if values is None else float(values[at]) / math.log(2)

    surprisal = -float(scores.log_probs[event]) / math.log(2)
    lexical = bits(scores.lexical)
    entropy = bits(scores.entropy)
    before = 0.0 if event == first else bits(scores.entropy, event - 1)
    prefix = float(scores.log_probs[first : event + 1].sum()) / math.log(2)
    return SurprisalRow(
        name,
        event - first + 1,
        token,
        int(scores.is_oov[event]),
        surprisal,
        None if lexical is None else surprisal - lexical,
        lexical,
        entropy,
        None if entropy is None or before is None else max(0.0, before - entropy),
        prefix,
        bits(scores.standard_error),
    )
