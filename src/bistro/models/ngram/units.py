"""The units of text that a model predicts: characters or bytes.

A sentence consists of its words, separated by spaces, and an end symbol.

>>> units = Bytes()
>>> ids, begins = units.encode([["a", "dog"]])
>>> ids[0].tolist(), begins[0].tolist()          # where each word, and the end, begins
([97, 32, 100, 111, 103, 10], [0, 1, 5])
>>> units.decode([97, 32, 100])
'a d'
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.alphabet import Alphabet
from bistro.treebank.invisible import seen

Ids = NDArray[np.int32]
Places = NDArray[np.int64]
Unit = Literal["words", "characters", "bytes"]
UNKNOWN_CHARACTER = "\N{REPLACEMENT CHARACTER}"
NEWLINE = 10


class Units(ABC):
    """The characters or bytes of a text, numbered from 0."""

    end: int
    """Index of the unit that ends a sentence."""

    @abstractmethod
    def base(self) -> list[float]:
        """Return the prior probability of every unit, before training."""

    @abstractmethod
    def numbers(self, text: str) -> Ids:
        """Return the unit indices of a text, without the end symbol."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Convert unit indices to text."""

    def log_share(self, ids: Ids) -> NDArray[np.float64] | float:
        """Return the log-probability of each unit, given its index.

        The log-probability is 0 unless several units share an index.
        """
        return 0.0

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return the data that is needed to restore the units from a file."""

    def encode(self, sentences: Iterable[Sequence[str]]) -> tuple[list[Ids], list[Places]]:
        """Return each sentence's unit indices, and the start of each word and of the end symbol.

        The space before a word belongs to the word.
        """
        sequences, begins = [], []
        for words in sentences:
            # Zero-width characters are ignored, unless a word has no other characters.
            forms = [seen(word) or word for word in words]
            parts = [self.numbers(" " + form if i else form) for i, form in enumerate(forms)]
            sizes = [0, *(part.size for part in parts)]
            sequences.append(np.concatenate([*parts, [self.end]]).astype(np.int32))
            begins.append(np.cumsum(sizes, dtype=np.int64))
        return sequences, begins


class Bytes(Units):
    """The bytes of UTF-8 text. A newline ends a sentence."""

    end = NEWLINE

    def base(self) -> list[float]:
        """Return equal prior probabilities for all bytes."""
        return [1 / 256] * 256

    def numbers(self, text: str) -> Ids:
        """Return the UTF-8 bytes of a text."""
        return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8).astype(np.int32)

    def decode(self, ids: Sequence[int]) -> str:
        """Convert bytes to text. Invalid UTF-8 is converted to replacement characters."""
        return bytes(ids).decode("utf-8", "replace")

    def header(self) -> dict[str, Any]:
        """Return an empty dictionary, because bytes require no further data."""
        return {}


class Characters(Units):
    """The characters of the training text, with one index for all other characters."""

    def __init__(self, alphabet: Alphabet) -> None:
        self._alphabet = alphabet
        self.end = alphabet.end

    def base(self) -> list[float]:
        """Return equal prior probabilities for all Unicode characters and the end symbol."""
        return self._alphabet.base()

    def numbers(self, text: str) -> Ids:
        """Return the character indices of a text."""
        return self._alphabet.encode([text])[0]

    def decode(self, ids: Sequence[int]) -> str:
        """Convert character indices to text. Unknown characters become replacement characters."""
        known = self._alphabet.characters
        return "".join(known[i] if i < len(known) else UNKNOWN_CHARACTER for i in ids)

    def log_share(self, ids: Ids) -> NDArray[np.float64]:
        """Return the log-probability of each character, given its index.

        All unknown characters share one index and are equally probable.
        """
        return np.where(ids == self._alphabet.other, -math.log(self._alphabet.others), 0.0)

    def header(self) -> dict[str, Any]:
        """Return the alphabet, which is needed to restore the units from a file."""
        return {"alphabet": self._alphabet.characters}


def units_of(unit: Unit, sentences: Iterable[Sequence[str]]) -> Units:
    """Return the units of a training text, which are either bytes or the characters of the text."""
    if unit == "bytes":
        return Bytes()
    return Characters(Alphabet.of([" ", *(seen(w) or w for s in sentences for w in s)]))


def units_from(unit: Unit, header: Mapping[str, Any]) -> Units:
    """Restore the units from the header of a model file."""
    return Bytes() if unit == "bytes" else Characters(Alphabet(header["alphabet"]))
