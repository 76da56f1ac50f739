"""Encode characters as numbers, so that a model can spell words.

A character is one Unicode code point and is not normalised. Ids are dense. The characters in the
training words come first, sorted by code point. The characters are followed by three symbols:
`other` represents all other characters, `end` closes a word, and `start` only pads contexts. Every
code point that a Python string can contain is allowed. Before training, all code points and the end
of the word are equally probable. The symbol `other` has the combined probability of all the
characters that it represents.

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
    """The characters of a set of words, and one symbol for all other characters."""

    def __init__(self, characters: str) -> None:
        if not isinstance(characters, str) or list(characters) != sorted(set(characters)):
            raise ModelFileError("the alphabet is damaged")
        self.characters = characters
        self._ids = {character: i for i, character in enumerate(characters)}

    @classmethod
    def of(cls, words: Iterable[str]) -> Alphabet:
        """Return the alphabet of the characters that occur in the words."""
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
        """The id that pads contexts before the first character of a word. It is never predicted."""
        return self.other + 2

    @property
    def others(self) -> int:
        """The number of characters that `other` represents."""
        return CODE_POINTS - len(self.characters)

    def base(self) -> list[float]:
        """Return the probability that each id, up to and including `end`, has before training."""
        each = 1 / (CODE_POINTS + 1)
        return [*repeat(each, self.other), self.others * each, each]

    def encode(self, words: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the ids of all characters, and the offsets of the words.

        Word i is ``ids[offsets[i]:offsets[i+1]]``.

        The ends of words are not encoded.
        """
        number, other = self._ids.get, self.other
        ids = [number(character, other) for word in words for character in word]
        offsets = np.cumsum([0, *map(len, words)], dtype=np.int64)
        return np.array(ids, dtype=np.int32), offsets
