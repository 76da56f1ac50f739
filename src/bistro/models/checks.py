"""Checks of the arrays and headers of a model file before they are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bistro.encoding.arrays import Expected, check_arrays
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import ModelFileError

__all__ = ["Expected", "check_arrays", "distinct_strings", "vocabulary_of"]


def distinct_strings(value: object, name: str) -> list[str]:
    """Return an entry of a header; raise an error unless it is a list of different strings.

    >>> distinct_strings(["a", 1], "words")
    Traceback (most recent call last):
    bistro.errors.ModelFileError: the entry 'words' is not a list of different strings
    """
    is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
    if not is_list or len(set(cast(list[str], value))) != len(cast(list[str], value)):
        raise ModelFileError(f"the entry '{name}' is not a list of different strings")
    return cast(list[str], value)


def vocabulary_of(header: Mapping[str, Any]) -> Vocabulary:
    """Return the vocabulary of a header; raise an error if it does not match its hash."""
    vocabulary = Vocabulary.from_header(header["vocabulary"])
    if vocabulary.hash != header["vocabulary_hash"]:
        raise ModelFileError("the vocabulary is not the one that the model was trained with")
    return vocabulary
