"""Encode characters as numbers, so that a model can spell words.

A character is one Unicode code point, unchanged. Ids are dense: first the characters of the
training words, by code point; then `other`, which represents all other characters; then
`end`, which closes a word; then `start`, which only fills contexts. All code points that a Python
string can hold are possible. Before anything is learned, each of them and the end of the word are
equally probable; `other` has the combined probability of all the characters that it represents.

>>> alphabet = Alphabet.of(["abba", "cab"])
>>> ids, offsets = alphabet.encode(["bad"])
>>> ids.tolist(), alphabet.other, alphabet.end
([1, 0, 3], 3, 4)
>>> round(sum(alphabet.base()), 12)
1.0
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from bistro.errors import ModelFileError

CODE_POINTS = sys.maxunicode + 1
"""1,114,112: all of Unicode, including the code points that no text uses."""


class Alphabet:
    """The characters of a set of words, and one symbol for all others."""

    def __init__(self, characters: str) -> None:
        if not isinstance(characters, str) or list(characters) != sorted(set(characters)):
            raise ModelFileError("the alphabet is damaged")
        self.characters = characters
        self._ids = {character: i for i, character in enumerate(characters)}

    @classmethod
    def of(cls, words: Iterable[str]) -> Alphabet:
        """Collect the characters of words."""
        return cls("".join(sorted(set().union(*words))))

    @property
    def other(self) -> int:
        """The id that represents all characters outside the alphabet."""
        return len(self.characters)

    @property
    def end(self) -> int:
        """The id of the end of a word."""
        return self.other + 1

    @property
    def start(self) -> int:
        """The id that pads contexts before a word; it is never predicted."""
        return self.other + 2

    @property
    def others(self) -> int:
        """The number of characters that `other` represents."""
        return CODE_POINTS - len(self.characters)

    def base(self) -> list[float]:
        """Return the probability of each id up to `end` before anything is learned."""
        each = 1 / (CODE_POINTS + 1)
        return [*repeat(each, self.other), self.others * each, each]

    def encode(self, words: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return all characters and offsets: word i is ``ids[offsets[i]:offsets[i+1]]``.

        Ends of words are not included.
        """
        number, other = self._ids.get, self.other
        ids = [number(character, other) for word in words for character in word]
        offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
        return np.array(ids, dtype=np.int32), offsets
