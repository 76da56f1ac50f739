"""The context of a word: its parent and, with `directed`, which side of the parent it is on.

The index of a parent is its index in the vocabulary. The index of the root comes directly after the
indices of all words. With `directed`, each parent has two indices, one for each side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]


def parent_numbers(words: Numbers, heads: Sequence[int], *, root: int, directed: bool) -> Numbers:
    """Return the index of each word's parent.

    With `directed`, the index also encodes which side of the parent the word is on.
    """
    above = np.asarray(heads)
    parents: Numbers = np.append([root], words)[above].astype(np.int32)
    if directed:
        parents = 2 * parents + (np.arange(1, above.size + 1) > above).astype(np.int32)
    return parents


def possible_parents(words: Numbers, *, root: int, directed: bool) -> tuple[Numbers, Numbers]:
    """Return the indices of all possible parents, and the position of each arc's parent among them.

    The entry [h, d] of the second array belongs to the arc from h to word d + 1. The root is h = 0.

    >>> numbers, places = possible_parents(np.array([7, 5], np.int32), root=9, directed=True)
    >>> numbers.tolist()
    [18, 14, 10, 19, 15, 11]
    >>> numbers[places].tolist()
    [[19, 19], [14, 15], [10, 10]]
    """
    heads = np.append([root], words).astype(np.int32)
    at = np.arange(heads.size, dtype=np.int32)[:, None]
    if not directed:
        return heads, np.repeat(at, words.size, axis=1)
    is_after = np.arange(1, heads.size) > at
    return np.concatenate((2 * heads, 2 * heads + 1)), at + heads.size * is_after


def stopping_parents(words: Numbers, *, root: int, directed: bool) -> Numbers:
    """Return the parents that generate a stop: every word and the root, on each side."""
    numbers = possible_parents(words, root=root, directed=directed)[0]
    return numbers if directed else np.tile(numbers, 2)
