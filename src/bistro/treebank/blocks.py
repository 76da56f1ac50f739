"""Bytes to blocks: how every reader walks through a file without holding it.

A file is read in pieces of about a megabyte, cut where an item (a sentence) begins, decoded once,
and split into blocks. Lines end at ``\\n`` or ``\\r\\n`` and nowhere else: U+2028, U+0085 and their
kin are characters like others. Nothing is thrown away: the ``lead``, ``text`` and ``end`` of all
blocks, joined, are the file.

>>> import io
>>> list(iter_blocks(io.BytesIO(b"a\\nb\\n\\nc\\n"), path=None))
[Block(lead='', text='a\\nb', end='\\n\\n', line=1), Block(lead='', text='c', end='\\n', line=4)]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from bistro.errors import TreebankError

PIECE_BYTES = 1 << 20
BYTE_ORDER_MARK = "\ufeff"

_LEAD = re.compile(r"\ufeff?(?:\r?\n)*")
_BLANK_LINES = re.compile(r"(\r?\n(?:\r?\n)+(?:\r+\Z)?)")


class Readable(Protocol):
    """The one thing a reader asks of a stream."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""


class Block(NamedTuple):
    """One item of a file as it stands there."""

    lead: str
    """Byte-order mark and blank lines before the first item of the file; else empty."""
    text: str
    """The lines of the item, without the last line end."""
    end: str
    """The line ends and blank lines after it."""
    line: int
    """The number of its first line, from 1."""


def iter_blocks(stream: Readable, path: str | None) -> Iterator[Block]:
    """Yield the runs of non-blank lines of a stream."""
    lead = ""
    for text, line in iter_decoded(stream, path, _last_block_start):
        if line == 1 and text[0] in "\ufeff\r\n":
            lead, text = split_at(text, _length_of_lead(text))
            line += lead.count("\n")
        for body, end in _split(text):
            yield Block(lead, body, end, line)
            line += body.count("\n") + end.count("\n")
            lead = ""


def iter_decoded(
    stream: Readable, path: str | None, last_start: Callable[[bytes], int]
) -> Iterator[tuple[str, int]]:
    """Yield pieces of text, each beginning where `last_start` says, with their first line number.

    `last_start` returns the place in a buffer where its last item begins, 0 if it sees only one.
    An item longer than a piece makes the next read as long as all that is held, so that the work
    stays linear in the length of the file.
    """
    held = b""
    line = 1
    while piece := stream.read(max(PIECE_BYTES, len(held))):
        held += piece
        if cut := last_start(held):
            yield _decode(held[:cut], path, line), line
            line += held.count(b"\n", 0, cut)
            held = held[cut:]
    if held:
        yield _decode(held, path, line), line


def split_at(text: str, place: int) -> tuple[str, str]:
    """Return the text before and from `place`."""
    return text[:place], text[place:]


def _decode(piece: bytes, path: str | None, line: int) -> str:
    try:
        text = piece.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TreebankError(
            f"byte 0x{piece[error.start]:02x} is not valid UTF-8: save the file as UTF-8",
            path=path,
            line=line + piece.count(b"\n", 0, error.start),
        ) from None
    if "\0" in text:
        raise TreebankError(
            "a NUL character stands here: this is no text file, or it was damaged",
            path=path,
            line=line + text.count("\n", 0, text.index("\0")),
        )
    return text


def _length_of_lead(text: str) -> int:
    found = _LEAD.match(text)
    return found.end() if found else 0


def _last_block_start(held: bytes) -> int:
    # Blank lines at the end belong to the block before them, and more may follow: look before them.
    body = held.rstrip(b"\r\n")
    plain = body.rfind(b"\n\n")
    with_return = body.rfind(b"\n\r\n")
    return max(plain + 2 if plain >= 0 else 0, with_return + 3 if with_return >= 0 else 0)


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Yield each block of lines with the line ends after it."""
    if "\r" in text or "\n\n\n" in text:
        *parts, last = _BLANK_LINES.split(text)
        yield from zip(parts[::2], parts[1::2], strict=True)
    else:
        *blocks, last = text.split("\n\n")
        for block in blocks:
            yield block, "\n\n"
    if last:
        yield split_at(last, len(last.rstrip("\r\n")))
