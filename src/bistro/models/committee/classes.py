"""Word classes are learned from the neighbours of each word in unparsed text.

Two words are similar if they tend to have the same neighbours. The frequent words at the four
nearest positions are counted, and the counts are converted to positive pointwise mutual
information:

    PPMI(w, c) = max(0, log p(w, c) / (p(w) p(c)^¾))

Truncated singular vectors of this matrix put words that occur in the same contexts near each other
(Levy and Goldberg 2014). The classes are clusters of the word vectors. The clusters are found by
*k*-means, starting from the most frequent words. The words are partitioned three times, with
different numbers of classes, and the stack uses all three partitions.

>>> import bistro
>>> classes = WordClasses.learn([s.forms for s in bistro.builtin(sentences=300, seed=1)])
>>> dog, again, zebra = classes.of(["Man", "man", "zebra"])[:, 0].tolist()
>>> dog == again, zebra == UNKNOWN
(True, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.linalg import svds

from bistro.errors import ModelFileError
from bistro.modelfile import Arrays

Ints = NDArray[np.int32]
Vectors = NDArray[np.float64]
OFFSETS = (-2, -1, 1, 2)
LEAST = 3
"""Minimum frequency of words that are assigned to a class. Rarer words have no class, so that the
stack also learns to decide without classes."""
MOST_WORDS = 30_000
NEIGHBOURS = 1_500
"""Number of words, starting with the most frequent, that are counted as neighbours of other
words."""
ROUNDS = 12
SMOOTHING = 0.75
UNKNOWN = -4
"""Class number of unknown words."""
SIZES = (48, 256, 1024)
WORDS_PER_CLASS = (40, 12, 4)
"""Minimum average number of words per class. A small vocabulary is divided into fewer classes than
a large one."""
FEWEST_WORDS = 100
"""Minimum size of a vocabulary that is divided into classes."""
DIMENSIONS = 60


@dataclass(frozen=True, eq=False)
class WordClasses:
    """The known words in lower case, and their classes."""

    words: list[str]
    numbers: Ints
    """Class numbers, shape (words, partitions)."""

    @classmethod
    def learn(cls, sentences: Iterable[Sequence[str]]) -> WordClasses:
        """Divide the words of the given sentences into classes."""
        text = [[_plain(form) for form in forms] for forms in sentences]
        counts = Counter(word for words in text for word in words)
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        words = [word for word, count in ranked[:MOST_WORDS] if count >= LEAST]
        if len(words) < FEWEST_WORDS:
            return NO_CLASSES
        weights = np.sqrt([counts[word] for word in words])
        vectors = _vectors(association(text, words), DIMENSIONS)
        pairs = zip(SIZES, WORDS_PER_CLASS, strict=True)
        sizes = [min(size, len(words) // per_class) for size, per_class in pairs]
        divided = [_divided(vectors, weights, size) for size in sizes]
        return cls(words, np.stack(divided, axis=1).astype(np.int32))

    def arrays(self) -> Arrays:
        """Return the array of class numbers that is stored in a model file."""
        return {"numbers": self.numbers}

    @classmethod
    def from_parts(cls, words: list[str], numbers: NDArray[Any] | None) -> WordClasses:
        """Restore the word classes from the contents of a file and check them."""
        shape = (len(words), len(SIZES))
        if numbers is None or numbers.dtype != np.int32 or numbers.shape != shape:
            raise ModelFileError("the word classes are damaged")
        return cls(words, numbers)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def _rows(self) -> Ints:
        """The class numbers of all words. The last row is for unknown words."""
        unknown = np.full((1, self.numbers.shape[1]), UNKNOWN, np.int32)
        return np.concatenate((self.numbers, unknown))

    def of(self, forms: Iterable[str]) -> Ints:
        """Return the class numbers of the given words, shape (words, partitions)."""
        places = self._places
        return self._rows[[places.get(_plain(form), -1) for form in forms]]


NO_CLASSES = WordClasses([], np.zeros((0, len(SIZES)), np.int32))


@lru_cache(200_000)
def _plain(form: str) -> str:
    """Return a form in lower case, with all digits replaced by the same digit."""
    lower = form.lower()
    return (
        "".join("0" if c.isdigit() else c for c in lower) if any(map(str.isdigit, lower)) else lower
    )


def association(text: Sequence[Sequence[str]], words: Sequence[str]) -> csr_matrix:
    """Return the positive pointwise mutual information between words and their neighbours."""
    places = {word: i for i, word in enumerate(words)}
    others, border = len(words), len(words) + 1
    gap = [border] * max(OFFSETS)
    stream = np.array(
        [n for forms in text for n in (*(places.get(w, others) for w in forms), *gap)], np.int64
    )
    company = min(NEIGHBOURS, len(words))
    column = np.where(stream < company, stream, np.where(stream == border, company, company + 1))
    shape = (len(words), len(OFFSETS) * (company + 2))
    total = csr_matrix(shape)
    for number, offset in enumerate(OFFSETS):
        one, other = (stream, column)
        one = one[max(0, -offset) : one.size - max(0, offset)]
        other = other[max(0, offset) : other.size - max(0, -offset)]
        known = one < others
        pairs = (one[known], other[known] + number * (company + 2))
        total = total + coo_matrix((np.ones(pairs[0].size), pairs), shape=shape).tocsr()
    counts = total.tocoo()
    by_word = np.asarray(total.sum(axis=1)).ravel()
    by_neighbour = np.asarray(total.sum(axis=0)).ravel() ** SMOOTHING
    by_neighbour /= by_neighbour.sum()
    ratio = counts.data / (by_word[counts.row] * by_neighbour[counts.col])
    kept = ratio > 1
    entries = (np.log(ratio[kept]), (counts.row[kept], counts.col[kept]))
    return coo_matrix(entries, shape=shape).tocsr()


def _vectors(association: csr_matrix, dimensions: int) -> Vectors:
    """Return unit vectors that represent the words."""
    start = np.ones(min(association.shape))
    left, values, _ = svds(association, k=dimensions, v0=start)
    vectors = left * np.sqrt(values)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12))


def _divided(vectors: Vectors, weights: Vectors, size: int) -> NDArray[np.int64]:
    """Cluster the words by spherical k-means.

    The vectors of the first words are the initial means.
    """
    means = vectors[:size].copy()
    clusters = np.zeros(len(vectors), np.int64)
    for _ in range(ROUNDS):
        clusters = np.argmax(vectors @ means.T, axis=1)
        members = csr_matrix((weights, (clusters, np.arange(len(vectors)))), (size, len(vectors)))
        sums = np.asarray(members @ vectors)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        means = np.where(lengths > 0, sums / np.maximum(lengths, 1e-12), means)
    return clusters
