"""Symbols of the latent-variable parser: clusters of words, and what they are predicted among.

A cluster is a tag with its bundle of morphological features, written ``NC|number=sing|def=indef``.
Bundles that are rare are one bundle of their tag, ``NC|?``. To the rest of a parser's code clusters
are its tags.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import IsbnShape, SentenceBatch
from bistro.models.isbn.config import IsbnConfig
from bistro.models.parsing.codec import Codec, Tree, Unseen, training_tree
from bistro.models.parsing.settings import ParserSettings
from bistro.treebank.sentence import Sentence

RARE = "?"
LEAST_PAIR = 2
"""A word seen fewer times with a cluster is one of that cluster's other words."""
Ints = NDArray[np.int32]


class IsbnCodec(Codec):
    """A codec whose tags are clusters; those it does not know become the rare one of their tag."""

    @classmethod
    def learn(cls, sentences: Sequence[Sentence], config: ParserSettings) -> tuple[Self, int]:
        """Collect the symbols of a treebank; also return how many sentences were lifted."""
        plain, lifted = Codec.learn(sentences, config)
        trees = [training_tree(sentence, config) for sentence in sentences]
        counts = Counter(tag for tree in trees for tag in tree.tags)
        kept = {
            tag if count >= config.unknown_below or "|" not in tag else rare_of(tag)
            for tag, count in counts.items()
        }
        return cls(config, plain.vocabulary, sorted(kept), plain.labels), lifted

    def cluster(self, tag: str) -> str:
        """Return the cluster that stands for a tag with features."""
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
        """Return words, and what is known of the trees, as the core wants them."""
        if trees is not None:
            trees = [Tree([*map(self.cluster, t.tags)], t.heads, t.labels) for t in trees]
        return super().encode(sentences, trees, unseen)

    def cluster_numbers(self, trees: Sequence[Tree]) -> NDArray[np.int64]:
        """Return the clusters of all words, in the order of generation."""
        numbers = [[self._tag_ids[self.cluster(tag)] for tag in tree.tags] for tree in trees]
        if self.config.direction == "right-to-left":
            numbers = [row[::-1] for row in numbers]
        return np.array([number for row in numbers for number in row], dtype=np.int64)

    def root_labels(self, trees: Sequence[Tree]) -> Ints:
        """Return the numbers of the labels that words on the root have."""
        pairs = (pair for tree in trees for pair in zip(tree.heads, tree.labels, strict=True))
        found = {self._label_ids[label] for head, label in pairs if head == 0}
        return np.array(sorted(found), dtype=np.int32)


def rare_of(tag: str) -> str:
    """Return the cluster of a tag's rare bundles.

    >>> rare_of("NC|number=sing|def=indef")
    'NC|?'
    """
    return f"{tag.partition('|')[0]}|{RARE}"


@dataclass(frozen=True)
class IsbnSymbols:
    """What the core knows of clusters and words; rows of ragged lists are ``list[begin:]``."""

    tag_of: Ints
    component_begin: Ints
    component_list: Ints
    word_begin: Ints
    word_list: Ints
    """By cluster: the words that have an outcome of their own."""
    frequency: NDArray[np.float64]
    root_labels: Ints
    seen_begin: Ints
    seen_list: Ints
    """By word: the clusters it was seen with."""
    seen_share: NDArray[np.float32]
    """log p(word | cluster) as counted."""

    @classmethod
    def learn(
        cls,
        codec: IsbnCodec,
        sentences: Sequence[Sentence],
        trees: Sequence[Tree],
        config: IsbnConfig,
    ) -> Self:
        """Count clusters, words and roots of trees."""
        words = codec.encode_words(s.forms for s in sentences)[0].astype(np.int64)
        clusters = codec.cluster_numbers(trees)
        components = known_components(codec, clusters, config.unknown_below)
        component_begin, component_list = _ragged([components[name] for name in codec.tags])
        pairs, counts = np.unique(clusters * len(codec.vocabulary) + words, return_counts=True)
        of_cluster, word = pairs // len(codec.vocabulary), pairs % len(codec.vocabulary)
        listed = counts >= LEAST_PAIR
        word_begin = np.searchsorted(of_cluster[listed], np.arange(len(codec.tags) + 1))
        by_word = np.lexsort((of_cluster, word))
        share = np.log(counts / np.bincount(clusters, minlength=len(codec.tags))[of_cluster])
        tags = plain_tags(codec)
        return cls(
            np.array([tags.index(name.partition("|")[0]) for name in codec.tags], np.int32),
            component_begin,
            component_list,
            word_begin.astype(np.int32),
            word[listed].astype(np.int32),
            np.bincount(words, minlength=len(codec.vocabulary)).astype(np.float64) + 0.5,
            codec.root_labels(trees),
            np.searchsorted(word[by_word], np.arange(len(codec.vocabulary) + 1)).astype(np.int32),
            of_cluster[by_word].astype(np.int32),
            share[by_word].astype(np.float32),
        )

    def shape(self, codec: IsbnCodec, config: IsbnConfig, *, single_root: bool) -> IsbnShape:
        """Return the model's shape for the core."""
        return IsbnShape(
            num_words=len(codec.vocabulary),
            num_tags=len(plain_tags(codec)),
            num_labels=len(codec.labels) if codec.is_labelled else 1,
            num_components=int(self.component_list.max(initial=-1)) + 1,
            **{name: a for name, a in vars(self).items() if not name.startswith("seen_")},
            single_root=single_root,
            hidden=config.hidden,
            features=config.features,
            linked=config.links,
            mean_field=config.approximation == "mean-field",
        )


def plain_tags(codec: Codec) -> list[str]:
    """Return the tags without features, in the order of their numbers."""
    return sorted({name.partition("|")[0] for name in codec.tags})


def known_components(codec: Codec, clusters: NDArray[np.int64], least: int) -> dict[str, list[int]]:
    """Return the numbers of the features of every cluster; rare ones have none."""
    counts = Counter[str]()
    parts = {name: name.split("|")[1:] for name in codec.tags}
    for name, count in zip(codec.tags, np.bincount(clusters).tolist(), strict=False):
        counts.update(dict.fromkeys(parts[name], count))
    known = sorted(part for part, count in counts.items() if count >= least and part != RARE)
    numbers = {part: i for i, part in enumerate(known)}
    return {name: [numbers[p] for p in own if p in numbers] for name, own in parts.items()}


def _ragged(rows: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    begin = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return begin, np.array([value for row in rows for value in row], dtype=np.int32)
