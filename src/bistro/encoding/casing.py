"""Capital letters that the position of a word requires, for example at the start of a sentence.

A capital letter that the position requires carries no information about the word. A model that
takes this convention into account need not learn both *The* and *the*. The convention is learned
from the data. A capital letter counts as required at the start of a sentence, or after a token
without letters, if nearly all words in that position begin with a capital letter.

>>> texts = [["The", "dog", "saw", "the", "cat"], ["A", "cat", "saw", "Rex"]] * 30
>>> casing = Casing.learn(texts)
>>> sorted(casing.after), casing.plain(["The", "cat"]), casing.plain(["Rex", "saw", "The"])
([''], ['the', 'cat'], ['Rex', 'saw', 'The'])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

FEWEST_SEEN = 50
SHARE_OF_CAPITALS = 0.98
START = ""
"""The symbol that stands for the token before the first word of a sentence."""


class Casing:
    """The tokens after which words are capitalised, and the counts of words in other positions."""

    def __init__(self, after: Iterable[str], elsewhere: Counter[str] | None = None) -> None:
        self.after = frozenset(after)
        self._elsewhere = elsewhere or Counter()

    @classmethod
    def learn(cls, texts: Sequence[Sequence[str]]) -> Casing:
        """Learn the tokens after which words are capitalised, and count the words in other
        positions."""
        followed, by_capital = Counter[str](), Counter[str]()
        for before, word in _pairs(texts):
            if not _has_letters(before) and word[:1].isalpha():
                followed[before] += 1
                by_capital[before] += word[:1].isupper()
        after = {
            token
            for token, count in followed.items()
            if count >= FEWEST_SEEN and by_capital[token] >= SHARE_OF_CAPITALS * count
        }
        return cls(after, Counter(w for before, w in _pairs(texts) if before not in after))

    def plain(self, words: Sequence[str]) -> list[str]:
        """Return the words without the capital letters that are due only to their position."""
        before = [START, *words[:-1]]
        return [
            self._lowered(word) if b in self.after else word
            for b, word in zip(before, words, strict=True)
        ]

    def _lowered(self, word: str) -> str:
        lower = word[:1].lower() + word[1:]
        return lower if self._elsewhere[lower] >= self._elsewhere[word] else word


def _pairs(texts: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    for words in texts:
        yield from zip([START, *words], words, strict=False)


def _has_letters(token: str) -> bool:
    return any(map(str.isalpha, token))
