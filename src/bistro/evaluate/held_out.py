"""The accuracy of any kind of model on sentences that were not in its training data.

    parsers          uas, las      all words count, subtypes of relations ignored (UD)
                     tags          share of correct tags, if the parser finds them
    taggers          tags
    language models  perplexity    words and sentence ends, with bits_per_word

>>> import bistro
>>> treebank = bistro.builtin(sentences=60, seed=1)
>>> model = bistro.train("eisner", treebank[:50], sampler={"sweeps": 2, "samples": 1})
>>> sorted(judge(model, treebank[50:]).figures)
['las', 'tags', 'uas']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any, Literal

from bistro.errors import BistroError
from bistro.evaluate.attachment import score
from bistro.evaluate.development import annotated
from bistro.evaluate.text import text_figures
from bistro.models.abilities import Parser, Tagger
from bistro.models.base import Model
from bistro.models.results.parses import Parse
from bistro.tasks.parsed import with_shown_tags
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

Tags = Literal["joint", "given"]


@dataclass(frozen=True)
class Judgement:
    """The scores and the parses of a model on held-out sentences."""

    figures: dict[str, float]
    sentences: int
    words: int
    parses: list[Parse]
    """Parses with marginals. The list is empty if the model is not a parser, or if no parses were
    requested."""
    tag_column: str = "upos"


def judge(
    model: Model, sentences: Sequence[Any], *, tags: Tags = "joint", keep: bool = False
) -> Judgement:
    """Test a model on annotated sentences, using a single thread.

    With `keep`, the result includes the model's parses.
    """
    size = len(sentences), sum(map(len, sentences))
    if isinstance(model, Parser):
        parses = list(model.parse_all(sentences, tags=tags, marginals=keep, threads=1))
        figures = _attachment(model, sentences, parses, tags)
        kept = [with_shown_tags(parse, model) for parse in parses] if keep else []
        return Judgement(figures, *size, kept, model.tag_column)
    if isinstance(model, Tagger):
        return Judgement({"tags": _tag_accuracy(model, sentences)}, *size, [])
    scores = text_figures(model, sentences)
    return Judgement(
        {"perplexity": scores.perplexity, "bits_per_word": scores.bits_per_word}, *size, []
    )


def require_trees(sentences: Sequence[Any], path: str | None = None) -> None:
    """Raise an error if any word has no head, since scoring requires complete trees."""
    for sentence in sentences:
        if not isinstance(sentence, Sentence) or MISSING in sentence.heads:
            line = f"{path or 'line'}:{sentence.line}: " if isinstance(sentence, Sentence) else ""
            raise BistroError(
                f"{line}a word has no head, but training and evaluating a parser require complete "
                "trees"
            )


def _attachment(
    model: Parser, sentences: Sequence[Sentence], parses: list[Parse], tags: Tags
) -> dict[str, float]:
    scores = score(sentences, annotated(parses, model))
    figures = {"uas": scores.uas, "las": scores.las if model.is_labelled else None}
    if tags == "joint" and model.finds_tags:
        figures["tags"] = getattr(scores, model.tag_column)
    return {name: value for name, value in figures.items() if value is not None}


def _tag_accuracy(model: Tagger, sentences: Sequence[Sentence]) -> float:
    column = model.tag_column
    pairs = [(t.tags, getattr(t.sentence, column)) for t in model.tag_all(sentences)]
    right = sum(sum(map(eq, tags, gold)) for tags, gold in pairs)
    return 100 * right / sum(len(gold) for _, gold in pairs)
