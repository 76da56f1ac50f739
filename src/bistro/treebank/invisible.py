"""Zero-width characters: copied along unseen, part of no word.

They come with text from web pages and word processors. A word is the same word with and without
them, in training and in use, so words are compared and scored as `seen` shows them, while files
keep them. The joiners U+200C and U+200D stay, since they do belong to words in some scripts; and
spaces other than the plain one stay, since they do not end words in the files Bistro reads.

>>> seen("dog\\u200b"), seen("\\ufeffThe"), count_invisible("dog\\u200b")
('dog', 'The', 1)
"""

from __future__ import annotations

# Zero-width space, word joiner, byte-order mark.
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))


def seen(word: str) -> str:
    """Return a word without zero-width characters; one that has nothing else stays as it is."""
    return word if word.isascii() else word.translate(_INVISIBLE) or word


def count_invisible(text: str) -> int:
    """Count the zero-width characters of a text."""
    return 0 if text.isascii() else len(text) - len(text.translate(_INVISIBLE))


def holds_odd_space(word: str) -> bool:
    """Return whether a word holds a no-break space or another one that does not end words."""
    return not word.isascii() and any(map(str.isspace, word.replace(" ", "")))


def is_invisible(word: str) -> bool:
    """Return whether a word has zero-width characters and nothing else."""
    return bool(word) and count_invisible(word) == len(word)
