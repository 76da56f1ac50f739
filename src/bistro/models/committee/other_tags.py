"""Statistics on a treebank's second tag column, from which some members learn.

A treebank may have tags in one column, in two columns, or in two columns with gaps in one of them.
If at least half of the words have a tag in the other column, gaps are filled in. A gap is filled
with the most frequent tag among the occurrences of the word that have the same tag in the first
column. If there are no such occurrences, the most frequent tag among all words with the same tag in
the first column is used.

>>> words = [("the", "DET", "DT"), ("dog", "NOUN", "NN"), ("dogs", "NOUN", "_")]
>>> columns = dict(zip(("forms", "upos", "xpos"), map(list, zip(*words)), strict=True))
>>> treebank = [Sentence.from_columns(columns.pop("forms"), **columns)]
>>> other = OtherTags.of(treebank, "upos", "xpos")
>>> other.is_useful, other.note
(True, 'XPOS is missing for 1 of 3 words: filled in for the members that learn from it')
>>> other.filled(treebank)[0].xpos
['DT', 'NN', 'NN']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

Column = Literal["upos", "xpos"]
LEAST_SHARE = 0.5
"""Minimum proportion of words that have a tag in the other column. If the proportion is below this
minimum, the other column is not used."""


@dataclass(frozen=True)
class OtherTags:
    """Statistics on the tags in the other tag column of a treebank."""

    own: Column
    other: Column
    words: int
    missing: int
    is_same: bool
    """Whether the two tag columns are identical."""
    kinds: int
    """Number of different tags."""

    @classmethod
    def of(cls, sentences: Sequence[Sentence], own: Column, other: Column) -> OtherTags:
        """Count the tags in the other column of a treebank."""
        tags: Counter[str] = Counter()
        is_same = True
        for sentence in sentences:
            others = getattr(sentence, other)
            tags.update(others)
            is_same = is_same and others == getattr(sentence, own)
        kinds = len(tags.keys() - {EMPTY})
        return cls(own, other, tags.total(), tags[EMPTY], is_same, kinds)

    @property
    def is_useful(self) -> bool:
        """Whether the other column has enough tags and differs from the first column."""
        enough = self.words - self.missing >= LEAST_SHARE * self.words
        return enough and not self.is_same and self.kinds > 1

    @property
    def note(self) -> str:
        """A note for the user about missing or identical tags, or an empty string."""
        name, without = self.other.upper(), "the committee has no members that learn from it"
        if self.is_same:
            return f"{name} is the same as {self.own.upper()}: {without}"
        if self.missing == self.words:
            return f"there is no {name}: {without}"
        if self.kinds == 1:
            return f"all words have the same {name}: {without}"
        gaps = f"{name} is missing for {self.missing:,} of {self.words:,} words"
        if not self.is_useful:
            return f"{gaps}: {without}"
        return f"{gaps}: filled in for the members that learn from it" if self.missing else ""

    def filled(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return the sentences with the missing tags in the other column filled in."""
        if not self.missing:
            return list(sentences)
        by_word: dict[tuple[str, str], Counter[str]] = {}
        by_tag: dict[str, Counter[str]] = {}
        for sentence in sentences:
            for key, tag in zip(self._keys(sentence), getattr(sentence, self.other), strict=True):
                if tag != EMPTY:
                    by_word.setdefault(key, Counter())[tag] += 1
                    by_tag.setdefault(key[1], Counter())[tag] += 1

        def likeliest(form: str, tag: str) -> str:
            counts = by_word.get((form, tag)) or by_tag.get(tag)
            # If no word with this tag has one in the other column, use the tag itself.
            return max(counts, key=lambda name: (counts[name], name)) if counts else tag

        def whole(sentence: Sentence) -> Sentence:
            tags = getattr(sentence, self.other)
            if EMPTY not in tags:
                return sentence
            pairs = zip(self._keys(sentence), tags, strict=True)
            all_tags = [likeliest(*key) if tag == EMPTY else tag for key, tag in pairs]
            return sentence.replace(**{self.other: all_tags})

        return list(map(whole, sentences))

    def _keys(self, sentence: Sentence) -> list[tuple[str, str]]:
        return list(zip(sentence.forms, getattr(sentence, self.own), strict=True))
