"""The names of the ten columns, and the validation and conversion of fields.

>>> parse_heads(["2", "0", "_"])
[2, 0, -1]
>>> split_words("to be\\tor not")
['to', 'be', 'or', 'not']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bistro.errors import TreebankError, nearest
from bistro.treebank.validate import MISSING

EMPTY = "_"
COLUMNS = ("ids", "forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc")
"""The names of the columns as attributes of a sentence. The ids are always 1, 2, …, so a sentence
has no attribute ``ids``."""
LISTS = (*COLUMNS[1:], "comments")
FORM, UPOS, HEAD, DEPREL = 1, 3, 6, 7
MOST_WORDS = 100_000
"""Maximum number of words in a treebank sentence. The limit prevents a file without blank
lines from exhausting memory."""

_SHOWN_CHARACTERS = 40


class _HeadValues(dict[str, int]):
    """A dictionary that maps HEAD fields to integers.

    Small numbers are looked up in a table, which is faster than `int`.
    """

    def __missing__(self, field: str) -> int:
        if is_number(field):
            return int(field)
        raise KeyError(field)


def is_number(field: str) -> bool:
    """Return whether a field consists of at most nine ASCII digits.

    The function `int` would also accept "+1", "1_0" or "٣".
    """
    return field.isascii() and field.isdigit() and len(field) < 10


HEAD_VALUES = _HeadValues({EMPTY: MISSING} | {str(head): head for head in range(1000)})


def parse_heads(fields: Iterable[str]) -> list[int]:
    """Return HEAD fields as numbers, with -1 for ``_``. Raise a KeyError for an invalid field."""
    return list(map(HEAD_VALUES.__getitem__, fields))


def quoted(field: str) -> str:
    """Quote a field on one line for an error message, and shorten it if it is long."""
    shown = repr(field if len(field) <= _SHOWN_CHARACTERS else field[:_SHOWN_CHARACTERS] + "…")
    return f"'{shown[1:-1]}'"


def head_text(head: int) -> str:
    """Format a head as a HEAD field, with ``_`` for a missing head."""
    return EMPTY if head == MISSING else str(head)


def split_words(line: str) -> list[str]:
    """Split a line only at spaces and tabs.

    A no-break space or U+2028 is part of the word in which it occurs.
    """
    return [word for word in line.replace("\t", " ").replace("\r", " ").split(" ") if word]


def check_names(names: Iterable[str]) -> None:
    """Raise an error if a sentence has no column with the given name."""
    for name in names:
        if name not in LISTS:
            known = ", ".join(LISTS)
            raise TypeError(
                f"a sentence has no column '{name}'{nearest(name, LISTS)}; its columns are {known}"
            )


def check_values(name: str, values: Sequence[Any], size: int) -> None:
    """Raise an error if the given values or comments could not be read back from a file."""
    if name == "comments":
        for comment in values:
            if not comment.startswith("#") or not {"\n", "\r", "\0"}.isdisjoint(comment):
                raise TreebankError(
                    f"a comment must be a single line that begins with '#', not {quoted(comment)}"
                )
        return
    if len(values) != size:
        raise TreebankError(f"the column '{name}' has {len(values)} entries for {size} words")
    if name == "heads":
        return
    if not {"\t", "\n", "\r", "\0"}.isdisjoint("".join(values)):
        bad = next(value for value in values if not {"\t", "\n", "\r", "\0"}.isdisjoint(value))
        raise TreebankError(
            f"a field cannot contain a tab, a line break or a NUL character: {name} {quoted(bad)}"
        )
    if name == "forms" and "" in values:
        raise TreebankError(f"word {list(values).index('') + 1} is empty: every word needs a form")
