"""Numeric features of word spellings, used in stacked decisions.

The ten features of a word are its form, its form in lower case, its suffixes of 3, 2 and 4 letters,
its prefix of 3 letters, its shape, whether it is punctuation, its last letter, and its prefix of 2
letters. All features except punctuation are checksums of strings, so they are the same in every
run.

>>> dog, dogs = looks(["dog", "Dogs"]).tolist()
>>> dog[1] == dogs[1], looks_of("Dog")[1] == looks_of("dog")[1], looks_of(",")[7]
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

MORE = 2
"""Number of columns in addition to those that the core uses. Only feature templates use the
additional columns."""
REMEMBERED = 200_000
"""Maximum number of words whose features are cached."""


def looks(forms: Iterable[str]) -> NDArray[np.int32]:
    """Return the numeric features of all words, one row per word."""
    rows = [looks_of(form) for form in forms]
    return np.array(rows, dtype=np.int32).reshape(-1, STACK_FORMS + MORE)


@lru_cache(REMEMBERED)
def looks_of(form: str) -> tuple[int, ...]:
    """Return the numeric features of one word."""
    lower = form.lower()
    parts = (form, lower, lower[-3:], lower[-2:], lower[-4:], lower[:3], _shape(form))
    is_punctuation = all(unicodedata.category(letter)[0] in "PS" for letter in form)
    more = (checksum(lower[-1:]), checksum(lower[:2]))
    return (*map(checksum, parts), int(is_punctuation), *more)


def checksum(text: str) -> int:
    """Return a checksum of a string as an integer from 0 to 2^31 - 1."""
    return zlib.crc32(text.encode()) & 0x7FFFFFFF


def _shape(form: str) -> str:
    """Return the classes of the first and the last letter, with marks for hyphens and digits.

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
