"""The surprisal of words as they were read: *don't.* has the sum of its parts.

>>> import bistro
>>> model = bistro.train("ngram", bistro.builtin(sentences=100, seed=1), seed=1)
>>> whole = item_scores(model, [["The", "dog", "slept."]])
>>> parts = item_scores(model, [["The", "dog", "slept", "."]])
>>> bool(abs(whole.surprisal[2] - parts.surprisal[2:].sum()) < 1e-9), whole.unknown.tolist()
(True, [False, False, False])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro.evaluate.reading.regression import Floats
from bistro.models.abilities import SCORE
from bistro.models.base import Model
from bistro.models.results.surprisal import numbered_tokens
from bistro.models.results.tokens import words_in
from bistro.tasks.cutting import Cutting, common_cutting

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class ItemScores:
    """The surprisals of all words in all texts, in order, and whether each word is unknown."""

    surprisal: Floats
    """In bits."""
    unknown: Flags
    """Whether any part of the word is unknown to the model."""
    unknown_parts: tuple[str, ...]
    """The distinct unknown parts of words, in the order in which they are scored."""


def item_scores(
    model: Model,
    items: Sequence[Sequence[str]],
    *,
    cut: Cutting | None = None,
    order: Sequence[int] | None = None,
    **options: Any,
) -> ItemScores:
    """Score every word in every text.

    The model may split a word into several words. The result is in the order of `items`.

    Parameters
    ----------
    model
        A model that scores words.
    items
        The words of each text, as they were shown.
    cut
        The function that splits them; default: `common_cutting` of the model.
    order
        The order in which the texts are scored, as indices; default: their own order. Estimates
        depend on this order, because it determines the random numbers for each text.
    **options
        Options of the model's scores, in which documents are in the order of scoring.
    """
    cut = cut or common_cutting([model])
    order = range(len(items)) if order is None else order
    ordered = [items[text] for text in order]
    cells = [[words_in(tokens) for tokens in cut(list(words))] for words in ordered]
    scorer = SCORE.of(model)
    table = scorer.surprisal(
        [[word for own in item for word in own] for item in cells],
        eos=False,
        tokens=[
            numbered_tokens((form, len(own)) for form, own in zip(words, item, strict=True))
            for words, item in zip(ordered, cells, strict=True)
        ],
        **options,
    )
    rows = list(table)
    texts = np.repeat(np.array(order, np.int64), [len(words) for words in ordered])
    back = np.argsort(texts, kind="stable")
    scored_cells = zip((own for item in cells for own in item), rows, strict=True)
    parts = dict.fromkeys(word for own, row in scored_cells if row.oov == 1 for word in own)
    return ItemScores(
        np.array([row.surprisal for row in rows])[back],
        np.array([row.oov == 1 for row in rows])[back],
        tuple(filter(scorer.vocabulary.is_unknown, parts)),
    )


def item_surprisal(model: Model, items: Sequence[Sequence[str]], **options: Any) -> Floats:
    """Return the surprisal of every word in bits, for all texts in order."""
    return item_scores(model, items, **options).surprisal
