"""Methods, shared by all parsers, for converting sentences and any given annotation to parses.

A parser has a codec, a configuration, options and a compiled parser for encoded sentences. This
module defines `parse_all` and builds its results.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice, pairwise, repeat
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import SentenceBatch
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError, ModelFileError
from bistro.models.base import Model, megabytes
from bistro.models.inputs import SENTENCES_AT_ONCE, Words, as_sentence, place_of
from bistro.models.options import a_model
from bistro.models.parsing.codec import Codec, Tree, Unseen, check_evidence, tags_of
from bistro.models.parsing.options import CoreOptions, SharedOptions
from bistro.models.parsing.tagging import TaggingByParsing
from bistro.models.parsing.votes import Votes
from bistro.models.results.parses import Analysis, Marginals, Parse
from bistro.treebank.fields import EMPTY
from bistro.treebank.projectivity import Scheme
from bistro.treebank.sentence import Sentence


class ParsingAbility(TaggingByParsing, Model):
    """Mixin that provides parsing methods for models that parse in the C++ core."""

    parse_options: ClassVar[type[CoreOptions]]
    finds_tags: ClassVar[bool] = True
    most_words: ClassVar[int | None] = None
    """Maximum length of a sentence, or None if there is no limit. Sentences that exceed this length
    raise an error."""
    config: Any
    """The configuration of the model, which includes the settings of `ParserSettings`."""
    codec: Codec
    single_root: bool
    _parser: Any
    """The parser in the C++ core. The method parse(batch, request, threads) returns flat arrays."""

    def header(self) -> dict[str, Any]:
        """Return the header of the model file, including the words, tags and labels."""
        return {"single_root": self.single_root, **self.codec.header()}

    def summary(self) -> dict[str, Any]:
        """Return the numbers of words, tags and labels, and the size of the model."""
        return {
            "words known": len(self.codec.vocabulary) - self.codec.vocabulary.num_classes,
            "tags": len(self.codec.tags),
            "labels": len(self.codec.labels) if self.codec.is_labelled else 0,
            "roots": "one" if self.single_root else "several",
            "megabytes": megabytes(self.arrays()),
        }

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the model."""
        return self.codec.vocabulary

    def share_vocabulary(self, vocabulary: Vocabulary) -> None:
        """Replace the vocabulary with an identical one that several models share."""
        self.codec.vocabulary = vocabulary

    @property
    def tag_column(self) -> str:
        """The treebank column that contains the model's tags."""
        column: str = self.config.tagset
        return column

    @property
    def is_labelled(self) -> bool:
        """True if trees have labels."""
        return self.codec.is_labelled

    @property
    def label_names(self) -> list[str]:
        """The labels in index order. The list is empty if the model has no labels."""
        return self.codec.labels if self.codec.is_labelled else []

    @property
    def tag_names(self) -> list[str]:
        """The tags as they are written in the tag column, in index order."""
        return self.shown_tags(self.codec.tags)

    def shown_tags(self, tags: Sequence[str]) -> list[str]:
        """Return tags without the features that were added to them."""
        return [t.partition("|")[0] for t in tags] if self.config.tag_features else list(tags)

    @property
    def nonprojective(self) -> Scheme | None:
        """The scheme that encodes crossing arcs in the labels, or None if they are not encoded."""
        scheme = self.config.nonprojective
        return None if scheme == "lift" or not self.codec.is_labelled else scheme

    def unknown_tags(self, sentence: Sentence) -> list[str]:
        """Return the tags in a sentence that are unknown to the model."""
        return [t for t in tags_of(sentence, self.config) if t not in self.codec.known_tags]

    def own_temperature(self) -> float:
        """Return the default temperature of the model's marginals."""
        temperature: float = self._parse_options({}).temperature
        return temperature

    def member_options(self, options: Mapping[str, Any], *, beam: int) -> dict[str, Any]:
        """Return the committee options that this parser accepts.

        Only a transition parser uses particles. Other search-based parsers use the committee's
        `beam`.
        """
        known = self.parse_options.names()
        own = {n: v for n, v in options.items() if n in known and n not in ("search", "size")}
        if "size" in known:
            own["size"] = options["size"] if options.get("search") == "beam" else beam
        return own

    def parse_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Parse]:
        """Parse sentences in parallel on several threads, and yield the parses in order.

        Parameters
        ----------
        sentences
            Lists of words, or sentences of a treebank.
        **options
            As in `parse`.
        """
        settings = self._parse_options(options)
        threads = settings.threads or os.cpu_count() or 1
        waiting, chunks = iter(sentences), count()
        while chunk := [as_sentence(s) for s in islice(waiting, SENTENCES_AT_ONCE)]:
            unseen = self.codec.unseen(chunk)
            batch = self._batch(chunk, settings, unseen)
            arrays = self._parse_batch(batch, settings.request(next(chunks)), threads)
            yield from self._results(chunk, arrays, settings, unseen.log_scale)

    def best_tree(self, sentence: Sentence, **options: Any) -> Tree:
        """Return the most probable tree, with crossing arcs still encoded in the labels."""
        self._check_length(sentence)
        request = self._parse_options({"mbr": False, **options}).request()
        arrays = self._parse_batch(self.codec.encode([sentence], None), request, 1)
        return self.codec.decode(
            arrays["heads"], arrays["labels"], arrays["tags"], restore_crossing=False
        )

    def votes(self, sentences: Sequence[Sentence], **options: Any) -> Votes:
        """Return the marginals of labelled heads and of tags, for a committee to mix."""
        settings = self._parse_options(options)
        threads = settings.threads or os.cpu_count() or 1
        batch = self._batch(sentences, settings, self.codec.unseen(sentences))
        arrays = self._parse_batch(batch, settings.request(votes=True), threads)
        return self.codec.decode_votes(arrays, [len(sentence) for sentence in sentences])

    def _parse_batch(
        self, batch: SentenceBatch, request: Any, threads: int
    ) -> dict[str, NDArray[Any]]:
        """Run the parser in the core. An error in the core means that the model is damaged."""
        try:
            arrays: dict[str, NDArray[Any]] = self._parser.parse(batch, request, threads)
        except (RuntimeError, ValueError) as error:
            raise ModelFileError(f"the model is damaged: {error}") from error
        return arrays

    def _batch(
        self, sentences: Sequence[Sentence], options: SharedOptions, unseen: Unseen
    ) -> SentenceBatch:
        for sentence in sentences:
            self._check_length(sentence)
        if options.tags == "joint" and not options.partial:
            return self.codec.encode(sentences, None, unseen)
        trees = [self._evidence(sentence, options) for sentence in sentences]
        return self.codec.encode(sentences, trees, unseen)

    def _check_length(self, sentence: Sentence) -> None:
        n = len(sentence)
        if n == 0:
            raise BistroError("a sentence without words cannot be parsed")
        if self.most_words is not None and n > self.most_words:
            raise BistroError(
                f"{place_of(sentence)} has {n:,} words, but {a_model(self.kind)} can parse at most "
                f"{self.most_words:,}: split the sentence, or use a transition parser"
            )

    def _evidence(self, sentence: Sentence, options: SharedOptions) -> Tree:
        n = len(sentence)
        tags = tags_of(sentence, self.config) if options.tags == "given" else [EMPTY] * n
        if not options.partial:
            return Tree(tags, [-1] * n, [EMPTY] * n)
        check_evidence(sentence, single_root=self.single_root)
        return Tree(tags, list(sentence.heads), list(sentence.deprels))

    def _results(
        self,
        sentences: Sequence[Sentence],
        arrays: dict[str, Any],
        options: SharedOptions,
        log_scale: NDArray[np.float64],
    ) -> Iterator[Parse]:
        word = parsed = 0
        begins, log_totals = arrays["parse_begin"].tolist(), arrays["log_total"].tolist()
        figures = list(zip(arrays["log_prob"].tolist(), arrays["posterior"].tolist(), strict=True))
        marginals = self._all_marginals(arrays, sentences) if options.marginals else repeat(None)
        for number, (sentence, own) in enumerate(zip(sentences, marginals, strict=False)):
            n = len(sentence)
            scale = float(log_scale[word : word + n].sum())
            analyses = []
            for log_prob, posterior in figures[begins[number] : begins[number + 1]]:
                span = slice(parsed, parsed + n)
                parsed += n
                tree = self.codec.decode(
                    arrays["heads"][span], arrays["labels"][span], arrays["tags"][span]
                )
                analyses.append(
                    Analysis(tree.heads, tree.labels, tree.tags, log_prob + scale, posterior)
                )
            best = len(analyses) - options.samples
            yield Parse(
                sentence,
                analyses[:best],
                analyses[best:],
                own,
                log_totals[number] + scale,
                bool(arrays["relaxed"][number]),
            )
            word += n

    def _all_marginals(
        self, arrays: Mapping[str, Any], sentences: Sequence[Sentence]
    ) -> Iterator[Marginals]:
        """Yield the marginals of each sentence. Marginals that were not requested are empty."""
        mirrored = self.config.direction == "right-to-left"
        heads, labels, tags = (
            _ragged(arrays.get(f"{name}_marginals"), names)
            for name, names in (
                ("head", None),
                ("label", self.codec.labels),
                ("tag", self.codec.tags),
            )
        )
        begin = 0
        for sentence in sentences:
            n = len(sentence)
            here = slice(begin, begin + n)
            begin += n
            own = Marginals(heads[here], labels[here], tags[here])
            yield self._mirrored(own, n) if mirrored else own

    def _mirrored(self, own: Marginals, n: int) -> Marginals:
        turn = self.codec.mirror_head
        heads = [[(turn(head, n), p) for head, p in row] for row in own.heads[::-1]]
        return Marginals(heads, own.labels[::-1], own.tags[::-1])


def _ragged(columns: Any, names: Sequence[str] | None) -> list[list[tuple[Any, float]]]:
    """Return a list of (name, probability) pairs for each word, or an empty list."""
    if columns is None:
        return []
    begin, what, probability = (column.tolist() for column in columns)
    pairs = list(zip(what if names is None else [names[i] for i in what], probability, strict=True))
    return [pairs[a:b] for a, b in pairwise(begin)]
