"""Clusters and words of the latent-variable parser, in the format that the C++ core expects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import IsbnShape
from bistro.models.isbn.codec import RARE, IsbnCodec
from bistro.models.isbn.config import IsbnConfig
from bistro.models.isbn.properties import Ints
from bistro.models.parsing.codec import Codec, Tree
from bistro.treebank.sentence import Sentence

OF_PROPERTIES = {"coarse_of": "coarse", "lemma_of": "lemma"}
"""Optional arrays of a model, and the word attribute that requires each array."""


OF_OTHERS = ("other_begin", "other_list", "other_count")
"""Arrays that are missing from the models of earlier versions. Without these arrays, the
probability of words that are not separate outcomes depends only on their frequency."""


def no_numbers() -> Ints:
    """Return an empty integer array."""
    return np.zeros(0, np.int32)


@dataclass(frozen=True)
class IsbnSymbols:
    """Arrays with data on clusters and words.

    Row i of a list is ``list[begin[i]:begin[i + 1]]``.
    """

    tag_of: Ints
    component_begin: Ints
    component_list: Ints
    word_begin: Ints
    word_list: Ints
    """The words in each cluster that are separate outcomes."""
    frequency: NDArray[np.float64]
    root_labels: Ints
    seen_begin: Ints
    seen_list: Ints
    """The clusters with which each word was seen in training."""
    seen_share: NDArray[np.float32]
    """log p(word | cluster), estimated from counts."""
    coarse_of: Ints = field(default_factory=no_numbers)
    """The coarse tag of each cluster. The array is empty if states do not use coarse tags."""
    lemma_of: Ints = field(default_factory=no_numbers)
    """The default lemma of each word. The array is empty if states do not use lemmas."""
    other_begin: Ints = field(default_factory=no_numbers)
    other_list: Ints = field(default_factory=no_numbers)
    """The words in each cluster that are not separate outcomes."""
    other_count: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Number of times that each word in `other_list` was seen with the cluster."""

    @classmethod
    def learn(
        cls,
        codec: IsbnCodec,
        annotated: Sequence[Sentence],
        sentences: Sequence[Sentence],
        trees: Sequence[Tree],
        config: IsbnConfig,
    ) -> Self:
        """Collect the clusters, words and root labels of the training trees.

        The annotated sentences come first in `sentences`. Only annotated sentences have coarse tags
        and lemmas.
        """
        words = codec.encode_words(s.forms for s in sentences)[0].astype(np.int64)
        clusters = codec.cluster_numbers(trees)
        components = known_components(codec, clusters, config.unknown_below)
        component_begin, component_list = _ragged([components[name] for name in codec.tags])
        pairs, counts = np.unique(clusters * len(codec.vocabulary) + words, return_counts=True)
        of_cluster, word = pairs // len(codec.vocabulary), pairs % len(codec.vocabulary)
        listed = counts >= config.listed
        word_begin, other_begin = (
            np.searchsorted(of_cluster[mask], np.arange(len(codec.tags) + 1)).astype(np.int32)
            for mask in (listed, ~listed)
        )
        by_word = np.lexsort((of_cluster, word))
        share = np.log(counts / np.bincount(clusters, minlength=len(codec.tags))[of_cluster])
        tags = plain_tags(codec)
        first = sum(map(len, annotated))
        of_annotated = trees[: len(annotated)]
        return cls(
            np.array([tags.index(name.partition("|")[0]) for name in codec.tags], np.int32),
            component_begin,
            component_list,
            word_begin,
            word[listed].astype(np.int32),
            np.bincount(words, minlength=len(codec.vocabulary)).astype(np.float64) + 0.5,
            codec.root_labels(trees),
            np.searchsorted(word[by_word], np.arange(len(codec.vocabulary) + 1)).astype(np.int32),
            of_cluster[by_word].astype(np.int32),
            share[by_word].astype(np.float32),
            codec.coarse_of(annotated, clusters[:first]) if config.sees("coarse") else no_numbers(),
            codec.lemma_of(annotated, of_annotated, words[:first])
            if config.sees("lemma")
            else no_numbers(),
            other_begin,
            word[~listed].astype(np.int32),
            counts[~listed].astype(np.float64),
        )

    def shape(self, codec: IsbnCodec, config: IsbnConfig, *, single_root: bool) -> IsbnShape:
        """Return the structure of the model in the format that the C++ core expects."""
        return IsbnShape(
            num_words=len(codec.vocabulary),
            num_tags=len(plain_tags(codec)),
            num_labels=len(codec.labels) if codec.is_labelled else 1,
            num_components=int(self.component_list.max(initial=-1)) + 1,
            **{name: a for name, a in vars(self).items() if not name.startswith("seen_")},
            num_coarse_tags=int(self.coarse_of.max(initial=-1)) + 1,
            num_lemmas=len(codec.lemmas) + 1 if codec.lemmas else 0,
            single_root=single_root,
            hidden=config.hidden,
            features=config.elements,
            linked=config.links,
            mean_field=config.approximation == "mean-field",
        )


def array_names(config: IsbnConfig, *, counted: bool) -> list[str]:
    """Return the names of a model's arrays. `OF_OTHERS` is included if `counted` is true."""
    names = [part.name for part in fields(IsbnSymbols) if counted or part.name not in OF_OTHERS]
    return [n for n in names if n not in OF_PROPERTIES or config.sees(OF_PROPERTIES[n])]


def plain_tags(codec: Codec) -> list[str]:
    """Return the distinct tags without features, in index order."""
    return sorted({name.partition("|")[0] for name in codec.tags})


def known_components(codec: Codec, clusters: NDArray[np.int64], least: int) -> dict[str, list[int]]:
    """Return the feature indices of every cluster, without rare features."""
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
