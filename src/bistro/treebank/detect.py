"""Detection of a file's format from its name, or else from its first few lines.

>>> format_of_suffix("data/train.conllu.gz")
'conllu'
>>> format_of_content(b"(S (NP (PRP It)) (VP (VBZ rains)))")
'brackets'
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from bistro.errors import ConfigError, TreebankError, nearest
from bistro.treebank.blocks import BYTE_ORDER_MARK, Readable
from bistro.treebank.fields import UPOS

SENTENCE_FORMATS = ("conllu", "conllx", "text")
READABLE_FORMATS = (*SENTENCE_FORMATS, "raw")
"""The input formats. Running text is converted to CoNLL-U, and is read only if its format is
specified explicitly."""
FORMATS = (*SENTENCE_FORMATS, "brackets")
WRITABLE_FORMATS = (*FORMATS, "raw")
"""The output formats. Running text is written only if its format is specified explicitly."""
_OTHER_NAMES = {"lines": "text"}

_SUFFIXES = {
    ".conllu": "conllu",
    ".conllx": "conllx",
    ".conll": "conllx",
    ".txt": "text",
    ".mrg": "brackets",
    ".brackets": "brackets",
}
_COMPRESSED = {".gz", ".xz", ".zst"}
_ENOUGH_BYTES = 1 << 14
UNIVERSAL_TAGS = frozenset(
    {
        *("ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB"),
        *("ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ"),
        *("PUNCT", "SYM", "X", "_"),
    }
)
"""The Universal Dependencies tags, and the symbol for a missing tag."""


class PeekedStream:
    """A binary stream that computes a hash and lets its first bytes be inspected in advance.

    After `mark`, the stream can be read to its end and then, after `rewind`, a second time.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._seen = b""
        self._recorded: list[bytes] | None = None
        self._reopen: Callable[[], Readable] | None = None
        self.sha256 = hashlib.sha256()
        self.size = 0
        """The number of bytes that have been read."""

    def peek(self) -> bytes:
        """Return the first few lines of the stream without consuming them.

        The result is the whole content, or a part that is large enough to detect the format.
        """
        while len(self._seen) < _ENOUGH_BYTES and (piece := self._stream.read(_ENOUGH_BYTES)):
            self._seen += piece
        return self._seen

    def read(self, size: int = -1, /) -> bytes:
        """Return at most `size` bytes, or no bytes at the end of the stream.

        A negative `size` returns all remaining bytes.
        """
        if self._seen and size >= 0:
            piece, self._seen = self._seen[:size], self._seen[size:]
        else:
            piece = self._seen + self._stream.read(size)
            self._seen = b""
        self.sha256.update(piece)
        self.size += len(piece)
        if self._recorded is not None:
            self._recorded.append(piece)
        return piece

    def mark(self) -> None:
        """Prepare for `rewind`. If the stream is not seekable, its bytes are kept from then on."""
        self._reopen = _seek_back(self._stream, len(self._seen))
        self._recorded = None if self._reopen else []

    def rewind(self) -> None:
        """Return to the position set by `mark`, and restart the hash and size from there.

        The stream must have been read to its end.
        """
        recorded, self._recorded = self._recorded or [], None
        self._stream = self._reopen() if self._reopen else io.BytesIO(b"".join(recorded))
        self._seen = b""
        self.sha256 = hashlib.sha256()
        self.size = 0


def _seek_back(stream: Any, peeked: int) -> Callable[[], Readable] | None:
    """Return a function that moves `peeked` bytes back from the current position, or None."""
    try:
        if not stream.seekable():
            return None
        start = stream.tell() - peeked
    except (AttributeError, OSError):
        return None

    def seek() -> Readable:
        stream.seek(start)
        readable: Readable = stream
        return readable

    return seek


def choose_format(
    path: str | None,
    stream: PeekedStream,
    format: str | None,
    choices: tuple[str, ...] = READABLE_FORMATS,
) -> str:
    """Return the given format, or detect it from the suffix or the content of a file."""
    if format is not None:
        format = _OTHER_NAMES.get(format, format)
        check_format(format, choices)
        return format
    likely_format = (path and format_of_suffix(path)) or format_of_content(stream.peek())
    if likely_format not in choices:
        expected = choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
        raise TreebankError(
            f"the file looks like {likely_format}, but its format must be {expected}: give another "
            "file, or specify the format if it was not recognised correctly",
            path=path,
        )
    return likely_format


def check_format(name: str, choices: tuple[str, ...] = FORMATS) -> None:
    """Raise an error if a format is not one of the choices."""
    if name not in choices:
        raise ConfigError(
            f"unknown format '{name}'{nearest(name, choices)}; choose one of {', '.join(choices)}"
        )


def suffix_of(path: str) -> str:
    """Return the suffix of a file name, ignoring any compression suffix."""
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def format_of_suffix(path: str) -> str | None:
    """Return the format that a file name implies, or None."""
    return _SUFFIXES.get(suffix_of(path))


def format_of_content(first: bytes) -> str:
    """Guess the format of a file from its first few lines.

    A file with ten columns is CoNLL-U if it begins with a comment, if the first row is a multiword
    token or an empty node, or if the tag of that row is a universal tag. Otherwise, the file is
    CoNLL-X.
    """
    comment_seen = False
    for line in first.decode("utf-8", "replace").removeprefix(BYTE_ORDER_MARK).split("\n"):
        fields = line.strip(" \r").split("\t")
        if line.startswith("#"):
            comment_seen = True
        elif len(fields) > 1:
            plain = fields[0].isdigit() and len(fields) > UPOS
            universal = plain and fields[UPOS] in UNIVERSAL_TAGS
            return "conllu" if comment_seen or universal or not plain else "conllx"
        elif fields[0]:
            return "brackets" if fields[0].startswith("(") else "text"
    return "conllu" if comment_seen else "text"
