"""Running text into words: a small splitter, the same for all languages that write spaces.

1. White space separates; a line end also ends a sentence.
2. Punctuation at the edges of what is between spaces becomes words of its own, the same mark
   several times in a row (``...``, ``!!``) one word. A closing bracket stays if its opening one is
   inside the word, ``dog(s)``; so does the full stop of a word with another inside, ``U.S.``, and
   of a single letter, ``J.``; so do ``@ # & * / \\ _``, which begin and end names.
3. ``.``, ``!``, ``?`` and ``…`` with the closing marks after them end a sentence, unless the next
   word begins with a small letter.

Nothing inside a word is cut: ``don't`` stays one. What was not separated by a space is marked, so
that `joined` gives the text back, up to the kind and number of its spaces.

>>> for sentence in split_sentences('"Stop!" he said. (Nobody did...)'):
...     print(sentence.forms)
['"', 'Stop', '!', '"', 'he', 'said', '.']
['(', 'Nobody', 'did', '...', ')']
>>> split_words_of("Dr. J. Smith paid $5 (cash).")
['Dr', '.', 'J.', 'Smith', 'paid', '$', '5', '(', 'cash', ')', '.']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

NO_SPACE = "SpaceAfter=No"
_EDGE_CATEGORIES = frozenset({"Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sc"})
_OF_NAMES = frozenset("@#&*/\\_")
_OPENING = {")": "(", "]": "[", "}": "{"}
_FINAL = frozenset(".!?…")
_LINE_END = re.compile(r"[\n\r\u0085\u2028\u2029]+")


@dataclass(frozen=True)
class SplitSentence:
    """The words of a sentence, and after which of them a space was."""

    forms: list[str]
    spaces: list[bool]

    def to_sentence(self, number: int = 1) -> Sentence:
        """Return it as CoNLL-U, with its text, and ``SpaceAfter=No`` where there was none."""
        return Sentence.from_columns(
            self.forms,
            misc=[EMPTY if space else NO_SPACE for space in self.spaces],
            comments=[f"# sent_id = {number}", f"# text = {joined(self.forms, self.spaces)}"],
        )


def split_words_of(text: str) -> list[str]:
    """Return the words of a text as of one sentence."""
    return [form for sentence in split_sentences(text) for form in sentence.forms]


def split_sentences(text: str) -> Iterator[SplitSentence]:
    """Yield the sentences of a text that have words."""
    for line in _LINE_END.split(text):
        yield from _of_line([_pieces(chunk) for chunk in line.split()])


def joined(forms: Iterable[str], spaces: Iterable[bool]) -> str:
    """Return words as running text; a space at the end is left out."""
    parts = (form + " " * space for form, space in zip(forms, spaces, strict=True))
    return "".join(parts).rstrip(" ")


def _of_line(chunks: list[list[str]]) -> Iterator[SplitSentence]:
    forms: list[str] = []
    spaces: list[bool] = []
    for pieces, after in zip_longest(chunks, chunks[1:]):
        forms += pieces
        spaces += [False] * (len(pieces) - 1) + [True]
        if after is None or (_is_final(pieces) and not after[0][0].islower()):
            yield SplitSentence(forms, spaces)
            forms, spaces = [], []


def _is_final(pieces: list[str]) -> bool:
    """Tell whether a sentence can end here: a final mark, and after it closing marks only."""
    for piece in reversed(pieces):
        if _FINAL.issuperset(piece):
            return True
        if unicodedata.category(piece[0]) not in ("Pe", "Pf", "Pi", "Po"):
            return False
    return False


def _pieces(chunk: str) -> list[str]:
    """Return the words between two spaces."""
    first = 0
    while first < len(chunk) and _is_edge(chunk[first]):
        first += 1
    last = len(chunk)
    while last > first and _is_edge(chunk[last - 1]) and not _belongs(chunk[first:last]):
        last -= 1
    middle = [chunk[first:last]] if first < last else []
    return [*_runs(chunk[:first]), *middle, *_runs(chunk[last:])]


def _is_edge(character: str) -> bool:
    return unicodedata.category(character) in _EDGE_CATEGORIES and character not in _OF_NAMES


def _belongs(word: str) -> bool:
    """Tell whether the last mark of a word is part of it."""
    if word[-1] == ".":
        before, inner, last = word[:-1].rpartition(".")
        return last.isalpha() and (before[-1:].isalpha() if inner else len(last) == 1)
    return _OPENING.get(word[-1], "\0") in word


def _runs(marks: str) -> list[str]:
    """Return marks one by one, the same several times in a row as one."""
    return [match[0] for match in re.finditer(r"(.)\1*", marks, re.DOTALL)]
