"""Training data for tokenisers, with tokens, their words, and the white space after each token.

A token that consists of several words (*du* = *de le*) counts as one token. The white space is
taken from ``# text`` or, if there is no such line, from ``SpaceAfter=No`` and ``SpacesAfter`` in
MISC.

>>> from bistro.treebank.sentence import Sentence
>>> sentence = Sentence.from_columns(["It", "rains", "."], misc=["_", "SpaceAfter=No", "_"])
>>> [token.form + token.spaces for token in text_tokens(sentence)]
['It ', 'rains', '. ']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bistro.errors import TreebankError
from bistro.treebank.fields import EMPTY, FORM, quoted
from bistro.treebank.sentence import Sentence
from bistro.treebank.surface import begins_paragraph, unescape

NO_SPACE = "SpaceAfter=No"
_SPACES = re.compile(r"[\s\ufeff]*")
_MISC = -1
_ESCAPED = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"}


@dataclass(frozen=True)
class TextToken:
    """A token of running text."""

    form: str
    words: tuple[str, ...]
    """The syntactic words of the token. If there is only one word, it is identical to the form."""
    spaces: str
    """The white space after the token."""


def text_tokens(sentence: Sentence) -> list[TextToken]:
    """Return the tokens of a sentence. Raise an error if the words contradict ``# text``."""
    tokens = list(_from_misc(sentence))
    text = sentence.text
    return tokens if text is None else _from_text(tokens, text, sentence.line)


def paragraphs(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield the sentences of each paragraph.

    Without paragraph marks, all sentences form one paragraph.
    """
    paragraph: list[Sentence] = []
    for sentence in sentences:
        if paragraph and begins_paragraph(sentence):
            yield paragraph
            paragraph = []
        paragraph.append(sentence)
    if paragraph:
        yield paragraph


def spaces_in_misc(spaces: str) -> str:
    """Return white space as a MISC entry, which is empty for a single space.

    >>> spaces_in_misc(""), spaces_in_misc(" "), spaces_in_misc("\\n\\t")
    ('SpaceAfter=No', '', 'SpacesAfter=\\\\n\\\\t')
    """
    if spaces == " ":
        return ""
    return f"SpacesAfter={escaped_spaces(spaces)}" if spaces else NO_SPACE


def escaped_spaces(spaces: str) -> str:
    """Return white space with the UD escapes ``\\\\s``, ``\\\\t``, ``\\\\n``, ``\\\\r``."""
    return "".join(
        _ESCAPED.get(c) or (c if c.isprintable() else f"\\u{ord(c):04X}") for c in spaces
    )


def _from_misc(sentence: Sentence) -> Iterator[TextToken]:
    ranges = {int(row[0].partition("-")[0]): row for row in sentence.multiword_rows}
    word = 0
    while word < len(sentence):
        row = ranges.get(word + 1)
        size = 1 if row is None else int(row[0].partition("-")[2]) - word
        words = tuple(sentence.forms[word : word + size])
        form, misc = (words[0], sentence.misc[word]) if row is None else (row[FORM], row[_MISC])
        yield TextToken(form, words, _spaces_after(misc))
        word += size


def _spaces_after(misc: str) -> str:
    if misc == EMPTY:
        return " "
    entries = dict(entry.partition("=")[::2] for entry in misc.split("|"))
    if "SpacesAfter" in entries:
        return unescape(entries["SpacesAfter"])
    return "" if entries.get("SpaceAfter") == "No" else " "


def _from_text(tokens: list[TextToken], text: str, line: int) -> list[TextToken]:
    placed: list[TextToken] = []
    place = 0
    for token in tokens:
        if not text.startswith(token.form, place):
            raise TreebankError(
                f"# text continues with {quoted(text[place : place + 20])}, but the next word is "
                f"{quoted(token.form)}: correct the text or the words",
                line=line or None,
            )
        place += len(token.form)
        match = _SPACES.match(text, place)
        spaces = match[0] if match else ""
        place += len(spaces)
        # ``# text`` ends with the last word: only MISC describes the space between sentences.
        last = place == len(text) and len(placed) == len(tokens) - 1
        placed.append(token if last else TextToken(token.form, token.words, spaces))
    if place < len(text):
        raise TreebankError(
            f"# text has {quoted(text[place : place + 20])} after the last word: correct the "
            "text or the words",
            line=line or None,
        )
    return placed
