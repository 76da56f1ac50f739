"""Conversion and validation of model input."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from bistro.errors import BistroError, ConfigError
from bistro.rng import check_seed
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import simplified
from bistro.treebank.sentence import Sentence

Words = Sentence | Sequence[str]
"""A sentence in the form that models accept, either a treebank sentence or a list of words."""
STRING = (
    "a sentence is a list of words: split the text first, as in 'The dog sleeps .'.split(), or "
    "train a pipeline, which takes running text"
)
SENTENCES_AT_ONCE = 2000
"""Number of sentences that are passed to the core in one call."""


def as_words(sentences: Iterable[Any]) -> list[Sequence[str]]:
    """Return every sentence or constituency tree as a list of words.

    A plain string is an error, because each of its letters would count as a word.
    """
    words = [_words_of(sentence) for sentence in sentences]
    if any(isinstance(sentence, str) for sentence in words):
        raise BistroError(
            "a sentence must be a list of words, not a string: give a list of sentences such as "
            "['The dog sleeps .'.split()], read a file with bistro.read, or use a pipeline for "
            "running text"
        )
    return words


def _words_of(item: Any) -> Sequence[str]:
    if isinstance(item, Sentence):
        return item.forms
    words: Sequence[str] = simplified(item).leaves() if isinstance(item, Tree) else item
    return words


def as_sentence(words: Words) -> Sentence:
    """Return a `Sentence`. A list of words is converted to a sentence without annotation."""
    if isinstance(words, Sentence):
        return words
    if isinstance(words, str):
        raise BistroError(STRING)
    return Sentence.from_columns(list(words))


def place_of(sentence: Sentence) -> str:
    """Describe a sentence by its name and line, for use in error messages."""
    name = f"sentence '{sentence.sent_id}'" if sentence.sent_id else "a sentence"
    return f"{name} at line {sentence.line}" if sentence.line else name


def check_number(n: int) -> None:
    """Raise an error if the number of draws is negative."""
    if n < 0:
        raise ConfigError(f"n is {n}, but must be at least 0")


def check_draws(n: int, seed: int, temperature: float, prefix: Sequence[str]) -> None:
    """Raise an error if the arguments of `generate` are not valid."""
    check_number(n)
    check_seed(seed)
    check_temperature(temperature)
    if isinstance(prefix, str):  # its letters would be taken as words
        raise BistroError("a prefix must be a list of words, not a string: split the text first")


def check_temperature(temperature: float) -> None:
    """Raise an error if the temperature is not a positive number."""
    if not 0 < temperature < math.inf:
        raise ConfigError(f"temperature is {temperature}, but must be a number above 0")
