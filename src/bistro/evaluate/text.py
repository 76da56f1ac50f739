"""How well a model predicts a text, in one call.

>>> import bistro
>>> model = bistro.train("ngram", [["to", "be"], ["or", "not", "to", "be"]], seed=1)
>>> figures = text_figures(model, [["to", "be"]])
>>> figures.words, figures.perplexity > 1
(2, True)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bistro.evaluate.interpolation import vocabulary_of
from bistro.evaluate.language import LanguageFigures, count_characters, language_figures
from bistro.models.base import Model, Words, as_words


def text_figures(model: Model, sentences: Iterable[Words], **options: Any) -> LanguageFigures:
    """Score sentences with a model and summarise; see `bistro.evaluate.language`.

    `options` go to the model's `score`.
    """
    words = as_words(sentences)
    scores = model.require("score")(words, **options)
    return language_figures(
        scores.log_probs,
        scores.is_eos,
        scores.is_oov,
        count_characters(words),
        open_vocabulary=vocabulary_of(model).is_open,
    )
