"""Errors that a user can cause, each with a clear one-sentence message.

Every error that is caused by the input and not by the program is a `BistroError`. The command line
prints the error message, exits with code 2 and shows no traceback. Python callers catch the error
by its type.

>>> raise TreebankError("head 9 is outside the sentence", path="train.conllu", line=12)
Traceback (most recent call last):
bistro.errors.TreebankError: train.conllu:12: head 9 is outside the sentence
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable

_LONG_WORD = re.compile(r"\S{500,}")
_MOST_SHOWN = 5
"""The maximum number of items listed in a message."""


class BistroError(Exception):
    """A user's input or request is not valid. The message explains why."""


class BistroWarning(UserWarning):
    """A one-sentence warning for users, after which the program continues."""


class TreebankError(BistroError):
    """A treebank or text file is malformed. The message gives the file, the line and the reason."""

    def __init__(self, reason: str, *, path: str | None = None, line: int | None = None) -> None:
        self.reason = reason
        self.path = path
        self.line = line
        place = ":".join(str(part) for part in (path, line) if part is not None)
        super().__init__(f"{place}: {reason}" if place else reason)

    def in_file(self, path: str | None) -> TreebankError:
        """Return the error with the name of its file added, unless it already names a file."""
        return TreebankError(self.reason, path=self.path or path, line=self.line)


class ConfigError(BistroError):
    """A setting is unknown or has an invalid value."""


class UnknownSettingError(ConfigError):
    """A setting has a name that is unknown to this version of Bistro."""


class ModelFileError(BistroError):
    """A file is truncated, is not a model file, or has a version that this program cannot read."""


class NotAModelError(ModelFileError):
    """A file is not a model file at all."""


UNUSABLE = (BistroError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Errors that a file with unexpected content may cause."""


def damaged(name: str, error: Exception) -> ModelFileError:
    """Return the one-sentence error for a file whose content is damaged.

    >>> damaged("m.bistro", KeyError("words"))
    ModelFileError("m.bistro: the file is damaged: the entry 'words' is missing")
    """
    reason = "an entry has the wrong type or size"
    if isinstance(error, KeyError):
        reason = f"the entry {str(error)[:100]} is missing"
    elif isinstance(error, BistroError | ValueError):
        reason = " ".join(str(error).split())[:500]
    return ModelFileError(f"{name}: the file is damaged: {reason}")


class OutputError(BistroError):
    """A result could not be written, and no partial file was left behind."""


def printable(text: str) -> str:
    """Return a text with control characters escaped and extremely long words shortened.

    >>> printable("a word \\x1b[31m")
    'a word \\\\x1b[31m'
    """
    shown = "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)
    return _LONG_WORD.sub(lambda match: f"{match[0][:100]}…{match[0][-50:]}", shown)


def nearest(name: str, choices: Iterable[str], prefix: str = "") -> str:
    """Return ``" (did you mean 'x'?)"`` for the closest valid choice, or an empty string.

    The hint shows `prefix` directly before the choice.
    """
    close = difflib.get_close_matches(name, list(choices), n=1, cutoff=0.5)
    return f" (did you mean '{prefix}{close[0]}'?)" if close else ""


def first_few(items: Iterable[str], separator: str = ", ") -> str:
    """Join the first five items for a message, and count the others.

    >>> first_few(["2", "3"]), first_few("abcdefg")
    ('2, 3', 'a, b, c, d, e and 2 more')
    """
    others = iter(items)
    shown = separator.join(itertools.islice(others, _MOST_SHOWN))
    more = sum(1 for _ in others)
    return f"{shown} and {more:,} more" if more else shown
