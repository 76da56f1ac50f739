"""Detection of text that is not tokenised, by words such as *said.* and *Monday,"*.

Parsers read lines in which words, including punctuation, are separated by spaces. A line of running
text nearly always contains letters that are followed directly by a punctuation mark.

>>> untokenised_words("He left on Monday , she said .".split())
[]
>>> untokenised_words('"I left on Monday," she said.'.split())
['Monday,"', 'said.']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_LEAST_SHARE = 0.5
_CLOSING = "\"'”’»)\\]"
_LETTERS = r"[^\W\d_]['’]?[^\W\d_]"
# Letters before a mark; a full stop alone may belong to an abbreviation, but not at the end.
_MARKED = re.compile(rf"{_LETTERS}(?:[,;:!?…][{_CLOSING}]*|\.[{_CLOSING}]+)$")
_LAST = re.compile(rf"{_LETTERS}[.!?…][{_CLOSING}]*$")


def ends_in_punctuation(word: str) -> bool:
    """Return whether the last character of a word is a punctuation mark."""
    return unicodedata.category(word[-1]).startswith("P")


def untokenised_words(words: Sequence[str]) -> list[str]:
    """Return the words in a line that end with letters followed by punctuation."""
    untokenised = [word for word in words[:-1] if _MARKED.search(word)]
    if words and (_MARKED.search(words[-1]) or _LAST.search(words[-1])):
        untokenised.append(words[-1])
    return untokenised


def untokenised_examples(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return examples of untokenised words if at least half of the lines contain them."""
    word_lists = [words for words in map(untokenised_words, lines) if words]
    if len(word_lists) < _LEAST_SHARE * len(lines):
        return []
    return list(dict.fromkeys(word for words in word_lists for word in words))
