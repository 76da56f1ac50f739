"""The words of a whole file as arrays of numbers. A million words take up about 100 MB.

Scores compare the columns of two files. Strings are replaced by codes that both files share, so
equal values have equal codes. Each head becomes the index of a word in the file. Parts of values
that scores ignore, such as subtypes of relations and features that are not universal, are removed
before encoding.

Sentences are read one by one and are not kept.

>>> from bistro.treebank.sentence import Sentence
>>> sentence = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl:pv", "root"])
>>> codes = Codes()
>>> words = read_words([sentence, sentence], codes, "gold")
>>> words.parents.tolist(), codes.deprels.names
([1, -1, 3, -1], ['expl', 'root'])
>>> words.text, words.token_borders.tolist()
(['Itrains', 'Itrains'], [0, 2, 7, 9, 14])
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bistro.evaluate.by_relation import plain_relation
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

ROOT, NO_HEAD = -1, -2
"""Values of `Words.parents` for a root, and for a word without a head."""
# fmt: off
UNIVERSAL_FEATURES = {
    "Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender",
    "Mood", "Number", "NumType", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex",
    "Tense", "VerbForm", "Voice",
}
# fmt: on
_SPACES = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
"""All characters in the Unicode category Zs."""

Integers = NDArray[np.int32 | np.int64]


def universal_features(feats: str) -> str:
    """Return the sorted universal features of a word."""
    if feats == EMPTY:
        return ""
    kept = (f for f in feats.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES)
    return "|".join(sorted(kept))


def without_spaces(form: str) -> str:
    """Return a form without spaces of any kind."""
    return _SPACES.sub("", form)


class ColumnCodes(dict[str, int]):
    """A map from the values of one column to codes.

    Values with equal simplified forms share a code.
    """

    def __init__(self, simplify: Callable[[str], str] = str) -> None:
        super().__init__()
        self.names: list[str] = []
        """The simplified value of each code."""
        self._simplify = simplify
        self._codes: dict[str, int] = {}

    def __missing__(self, value: str) -> int:
        name = self._simplify(value)
        code = self._codes.setdefault(name, len(self.names))
        if code == len(self.names):
            self.names.append(name)
        self[value] = code
        return code

    def flags(self, is_marked: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Return a mask of the codes whose values satisfy a condition."""
        return np.fromiter(map(is_marked, self.names), dtype=bool, count=len(self.names))


@dataclass(frozen=True)
class Codes:
    """The codes of all columns, shared by the files that are compared."""

    forms: ColumnCodes = field(default_factory=ColumnCodes)
    lemmas: ColumnCodes = field(default_factory=ColumnCodes)
    upos: ColumnCodes = field(default_factory=ColumnCodes)
    xpos: ColumnCodes = field(default_factory=ColumnCodes)
    feats: ColumnCodes = field(default_factory=lambda: ColumnCodes(universal_features))
    deprels: ColumnCodes = field(default_factory=lambda: ColumnCodes(plain_relation))


@dataclass(frozen=True)
class Words:
    """All words of a file. Arrays have one entry per word unless noted otherwise."""

    name: str
    forms: Integers
    lemmas: Integers
    upos: Integers
    xpos: Integers
    feats: Integers
    deprels: Integers
    parents: Integers
    """The index of the head in the file, or else `ROOT` or `NO_HEAD`."""
    sentence_starts: Integers
    """Index of the first word of each sentence, followed by the total number of words."""
    lines: Integers
    """The line number at which each sentence begins in the file."""
    text: list[str]
    """The characters of each sentence, without spaces."""
    token_borders: Integers
    """The character positions at which tokens begin, followed by the end of the last token."""
    tokens: Integers
    """The token of each word."""
    multiword: NDArray[np.bool_]
    """True for words that are part of a multiword token."""

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def sentence_borders(self) -> Integers:
        """Character positions at which sentences begin, followed by the end of the text."""
        return _cumulated(list(map(len, self.text)))


class _Reader:
    """A builder that fills the arrays of a file, sentence by sentence."""

    def __init__(self, codes: Codes) -> None:
        self._coded = {
            name: (array("i"), getattr(codes, name).__getitem__)
            for name in ("forms", "lemmas", "upos", "xpos", "feats", "deprels")
        }
        self._heads = array("i")
        self._sizes = array("i")
        self._lines = array("i")
        self._token_lengths = array("i")
        self._words_before = 0
        self._tokens_before = 0
        self._ranges: list[tuple[int, int]] = []
        self._text: list[str] = []

    def add(self, sentence: Sentence) -> None:
        """Append the words and tokens of a sentence."""
        lemmas, xpos, feats = sentence.columns("lemmas", "xpos", "feats")
        columns = {
            "forms": sentence.forms,
            "lemmas": lemmas,
            "upos": sentence.upos,
            "xpos": xpos,
            "feats": feats,
            "deprels": sentence.deprels,
        }
        for name, values in columns.items():
            numbers, code = self._coded[name]
            numbers.fromlist([*map(code, values)])
        self._heads.fromlist(sentence.heads)
        self._sizes.append(len(sentence))
        self._lines.append(sentence.line)
        self._add_tokens(sentence)
        self._words_before += len(sentence)

    def _add_tokens(self, sentence: Sentence) -> None:
        forms = sentence.forms
        if ranges := sentence.multiword:
            base, words, forms, after = self._words_before, forms, [], 0
            for first, last, form in ranges:
                self._ranges.append((base + first - 1, base + last))
                forms += [*words[after : first - 1], form]
                after = last
            forms += words[after:]
        text = "".join(forms)
        if " " in text or (not text.isascii() and _SPACES.search(text)):
            forms = list(map(without_spaces, forms))
            text = "".join(forms)
        self._text.append(text)
        self._token_lengths.fromlist([*map(len, forms)])

    def finish(self, name: str) -> Words:
        """Return the arrays."""
        starts = _cumulated(self._sizes)
        heads = np.asarray(self._heads, dtype=np.int32)
        first_words = np.repeat(starts[:-1], self._sizes)
        multiword = np.zeros(len(heads), dtype=bool)
        begins_token = np.ones(len(heads), dtype=bool)
        for first, end in self._ranges:
            multiword[first:end] = True
            begins_token[first + 1 : end] = False
        return Words(
            name=name,
            parents=np.where(heads > 0, first_words + heads - 1, heads - 1).astype(np.int32),
            sentence_starts=starts,
            lines=np.asarray(self._lines, dtype=np.int32),
            text=self._text,
            token_borders=_cumulated(self._token_lengths),
            tokens=np.cumsum(begins_token, dtype=np.int32) - 1,
            multiword=multiword,
            **{key: np.asarray(values, np.int32) for key, (values, _) in self._coded.items()},
        )


def read_words(sentences: Iterable[Sentence], codes: Codes, name: str) -> Words:
    """Read the words of a file from its sentences.

    `name` is used in error messages.
    """
    reader = _Reader(codes)
    for sentence in sentences:
        reader.add(sentence)
    return reader.finish(name)


def _cumulated(lengths: Sequence[int]) -> Integers:
    """Return the offsets of pieces with the given lengths, and the end of the last piece."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
