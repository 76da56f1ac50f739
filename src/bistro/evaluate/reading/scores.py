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
    """The surprisals of all words of all texts, in order, and whether each word is unknown."""

    surprisal: Floats
    """In bits."""
    unknown: Flags
    """Whether any part of the word is unknown to the model."""


def item_scores(
    model: Model,
    items: Sequence[Sequence[str]],
    *,
    cut: Cutting | None = None,
    **options: Any,
) -> ItemScores:
    """Score every word of every text.

    The model may split a word into several words.

    Parameters
    ----------
    model
        A model that scores words.
    items
        The words of each text, as they were shown.
    cut
        The function that splits them; default: `common_cutting` of the model.
    **options
        Options of the model's scores.
    """
    cut = cut or common_cutting([model])
    cells = [[words_in(tokens) for tokens in cut(list(words))] for words in items]
    table = SCORE.of(model).surprisal(
        [[word for own in item for word in own] for item in cells],
        eos=False,
        tokens=[
            numbered_tokens((form, len(own)) for form, own in zip(words, item, strict=True))
            for words, item in zip(items, cells, strict=True)
        ],
        **options,
    )
    rows = list(table)
    return ItemScores(
        np.array([row.surprisal for row in rows]), np.array([row.oov == 1 for row in rows])
    )


def item_surprisal(model: Model, items: Sequence[Sequence[str]], **options: Any) -> Floats:
    """Return the surprisal of every word in bits, for all texts in order."""
    return item_scores(model, items, **options).surprisal
