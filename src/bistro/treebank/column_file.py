"""Files of ten tab-separated columns, a word a line, a blank line after each sentence.

CoNLL-U and CoNLL-X differ in little, and a `ColumnFormat` says in what. Most sentences pass a fast
road: one `replace` marks the first field of every line with its line end, one `split` cuts all
fields, and comparing every tenth with ``1, \\n2, \\n3, …`` proves at once that the ids are right
and that every line has ten columns. Whatever fails on the fast road (multiword tokens, comments
between words, CRLF, errors) goes line by line through `_CarefulReader`, which knows all rules and
names the line of the first offence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from bistro.errors import TreebankError
from bistro.treebank.blocks import Block, Readable, iter_blocks
from bistro.treebank.fields import DEPREL, FORM, HEAD, UPOS, is_number, parse_heads
from bistro.treebank.sentence import CoreColumns, Sentence
from bistro.treebank.validate import Roots, find_tree_problem

NUM_COLUMNS = 10
_FAST_WORDS = 1000
_MARKED_IDS = ["1", *(f"\n{word}" for word in range(2, _FAST_WORDS + 1))]


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """What sets one ten-column format apart."""

    name: str
    title: str
    columns: tuple[str, ...]
    """The names of the columns in the format's own documentation."""
    roots: Roots
    """Whether a sentence has one root or any number, unless the caller says otherwise."""
    special_rows: bool
    """Whether there are multiword tokens (1-2) and empty nodes (8.1)."""


@dataclass(frozen=True, slots=True)
class ColumnReader:
    """Reads sentences of one format from one file."""

    format: ColumnFormat
    path: str | None = None
    roots: Roots | None = None
    partial: bool = False

    def iter_sentences(self, stream: Readable) -> Iterator[Sentence]:
        """Yield the sentences of a stream of bytes, each checked."""
        name = self.format.name
        for block in iter_blocks(stream, self.path):
            core = self._read_fast(block.text) or self._read_carefully(block)
            yield Sentence(block.text, core, name, block.line, block.lead, block.end)

    def _read_fast(self, text: str) -> CoreColumns | None:
        """Return the columns of a plain, faultless sentence, or None."""
        start = 0 if text.startswith("1\t") else text.find("\n1\t") + 1
        if start and text.count("\n#", 0, start) != text.count("\n", 0, start) - 1:
            return None
        rows = text[start:]
        fields = rows.replace("\n", "\t\n").split("\t")
        size = rows.count("\n") + 1
        if (
            len(fields) != NUM_COLUMNS * size
            or fields[::NUM_COLUMNS] != _MARKED_IDS[:size]
            or (start and text[0] != "#")
            or "\r" in text
        ):
            return None
        try:
            heads = parse_heads(fields[HEAD::NUM_COLUMNS])
        except KeyError:
            return None
        forms = fields[FORM::NUM_COLUMNS]
        if "" in forms or find_tree_problem(
            heads, roots=self.roots or self.format.roots, partial=self.partial
        ):
            return None
        return forms, fields[UPOS::NUM_COLUMNS], heads, fields[DEPREL::NUM_COLUMNS]

    def _read_carefully(self, block: Block) -> CoreColumns:
        rules = _CarefulReader(self, block)
        rules.read_rows()
        return rules.core_columns()


class _CarefulReader:
    """One sentence, line by line, with every rule of the format."""

    def __init__(self, reader: ColumnReader, block: Block) -> None:
        self._reader = reader
        self._block = block
        self._rows: list[list[str]] = []
        self._line_of_word: list[int] = []
        self._empty_nodes_here = 0
        self._last_of_token = 0
        self._token_line = block.line

    def read_rows(self) -> None:
        """Sort the lines into words and others; stop at the first that breaks a rule."""
        lines = self._block.text.split("\n")
        for number, line in enumerate(lines, start=self._block.line):
            if not line.startswith("#"):
                self._read_row(line.removesuffix("\r").split("\t"), number)
        if not self._rows:
            self._fail(
                "a sentence without words: remove its lines, or the blank line after them",
                self._block.line,
            )
        if self._last_of_token > len(self._rows):
            self._fail(
                f"the multiword token ends at word {self._last_of_token}, "
                f"but the sentence has {len(self._rows)} words",
                self._token_line,
            )

    def core_columns(self) -> CoreColumns:
        """Return forms, upos, heads and deprels, the tree checked."""
        _, forms, _, upos, _, _, head_fields, deprels, _, _ = map(
            list, zip(*self._rows, strict=True)
        )
        heads = []
        for number, field in zip(self._line_of_word, head_fields, strict=True):
            try:
                heads += parse_heads([field])
            except KeyError:
                name = self._reader.format.columns[HEAD]
                self._fail(f"{name} is '{field}': it must be a number or _", number)
        roots = self._reader.roots or self._reader.format.roots
        problem = find_tree_problem(heads, roots=roots, partial=self._reader.partial)
        if problem:
            self._fail(problem.reason, self._line_of_word[problem.word - 1])
        return forms, upos, heads, deprels

    def _read_row(self, row: list[str], number: int) -> None:
        if len(row) != NUM_COLUMNS:
            self._fail(_count_problem(row), number)
        identifier = row[0]
        if is_number(identifier):
            self._read_word(row, number)
        elif not self._reader.format.special_rows and is_special_id(identifier):
            self._fail(
                f"'{identifier}' is a multiword token or empty node, which "
                f"{self._reader.format.title} does not have: read the file as CoNLL-U",
                number,
            )
        elif "-" in identifier:
            self._read_multiword(identifier, row[FORM], number)
        elif "." in identifier:
            self._read_empty_node(identifier, number)
        else:
            self._fail(f"'{identifier}' is no word number: ids are 1, 2, 3, …", number)

    def _read_word(self, row: list[str], number: int) -> None:
        expected = len(self._rows) + 1
        if int(row[0]) != expected:
            self._fail(
                f"the id is {row[0]}, expected {expected}: number the words 1, 2, 3, …", number
            )
        if not row[FORM]:
            self._fail(f"word {expected} has an empty FORM: write the word, or _", number)
        self._rows.append(row)
        self._line_of_word.append(number)
        self._empty_nodes_here = 0

    def _read_multiword(self, identifier: str, form: str, number: int) -> None:
        first, _, last = identifier.partition("-")
        expected = len(self._rows) + 1
        if not (is_number(first) and is_number(last) and int(first) <= int(last)):
            self._fail(f"'{identifier}' is no range of words: write first-last, as in 1-2", number)
        if int(first) != expected:
            self._fail(
                f"the multiword token {identifier} must stand just before its first word, "
                f"but the next word is {expected}",
                number,
            )
        if int(first) <= self._last_of_token:
            self._fail(f"the multiword token {identifier} overlaps the one before it", number)
        if not form:
            self._fail(f"the multiword token {identifier} has an empty FORM", number)
        self._last_of_token = int(last)
        self._token_line = number

    def _read_empty_node(self, identifier: str, number: int) -> None:
        before, _, place = identifier.partition(".")
        expected = f"{len(self._rows)}.{self._empty_nodes_here + 1}"
        well_formed = is_number(before) and is_number(place)
        if not well_formed or (int(before), int(place)) != (
            len(self._rows),
            self._empty_nodes_here + 1,
        ):
            self._fail(f"the empty node is '{identifier}', expected {expected} here", number)
        self._empty_nodes_here += 1

    def _fail(self, reason: str, number: int) -> NoReturn:
        raise TreebankError(reason, path=self._reader.path, line=number)


def is_special_id(identifier: str) -> bool:
    """Tell whether an id has the shape of a multiword token (1-2) or an empty node (8.1)."""
    return any(
        all(map(is_number, identifier.split(mark))) and identifier.count(mark) == 1 for mark in "-."
    )


def _count_problem(row: list[str]) -> str:
    if not "".join(row).strip(" \r"):
        return "a line of spaces or tabs is not blank: empty it, so that it ends the sentence"
    hint = ": separate them by tabs, not spaces" if len(row) == 1 and " " in row[0] else ""
    noun = "column" if len(row) == 1 else "columns"
    return f"{len(row)} {noun} found, {NUM_COLUMNS} expected{hint}"
