"""A model's suggestions for all values that an annotator has left open.

Heads, labels and tags that a sentence has are evidence; the open values are predicted given this
evidence, as in `bistro.tasks.complete`. Alternatives for an annotated word are found in the same
way. The values of the word are treated as open, and all other words are evidence.

>>> import bistro
>>> from bistro.models.abilities import PARSE
>>> parser = PARSE.of(bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1))
>>> dog = Sentence.from_columns(["The", "dog", "sleeps"], heads=[-1, 3, -1])
>>> suggestion = suggest(dog, parser)
>>> suggestion.heads, suggestion.sure["heads"][1]
([2, 3, 0], None)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bistro._core import pause
from bistro.models.abilities import Parser
from bistro.models.committee.model import CommitteeModel
from bistro.models.parsing.tagging import summed
from bistro.models.results.parses import Parse, plain_label
from bistro.tasks import given_the_rest
from bistro.tasks.complete import (
    Completion,
    combined_heads,
    lacking,
    usable,
    value_probabilities,
)
from bistro.tasks.given_the_rest import Opinion
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

MOST_SHOWN = 8
"""Number of alternatives listed per field."""
SURE = 0.5
"""Minimum probability of an alternative that is reported as a finding."""
OPTIONS: dict[str, Any] = {"tags": "given", "partial": True, "marginals": True, "threads": 1}
Shares = list[list[tuple[Any, float]]]


@dataclass(frozen=True)
class Suggestion:
    """The tree of a sentence, with the most probable values where no values are given."""

    heads: list[int]
    labels: list[str]
    """The labels of the arcs. The list is empty for a model without labels."""
    tags: list[str]
    tag_column: str
    sure: dict[str, list[float | None]]
    """The probability of each value, by column, or None for given values."""
    alternatives: dict[str, Shares]
    """The most probable values for each word, by column."""
    relaxed: bool
    """Whether the given heads were ignored because the model allows no tree with these heads."""

    @property
    def doubts(self) -> tuple[float, ...]:
        """The probability that each open arc has a wrong head or label."""
        labels = self.sure.get("deprels") or [None] * len(self.heads)
        pairs = zip(self.sure["heads"], labels, strict=True)
        return tuple(
            1 - (1.0 if head is None else head) * (1.0 if label is None else label)
            for head, label in pairs
            if head is not None or label is not None
        )

    def values(self, word: int) -> dict[str, Any]:
        """Return the suggested values for the open fields of a word, by column.

        Words are counted from 0.
        """
        columns: dict[str, Sequence[Any]] = {
            "heads": self.heads,
            "deprels": self.labels,
            self.tag_column: self.tags,
        }
        return {
            name: column[word]
            for name, column in columns.items()
            if name in self.sure and self.sure[name][word] is not None
        }


def suggest(sentence: Sentence, parser: Parser, seed: int = 1) -> Suggestion:
    """Predict the open values in a sentence, given its other values."""
    relaxed = Completion()
    evidence = usable(sentence, parser, relaxed)
    (parse,) = parser.parse_all([evidence], seed=seed, **OPTIONS)
    heads = combined_heads(sentence, parse, single_root=parser.single_root)
    column = parser.tag_column
    values: dict[str, Sequence[Any]] = {
        "heads": heads,
        "deprels": [plain_label(label) for label in parse.labels] if parser.is_labelled else [],
        column: parser.shown_tags(parse.tags),
    }
    open_words = lacking(sentence, parser)
    sure: dict[str, list[float | None]] = {}
    kept: dict[str, list[Any]] = {}
    for name in values:
        own = getattr(sentence, name)
        is_open = set(open_words.get(name, ()))
        kept[name] = [values[name][w] if w in is_open else own[w] for w in range(len(own))]
        figures = value_probabilities(name, heads, parse, parser) if is_open else []
        sure[name] = [figures[w] if w in is_open else None for w in range(len(own))]
    return Suggestion(
        kept["heads"],
        kept["deprels"],
        kept[column],
        column,
        sure,
        _alternatives(parse, parser),
        bool(relaxed.relaxed) or parse.relaxed,
    )


def ask_word(sentence: Sentence, word: int, parser: Parser, seed: int = 1) -> dict[str, Any]:
    """Return the most probable values for a word, given the rest of the annotation.

    Words are counted from 1.
    """
    opened: dict[str, list[Any]] = {}
    for name in ("heads", "deprels", parser.tag_column):
        column = list(getattr(sentence, name))
        column[word - 1] = MISSING if name == "heads" else EMPTY
        opened[name] = column
    evidence = usable(sentence.replace(**opened), parser, Completion())
    (parse,) = parser.parse_all([evidence], seed=seed, **OPTIONS)
    return {name: rows[word - 1] for name, rows in _alternatives(parse, parser).items()}


def _alternatives(parse: Parse, parser: Parser) -> dict[str, Shares]:
    marginals = parse.marginals
    assert marginals is not None
    pause()

    def plain(names: Sequence[str]) -> list[str]:
        return [plain_label(name) for name in names]

    rows: dict[str, Shares] = {
        "heads": [list(row[:MOST_SHOWN]) for row in marginals.heads],
        parser.tag_column: [
            list(summed(parser.shown_tags, row)[:MOST_SHOWN]) for row in marginals.tags
        ],
    }
    if parser.is_labelled:
        rows["deprels"] = [list(summed(plain, row)[:MOST_SHOWN]) for row in marginals.labels]
    return rows


def doubts_of(sentence: Sentence, parser: Parser, seed: int = 1) -> tuple[float, ...]:
    """Return the doubt about each word, which is the probability that its arc is wrong.

    In a fully annotated sentence, the annotated arcs are compared with the model's prediction from
    words and tags alone.
    """
    if "heads" in lacking(sentence, parser):
        return suggest(sentence, parser, seed).doubts
    opened = sentence.replace(heads=[MISSING] * len(sentence), deprels=[EMPTY] * len(sentence))
    (parse,) = parser.parse_all([opened], seed=seed, **OPTIONS)
    rows = _alternatives(parse, parser)
    return tuple(
        1 - _share(rows, "heads", word, head) * _share(rows, "deprels", word, label)
        for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True))
    )


def _share(rows: dict[str, Shares], name: str, word: int, value: object) -> float:
    if name not in rows:
        return 1.0
    return next((p for other, p in rows[name][word] if other == value), 0.0)


@dataclass(frozen=True)
class Finding:
    """An annotated value that is less probable than an alternative, according to a model."""

    word: int
    """From 1."""
    what: str
    """The part of the annotation that the alternative changes: ``head``, ``label`` or ``tag``."""
    annotated: str
    probability: float
    alternative: str
    alternative_probability: float
    values: dict[str, Any]
    """The alternative values, by column."""


def findings(sentence: Sentence, committee: CommitteeModel) -> list[Finding]:
    """Return the findings in a fully annotated sentence, starting with the most surprising."""
    if lacking(sentence, committee):
        return []
    column = committee.tag_column
    findings = [
        _on_arc(sentence, word, opinion)
        for word, opinion in enumerate(given_the_rest.arcs(committee, [sentence])[0])
        if _is_finding(opinion)
    ]
    tags = getattr(sentence, column)
    for word, opinion in enumerate(given_the_rest.tags(committee, [sentence])[0]):
        if _is_finding(opinion):
            findings.append(
                _finding(word, "tag", tags[word], opinion, {column: opinion.alternative})
            )
    return sorted(findings, key=lambda one: (one.probability, -one.alternative_probability))


def _is_finding(opinion: Opinion) -> bool:
    likelier = opinion.alternative_probability > opinion.probability
    return bool(opinion.alternative) and likelier and opinion.alternative_probability >= SURE


def _on_arc(sentence: Sentence, word: int, opinion: Opinion) -> Finding:
    head, _, label = opinion.alternative.partition(":")
    values: dict[str, Any] = {"heads": int(head)}
    if label:
        values["deprels"] = label
    own = f"{sentence.heads[word]}:{sentence.deprels[word]}"
    return _finding(word, "label" if opinion.same_head else "head", own, opinion, values)


def _finding(word: int, what: str, own: str, opinion: Opinion, values: dict[str, Any]) -> Finding:
    return Finding(
        word + 1,
        what,
        own,
        opinion.probability,
        opinion.alternative,
        opinion.alternative_probability,
        values,
    )
