"""Classes of unknown words, defined by the visible features of a word.

A class consists of a shape, optionally ``dash``, and optionally a suffix. Examples are
``<unk-lower-ing>`` and ``<unk-capital-dash>``.

    number   no letter but a digit: 1,250       initial  capital at the start of the sentence
    punct    neither: --, :-)                   capital  capital elsewhere
    digit    letters and digits: 1980s          caps     all capitals: IBM
    letters  a script without case              mixed    small first, capitals later: iPhone
                                                lower    no capitals

Suffixes are the most frequent final one to three characters of the rare training words, so they
depend on the language. A class must occur at least `FEWEST_SEEN` times among the rare words. If a
class occurs less often than that, its words are assigned to the class without the suffix, then to
the class without the dash, and finally to ``<unk>``.

>>> classes = UnknownClasses.learn({}, {"walking": 3, "talking": 4, "xy": 1}, num_suffixes=1)
>>> classes.names
('<unk>', '<unk-lower-g>')
>>> classes.names[classes.index("jumping", initial=False)]
'<unk-lower-g>'
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

UNKNOWN = "<unk>"
FEWEST_SEEN = 5
LONGEST_SUFFIX = 3
_SHAPES_WITH_SUFFIX = frozenset({"lower", "initial", "capital", "mixed", "letters"})


@dataclass(frozen=True)
class UnknownClasses:
    """The classes learned from the rare words in a training set. Class 0 is ``<unk>``."""

    names: tuple[str, ...] = (UNKNOWN,)
    suffixes: frozenset[str] = frozenset()
    _indices: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_indices", {name: i for i, name in enumerate(self.names)})

    @classmethod
    def learn(
        cls, initial: Mapping[str, int], inside: Mapping[str, int], num_suffixes: int
    ) -> UnknownClasses:
        """Learn the classes from counts of rare words at the start of sentences and elsewhere."""
        suffixes = _frequent_suffixes(Counter(initial) + Counter(inside), num_suffixes)
        return cls(cls(suffixes=suffixes).seen_names(initial, inside, FEWEST_SEEN), suffixes)

    def seen_names(
        self, initial: Mapping[str, int], inside: Mapping[str, int], fewest: int
    ) -> tuple[str, ...]:
        """Return ``<unk>`` and the classes that occur often enough among the counted words."""
        pending = Counter[tuple[str, ...]]()
        for counts, is_initial in ((initial, True), (inside, False)):
            for word, count in counts.items():
                if fitting := self.candidates(word, is_initial):
                    pending[tuple(fitting)] += count
        return (UNKNOWN, *frequent_classes(pending, fewest))

    def index(self, word: str, *, initial: bool) -> int:
        """Return the index of the most specific learned class that fits `word`."""
        if len(self.names) == 1:
            return 0
        candidates = self.candidates(word, initial)
        return next((self._indices[name] for name in candidates if name in self._indices), 0)

    def candidates(self, word: str, initial: bool) -> list[str]:
        """Return the names of the classes that fit a word, from the most to the least specific."""
        parts = ["<unk", shape_of(word, initial=initial)]
        if _has_dash_inside(word):
            parts.append("dash")
        if parts[1] in _SHAPES_WITH_SUFFIX:
            parts += [suffix for suffix in _suffixes_of(word) if suffix in self.suffixes][:1]
        return ["-".join(parts[:end]) + ">" for end in range(len(parts), 1, -1)]


def sentence_start(words: Sequence[str]) -> int:
    """Return the number of words up to and including the first word with a letter or digit."""
    for place, word in enumerate(words, start=1):
        if any(map(str.isalnum, word)):
            return place
    return len(words)


def shape_of(word: str, *, initial: bool) -> str:
    """Return the shape of a word, such as lower or capital."""
    has_digit = any(map(str.isdigit, word))
    if not any(map(_is_letter, word)):
        return "number" if has_digit else "punct"
    if has_digit:
        return "digit"
    cased = [char for char in word if char.lower() != char or char.upper() != char]
    if not cased:
        return "letters"
    if len(cased) > 1 and word.isupper():
        return "caps"
    if not cased[0].islower():
        return "initial" if initial else "capital"
    return "lower" if all(map(str.islower, cased)) else "mixed"


@lru_cache(maxsize=4096)
def _is_letter(char: str) -> bool:
    """Return whether a character is a letter, or a mark such as a vowel sign."""
    return unicodedata.category(char)[0] in "LM"


def _has_dash_inside(word: str) -> bool:
    return any(unicodedata.category(char) == "Pd" for char in word[1:-1])


def _suffixes_of(word: str) -> Iterator[str]:
    """Yield the proper suffixes of a word in lower case, from longest to shortest."""
    small = word.lower()
    for length in range(min(LONGEST_SUFFIX, len(small) - 1), 0, -1):
        suffix = small[-length:]
        if all(map(_is_letter, suffix)):
            yield suffix


def _frequent_suffixes(counts: Mapping[str, int], number: int) -> frozenset[str]:
    totals = Counter[str]()
    for word, count in counts.items():
        if shape_of(word, initial=False) in _SHAPES_WITH_SUFFIX:
            for suffix in _suffixes_of(word):
                totals[suffix] += count
    ranked = sorted(totals, key=lambda suffix: (-totals[suffix], suffix))
    return frozenset(ranked[:number])


def frequent_classes(pending: Counter[tuple[str, ...]], fewest: int) -> list[str]:
    """Return the classes of unknown words that occur at least `fewest` times.

    The words of a class with fewer occurrences count towards the next more general class.

    The keys of `pending` are tuples of class names that fit a word, from the most to the least
    specific, and the values are counts.
    """
    kept = Counter[str]()
    while pending:
        seen = Counter[str]()
        for candidates, count in pending.items():
            seen[candidates[0]] += count
        kept.update({name: count for name, count in seen.items() if count >= fewest})
        coarser = Counter[tuple[str, ...]]()
        for candidates, count in pending.items():
            if candidates[0] not in kept and len(candidates) > 1:
                coarser[candidates[1:]] += count
        pending = coarser
    return sorted(kept, key=lambda name: (-kept[name], name))
