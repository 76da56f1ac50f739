"""A sentence, with one list per column and the exact text that it was read from.

A sentence has the columns of CoNLL-U. In CoNLL-X, ``upos`` is CPOSTAG, ``xpos`` is POSTAG, and
PHEAD and PDEPREL are in ``deps`` and ``misc``. Lists have one entry per syntactic word, so word i
in the file is entry i - 1. Multiword tokens, empty nodes and comments are kept in the text. A
sentence is written as it was read. Only fields with a new value are replaced.

>>> sentence = Sentence.from_columns(["It", "rains"], heads=[2, 0], deprels=["expl", "root"])
>>> sentence.replace(upos=["PRON", "VERB"]).upos
['PRON', 'VERB']
>>> str(sentence).split("\\n")[1].split("\\t")
['2', 'rains', '_', '_', '_', '_', '0', 'root', '_', '_']
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from bistro.errors import TreebankError, nearest
from bistro.treebank.fields import (
    COLUMNS,
    EMPTY,
    HEAD,
    HEAD_VALUES,
    LISTS,
    check_names,
    check_values,
    head_text,
    parse_heads,
    split_words,
)
from bistro.treebank.validate import MISSING, Roots, find_tree_problem

_READ_AT_ONCE = frozenset({"forms", "upos", "heads", "deprels"})
_LINE_END = re.compile(r"(\r?\n)")
_NO_WORD = re.compile(r"\n(?:#|\d+[-.])[^\n]*")
_RANGE = re.compile(r"\n(\d+)-(\d+)\t([^\t\n]*)(?:\t[^\t\n]*){7}\t([^\t\n]*)")
"""The row of a multiword token, with its first word, last word, FORM and MISC."""

CoreColumns = tuple[list[str], list[str], list[int], list[str]]
"""The columns that every reader fills: forms, upos, heads and deprels."""
MultiwordToken = tuple[int, int, str] | tuple[int, int, str, str]
"""A multiword token, given by its first word, last word, form and, optionally, MISC."""


class Token(NamedTuple):
    """A token in the text: one word, or several words that are written as one."""

    first: int
    last: int
    """The numbers of the token's first and last word, counted from 1."""
    form: str
    misc: str
    is_multiword: bool
    """True if the token has its own row, which is also possible for a single-word token."""


class Sentence:
    """A sentence with one list per column. Its ``len`` is the number of syntactic words.

    Rarely used columns are extracted from the text on first access.
    """

    __slots__ = (*LISTS, "_block", "_end", "format", "lead", "line")

    forms: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    """The number of each word's head, counted from 1; 0 for the root, and -1 for no head."""
    deprels: list[str]
    deps: list[str]
    misc: list[str]
    comments: list[str]
    """The lines that begin with ``#``, unchanged."""
    format: str
    """The format of the sentence: ``conllu``, ``conllx`` or ``text``."""
    line: int
    """The line number of the sentence's first line in its file, counted from 1."""
    lead: str
    """The byte-order mark and blank lines before a file's first sentence, or an empty string."""

    def __init__(
        self,
        block: str,
        core: CoreColumns,
        format: str,
        line: int = 1,
        lead: str = "",
        end: str = "\n\n",
    ) -> None:
        """Create a sentence from validated text (to validate columns, use `from_columns`)."""
        self.forms, self.upos, self.heads, self.deprels = core
        self.format = format
        self.line = line
        self._block = block
        self.lead = lead
        self._end = end

    @classmethod
    def from_columns(
        cls,
        forms: Iterable[str],
        *,
        heads: Iterable[int] | None = None,
        comments: Iterable[str] = (),
        multiword: Iterable[MultiwordToken] = (),
        format: str = "conllu",
        roots: Roots = "any",
        line: int = 1,
        **columns: Iterable[str],
    ) -> Sentence:
        """Build a sentence from scratch. Omitted columns contain ``_``.

        Parameters
        ----------
        forms, heads, **columns
            Words, their heads (from 1; 0 for a root), and other columns by name: ``upos``, …
        comments, multiword
            Lines that begin with ``#``; first word, last word, form and perhaps MISC of each
            multiword token.
        format, roots, line
            ``conllu``, ``conllx`` or ``text``; ``one`` or ``any``; the line, for messages.
        """
        check_names(columns)
        words = list(forms)
        size = len(words)
        if not size:
            raise TreebankError("a sentence needs at least one word")
        values: dict[str, list[Any]] = {name: [EMPTY] * size for name in COLUMNS[2:]}
        values["heads"] = [MISSING] * size if heads is None else list(heads)
        values |= {"forms": words, "comments": list(comments)}
        values |= {name: list(column) for name, column in columns.items()}
        for name, column in values.items():
            check_values(name, column, size)
        _check_tree(values["heads"], roots)
        core = (words, values["upos"], values["heads"], values["deprels"])
        if format == "text":
            return cls(" ".join(words), core, format, line, end="\n")
        return cls("\n".join(_build_lines(values, multiword)), core, format, line)

    def replace(self, **columns: Iterable[Any]) -> Sentence:
        """Return a copy of the sentence with new columns or comments. Everything else is kept.

        Parameters
        ----------
        **columns
            New values by column name, one per word, such as ``heads``, ``deprels`` and ``upos``.
            New ``comments`` replace all old comments and come before the words.
        """
        check_names(columns)
        core = (list(self.forms), list(self.upos), list(self.heads), list(self.deprels))
        copy = Sentence(self._block, core, self.format, self.line, self.lead, self._end)
        for name in LISTS:
            if name in columns:
                values = list(columns[name])
                check_values(name, values, len(self))
                setattr(copy, name, values)
            elif name not in _READ_AT_ONCE and (loaded := self._loaded(name)) is not None:
                setattr(copy, name, list(loaded))
        if "heads" in columns:
            _check_tree(copy.heads, "any")
        return copy

    @property
    def metadata(self) -> dict[str, str]:
        """The comments of the form ``# key = value``."""
        pairs = (comment[1:].partition("=") for comment in self.comments)
        return {key.strip(): value.strip() for key, equals, value in pairs if equals}

    @property
    def sent_id(self) -> str | None:
        """The value of the ``# sent_id`` comment, or None if there is no such comment."""
        return self.metadata.get("sent_id")

    @property
    def text(self) -> str | None:
        """The value of the ``# text`` comment, or None if there is no such comment."""
        return self.metadata.get("text")

    @property
    def multiword(self) -> list[tuple[int, int, str]]:
        """The multiword tokens, each with its first word, last word and form."""
        return [(token.first, token.last, token.form) for token in self._ranges()]

    @property
    def tokens(self) -> list[Token]:
        """All tokens in order. Their forms spell the text of the sentence without white space."""
        ranges = {token.first: token for token in self._ranges()}
        tokens: list[Token] = []
        words = zip(self.forms, *self.columns("misc"), strict=True)
        for place, (form, misc) in enumerate(words, start=1):
            if place in ranges:
                tokens.append(ranges[place])
            elif not tokens or place > tokens[-1].last:
                tokens.append(Token(place, place, form, misc, False))
        return tokens

    @property
    def multiword_rows(self) -> list[list[str]]:
        """The ten fields of each multiword token."""
        return [row for row in self._special_rows() if "-" in row[0]]

    @property
    def empty_nodes(self) -> list[list[str]]:
        """The ten fields of each empty node (8.1) of an enhanced graph."""
        return [row for row in self._special_rows() if "." in row[0]]

    @property
    def as_read(self) -> str:
        """The original text of the sentence and the blank line after it, without later changes."""
        return f"{self.lead}{self._block}{self._end}"

    def columns(self, *names: str) -> list[list[str]]:
        """Return the columns in `names`. This is faster than reading them one by one."""
        columns = [self._loaded(name) for name in names]
        if None not in columns:
            return columns  # type: ignore[return-value]
        if self.format == "text":
            return [values or [EMPTY] * len(self) for values in columns]
        fields, width = self._word_fields(), len(COLUMNS)
        return [
            fields[COLUMNS.index(name) :: width] if values is None else values
            for name, values in zip(names, columns, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.forms)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the state for pickling, in which columns that have not been read remain text."""
        core = (self.forms, self.upos, self.heads, self.deprels)
        place = (self.format, self.line, self.lead, self._end)
        others = {n: self._loaded(n) for n in LISTS if n not in _READ_AT_ONCE}
        loaded = {name: values for name, values in others.items() if values is not None}
        return _restored, (self._block, core, place, loaded)

    # Type checkers see only the declared columns, and can find a misspelt one.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> list[str]:
            # Called only for a slot that has not been filled yet.
            if name == "comments":
                values = self._comments_as_read()
            elif name not in LISTS:
                raise AttributeError(f"a sentence has no '{name}'{nearest(name, LISTS)}")
            else:
                values = self.columns(name)[0]
            setattr(self, name, values)
            return values

    def __str__(self) -> str:
        """Return the text of the sentence as it is written to a file, including the blank line."""
        return f"{self.lead}{self._current_block()}{self._end}"

    def __repr__(self) -> str:
        shown = " ".join(self.forms[:8]) + (" …" if len(self) > 8 else "")
        return f"<Sentence of {len(self)} words: {shown}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.format == other.format and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def _loaded(self, name: str) -> list[Any] | None:
        try:
            values: list[Any] = object.__getattribute__(self, name)
        except AttributeError:
            return None
        return values

    def _lines(self) -> list[str]:
        return self._block.replace("\r\n", "\n").split("\n")

    def _comments_as_read(self) -> list[str]:
        if self.format == "text":
            return []
        return [line for line in self._lines() if line.startswith("#")]

    def _word_rows(self) -> list[list[str]]:
        rows = (line.split("\t") for line in self._lines() if not line.startswith("#"))
        return [row for row in rows if row[0].isdigit()]

    def _word_fields(self) -> list[str]:
        """Return the fields of all words in one flat list."""
        rows = self._block
        if not rows.startswith("1\t"):
            rows = rows[rows.find("\n1\t") + 1 :]
        # With as many lines as words, there are no other lines. This is the most frequent case.
        if rows.count("\n") + 1 == len(self) and "\r" not in rows:
            return rows.replace("\n", "\t").split("\t")
        return "\t".join(line for line in self._lines() if line.partition("\t")[0].isdigit()).split(
            "\t"
        )

    def _ranges(self) -> list[Token]:
        """Return the multiword tokens."""
        if self.format != "conllu":
            return []
        block = self._block.replace("\r\n", "\n") if "\r" in self._block else self._block
        return [
            Token(int(first), int(last), form, misc, True)
            for first, last, form, misc in _RANGE.findall("\n" + block)
        ]

    def _special_rows(self) -> list[list[str]]:
        if self.format != "conllu":
            return []
        rows = (line.split("\t") for line in self._lines() if not line.startswith("#"))
        return [row for row in rows if not row[0].isdigit()]

    def _current_block(self) -> str:
        """Return the text of the sentence, with all changes since it was read."""
        if self.format == "text":
            return self._current_line()
        rows = self._word_rows()
        new_rows = self._put_columns(rows)
        comments = self._loaded("comments")
        new_comments = comments is not None and comments != self._comments_as_read()
        if not new_rows and not new_comments:
            return self._block
        pieces = _LINE_END.split(self._block)
        lines = list(zip(pieces[::2], [*pieces[1::2], ""], strict=True))
        if comments is not None and new_comments:
            check_values("comments", comments, len(self))
            line_end = lines[0][1] or "\n"
            kept = [(line, end or line_end) for line, end in lines if not line.startswith("#")]
            lines = [*((comment, line_end) for comment in comments), *kept]
            lines[-1] = (lines[-1][0], "")
        words = iter(rows)
        return "".join(
            ("\t".join(next(words)) if line.partition("\t")[0].isdigit() else line) + end
            for line, end in lines
        )

    def _current_line(self) -> str:
        for name in COLUMNS[2:]:
            if not {EMPTY, MISSING}.issuperset(self._loaded(name) or ()):
                raise TreebankError(f"plain text cannot contain {name}: use conllu instead")
        return self._block if split_words(self._block) == self.forms else " ".join(self.forms)

    def _put_columns(self, rows: list[list[str]]) -> bool:
        """Write the values of all columns to `rows`, and return whether any value changed."""
        changed = False
        for place, name in enumerate(COLUMNS[1:], start=1):
            values = self._loaded(name)
            if values is None:
                continue
            old = [row[place] for row in rows]
            if (parse_heads(old) if place == HEAD else old) == values:
                continue
            check_values(name, values, len(rows))
            changed = True
            for row, value in zip(rows, values, strict=True):
                if place != HEAD:
                    row[place] = value
                elif HEAD_VALUES[row[place]] != value:
                    row[place] = head_text(value)
        return changed


def _restored(
    block: str, core: CoreColumns, place: tuple[str, int, str, str], loaded: dict[str, list[Any]]
) -> Sentence:
    sentence = Sentence(block, core, *place)
    for name, values in loaded.items():
        setattr(sentence, name, values)
    return sentence


def _build_lines(
    values: dict[str, list[Any]],
    multiword: Iterable[MultiwordToken],
) -> list[str]:
    size = len(values["forms"])
    tokens = {token[0]: token if len(token) == 4 else (*token, EMPTY) for token in multiword}
    columns: list[Iterable[str]] = [map(str, range(1, size + 1))]
    columns += [map(head_text, values[n]) if n == "heads" else values[n] for n in COLUMNS[1:]]
    lines: list[str] = list(values["comments"])
    for word, row in enumerate(zip(*columns, strict=True), start=1):
        if word in tokens:
            _, last, form, misc = tokens.pop(word)
            if not word <= last <= size:
                raise TreebankError(f"the multiword token {word}-{last} ends outside the sentence")
            lines.append("\t".join([f"{word}-{last}", form, *[EMPTY] * 7, misc]))
        lines.append("\t".join(row))
    if tokens:
        raise TreebankError(f"the multiword token at word {min(tokens)} is outside the sentence")
    return lines


def _check_tree(heads: list[int], roots: Roots) -> None:
    if problem := find_tree_problem(heads, roots=roots, partial=True):
        raise TreebankError(problem.reason)
