"""Validation of the arrays and headers of a model file before they are used."""

from __future__ import annotations

from typing import cast

from bistro.encoding.arrays import Expected, check_arrays
from bistro.errors import ModelFileError

__all__ = ["Expected", "check_arrays", "distinct_strings"]


def distinct_strings(value: object, name: str) -> list[str]:
    """Return a header entry. Raise an error if the entry is not a list of distinct strings.

    >>> distinct_strings(["a", 1], "words")
    Traceback (most recent call last):
    bistro.errors.ModelFileError: the entry 'words' must be a list of different strings
    """
    is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
    if not is_list or len(set(cast(list[str], value))) != len(cast(list[str], value)):
        raise ModelFileError(f"the entry '{name}' must be a list of different strings")
    return cast(list[str], value)
