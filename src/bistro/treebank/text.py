"""Plain text: a sentence a line, its words separated by spaces or tabs.

Blank lines are skipped (and kept when the text is written back). A sentence read here has forms and
nothing else: every other column holds ``_``, and no word has a head.

>>> import io
>>> [sentence.forms for sentence in iter_text(io.BytesIO(b"to be\\n\\nor not\\n"))]
[['to', 'be'], ['or', 'not']]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bistro.treebank.blocks import BYTE_ORDER_MARK, Readable, iter_decoded, split_at
from bistro.treebank.fields import EMPTY, split_words
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

_BLANK = " \t\r\n"
_LINE_END = re.compile(r"(\n(?:[ \t\r]*\n)*(?:[ \t\r]+\Z)?)")


def iter_text(stream: Readable, path: str | None = None) -> Iterator[Sentence]:
    """Yield the non-blank lines of a stream as sentences without trees."""
    lead = ""
    for text, line in iter_decoded(stream, path, _last_line_start):
        if line == 1:
            start = len(text) - len(text.removeprefix(BYTE_ORDER_MARK).lstrip(_BLANK))
            lead, text = split_at(text, start)
            line += lead.count("\n")
        *parts, last = _LINE_END.split(text)
        for body, end in zip([*parts[::2], last], [*parts[1::2], ""], strict=True):
            if body:
                yield _make_sentence(body, line, lead, end)
                lead = ""
            line += end.count("\n")


def _make_sentence(body: str, line: int, lead: str, end: str) -> Sentence:
    words = split_words(body)
    size = len(words)
    core = (words, [EMPTY] * size, [MISSING] * size, [EMPTY] * size)
    return Sentence(body, core, "text", line, lead, end)


def _last_line_start(held: bytes) -> int:
    # Blank lines at the end belong to the sentence before them, and more may follow.
    return held.rstrip(_BLANK.encode()).rfind(b"\n") + 1
