"""Zero-width characters often go unnoticed and are not part of words.

Zero-width characters occur in text from web pages and word processors. Words that differ only in
zero-width characters are treated as the same word, both in training and in use.
Models therefore use the words that `seen` returns, while files keep the zero-width characters. The
joiners U+200C and U+200D are kept, since they belong to words in some scripts. Special spaces are
kept, since they do not end words in the files that Bistro reads.

>>> seen("dog\\u200b"), seen("\\ufeffThe"), count_invisible("dog\\u200b")
('dog', 'The', 1)
"""

from __future__ import annotations

# Zero-width space, word joiner, byte-order mark.
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))


def seen(word: str) -> str:
    """Return a word without zero-width characters.

    A word that consists only of zero-width characters is returned unchanged.
    """
    return word if word.isascii() else word.translate(_INVISIBLE) or word


def count_invisible(text: str) -> int:
    """Count the zero-width characters in a text."""
    return 0 if text.isascii() else len(text) - len(text.translate(_INVISIBLE))


def holds_odd_space(word: str) -> bool:
    """Return whether a word contains a no-break space or another space that does not end words."""
    return not word.isascii() and any(map(str.isspace, word.replace(" ", "")))


def is_invisible(word: str) -> bool:
    """Return whether a word consists only of zero-width characters."""
    return bool(word) and count_invisible(word) == len(word)
