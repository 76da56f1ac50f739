"""Parses as sentences of a file: the sentence that was read, with the values that were found.

Only HEAD, DEPREL and, where tags were not given, the column of tags are new; everything else is
kept. A sentence with several parses becomes several sentences in a row, each with the comments

    # log_prob = -35.1027       natural logarithm of p(words, tags, tree, labels)
    # parse_rank = 1            1 is the best; or `# sample = 1`, for trees drawn at random

Trees of a committee have no joint probability. Instead of it they have

    # expected_uas = 0.9312     the mean probability of their heads
    # posterior = 0.4127        of trees ranked by probability: p(tree | words)

With marginals, MISC tells the probability of each value (see `bistro.treebank.probabilities`).

>>> writer = ParseWriter()                                           # doctest: +SKIP
>>> for sentence in writer.sentences(model.parse(words, marginals=True)):
...     print(sentence, end="")                                      # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bistro.models.base import Model
from bistro.models.committee.model import CommitteeModel
from bistro.models.parsing.parser import ParsingAbility
from bistro.models.results.parses import Analysis, Marginals, Parse, head_probability, plain_label
from bistro.treebank.conllu import to_conllu
from bistro.treebank.fields import EMPTY
from bistro.treebank.probabilities import KEYS, put_probabilities
from bistro.treebank.sentence import Sentence

OWN_COMMENTS = ("log_prob", "expected_uas", "posterior", "parse_rank", "sample")


@dataclass
class ParseWriter:
    """Turns parses into sentences, the first parse first."""

    tag_column: Literal["upos", "xpos"] = "upos"
    joined_features: bool = False
    """The model's tags have features behind a ``|``, which the column does not show."""
    given_tags: bool = False
    """Tags of the input stay; only where it has none, the tag that was found is written."""
    sentences_written: int = 0

    @classmethod
    def of(cls, model: Model, *, given_tags: bool = False) -> ParseWriter:
        """Return the writer for the parses of a model."""
        config = getattr(model, "config", None)
        return cls(
            tag_column=getattr(model, "tag_column", getattr(config, "tagset", "upos")),
            joined_features=bool(getattr(config, "tag_features", ())),
            given_tags=given_tags,
        )

    def sentences(self, parse: Parse) -> Iterator[Sentence]:
        """Yield the samples of a parse, if it has any, else its analyses."""
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
        found = [self.shown_tag(tag) for tag in analysis.tags]
        if not self.given_tags:
            return found
        given = getattr(base, self.tag_column)
        return [new if old == EMPTY else old for old, new in zip(given, found, strict=True)]

    def shown_tag(self, tag: str) -> str:
        """Return a tag as its column shows it."""
        return tag.partition("|")[0] if self.joined_features else tag

    def _misc(self, sentence: Sentence, marginals: Marginals) -> list[str]:
        misc = []
        for word, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
            values = {KEYS["heads"]: head_probability(sentence.heads, word, head, marginals)}
            if label != EMPTY:
                listed = marginals.labels[word]
                values[KEYS["deprels"]] = sum(p for name, p in listed if plain_label(name) == label)
            if not self.given_tags:
                tag = getattr(sentence, self.tag_column)[word]
                listed = marginals.tags[word]
                values[KEYS[self.tag_column]] = sum(
                    p for name, p in listed if self.shown_tag(name) == tag
                )
            clipped = {key: min(p, 1.0) for key, p in values.items()}
            misc.append(put_probabilities(sentence.misc[word], clipped))
        return misc


def parsing_protocol(model: Model, options: Mapping[str, Any]) -> str:
    """Return how trees are found with these options; defaults are named where they are known."""
    chosen: Mapping[str, Any] = options
    if isinstance(model, ParsingAbility):
        chosen = vars(model.parse_options(**options))
    told = [model.kind, f"tags {chosen['tags']}"]
    if isinstance(model, CommitteeModel):
        chosen = {"search": "particles", "selection": "weight", **model.asked(**options)}
        told[0] += f" of {len(model.members)}"
    if "search" in chosen:
        by = f" by {chosen['selection']}" if "selection" in chosen else ""
        told.append(f"{chosen['search']} {chosen['size']:,}{by}")
    if isinstance(model, CommitteeModel) and chosen["search"] == "particles":
        kinds = {member.kind for member in model.members}
        told += [f"beam {model.config.beam:,} of isbn"] if "isbn" in kinds else []
    if "temperature" in chosen:
        told.append(f"temperature {chosen['temperature']:g}")
    if chosen.get("samples"):
        told.append(f"samples, seed {chosen['seed']}")
    else:
        by_risk = options.get("mbr", True) and not {"kbest", "samples"} & set(options)
        told.append("least risk" if by_risk else "most probable trees")
    return ", ".join(told)


def as_columns(sentence: Sentence, number: int) -> Sentence:
    """Return a line of text as CoNLL-U with a name and its text; columns as they are."""
    if sentence.format != "text":
        return sentence
    comments = [f"# sent_id = {number}", f"# text = {' '.join(sentence.forms)}"]
    return to_conllu(sentence, roots="any").replace(comments=comments)


def _figures(analysis: Analysis) -> list[str]:
    if analysis.expected_uas is None:
        return [f"# log_prob = {analysis.log_prob:.4f}"]
    told = [f"# expected_uas = {analysis.expected_uas:.4f}"]
    ranked = not math.isnan(analysis.posterior)
    return [*told, f"# posterior = {analysis.posterior:.4g}"] if ranked else told


def _is_own(comment: str) -> bool:
    key, equals, _ = comment[1:].partition("=")
    return bool(equals) and key.strip() in OWN_COMMENTS
