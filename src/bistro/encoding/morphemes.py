"""Encode the labels, letters and morphemes of the training words as numbers.

The annotation gives the *canonical* form of each morpheme. The morpheme is aligned
(`morpheme_alignment`) with the letters that spell it, which are called its *surface*. Before
counting, every digit is replaced by 0. A word that is capitalised although its first morpheme is
not (at the start of a sentence or in a heading) is changed to lower case.

>>> from bistro.treebank.morphology import SegmentedWord, parse_morphemes
>>> word = SegmentedWord("Kwephrojekthi", parse_morphemes("kwa[Poss]-i[Pre]-phrojekthi[Stem]"))
>>> [(piece.surface, piece.canonical) for piece in pieces(word)]
[('kw', 'kwa'), ('e', 'i'), ('phrojekthi', 'phrojekthi')]
>>> [(form, round(weight, 2)) for form, weight in spellings_of("Umuntu", Capitals(0.2, 0.01))]
[('Umuntu', 0.0), ('umuntu', -1.37)]
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.morpheme_alignment import boundaries
from bistro.errors import BistroError
from bistro.treebank.morphology import SegmentedWord

_DIGIT = re.compile(r"\d")
LEAST_SHARE = 0.01
"""The assumed share of capitalised words if the training data contain no capital letters."""


class Piece(NamedTuple):
    """A morpheme of a word, with its label, its canonical form and its spelling."""

    label: str
    canonical: str
    surface: str


class Capitals(NamedTuple):
    """The shares of words that are capitalised, or in all capitals, unlike their canonical form."""

    first: float
    all: float


def pieces(word: SegmentedWord) -> list[Piece]:
    """Return the morphemes of a word with their letters, normalised for counting."""
    forms = [morpheme.form for morpheme in word.morphemes]
    places = boundaries(word.form, forms)
    written = folded(word.form, "".join(forms))
    return [
        Piece(morpheme.label, without_digits(morpheme.form), written[begin:end])
        for morpheme, begin, end in zip(word.morphemes, places, places[1:], strict=False)
    ]


def folded(word: str, canonical: str) -> str:
    """Replace digits with 0, and decapitalise a word if its canonical form is in lower case."""
    if word[:1].isupper() and canonical[:1].islower():
        word = _small(word) if _is_all_capitals(word) else _small(word[0]) + word[1:]
    return without_digits(word)


def without_digits(text: str) -> str:
    """Return a text with every digit replaced by 0."""
    return _DIGIT.sub("0", text)


def spellings_of(word: str, capitals: Capitals) -> Iterator[tuple[str, float]]:
    """Yield the possible forms of a word before capitalisation, each with its log-weight.

    The weight is the probability of this capitalisation divided by that of no capitalisation.
    """
    plain = 1 - capitals.first - capitals.all
    yield without_digits(word), 0.0
    if not word[:1].isupper():
        return
    first = _small(word[0]) + word[1:]
    yield without_digits(first), math.log(capitals.first / plain)
    if _is_all_capitals(word):
        yield without_digits(_small(word)), math.log(capitals.all / plain)


def shares_of_capitals(words: Iterable[SegmentedWord]) -> Capitals:
    """Return the shares of words that are capitalised although their canonical form is not."""
    small = first = everything = 0
    for word in words:
        canonical = "".join(morpheme.form for morpheme in word.morphemes)
        if not canonical[:1].islower():
            continue
        small += 1
        if word.form[:1].isupper():
            everything += _is_all_capitals(word.form)
            first += not _is_all_capitals(word.form)
    most = max(1, small)
    # At most 0.45 each, so that a word may also remain unchanged.
    return Capitals(*(min(0.45, max(LEAST_SHARE, n / most)) for n in (first, everything)))


def _is_all_capitals(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _small(text: str) -> str:
    """Convert a text to lower case without changing its length."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@dataclass(frozen=True)
class Inventory:
    """All labels, letters and morphemes of the training words."""

    labels: tuple[str, ...]
    letters: str
    """The letters in the order of their ids. The id after the last letter represents all other
    letters."""
    morphemes: tuple[Piece, ...]

    @classmethod
    def of(cls, words: Iterable[Sequence[Piece]]) -> Self:
        """Collect and sort the labels, letters and morphemes of words."""
        morphemes = sorted({piece for word in words for piece in word})
        labels = sorted({piece.label for piece in morphemes})
        letters = sorted({letter for piece in morphemes for letter in piece.surface})
        return cls(tuple(labels), "".join(letters), tuple(morphemes))

    @property
    def alphabet(self) -> int:
        """The number of letters, including the symbol that represents unknown letters."""
        return len(self.letters) + 1

    @cached_property
    def label_numbers(self) -> dict[str, int]:
        """The number of each label."""
        return {label: number for number, label in enumerate(self.labels)}

    @cached_property
    def morpheme_numbers(self) -> dict[Piece, int]:
        """The id of each morpheme."""
        return {piece: number for number, piece in enumerate(self.morphemes)}

    @cached_property
    def surfaces(self) -> dict[str, int]:
        """The id of each surface."""
        forms = sorted({piece.surface for piece in self.morphemes})
        return {form: number for number, form in enumerate(forms)}

    @cached_property
    def _letter_numbers(self) -> dict[str, int]:
        return {letter: number for number, letter in enumerate(self.letters)}

    def encode(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the letter ids of all texts in one array, and the offset of each text."""
        other = len(self.letters)
        numbers = self._letter_numbers
        ids = np.fromiter((numbers.get(c, other) for c in "".join(texts)), dtype=np.int32)
        return ids, np.cumsum([0, *map(len, texts)]).astype(np.int64)

    def columns(self) -> dict[str, Any]:
        """Return the table of morphemes in the form that the compiled core expects."""
        letters, offsets = self.encode(list(self.surfaces))
        morphemes = self.morphemes
        return {
            "num_labels": len(self.labels),
            "label": np.array([self.label_numbers[m.label] for m in morphemes], dtype=np.int32),
            "surface": np.array([self.surfaces[m.surface] for m in morphemes], dtype=np.int32),
            "plain": np.array([m.canonical == m.surface for m in morphemes], dtype=np.uint8),
            "letters": letters,
            "offsets": offsets,
        }

    # The elements of contexts: the same as in cpp/infinite/morpheme_table.hpp.
    def history(self, before: Sequence[Piece]) -> list[int]:
        """Return the label and surface ids of the preceding morphemes, nearest first."""
        size = len(self.labels)
        ids = []
        for piece in reversed(before):
            ids += [1 + self.label_numbers[piece.label], 2 + size + self.surfaces[piece.surface]]
        return [*ids, 1 + size]

    def header(self) -> dict[str, Any]:
        """Return all fields as values that can be stored as JSON."""
        return {
            "labels": list(self.labels),
            "letters": self.letters,
            "morphemes": [list(piece) for piece in self.morphemes],
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Self:
        """Restore the inventory."""
        morphemes = tuple(Piece(*map(str, entry)) for entry in header["morphemes"])
        inventory = cls(tuple(header["labels"]), str(header["letters"]), morphemes)
        if any(piece.label not in inventory.label_numbers for piece in morphemes):
            raise BistroError("a morpheme has a label that is missing from the list of labels")
        return inventory
