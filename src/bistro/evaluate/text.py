"""Functions that score a text with a model and compute perplexity and related figures.

>>> import bistro
>>> model = bistro.train("ngram", [["to", "be"], ["or", "not", "to", "be"]], seed=1)
>>> figures = text_figures(model, [["to", "be"]])
>>> figures.words, figures.perplexity > 1
(2, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bistro.evaluate.language import (
    LanguageFigures,
    count_bytes,
    count_characters,
    language_figures,
)
from bistro.models.abilities import SCORE, Scorer
from bistro.models.base import Model
from bistro.models.inputs import as_words
from bistro.models.results.scores import TextScores
from bistro.progress import phase


def text_figures(model: Model, sentences: Iterable[Any], **options: Any) -> LanguageFigures:
    """Score sentences with a model and summarise; see `bistro.evaluate.language`.

    Parameters
    ----------
    model
        A model that scores words.
    sentences
        Sentences of a treebank, lists of words, or constituency trees.
    **options
        Options of the model's `score`.
    """
    words = as_words(sentences)
    scorer = SCORE.of(model)
    with phase("scoring"):
        scores = scorer.score(words, **options)
    return figures_of(scorer, words, scores)


def figures_of(
    model: Scorer, words: Sequence[Sequence[str]], scores: TextScores
) -> LanguageFigures:
    """Summarise the scores that a model assigned to a text."""
    return language_figures(
        scores.log_probs,
        scores.is_eos,
        scores.is_oov,
        count_characters(words),
        bytes=count_bytes(words),
        open_vocabulary=model.vocabulary.is_open,
    )
