"""Markers for unknown English words, in the style of the Berkeley parser.

A marker combines the following features of an unknown word, in this order. The parsers of Petrov
and colleagues (2006) use the same features.

    initial  capital at the start of the sentence, lower case after it
    known      ... and the word is known in lower case
    capital  another word with a capital          lower    a word in lower case
    digit    there is a digit in it               dash     there is a hyphen in it
    -s -ed -ing -ion -er -est -ly -ity -y -al     a suffix, of words that are long enough

Unlike the classes of `bistro.encoding.unknown`, which learn their suffixes, these markers are
specific to English. A marker that does not occur in training is replaced by the same marker without
its suffix. If the marker without the suffix does not occur either, the dash and the digit are
dropped too. If the shortened marker does not occur in training either, the marker is ``<unk>``.

>>> markers = EnglishMarkers.learn_markers({"Opening": 1}, {"walking": 1}, known=["opening"])
>>> markers.names
('<unk>', '<unk-initial-known-ing>', '<unk-lower-ing>')
>>> markers.names[markers.index("jumping", initial=False)]
'<unk-lower-ing>'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from bistro.encoding.unknown import UnknownClasses

SUFFIXES = ("ed", "ing", "ion", "er", "est", "ly", "ity", "y", "al")
SHORTEST_WITH_SUFFIX = 5
SHORTEST_WITH_S = 3


@dataclass(frozen=True)
class EnglishMarkers(UnknownClasses):
    """The unknown-word markers that occur in training. Marker 0 is ``<unk>``."""

    known: frozenset[str] = frozenset()
    """The known words."""

    @classmethod
    def learn_markers(
        cls, initial: Mapping[str, int], inside: Mapping[str, int], known: Iterable[str]
    ) -> Self:
        """Learn the markers from counts of rare words at the start of sentences and elsewhere."""
        nameless = cls(known=frozenset(known))
        return replace(nameless, names=nameless.seen_names(initial, inside, fewest=1))

    def candidates(self, word: str, initial: bool) -> list[str]:
        """Return the markers that fit a word, from the most to the least specific."""
        shape = self._shape(word, initial)
        marks = ["digit"] * any(map(str.isdigit, word)) + ["dash"] * ("-" in word)
        suffix = suffix_of(word)
        parts = [*shape, *marks, *([suffix] if suffix else [])], [*shape, *marks], shape
        return [f"<unk-{'-'.join(part)}>" for part in dict.fromkeys(map(tuple, parts)) if part]

    def _shape(self, word: str, initial: bool) -> list[str]:
        capitals = sum(not char.islower() for char in word if char.isalpha())
        if word[:1].isupper() or word[:1].istitle():
            if not (initial and capitals == 1):
                return ["capital"]
            return ["initial", "known"] if word.lower() in self.known else ["initial"]
        if not word[:1].isalpha() and capitals:
            return ["capital"]
        return ["lower"] if any(map(str.islower, word)) else []


def suffix_of(word: str) -> str | None:
    """Return the informative suffix of an English word, or None.

    >>> [suffix_of(word) for word in ("80s", "bus", "class", "walked", "tidy", "ability", "re-ed")]
    ['s', None, None, 'ed', None, 'ity', None]
    """
    small = word.lower()
    if small.endswith("s"):
        plural = len(small) >= SHORTEST_WITH_S and small[-2] not in "siu"
        return "s" if plural else None
    odd = "-" in word or (any(map(str.isdigit, word)) and any(map(str.isupper, word)))
    if odd or len(small) < SHORTEST_WITH_SUFFIX:
        return None
    return next((suffix for suffix in SUFFIXES if small.endswith(suffix)), None)
