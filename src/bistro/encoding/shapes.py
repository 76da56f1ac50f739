"""Word shapes show the kinds of characters in a word."""

from __future__ import annotations

from functools import lru_cache

_LONGEST = 20
_MOST_KINDS = 6


def kind_of(character: str) -> str:
    """Return ``A`` for a capital, ``a`` for any other letter, and ``0`` for a digit.

    Any other character is returned unchanged.
    """
    if character.isdigit():
        return "0"
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return character


@lru_cache(maxsize=20_000)
def shape(form: str) -> str:
    """Return the shape of a word, with one symbol for each run of characters of the same kind.

    >>> [shape(word) for word in ("Paris", "NATO", "3rd", "e-mail", "...")]
    ['Aa', 'A', '0a', 'a-a', '.']
    """
    kinds: list[str] = []
    for kind in map(kind_of, form[:_LONGEST]):
        if kinds[-1:] != [kind]:
            kinds.append(kind)
    return "".join(kinds[:_MOST_KINDS])
