"""Convert parses to output sentences, which are the input sentences with predicted values.

Only HEAD, DEPREL and, if tags were not given, the tag column are replaced. Everything else is kept.
A sentence with several parses becomes several successive sentences, each with the following
comments.

    # log_prob = -35.1027       natural logarithm of p(words, tags, tree, labels)
    # parse_rank = 1            1 is the best; or `# sample = 1`, for trees drawn at random

Trees of a committee have no joint probability. Instead they have

    # expected_uas = 0.9312     the mean probability of their heads
    # posterior = 0.4127        of trees ranked by probability: p(tree | words)

With marginals, MISC has the probability of each value (see `bistro.treebank.probabilities`).

>>> writer = ParseWriter.of(model)                                         # doctest: +SKIP
>>> for sentence in writer.sentences(model.parse(words, marginals=True)):
...     print(sentence, end="")                                      # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bistro.models.abilities import Parser
from bistro.models.parsing.tagging import summed
from bistro.models.results.parses import Analysis, Marginals, Parse, head_probability, plain_label
from bistro.sums import added
from bistro.treebank.conllu import to_conllu
from bistro.treebank.fields import EMPTY
from bistro.treebank.probabilities import KEYS, put_probabilities
from bistro.treebank.sentence import Sentence

OWN_COMMENTS = ("log_prob", "expected_uas", "posterior", "parse_rank", "sample")


@dataclass(frozen=True, slots=True)
class Written:
    """An output sentence as text, formatted by a worker."""

    text: str
    format: str
    line: int
    lead: str
    words: int

    @classmethod
    def of(cls, sentence: Sentence) -> Written:
        """Format a sentence as text for the output."""
        return cls(str(sentence), sentence.format, sentence.line, sentence.lead, len(sentence))

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return self.words


class ParseFacts(NamedTuple):
    """The properties of a parse that are counted in the final report."""

    line: int
    words: int
    relaxed: bool
    has_graph: bool
    """True if the sentence has an enhanced graph, which stays unchanged."""
    unknown_tags: int = 0
    missing_tags: int = 0

    @classmethod
    def of(cls, parse: Parse, model: Parser, *, given_tags: bool) -> ParseFacts:
        """Collect the properties of a parse for the final report."""
        sentence = parse.sentence
        has_graph = sentence.format == "conllu" and any(deps != EMPTY for deps in sentence.deps)
        first = cls(sentence.line, len(sentence), parse.relaxed, has_graph)
        if not given_tags:
            return first
        unknown = len(model.unknown_tags(sentence))
        missing = getattr(sentence, model.tag_column).count(EMPTY)
        return first._replace(unknown_tags=unknown, missing_tags=missing)


@dataclass
class ParseWriter:
    """A writer that converts parses to sentences, starting with the best parse."""

    tag_column: str = "upos"
    """The column to which tags are written."""
    given_tags: bool = False
    """If true, tags in the input are kept, and predicted tags are written only for words without a
    tag."""
    shown_tags: Callable[[Sequence[str]], list[str]] = list
    """A function that converts the tags of a parse to the tags that are written to the column."""
    sentences_written: int = 0

    @classmethod
    def of(cls, model: Parser, *, given_tags: bool = False) -> ParseWriter:
        """Return the writer for the parses of a model."""
        return cls(model.tag_column, given_tags, model.shown_tags)

    def sentences(self, parse: Parse) -> Iterator[Sentence]:
        """Yield the samples of a parse, or its analyses if it has no samples."""
        self.sentences_written += 1
        base = as_columns(parse.sentence, self.sentences_written)
        name = "sample" if parse.samples else "parse_rank"
        for place, analysis in enumerate(parse.samples or parse.analyses, start=1):
            yield self._sentence(base, analysis, parse.marginals, f"# {name} = {place}")

    def _sentence(
        self, base: Sentence, analysis: Analysis, marginals: Marginals | None, rank: str
    ) -> Sentence:
        tags = self._tags(base, analysis)
        sentence = base.replace(
            heads=analysis.heads, deprels=analysis.labels, **{self.tag_column: tags}
        )
        if base.format == "conllx":  # no comments, and PDEPREL where MISC would be
            return sentence
        kept = [comment for comment in base.comments if not _is_own(comment)]
        added = {"comments": [*kept, *_figures(analysis), rank]}
        if marginals is not None:
            added["misc"] = self._misc(sentence, marginals)
        return sentence.replace(**added)

    def _tags(self, base: Sentence, analysis: Analysis) -> list[str]:
        predicted = self.shown_tags(analysis.tags)
        if not self.given_tags:
            return predicted
        old_tags = getattr(base, self.tag_column)
        return [new if old == EMPTY else old for old, new in zip(old_tags, predicted, strict=True)]

    def _misc(self, sentence: Sentence, marginals: Marginals) -> list[str]:
        misc = []
        for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
            values = {KEYS["heads"]: head_probability(sentence.heads, word, head, marginals)}
            if label != EMPTY:
                listed = marginals.labels[word]
                values[KEYS["deprels"]] = added(
                    p for name, p in listed if plain_label(name) == label
                )
            if not self.given_tags:
                tag = getattr(sentence, self.tag_column)[word]
                values[KEYS[self.tag_column]] = self._tag_probability(marginals.tags[word], tag)
            clipped = {key: min(p, 1.0) for key, p in values.items()}
            misc.append(put_probabilities(sentence.misc[word], clipped))
        return misc

    def _tag_probability(self, listed: Sequence[tuple[str, float]], shown: str) -> float:
        names = self.shown_tags([name for name, _ in listed])
        return added(p for name, (_, p) in zip(names, listed, strict=True) if name == shown)


def as_columns(sentence: Sentence, number: int) -> Sentence:
    """Return a line of text as a CoNLL-U sentence with the comments ``sent_id`` and ``text``.

    Sentences in other formats are returned unchanged.
    """
    if sentence.format != "text":
        return sentence
    comments = [f"# sent_id = {number}", f"# text = {' '.join(sentence.forms)}"]
    return to_conllu(sentence, roots="any").replace(comments=comments)


def _figures(analysis: Analysis) -> list[str]:
    if analysis.expected_uas is None:
        return [f"# log_prob = {analysis.log_prob:.4f}"]
    comments = [f"# expected_uas = {analysis.expected_uas:.4f}"]
    ranked = not math.isnan(analysis.posterior)
    return [*comments, f"# posterior = {analysis.posterior:.4g}"] if ranked else comments


def _is_own(comment: str) -> bool:
    key, equals, _ = comment[1:].partition("=")
    return bool(equals) and key.strip() in OWN_COMMENTS


def with_shown_tags(parse: Parse, model: Parser) -> Parse:
    """Return a parse with its tags converted to those that are written to the file."""

    def shown(analyses: Sequence[Analysis]) -> list[Analysis]:
        return [replace(one, tags=model.shown_tags(one.tags)) for one in analyses]

    marginals = parse.marginals
    if marginals is not None:
        rows = [summed(model.shown_tags, row) for row in marginals.tags]
        marginals = replace(marginals, tags=rows)
    return replace(
        parse, analyses=shown(parse.analyses), samples=shown(parse.samples), marginals=marginals
    )
