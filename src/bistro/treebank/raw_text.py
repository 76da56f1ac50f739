"""Raw text for training, which is read from files several times and so needs little memory.

A file has one sentence per line, with words separated by spaces or tabs (`bistro.treebank.text`).
The suffix of a file determines its compression. Blank lines are skipped and counted, and words with
invisible characters are counted too, so nothing is lost silently. Zero-width characters make no
difference to a model's words (`bistro.treebank.invisible`). Special spaces are part of the words
that contain them, as in all other files.

A text is read as bytes, in pieces that consist of whole lines. Reading is so fast that one process
can supply many other processes, which split the pieces into sentences.

>>> text = RawText(["news.txt.gz", "more.txt"])                    # doctest: +SKIP
>>> sum(map(len, text)), text.facts[0].blank_lines                 # doctest: +SKIP
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import PurePath
from typing import Any

from bistro.errors import BistroError
from bistro.files import STANDARD_STREAM
from bistro.treebank.blocks import iter_pieces
from bistro.treebank.detect import format_of_suffix
from bistro.treebank.sentence import Sentence
from bistro.treebank.text import check_encoding, iter_text, last_line_start
from bistro.treebank.treebank import opened

PIECE_BYTES = 1 << 17
"""Size of a piece in bytes. A piece has about 25,000 words and takes about a second to parse, so
little work is lost when a worker fails."""

# Soft hyphen, zero-width and direction marks, byte order mark; and all spaces but the plain one.
_UNSEEN = re.compile(
    "[\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]"
)


_BLANK = b" \t\r\n\xef\xbb\xbf"


@dataclass(frozen=True)
class TextFacts:
    """The hash of a text file, and the numbers of its sentences, words and other items."""

    name: str
    sha256: str
    sentences: int
    words: int
    blank_lines: int
    unseen_characters: int
    """Number of words that contain zero-width characters or special spaces."""


@dataclass(frozen=True)
class TextPiece:
    """A piece of a file, consisting of whole lines, that a worker splits into sentences."""

    path: str
    line: int
    """The number of the piece's first line in the file."""
    content: bytes

    def sentences(self) -> list[list[str]]:
        """Return the sentences of the piece as lists of words."""
        return [sentence.forms for sentence in self._lines()]

    def read(self) -> tuple[list[list[str]], PieceFacts]:
        """Return the sentences and the counts of a piece."""
        sentences: list[list[str]] = []
        blank = unseen = 0
        for sentence in self._lines():
            written, forms = str(sentence), sentence.forms
            blank += written.count("\n") + (not written.endswith("\n")) - 1
            if not written.isascii():
                unseen += sum(_UNSEEN.search(form) is not None for form in forms)
            sentences.append(forms)
        facts = PieceFacts(len(sentences), sum(map(len, sentences)), blank, unseen)
        return sentences, facts

    def _lines(self) -> Iterator[Sentence]:
        return iter_text(io.BytesIO(self.content), self.path, self.line)


@dataclass(frozen=True)
class PieceFacts:
    """The numbers of sentences, words, blank lines and unusual words in one piece of a file."""

    sentences: int
    words: int
    blank_lines: int
    unseen_characters: int


Reader = Callable[[Iterator[TextPiece]], Iterable[PieceFacts]]
"""A function that reads pieces and yields the counts of each piece, in order."""


class RawText:
    """The sentences in several files, as lists of words.

    Each iteration reads the files again.
    """

    def __init__(self, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> None:
        several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        self.paths = [os.fspath(path) for path in several]
        if STANDARD_STREAM in self.paths:
            raise BistroError("raw text is read several times: give files instead of stdin")
        for path in self.paths:
            if (format := format_of_suffix(path)) not in (None, "text"):
                raise BistroError(
                    f"{path}: this is the name of a {format} file, but raw text must have one "
                    "sentence per line: convert it with bistro convert"
                )
        self._facts: dict[int, TextFacts] = {}
        self._digests: dict[int, str] = {}
        self._is_checked = False
        self.sizes: list[tuple[int, int]] = []
        """The numbers of sentences and words in every piece, once the text has been read."""

    @property
    def facts(self) -> list[TextFacts]:
        """The hash and counts of each file that has been read."""
        return [self._facts[i] for i in sorted(self._facts)]

    @property
    def words(self) -> int:
        """The number of words in the files read so far."""
        return sum(facts.words for facts in self.facts)

    def digests(self) -> list[str]:
        """Return the hash of each file, after reading the files if necessary."""
        if not self._facts:
            for _ in self:
                pass
        return [facts.sha256 for facts in self.facts]

    def provenance(self) -> list[dict[str, Any]]:
        """Return the hash and counts of each file as plain JSON values."""
        return [asdict(facts) for facts in self.facts]

    def notes(self) -> Iterator[str]:
        """Yield a message for each kind of unusual content in each file."""
        for path, facts in zip(self.paths, self.facts, strict=True):
            if facts.blank_lines:
                yield f"{path}: {facts.blank_lines:,} blank lines are skipped"
            if facts.unseen_characters:
                yield (
                    f"{path}: {facts.unseen_characters:,} words contain zero-width characters, "
                    "which are left out, or special spaces, which are kept"
                )

    def __iter__(self) -> Iterator[list[str]]:
        pending: list[list[list[str]]] = []

        def reader(pieces: Iterator[TextPiece]) -> Iterator[PieceFacts]:
            for piece in pieces:
                sentences, facts = piece.read()
                pending.append(sentences)
                yield facts

        for _ in self.read(reader):
            yield from pending.pop()

    def pieces(self) -> Iterator[TextPiece]:
        """Yield all files in pieces. Raise an error if a file has changed since it was read."""
        self._check_encoding()
        for number, path in enumerate(self.paths):
            yield from self._file(number, path)

    def read(self, reader: Reader) -> Iterator[PieceFacts]:
        """Read all files with `reader`, record their counts, and yield the counts of each piece."""
        self._check_encoding()
        owners: list[int] = []

        def owned() -> Iterator[TextPiece]:
            for number, path in enumerate(self.paths):
                for piece in self._file(number, path):
                    owners.append(number)
                    yield piece

        totals = {number: [0, 0, 0, 0] for number in range(len(self.paths))}
        sizes: list[tuple[int, int]] = []
        for place, facts in enumerate(reader(owned())):
            own = totals[owners[place]]
            totals[owners[place]] = [a + b for a, b in zip(own, astuple(facts), strict=True)]
            sizes.append((facts.sentences, facts.words))
            yield facts
        self.sizes = sizes
        for number, counts in totals.items():
            path = self.paths[number]
            if not counts[0]:
                raise BistroError(f"{path}: the file is empty: expected at least one sentence")
            name = PurePath(path).name
            self._facts[number] = TextFacts(name, self._digests[number], *counts)

    def _check_encoding(self) -> None:
        """Before anything is learned from the files, raise an error if any has invalid bytes."""
        if not self._is_checked:
            for path in self.paths:
                with opened(path) as (stream, name):
                    check_encoding(stream, name)
            self._is_checked = True

    def _file(self, number: int, path: str) -> Iterator[TextPiece]:
        line, lead = 1, b""
        with opened(path) as (stream, name):
            for piece in iter_pieces(stream, last_line_start, PIECE_BYTES):
                if not piece.strip(_BLANK):
                    lead += piece  # Blank lines at the beginning belong to the first sentence.
                    continue
                content, lead = lead + piece, b""
                yield TextPiece(name or path, line, content)
                line += content.count(b"\n")
            digest = stream.sha256.hexdigest()
        if self._digests.setdefault(number, digest) != digest:
            raise BistroError(
                f"{path}: the file changed while it was in use: start from the beginning"
            )
