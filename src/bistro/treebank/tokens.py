"""A small tokeniser for running text in any language that separates words with spaces.

1. White space separates words, and a newline also ends a sentence.
2. Punctuation at the edges of a chunk between spaces becomes separate words; a repeated mark
   (``...``, ``!!``) becomes one word. A closing bracket stays in a word if its opening bracket is
   inside the word, as in ``dog(s)``. The full stop stays after a single letter (``J.``) and in a
   word with another full stop (``U.S.``). The characters ``@ # & * / \\ _`` also stay in words,
   since names can begin or end with them.
3. ``.``, ``!``, ``?`` and ``…`` with the closing marks after them end a sentence, unless the next
   word begins with a lower-case letter.

Words are not split in the middle, so ``don't`` stays one word. Words without a space between them
are marked, so that `joined` restores the text except for the kind and number of its spaces.

>>> for sentence in split_sentences('"Stop!" he said. (Nobody did...)'):
...     print(sentence.forms)
['"', 'Stop', '!', '"', 'he', 'said', '.']
['(', 'Nobody', 'did', '...', ')']
>>> split_text("Dr. J. Smith paid $5 (cash).").forms
['Dr', '.', 'J.', 'Smith', 'paid', '$', '5', '(', 'cash', ')', '.']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from bistro.treebank.blocks import Readable
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.text import iter_lines

NO_SPACE = "SpaceAfter=No"
_EDGE_CATEGORIES = frozenset({"Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sc"})
_CLOSING_CATEGORIES = frozenset({"Pe", "Pf", "Pi", "Po"})
_OF_NAMES = frozenset("@#&*/\\_")
_OPENING = {")": "(", "]": "[", "}": "{"}
_FINAL = frozenset(".!?…")
_LINE = re.compile(r"[^\n\r\u0085\u2028\u2029]+")
_CHUNK = re.compile(r"\S+")
_RUN = re.compile(r"(.)\1*", re.DOTALL)


@dataclass(frozen=True)
class SplitSentence:
    """The words of a sentence, their positions in the text, and the spaces between the words."""

    forms: list[str]
    starts: list[int]
    spaces: list[bool]

    def to_sentence(self, number: int = 1, line: int = 1) -> Sentence:
        """Return the sentence as CoNLL-U, with its text and ``SpaceAfter=No`` where needed."""
        return Sentence.from_columns(
            self.forms,
            misc=[EMPTY if space else NO_SPACE for space in self.spaces],
            comments=[f"# sent_id = {number}", f"# text = {joined(self.forms, self.spaces)}"],
            line=line,
        )


def split_text(text: str) -> SplitSentence:
    """Split a text into words, and return them as one sentence."""
    whole = SplitSentence([], [], [])
    for sentence in split_sentences(text):
        whole.forms.extend(sentence.forms)
        whole.starts.extend(sentence.starts)
        whole.spaces.extend(sentence.spaces)
    return whole


def split_lines(text: str) -> Iterator[SplitSentence]:
    """Split a text into lines, and yield each non-blank line as one sentence."""
    for line in _LINE.finditer(text):
        if chunks := _chunks(line):
            yield _sentence(chunks)


def split_sentences(text: str) -> Iterator[SplitSentence]:
    """Split a text into sentences."""
    for line in _LINE.finditer(text):
        chunks = _chunks(line)
        first = 0
        for number, (now, after) in enumerate(zip_longest(chunks, chunks[1:]), start=1):
            if after is None or (_is_final(now[1]) and not after[1][0][0].islower()):
                yield _sentence(chunks[first:number])
                first = number


def joined(forms: Iterable[str], spaces: Iterable[bool]) -> str:
    """Join words into running text, without a space at the end."""
    parts = (form + " " * space for form, space in zip(forms, spaces, strict=True))
    return "".join(parts).rstrip(" ")


def iter_raw(stream: Readable, path: str | None = None) -> Iterator[Sentence]:
    """Yield the sentences in a stream of running text as numbered CoNLL-U sentences."""
    number = 0
    for block in iter_lines(stream, path):
        for sentence in split_sentences(block.text):
            number += 1
            yield sentence.to_sentence(number, block.line)


Chunk = tuple[int, list[str]]
"""The position of a chunk of text between spaces, and its words."""


def _chunks(line: re.Match[str]) -> list[Chunk]:
    begin = line.start()
    return [(begin + match.start(), _pieces(match[0])) for match in _CHUNK.finditer(line[0])]


def _sentence(chunks: list[Chunk]) -> SplitSentence:
    split = SplitSentence([], [], [])
    for start, pieces in chunks:
        for piece in pieces:
            split.forms.append(piece)
            split.starts.append(start)
            split.spaces.append(False)
            start += len(piece)
        split.spaces[-1] = True
    return split


def _is_final(pieces: list[str]) -> bool:
    """Return whether a sentence can end after a chunk.

    The chunk must end with a sentence-final mark, optionally followed by closing marks.
    """
    for piece in reversed(pieces):
        if _FINAL.issuperset(piece):
            return True
        if unicodedata.category(piece[0]) not in _CLOSING_CATEGORIES:
            return False
    return False


def _pieces(chunk: str) -> list[str]:
    """Split a chunk of text between spaces into words and punctuation marks."""
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
    """Return whether the punctuation mark at the end of a word belongs to the word."""
    if word[-1] == ".":
        before, inner, last = word[:-1].rpartition(".")
        return last.isalpha() and (before[-1:].isalpha() if inner else len(last) == 1)
    return _OPENING.get(word[-1], "\0") in word


def _runs(marks: str) -> list[str]:
    """Split punctuation marks into tokens, treating repetitions of a mark as a single token."""
    return [match[0] for match in _RUN.finditer(marks)]
