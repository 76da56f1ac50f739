"""The accuracy of a parser on a development set, as a single score and in detail.

>>> judge = DevelopmentSet(sentences, tags="both", metric="las")       # doctest: +SKIP
>>> judge(model)                                                       # doctest: +SKIP
{'score': 77.4, 'given.uas': 84.2, 'given.las': 80.5, 'joint.uas': 79.9, ...}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bistro.errors import BistroError
from bistro.evaluate.attachment import AttachmentScores, score
from bistro.models.abilities import Parser
from bistro.models.results.parses import Parse
from bistro.sums import added
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

Metric = Literal["uas", "las", "no_punct.uas", "no_punct.las"]
FIGURES = ("uas", "las", "no_punct.uas", "no_punct.las")


@dataclass(frozen=True)
class DevelopmentSet:
    """Sentences with gold trees, and the metric by which parsers are compared on them."""

    sentences: Sequence[Sentence]
    tags: Literal["joint", "given", "both"] = "both"
    metric: Metric = "las"
    punct: str | None = None
    threads: int = 1

    def __call__(self, model: Parser) -> dict[str, float]:
        """Parse the sentences and return the scores.

        If sentences are parsed both with given tags and with predicted tags, the main score is the
        mean of the two results.
        """
        ways = ("given", "joint") if self.tags == "both" else (self.tags,)
        figures: dict[str, float] = {}
        for way in ways:
            parses = model.parse_all(self.sentences, tags=way, threads=self.threads)
            scores = score(self.sentences, annotated(parses, model), self.punct)
            figures |= {f"{way}.{name}": value for name, value in _figures(scores)}
            if way == "joint" and model.finds_tags:
                figures["joint.tags"] = getattr(scores, model.tag_column)
        wanted = [figures.get(f"{way}.{self.metric}") for way in ways]
        if None in wanted:
            raise BistroError(
                f"{self.metric} cannot be computed on a treebank without labels: use uas"
            )
        return {"score": added(wanted) / len(wanted), **figures}  # type: ignore[arg-type]


def default_metric(sentences: Sequence[Sentence], *, labelled: bool = True) -> Metric:
    """Return ``"las"`` if the trees and the parser have labels, otherwise ``"uas"``."""
    known = {label for sentence in sentences for label in sentence.deprels}
    return "las" if labelled and len(known) > 1 else "uas"


def annotate(
    model: Parser,
    sentences: Iterable[Sentence | Sequence[str]],
    **options: Any,
) -> Treebank:
    """Parse sentences and return them as a treebank with the predicted trees and tags.

    Parameters
    ----------
    model
        A parser.
    sentences
        Sentences of a treebank, or lists of words.
    **options
        Options of the model's `parse`, such as ``threads`` or ``particles``.
    """
    return Treebank(annotated(model.parse_all(sentences, **options), model))


def annotated(parses: Iterable[Parse], model: Parser) -> Iterator[Sentence]:
    """Yield the sentences with their predicted trees and tags."""
    for parse in parses:
        # Features that are joined to a tag are not written to the tag column.
        tags = model.shown_tags(parse.tags)
        columns: dict[str, Any] = {"heads": parse.heads, model.tag_column: tags}
        if model.is_labelled:
            columns["deprels"] = parse.labels
        yield parse.sentence.replace(**columns)


def _figures(scores: AttachmentScores) -> Iterator[tuple[str, float]]:
    for name in FIGURES:
        value: Any = scores
        for part in name.split("."):
            value = getattr(value, part)
        if value is not None:
            yield name, value
