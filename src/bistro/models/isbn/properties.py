"""States use lemmas and coarse tags as features, but never predict them.

The coarse tag of a word is the most frequent coarse tag of its cluster. If the tag of a word is
given, the given lemma is used. Otherwise, the most frequent lemma of the form is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bistro.errors import BistroError
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

Ints = NDArray[np.int32]
NOT_GIVEN = -1


def known_lemmas(sentences: Sequence[Sentence], least: int) -> list[str]:
    """Return a sorted list of the lemmas that were seen at least `least` times."""
    counts = Counter(lemma for sentence in sentences for lemma in sentence.lemmas)
    del counts[EMPTY]
    known = sorted(lemma for lemma, count in counts.items() if count >= least)
    if not known:
        raise BistroError(
            f"the features use lemmas, but no lemma occurs at least {least} times in the training "
            "data"
        )
    return known


def lemma_numbers(lemmas: Sequence[str], known: Sequence[str]) -> list[int]:
    """Return the index of each lemma: 0 if it is unknown, and `NOT_GIVEN` if it is empty.

    >>> lemma_numbers(["be", "_", "xyz"], ["be", "do"])
    [1, -1, 0]
    """
    numbers = {EMPTY: NOT_GIVEN, **{lemma: i for i, lemma in enumerate(known, start=1)}}
    return [numbers.get(lemma, 0) for lemma in lemmas]


def commonest(keys: Sequence[int], values: Sequence[int], num_keys: int) -> Ints:
    """Return the most frequent value for every key, or 0 for keys without values.

    In a tie, the lowest value is returned.

    >>> commonest([0, 0, 0, 2], [3, 1, 3, 5], 3)
    array([3, 0, 5], dtype=int32)
    """
    best = np.zeros(num_keys, np.int32)
    most = [0] * num_keys
    for (key, value), count in sorted(Counter(zip(keys, values, strict=True)).items()):
        if count > most[key]:
            best[key], most[key] = value, count
    return best


def coarse_numbers(sentences: Sequence[Sentence]) -> list[list[int]]:
    """Return the coarse tag indices of the words in each sentence."""
    names = sorted({tag for sentence in sentences for tag in sentence.upos})
    numbers = {name: i for i, name in enumerate(names)}
    return [[numbers[tag] for tag in sentence.upos] for sentence in sentences]
