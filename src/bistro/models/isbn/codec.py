"""Word clusters serve as the tags of the latent-variable parser.

A cluster is a tag with a combination of morphological features, written
``NC|number=sing|def=indef``. All rare combinations of a tag are merged into one cluster, ``NC|?``.
All other parts of the parser treat clusters as tags.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import SentenceBatch
from bistro.errors import ModelFileError
from bistro.modelfile import Arrays
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.properties import (
    NOT_GIVEN,
    Ints,
    coarse_numbers,
    commonest,
    known_lemmas,
    lemma_numbers,
)
from bistro.models.parsing.codec import Codec, Tree, Unseen, training_tree
from bistro.models.parsing.settings import ParserSettings
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

RARE = "?"


@dataclass(eq=False)
class IsbnCodec(Codec):
    """A codec whose tags are clusters, which combine a tag with morphological features.

    An unknown cluster is replaced by the cluster for the rare feature combinations of its tag.
    """

    lemmas: list[str] = field(default_factory=list)
    """The known lemmas. The indices of known lemmas start at 1, and index 0 represents unknown
    lemmas. If the states do not use lemmas, the list is empty."""

    @classmethod
    def learn(cls, sentences: Sequence[Sentence], config: ParserSettings) -> tuple[Self, int]:
        """Build the codec for a treebank. Also return the number of sentences with lifted arcs."""
        plain, lifted = Codec.learn(sentences, config)
        trees = [training_tree(sentence, config) for sentence in sentences]
        counts = Counter(tag for tree in trees for tag in tree.tags)
        kept = {
            tag if count >= config.unknown_below or "|" not in tag else rare_of(tag)
            for tag, count in counts.items()
        }
        lemmas = known_lemmas(sentences, config.unknown_below) if sees(config, "lemma") else []
        return cls(config, plain.vocabulary, sorted(kept), plain.labels, lemmas=lemmas), lifted

    def cluster(self, tag: str) -> str:
        """Return the known cluster for a tag with features."""
        if tag in self._tag_ids:
            return tag
        plain = tag.partition("|")[0]
        known = (name for name in (rare_of(tag), plain) if name in self._tag_ids)
        of_tag = (name for name in self.tags if name.partition("|")[0] == plain)
        return next(known, next(of_tag, tag))

    def encode(
        self,
        sentences: Sequence[Sentence],
        trees: Sequence[Tree] | None,
        unseen: Unseen | None = None,
    ) -> SentenceBatch:
        """Return the words and the given annotation in the format that the C++ core expects."""
        if trees is not None:
            trees = [Tree([*map(self.cluster, t.tags)], t.heads, t.labels) for t in trees]
        batch = super().encode(sentences, trees, unseen)
        if self.lemmas and trees is not None:
            batch.set_lemmas(self.lemma_numbers(sentences, trees))
        return batch

    def lemma_numbers(self, sentences: Sequence[Sentence], trees: Sequence[Tree]) -> Ints:
        """Return lemma indices in the order in which the words are generated.

        Words without a given tag have no lemma.
        """
        rows = (
            [
                NOT_GIVEN if tag == EMPTY else number
                for tag, number in zip(tree.tags, lemma_numbers(s.lemmas, self.lemmas), strict=True)
            ]
            for s, tree in zip(sentences, trees, strict=True)
        )
        return np.array(self.in_order(rows), dtype=np.int32)

    def in_order(self, rows: Iterable[Sequence[int]]) -> list[int]:
        """Concatenate the values of all sentences, in the order in which words are generated."""
        step = -1 if self.config.direction == "right-to-left" else 1
        return [number for row in rows for number in row[::step]]

    def cluster_numbers(self, trees: Sequence[Tree]) -> NDArray[np.int64]:
        """Return the cluster indices of all words, in the order in which words are generated."""
        rows = ([self._tag_ids[self.cluster(tag)] for tag in tree.tags] for tree in trees)
        return np.array(self.in_order(rows), dtype=np.int64)

    def root_labels(self, trees: Sequence[Tree]) -> Ints:
        """Return the label indices of words that depend on the root."""
        pairs = (pair for tree in trees for pair in zip(tree.heads, tree.labels, strict=True))
        labels = {self._label_ids[label] for head, label in pairs if head == 0}
        return np.array(sorted(labels), dtype=np.int32)

    def coarse_of(self, sentences: Sequence[Sentence], clusters: NDArray[np.int64]) -> Ints:
        """Return the most frequent coarse tag of every cluster."""
        coarse = self.in_order(coarse_numbers(sentences))
        return commonest(clusters.tolist(), coarse, len(self.tags))

    def lemma_of(
        self, sentences: Sequence[Sentence], trees: Sequence[Tree], words: NDArray[np.int64]
    ) -> Ints:
        """Return the most frequent lemma of every word.

        Classes of unknown words have no known lemma.
        """
        lemmas = np.maximum(self.lemma_numbers(sentences, trees), 0)
        own = commonest(words.tolist(), lemmas.tolist(), len(self.vocabulary))
        own[: self.vocabulary.num_classes] = 0
        return own

    def header(self) -> dict[str, Any]:
        """Return the symbols as a JSON-serialisable dictionary."""
        return {**super().header(), **({"lemmas": self.lemmas} if self.lemmas else {})}

    @classmethod
    def from_parts(cls, config: ParserSettings, header: Mapping[str, Any], arrays: Arrays) -> Self:
        """Restore the codec from a model file."""
        codec = super().from_parts(config, header, arrays)
        codec.lemmas = header.get("lemmas", [])
        if sees(config, "lemma") and not codec.lemmas:
            raise ModelFileError("the lemmas are damaged")
        return codec


def sees(config: ParserSettings, attribute: str) -> bool:
    """Return whether the states of a model use this word attribute."""
    return isinstance(config, IsbnConfig) and config.sees(attribute)


def rare_of(tag: str) -> str:
    """Return the cluster for the rare feature combinations of a tag.

    >>> rare_of("NC|number=sing|def=indef")
    'NC|?'
    """
    return f"{tag.partition('|')[0]}|{RARE}"
