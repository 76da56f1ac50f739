"""An annotator's decisions about one sentence.

Some decisions change only the fields that they name; others split or join words.

>>> from bistro.treebank.sentence import Sentence
>>> dog = Sentence.from_columns(["The", "dog"], upos=["DET", "NOUN"])
>>> decided = SetFields({1: {"heads": 2, "deprels": "det"}}).applied(dog)
>>> decided.heads, decided.deprels, decided.upos
([2, -1], ['det', '_'], ['DET', 'NOUN'])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bistro.errors import BistroError, TreebankError, nearest
from bistro.treebank.fields import EMPTY
from bistro.treebank.resegment import join_words, split_word
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING, find_tree_problem

EDITABLE = ("heads", "deprels", "upos", "xpos", "feats", "lemmas")
"""The columns that decisions can change."""
Value = int | str


class Decision(Protocol):
    """A change of one sentence."""

    def applied(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the decision applied.

        Raise an error if the decision is not possible.
        """

    def noted(self) -> dict[str, Any]:
        """Return the decision as a dictionary for the journal."""


@dataclass(frozen=True)
class SetFields:
    """A decision that assigns new values to fields, given by word and column.

    Words are counted from 1. -1 and ``_`` clear a field.
    """

    values: Mapping[int, Mapping[str, Value]]

    def applied(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the new values."""
        columns: dict[str, list[Any]] = {}
        for word, fields in self.values.items():
            if not 1 <= word <= len(sentence):
                raise BistroError(
                    f"there is no word {word}: the words are numbered from 1 to {len(sentence)}"
                )
            for name, value in fields.items():
                _check(name, value)
                column = columns.setdefault(name, list(getattr(sentence, name)))
                column[word - 1] = value
        if "heads" in columns:
            _check_heads(sentence, columns["heads"])
        return sentence.replace(**columns) if columns else sentence

    def noted(self) -> dict[str, Any]:
        """Return the decision as a dictionary for the journal."""
        return {"set": {str(word): dict(fields) for word, fields in self.values.items()}}


@dataclass(frozen=True)
class Split:
    """A decision to split one word into several (see `split_word`)."""

    word: int
    forms: Sequence[str]
    multiword: bool = False

    def applied(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the word split."""
        for form in self.forms:
            _check("forms", form)
        return split_word(sentence, self.word, self.forms, multiword=self.multiword)

    def noted(self) -> dict[str, Any]:
        """Return the decision as a dictionary for the journal."""
        return {"split": self.word, "forms": list(self.forms), "multiword": self.multiword}


@dataclass(frozen=True)
class Join:
    """A decision to join several words into one (see `join_words`)."""

    first: int
    last: int

    def applied(self, sentence: Sentence) -> Sentence:
        """Return the sentence with the words joined."""
        return join_words(sentence, self.first, self.last)

    def noted(self) -> dict[str, Any]:
        """Return the decision as a dictionary for the journal."""
        return {"join": [self.first, self.last]}


def _check(name: str, value: Value) -> None:
    if name != "forms" and name not in EDITABLE:
        known = ", ".join(EDITABLE)
        raise BistroError(f"'{name}' cannot be changed{nearest(name, EDITABLE)}: {known}")
    if name == "heads":
        if not isinstance(value, int) or value < MISSING:
            raise BistroError(
                "a head must be the number of a word, 0 for the root, or -1 for no head"
            )
        return
    if not isinstance(value, str) or not value or value != value.strip():
        raise BistroError(
            f"a value of {name} cannot be empty or have spaces around it: use {EMPTY} for no value"
        )
    if any(mark in value for mark in "\t\n\r\0"):
        raise BistroError("a value cannot contain a tab or a line break")
    if name not in ("lemmas", "forms") and " " in value:
        raise BistroError(f"a value of {name} cannot contain spaces")


def _check_heads(sentence: Sentence, heads: list[int]) -> None:
    problem = find_tree_problem(heads, roots="any", partial=True)
    if problem is None:
        return
    if "circle" in problem.reason:
        word = sentence.forms[problem.word - 1]
        raise TreebankError(
            f"{problem.reason}: first give a new head to another word in the circle, for example "
            f"'{word}'"
        )
    raise TreebankError(problem.reason)
