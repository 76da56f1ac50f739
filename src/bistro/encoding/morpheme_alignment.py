"""Alignment of annotated morphemes with the letters of the written word.

An annotation gives the canonical forms of morphemes, not their spelling. For example, kwephrojekthi
is annotated as kwa-i-phrojekthi; the letters a and i are written as a single e. The letters of the
morphemes are aligned with the letters of the word at the lowest cost, which gives the beginning and
end of each morpheme:

    the same letter, in either case       0
    a vowel for a vowel, w or y for u, o, i   2
    a letter deleted, a letter inserted   2
    another letter of the same kind       4   (vowels, consonants, other characters)
    a letter of another kind              6
    a morpheme without letters            3

If several alignments have the same cost, the one that deletes letters in earlier morphemes is
chosen (the stem, which comes later, keeps its letters), and a letter inserted between two morphemes
belongs to the first (the hyphen of lwe-IDP).

>>> boundaries("kwephrojekthi", ["kwa", "i", "phrojekthi"])
[0, 2, 3, 13]
>>> boundaries("edolobheni", ["e", "i", "li", "dolobha", "ini"])
[0, 1, 1, 1, 7, 10]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

_UNIT = 1000
"""One unit of cost. Costs are integers, and those below `_UNIT` only break ties."""
_LEFT_OUT = _PUT_IN = 2 * _UNIT
_EMPTY = 3 * _UNIT
_AT_FRONT = 1
_NEVER = 10**9
_VOWELS = frozenset("aeiou")
_GLIDES = frozenset({("u", "w"), ("o", "w"), ("i", "y")})

_Row = list[tuple[int, int]]
"""For each position in the word, the lowest cost so far and the start of the current morpheme."""


def boundaries(word: str, forms: Sequence[str]) -> list[int]:
    """Return the start position of each morpheme in the word, followed by the word's length."""
    if _lower("".join(forms)) == _lower(word):
        return [0, *accumulate(map(len, forms))]
    costs = [0] + [_NEVER] * len(word)
    began: list[list[int]] = []
    for index, form in enumerate(forms):
        ends = _morpheme(_lower(word), _lower(form), costs, index)
        costs = [cost for cost, _ in ends]
        began.append([start for _, start in ends])
    places = [len(word)]
    for starts in reversed(began):
        places.append(starts[places[-1]])
    return places[::-1]


def _morpheme(word: str, form: str, before: list[int], index: int) -> _Row:
    """For each possible end of a morpheme, return the lowest cost and the matching start."""
    empty = before
    begun: _Row = [(_NEVER, 0)] * (len(word) + 1)
    _put_in(empty, begun)
    for letter in form:
        left_out = _LEFT_OUT + index
        kept = [(cost + left_out, start) for cost, start in begun]
        for place, written in enumerate(word):
            change = _substitution(letter, written)
            _better(kept, place + 1, empty[place] + change, place)
            _better(kept, place + 1, begun[place][0] + change, begun[place][1])
        empty = [cost + left_out for cost in empty]
        begun = kept
        _put_in(empty, begun)
    return [
        min((empty[place] + _EMPTY, place), begun[place], key=lambda end: end[0])
        for place in range(len(word) + 1)
    ]


def _put_in(empty: list[int], begun: _Row) -> None:
    """Allow for letters in the word that correspond to no letter in the morpheme."""
    for place in range(len(begun) - 1):
        _better(begun, place + 1, empty[place] + _PUT_IN + _AT_FRONT, place)
        _better(begun, place + 1, begun[place][0] + _PUT_IN, begun[place][1])


def _better(row: _Row, place: int, cost: int, start: int) -> None:
    if cost < row[place][0]:
        row[place] = (cost, start)


def _substitution(letter: str, written: str) -> int:
    if letter == written:
        return 0
    if (letter in _VOWELS and written in _VOWELS) or (letter, written) in _GLIDES:
        return 2 * _UNIT
    return (4 if _kind(letter) == _kind(written) else 6) * _UNIT


def _lower(text: str) -> str:
    """Convert a text to lower case without changing its length.

    Python's `str.lower` turns İ into two characters.
    """
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _kind(letter: str) -> int:
    return 0 if letter in _VOWELS else 1 if letter.isalpha() else 2
