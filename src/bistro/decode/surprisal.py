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

from bistro.encoding.vocabulary import END_SYMBOL
from bistro.models.base import Model, TextScores, Words, as_words


@dataclass(frozen=True)
class SurprisalRow:
    """One word, or the end of a sentence."""

    sent_id: str
    word_id: int
    token: str
    oov: int
    """1 if the model does not know the word and scored its class instead."""
    surprisal: float
    """In bits."""
    prefix_log2_prob: float
    """Base-2 logarithm of the probability of the sentence up to and including this row."""


COLUMNS = tuple(field.name for field in fields(SurprisalRow))


def surprisal_rows(
    model: Model,
    sentences: Iterable[Words],
    sent_ids: Sequence[str] | None = None,
    *,
    eos: bool = True,
) -> Iterator[SurprisalRow]:
    """Yield a row a word; `sent_ids` are the sentences' names, or their numbers from 1."""
    texts = as_words(sentences)
    scores: TextScores = model.require("score")(texts)
    for number, words in enumerate(texts):
        name = sent_ids[number] if sent_ids else str(number + 1)
        prefix = 0.0
        events = range(int(scores.offsets[number]), int(scores.offsets[number + 1]))
        for place, (token, event) in enumerate(zip([*words, END_SYMBOL], events, strict=True)):
            if place == len(words) and not eos:
                break
            bits = -float(scores.log_probs[event]) / math.log(2)
            prefix -= bits
            yield SurprisalRow(name, place + 1, token, int(scores.is_oov[event]), bits, prefix)
