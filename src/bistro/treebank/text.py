"""Plain text with one sentence per line and words separated by spaces or tabs.

Blank lines are skipped, but are restored when the text is written back. A sentence of plain text
has only forms. Every other column contains ``_``, and no word has a head.

>>> import io
>>> [sentence.forms for sentence in iter_text(io.BytesIO(b"to be\\n\\nor not\\n"))]
[['to', 'be'], ['or', 'not']]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bistro.treebank.blocks import Block, Readable, split_into_blocks
from bistro.treebank.fields import COLUMNS, EMPTY, HEAD, split_words
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

_BLANK = b" \t\r\n"
_LEAD = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*")
_LINE_END = re.compile(rb"(\n(?:[ \t\r]*\n)*(?:[ \t\r]+\Z)?)")


def iter_text(stream: Readable, path: str | None = None, line: int = 1) -> Iterator[Sentence]:
    """Yield the non-blank lines of a stream as sentences without trees.

    `line` is the line number in the file at which the stream begins.
    """
    for lead, line_text, end, number in iter_lines(stream, path, line):
        words = split_words(line_text)
        size = len(words)
        core = (words, [EMPTY] * size, [MISSING] * size, [EMPTY] * size)
        yield Sentence(line_text, core, "text", number, lead, end)


def iter_lines(stream: Readable, path: str | None = None, line: int = 1) -> Iterator[Block]:
    """Yield the non-blank lines of a stream.

    Blank lines are kept with the line ending of the preceding line.
    """
    return split_into_blocks(stream, path, last_line_start, _LEAD, _split, line)


def check_encoding(stream: Readable, path: str | None = None) -> None:
    """Raise an error if a text contains a NUL character or bytes that are not valid UTF-8."""
    for _ in split_into_blocks(stream, path, last_line_start, _LEAD, _whole_piece):
        pass


def last_line_start(held: bytes) -> int:
    """Return the start of the last non-blank line in a buffer, or 0 if it is the only such line."""
    # Blank lines at the end belong to the sentence before them, and more may follow.
    return held.rstrip(_BLANK).rfind(b"\n") + 1


def _whole_piece(piece: bytes) -> Iterator[tuple[bytes, str]]:
    yield piece, ""


def _split(piece: bytes) -> Iterator[tuple[bytes, str]]:
    *parts, last = _LINE_END.split(piece)
    for line, end in zip(parts[::2], parts[1::2], strict=True):
        yield line, end.decode()
    if last:
        yield last, ""


def to_text(sentence: Sentence) -> Sentence:
    """Return a sentence of plain text with the same words."""
    return Sentence.from_columns(sentence.forms, format="text", line=sentence.line)


def lost_in_text(sentence: Sentence) -> Counter[str]:
    """Count the values that `to_text` leaves out.

    A word that contains a space would be read back as several words.
    """
    columns = (*COLUMNS[2:HEAD], *COLUMNS[HEAD + 1 :])
    return Counter(
        {
            "heads": sum(head != MISSING for head in sentence.heads),
            "other annotations": sum(
                value != EMPTY for name in columns for value in getattr(sentence, name)
            ),
            "comments": len(sentence.comments),
            "multiword tokens": len(sentence.multiword),
            "empty nodes": len(sentence.empty_nodes),
            "words with a space inside": sum(split_words(f) != [f] for f in sentence.forms),
        }
    )


def lost_in_raw(sentence: Sentence) -> Counter[str]:
    """Count the values that running text cannot represent.

    Multiword tokens and spaces inside words are kept.
    """
    lost = lost_in_text(sentence)
    del lost["multiword tokens"], lost["words with a space inside"]
    return lost
