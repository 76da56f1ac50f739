"""Files with ten tab-separated columns, one word per line and a blank line after each sentence.

CoNLL-U and CoNLL-X differ only in a few details, which a `ColumnFormat` lists. All words of a
sentence are read at once. One call to `replace` moves each newline into the first field of the
next line, and one call to `split` separates all fields. Every tenth field is compared with ``1,
\\n2, \\n3, …``, which verifies that the ids are correct and that every line has ten columns. The
few rows that are not words (multiword tokens and empty nodes) are checked one by one. If anything
is wrong or unusual, `_CarefulReader` goes through the sentence line by line and reports the line
of the first error.

>>> import io
>>> from bistro.treebank.conllu import CONLLU
>>> stream = io.BytesIO("\\t".join("1 Rain _ NOUN _ _ 0 root _ _".split()).encode())
>>> [sentence.forms for sentence in ColumnReader(CONLLU).iter_sentences(stream)]
[['Rain']]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from bistro.errors import TreebankError
from bistro.treebank.blocks import Block, Readable, iter_blocks
from bistro.treebank.fields import (
    COLUMNS,
    DEPREL,
    FORM,
    HEAD,
    MOST_WORDS,
    UPOS,
    is_number,
    parse_heads,
    quoted,
)
from bistro.treebank.sentence import CoreColumns, Sentence
from bistro.treebank.validate import Roots, find_tree_problem

NUM_COLUMNS = 10
_MANY_WORDS = 1000
_MARKED_IDS = ["1", *(f"\n{word}" for word in range(2, _MANY_WORDS + 1))]


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """The properties in which ten-column formats differ."""

    name: str
    title: str
    roots: Roots
    """The number of roots allowed per sentence by default: one, or any number."""
    special_rows: bool
    """True if there are multiword tokens (1-2) and empty nodes (8.1)."""


def recast(
    sentence: Sentence, format: ColumnFormat, *, comments: list[str], roots: Roots
) -> Sentence:
    """Convert a sentence's words to another format, keeping the columns that both formats share."""
    columns: dict[str, Any] = {name: getattr(sentence, name) for name in COLUMNS[2 : DEPREL + 1]}
    more: dict[str, Any] = {"comments": comments, "format": format.name, "roots": roots}
    return Sentence.from_columns(sentence.forms, line=sentence.line, **columns, **more)


class ColumnReader:
    """A reader that validates and yields the sentences of a file in a given format."""

    def __init__(
        self,
        format: ColumnFormat,
        path: str | None = None,
        roots: Roots | None = None,
        partial: bool = False,
    ) -> None:
        self.format = format
        self.roots = roots or format.roots
        self.partial = partial
        self._path = path

    def iter_sentences(self, stream: Readable) -> Iterator[Sentence]:
        """Yield the sentences in a stream of bytes."""
        name = self.format.name
        for block in iter_blocks(stream, self._path):
            lead, text, end, line = block
            rows = _after_comments(text)
            core = (rows and self._read_words(rows)) or self._read_mixed(block)
            yield Sentence(text, core, name, line, lead, end)

    def fail(self, reason: str, line: int) -> NoReturn:
        """Raise an error for a line in the file."""
        raise TreebankError(reason, path=self._path, line=line)

    def _read_words(self, rows: str) -> CoreColumns | None:
        """Return the columns of the words if all rows are valid words, otherwise None."""
        size = rows.count("\n") + 1
        if not rows.startswith(f"{size}\t", rows.rfind("\n") + 1) or "\r" in rows:
            return None
        fields = rows.replace("\n", "\t\n").split("\t")
        if len(fields) != NUM_COLUMNS * size or fields[::NUM_COLUMNS] != _MARKED_IDS[:size]:
            return None
        try:
            heads = parse_heads(fields[HEAD::NUM_COLUMNS])
        except KeyError:
            return None
        forms = fields[FORM::NUM_COLUMNS]
        if "" in forms or find_tree_problem(heads, roots=self.roots, partial=self.partial):
            return None
        return forms, fields[UPOS::NUM_COLUMNS], heads, fields[DEPREL::NUM_COLUMNS]

    def _read_mixed(self, block: Block) -> CoreColumns:
        """Return the columns of a sentence in which some lines are not words."""
        self._check_size(block.text.count("\n") + 1, 2 * MOST_WORDS, "lines", block.line)
        lines = block.text.replace("\r\n", "\n").split("\n")
        words = [line for line in lines if line.partition("\t")[0].isdigit()]
        self._check_size(len(words), MOST_WORDS, "words", block.line)
        core = self._read_words("\n".join(words))
        if core is None:
            return _CarefulReader(self).read(lines, block.line)
        special_rows = _SpecialRows(self)
        words_before = 0
        for number, line in enumerate(lines, start=block.line):
            if words_before < len(words) and line is words[words_before]:
                words_before += 1
            elif not line.startswith("#"):
                special_rows.read(line.split("\t"), words_before, number)
        special_rows.finish(words_before)
        return core

    def _check_size(self, size: int, most: int, what: str, line: int) -> None:
        if size > most:
            self.fail(
                f"the sentence has {size:,} {what}, but at most {most:,} are allowed: end every "
                "sentence with a blank line",
                line,
            )


class _SpecialRows:
    """A validator that reads, in order, all rows that are not words."""

    def __init__(self, reader: ColumnReader) -> None:
        self._reader = reader
        self._empty_node = (0, 0)
        self._token_end = 0
        self._token_line = 0

    def read(self, row: list[str], words_before: int, line: int) -> None:
        """Validate a row that follows the first `words_before` words of the sentence."""
        _check_width(row, self._reader, line)
        identifier = row[0]
        if not self._reader.format.special_rows and ("-" in identifier or "." in identifier):
            self._reader.fail(
                f"{quoted(identifier)} is not a word number, and {self._reader.format.title} has "
                "neither multiword tokens nor empty nodes: read the file as CoNLL-U",
                line,
            )
        elif "-" in identifier:
            self._read_multiword(row, words_before + 1, line)
        elif "." in identifier:
            self._read_empty_node(identifier, words_before, line)
        else:
            message = f"{quoted(identifier)} is not a word number: ids are 1, 2, 3, …"
            self._reader.fail(message, line)

    def finish(self, size: int) -> None:
        """Perform the checks that depend on the number of words in the sentence."""
        if self._token_end > size:
            self._reader.fail(
                f"the multiword token ends at word {self._token_end}, "
                f"but the sentence has {size} words",
                self._token_line,
            )

    def _read_multiword(self, row: list[str], next_word: int, line: int) -> None:
        identifier = row[0]
        first, _, last = identifier.partition("-")
        if not (is_number(first) and is_number(last) and int(first) <= int(last)):
            reason = f"{quoted(identifier)} is not a range of words: write first-last, as in 1-2"
        elif int(first) != next_word:
            reason = (
                f"the multiword token {identifier} must come just before its first word, "
                f"but the next word is {next_word}"
            )
        elif int(first) <= self._token_end:
            reason = f"the multiword token {identifier} overlaps the one before it"
        elif not row[FORM]:
            reason = f"the multiword token {identifier} has an empty FORM: write it, or _"
        else:
            self._token_end = int(last)
            self._token_line = line
            return
        self._reader.fail(reason, line)

    def _read_empty_node(self, identifier: str, words_before: int, line: int) -> None:
        after, count = self._empty_node
        expected = (words_before, count + 1 if after == words_before else 1)
        parts = identifier.split(".")
        if not all(map(is_number, parts)) or tuple(map(int, parts)) != expected:
            right = ".".join(map(str, expected))
            self._reader.fail(
                f"the empty node is {quoted(identifier)}, expected {right} here", line
            )
        self._empty_node = expected


class _CarefulReader:
    """A reader that checks one sentence line by line and reports its first error."""

    def __init__(self, reader: ColumnReader) -> None:
        self._reader = reader
        self._special_rows = _SpecialRows(reader)
        self._rows: list[list[str]] = []
        self._line_of_word: list[int] = []

    def read(self, lines: list[str], first_line: int) -> CoreColumns:
        """Return the columns `forms`, `upos`, `heads` and `deprels`.

        Raise an error that names the first invalid line.
        """
        for number, line in enumerate(lines, start=first_line):
            if not line.startswith("#"):
                self._read_row(line.split("\t"), number)
        if not self._rows:
            self._reader.fail(
                "a sentence without words: remove its lines, or the blank line after them",
                first_line,
            )
        self._special_rows.finish(len(self._rows))
        heads = self._read_heads()
        forms, upos, deprels = ([row[p] for row in self._rows] for p in (FORM, UPOS, DEPREL))
        return forms, upos, heads, deprels

    def _read_row(self, row: list[str], line: int) -> None:
        _check_width(row, self._reader, line)
        expected = len(self._rows) + 1
        if not is_number(row[0]):
            self._special_rows.read(row, len(self._rows), line)
            return
        if int(row[0]) != expected:
            self._reader.fail(
                f"the id is {row[0]}, expected {expected}: number the words 1, 2, 3, …", line
            )
        if not row[FORM]:
            self._reader.fail(f"word {expected} has an empty FORM: write the word, or _", line)
        self._rows.append(row)
        self._line_of_word.append(line)

    def _read_heads(self) -> list[int]:
        heads: list[int] = []
        for line, row in zip(self._line_of_word, self._rows, strict=True):
            try:
                heads += parse_heads([row[HEAD]])
            except KeyError:
                self._reader.fail(f"HEAD is {quoted(row[HEAD])}: it must be a number or _", line)
        problem = find_tree_problem(heads, roots=self._reader.roots, partial=self._reader.partial)
        if problem:
            self._reader.fail(problem.reason, self._line_of_word[problem.word - 1])
        return heads


def _after_comments(text: str) -> str:
    """Return the lines after the initial comments, or "" if they do not begin with word 1."""
    if text.startswith("1\t"):
        return text
    start = text.find("\n1\t") + 1
    all_comments = text.count("\n#", 0, start) == text.count("\n", 0, start) - 1
    return text[start:] if start and all_comments and text[0] == "#" else ""


def _check_width(row: list[str], reader: ColumnReader, line: int) -> None:
    if len(row) == NUM_COLUMNS:
        return
    if not "".join(row).strip(" \r"):
        reason = "a line of spaces or tabs is not blank: empty it, so that it ends the sentence"
    else:
        reason = f"{len(row)} columns found, {NUM_COLUMNS} expected"
        if len(row) == 1:
            remedy = "separate them by tabs (for plain text, use the suffix .txt)"
            reason = f"1 column found, {NUM_COLUMNS} expected: {remedy}"
    reader.fail(reason, line)
