"""The running text of a treebank consists of its tokens and the white space between them.

The white space after a token is empty if MISC has ``SpaceAfter=No``. Otherwise, the white space
after a token is the value of ``SpacesAfter`` or, by default, one space. The entries
``SpacesBefore`` and ``SpacesInToken`` are also used. In these values ``\\s`` ``\\t \\r \\n \\p
\\\\`` represent space, tab, line ends, ``|`` and ``\\``, and ``\\u00A0`` represents the character
with that code.

Paragraphs and documents (``# newpar``, ``# newdoc``) are separated by a blank line, as in the raw
text of the CoNLL 2018 shared task. Other sentences follow each other on the same line. If a
sentence has no ``SpaceAfter``, its spaces are taken from its ``# text``. If ``# text`` contradicts
the words, the words are written, and `RunningText.contradictions` reports the contradiction.

>>> from bistro.treebank.sentence import Sentence
>>> stop = {"misc": ["SpaceAfter=No", "_"]}
>>> first = Sentence.from_columns(["Go", "!"], comments=["# newpar"], **stop)
>>> "".join(RunningText().pieces([first, first.replace(comments=[]), first]))
'Go! Go!\\n\\nGo!\\n'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from bistro.treebank.fields import EMPTY, quoted
from bistro.treebank.sentence import Sentence

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([strnp\\]))")
_ESCAPED = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_PARAGRAPH = re.compile(r"#\s*new(?:par|doc)\b")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_SHOWN_BEFORE = 10


@dataclass(frozen=True)
class SurfaceToken:
    """A token as it is written in the text, with the white space around it."""

    form: str
    after: str = " "
    before: str = ""
    is_certain: bool = False
    """True if the treebank specifies the white space that follows the token."""


@dataclass
class RunningText:
    """A generator that yields a treebank's running text and records contradictions in the data.

    Parameters
    ----------
    path
        The name of the treebank, for messages.
    """

    path: str | None = None
    contradictions: list[str] = field(default_factory=list, init=False)
    """One message for each sentence whose `# text` contradicts its words."""
    spaces_from_text: int = field(default=0, init=False)
    """Number of sentences without SpaceAfter, whose spaces are taken from `# text`."""

    def pieces(self, sentences: Iterable[Sentence]) -> Iterator[str]:
        """Yield the running text of the treebank in pieces."""
        after, is_certain = "", True
        for number, sentence in enumerate(sentences):
            tokens = self._checked(sentence)
            between = after + tokens[0].before
            if number and begins_paragraph(sentence) and not _BLANK_LINE.search(between):
                between = "\n\n"
            yield between
            yield tokens[0].form + "".join(
                one.after + other.before + other.form for one, other in pairwise(tokens)
            )
            after, is_certain = tokens[-1].after, tokens[-1].is_certain
        # A file ends with a line end, unless the treebank specifies the text after the last token.
        yield after if is_certain and after else "\n"

    def _checked(self, sentence: Sentence) -> list[SurfaceToken]:
        """Return the tokens of a sentence, and compare them with its `# text`."""
        tokens = surface_tokens(sentence)
        text = sentence.text
        if text is None:
            return tokens
        written = "".join(token.form + token.after for token in tokens)
        if written.split() == text.split():
            return tokens
        same_characters = "".join(written.split()) == "".join(text.split())
        if not same_characters or any(token.is_certain for token in tokens):
            self._contradict(sentence, " ".join(written.split()), " ".join(text.split()))
        else:
            self.spaces_from_text += 1
            return _with_spaces_of(tokens, text)
        return tokens

    def _contradict(self, sentence: Sentence, written: str, text: str) -> None:
        same = next(
            (i for i, (a, b) in enumerate(zip(written, text, strict=False)) if a != b),
            min(len(written), len(text)),
        )
        start = max(same - _SHOWN_BEFORE, 0)
        place = next(i for i, comment in enumerate(sentence.comments) if _is_text(comment))
        self.contradictions.append(
            f"{self.path or 'line'}:{sentence.line + place}: '# text' has {_excerpt(text, start)} "
            f"where the words have {_excerpt(written, start)}"
        )


def surface_tokens(sentence: Sentence) -> list[SurfaceToken]:
    """Return the tokens of a sentence as they are written in the text."""
    tokens = []
    for token in sentence.tokens:
        if token.misc == EMPTY:
            tokens.append(SurfaceToken(token.form))
            continue
        values = dict(pair.partition("=")[::2] for pair in token.misc.split("|"))
        no_space = values.get("SpaceAfter") == "No"
        after = "" if no_space else unescape(values.get("SpacesAfter", " "))
        tokens.append(
            SurfaceToken(
                unescape(values["SpacesInToken"]) if "SpacesInToken" in values else token.form,
                after,
                unescape(values.get("SpacesBefore", "")),
                no_space or "SpacesAfter" in values,
            )
        )
    return tokens


def begins_paragraph(sentence: Sentence) -> bool:
    """Return whether a sentence is the first in a paragraph or document."""
    return any(_PARAGRAPH.match(comment) for comment in sentence.comments)


def unescape(spaces: str) -> str:
    """Return the white space that an escaped value in MISC represents."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED[m[2]], spaces)


def _with_spaces_of(tokens: list[SurfaceToken], text: str) -> list[SurfaceToken]:
    """Return the tokens with the white space in `text`, which must contain the same characters."""
    place = 0
    spaced_tokens = []
    for token in tokens:
        start = place
        for _ in "".join(token.form.split()):
            while text[place].isspace():
                place += 1
            place += 1
        end = place
        while place < len(text) and text[place].isspace():
            place += 1
        spaced_tokens.append(replace(token, form=text[start:end], after=text[end:place]))
    spaced_tokens[-1] = replace(spaced_tokens[-1], after=" ")
    return spaced_tokens


def _is_text(comment: str) -> bool:
    return comment[1:].partition("=")[0].strip() == "text"


def _excerpt(text: str, start: int) -> str:
    end = start + 3 * _SHOWN_BEFORE
    return quoted(("…" if start else "") + text[start:end] + ("…" if end < len(text) else ""))
