"""Split the bytes of a file into blocks, without holding the whole file in memory.

A file is read in pieces of about a megabyte. Each piece ends where an item (a sentence) begins, and
is split into blocks. Each block is decoded separately, because a single emoji would otherwise
increase the size of a whole piece to four bytes per character. Lines end only at ``\\n`` or
``\\r\\n``. U+2028, U+0085 and similar characters are ordinary characters. Nothing is discarded, so
concatenating the ``lead``, ``text`` and ``end`` of all blocks reproduces the file.

>>> import io
>>> list(iter_blocks(io.BytesIO(b"a\\nb\\n\\nc\\n"), path=None))
[Block(lead='', text='a\\nb', end='\\n\\n', line=1), Block(lead='', text='c', end='\\n', line=4)]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, NoReturn, Protocol

from bistro.errors import TreebankError

PIECE_BYTES = 1 << 20
BYTE_ORDER_MARK = "\ufeff"

_LEAD = re.compile(rb"(?:\xef\xbb\xbf)?(?:\r?\n)*")
_BLANK_LINES = re.compile(rb"(\r?\n(?:\r?\n)+(?:\r+\Z)?)")


class Readable(Protocol):
    """A binary stream that can be read."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, or no bytes at the end of the stream."""


class Block(NamedTuple):
    """An item in a file, such as a sentence, with its exact text."""

    lead: str
    """The byte-order mark and blank lines before the first item in the file, or an empty string for
    other items."""
    text: str
    """The lines of the item, without the last line ending."""
    end: str
    """The line endings and blank lines after the item."""
    line: int
    """The line number of the item's first line, counted from 1."""


def iter_blocks(stream: Readable, path: str | None) -> Iterator[Block]:
    """Yield each run of non-blank lines in a stream as a block."""
    return split_into_blocks(stream, path, _last_block_start, _LEAD, _split)


def split_into_blocks(
    stream: Readable,
    path: str | None,
    last_start: Callable[[bytes], int],
    lead_of_file: re.Pattern[bytes],
    split: Callable[[bytes], Iterator[tuple[bytes, str]]],
    line: int = 1,
) -> Iterator[Block]:
    """Split a stream into blocks.

    `last_start` divides the stream into pieces, and `split` divides a piece into items.

    `last_start` returns the position of the last item in a buffer, or 0 if there is only one item.
    `split` yields each item with the line endings after it. `line` is the line number in the file
    at which the stream begins.
    """
    lead = ""
    for piece in iter_pieces(stream, last_start):
        if b"\0" in piece:
            _refuse_nul(piece, path, line)
        start = 0
        if line == 1 and (match := lead_of_file.match(piece)):
            start = match.end()
            lead = piece[:start].decode()
            line += lead.count("\n")
        for item, end in split(piece[start:]):
            try:
                text = item.decode()
            except UnicodeDecodeError as error:
                _refuse_encoding(error, path, line)
            yield Block(lead, text, end, line)
            line += text.count("\n") + end.count("\n")
            lead = ""


def iter_pieces(
    stream: Readable, last_start: Callable[[bytes], int], size: int | None = None
) -> Iterator[bytes]:
    """Yield pieces of about `size` bytes (default: a megabyte) that consist of whole items.

    If an item is longer than a piece, each read doubles the size of the buffer, so that the work
    stays linear in the length of the file.
    """
    held = b""
    while piece := stream.read(max(size or PIECE_BYTES, len(held))):
        held += piece
        if cut := last_start(held):
            yield held[:cut]
            held = held[cut:]
    if held:
        yield held


def _last_block_start(held: bytes) -> int:
    # Blank lines at the end belong to the block before them, and more may follow: skip them.
    body = held.rstrip(b"\r\n")
    plain = body.rfind(b"\n\n")
    with_return = body.rfind(b"\n\r\n") if b"\r" in body else -1
    return max(plain + 2 if plain >= 0 else 0, with_return + 3 if with_return >= 0 else 0)


def _split(piece: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield each run of non-blank lines with the line endings after it."""
    *blocks, last = piece.split(b"\n\n")
    # Several blank lines give a block that is empty or begins with a line ending.
    if b"\r" in piece or any(block[:1] in b"\n" for block in [*blocks, last or b"x"]):
        *parts, last = _BLANK_LINES.split(piece)
        for block, blank_lines in zip(parts[::2], parts[1::2], strict=True):
            yield block, blank_lines.decode()
    else:
        for block in blocks:
            yield block, "\n\n"
    if last:
        body = last.rstrip(b"\r\n")
        yield body, last[len(body) :].decode()


def _refuse_encoding(error: UnicodeDecodeError, path: str | None, line: int) -> NoReturn:
    raise TreebankError(
        f"byte 0x{error.object[error.start]:02x} is not valid UTF-8: save the file as UTF-8",
        path=path,
        line=line + error.object.count(b"\n", 0, error.start),
    ) from None


def _refuse_nul(piece: bytes, path: str | None, line: int) -> NoReturn:
    if line == 1 and piece[8:10] == b'{"':  # the header of a model file, after its length
        raise TreebankError("this is a model file, but a treebank or a text is expected", path=path)
    raise TreebankError(
        "this line contains a NUL character: the file is damaged or not a text file",
        path=path,
        line=line + piece.count(b"\n", 0, piece.index(b"\0")),
    )
