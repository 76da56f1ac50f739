"""Patches: the lines that a decision changes in a sentence, and their replacements.

A patch contains the old lines, so it can be undone, and it cannot be applied to a different text.

>>> patch = Patch.between("a\\nb\\nc", "a\\nx\\ny\\nc")
>>> patch
Patch(at=1, old=['b'], new=['x', 'y'])
>>> patch.applied("a\\nb\\nc") == "a\\nx\\ny\\nc", patch.inverse.applied("a\\nx\\ny\\nc")
(True, 'a\\nb\\nc')
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from bistro.errors import BistroError


class StaleError(BistroError):
    """A patch cannot be applied to the current text."""


@dataclass(frozen=True)
class Patch:
    """The changed lines in a text, and their replacement."""

    at: int
    """The index of the first line, counted from 0."""
    old: list[str]
    new: list[str]

    @classmethod
    def between(cls, before: str, after: str) -> Patch:
        """Return the shortest patch that turns one text into another."""
        old, new = before.split("\n"), after.split("\n")
        start = _shared(old, new)
        old, new = old[start:], new[start:]
        end = _shared(old[::-1], new[::-1])
        return cls(start, old[: len(old) - end], new[: len(new) - end])

    @property
    def inverse(self) -> Patch:
        """The patch that undoes this patch."""
        return Patch(self.at, self.new, self.old)

    def applied(self, text: str) -> str:
        """Return the text after the patch is applied."""
        lines = text.split("\n")
        end = self.at + len(self.old)
        if lines[self.at : end] != self.old:
            raise StaleError("the sentence does not contain the lines that this change replaces")
        return "\n".join([*lines[: self.at], *self.new, *lines[end:]])


def _shared(one: Sequence[str], two: Sequence[str]) -> int:
    """Return the number of identical lines at the beginning of two texts."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((i for i, (mine, other) in pairs if mine != other), min(len(one), len(two)))


def digest(content: bytes | str) -> str:
    """Return the SHA-256 hash of a text or of bytes, in hexadecimal."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
