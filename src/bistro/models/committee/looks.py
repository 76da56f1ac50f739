"""The spelling of words as numbers, for the features of stacked decisions.

A word has one number each for its form, its lower case, its last 3, 2 and 4 letters, its first 3
letters and its shape, and a last one that is 1 for punctuation. Numbers are checksums of strings,
so that they are the same in every run.

>>> dog, dogs = looks(["dog", "Dogs"]).reshape(2, -1).tolist()
>>> dog[1] == dogs[1], looks_of("Dog")[1] == looks_of("dog")[1], looks_of(",")[-1]
(False, True, 1)
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bistro._core import STACK_FORMS

REMEMBERED = 200_000
"""Maximum number of words whose numbers are cached."""


def looks(forms: Iterable[str]) -> NDArray[np.int32]:
    """Return the numbers of all words in a row."""
    return np.array([looks_of(form) for form in forms], dtype=np.int32).reshape(-1)


@lru_cache(REMEMBERED)
def looks_of(form: str) -> tuple[int, ...]:
    """Return the numbers of one word."""
    lower = form.lower()
    parts = (form, lower, lower[-3:], lower[-2:], lower[-4:], lower[:3], _shape(form))
    is_punctuation = all(unicodedata.category(letter)[0] in "PS" for letter in form)
    numbers = (*(zlib.crc32(part.encode()) & 0x7FFFFFFF for part in parts), int(is_punctuation))
    assert len(numbers) == STACK_FORMS
    return numbers


def _shape(form: str) -> str:
    """Return the classes of the first and the last letter, and the other kinds of characters.

    >>> _shape("Xerox-2000"), _shape("dogs")
    ('Xd-9', 'xx')
    """
    ends = "".join(_class(letter) for letter in form[:1] + form[-1:])
    has_digit = any(letter.isdigit() for letter in form)
    return ends + "-" * ("-" in form) + "9" * has_digit


def _class(letter: str) -> str:
    if letter.isdigit():
        return "d"
    if letter.isalpha():
        return "X" if letter.isupper() else "x"
    return letter
