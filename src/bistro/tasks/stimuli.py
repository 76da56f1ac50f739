"""Stimuli for an experiment, in a CSV or TSV table with one sentence or one word per row.

The first row names the columns. Each sentence is split into words (`bistro.tasks.cutting`) and
keeps the cells of its row. Where each row holds one word, rows with the same values in the columns
that name the sentence form one sentence, and the words of a cell (``barn.`` as *barn* and *.*)
share its row.

>>> import io
>>> from bistro.tasks.cutting import at_punctuation
>>> table = parse_table(io.StringIO("item,text\\n7,The dog barked.\\n"), "items.csv")
>>> [stimulus] = one_row_each(table, "text", name="item", cut=at_punctuation)
>>> stimulus.name, stimulus.words, stimulus.cells[0]
('7', ['The', 'dog', 'barked', '.'], ['7', 'The dog barked.'])
"""

from __future__ import annotations

import csv
import io
import itertools
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bistro.errors import TreebankError, nearest
from bistro.files import open_binary
from bistro.models.results.surprisal import Token, numbered_tokens
from bistro.models.results.tokens import CutToken, words_in
from bistro.tasks.cutting import Cutting, at_spaces, visible_text

DELIMITERS = ",\t;"
MISSING = "NA"
WORKBOOK = b"PK\x03\x04"
"""The first bytes of Excel and LibreOffice files."""
MOST_COLUMNS = 10_000
"""Maximum number of columns in a table, which limits the memory use of a row."""
Row = tuple[int, list[str]]
"""The line number of a table row in its file, and the cells of the row."""


@dataclass(frozen=True)
class Rows:
    """The rows of a table without the names of its columns.

    Each iteration parses the text again, since lists of short cells take up many times as much
    memory as the text.
    """

    text: str
    path: str

    def __iter__(self) -> Iterator[Row]:
        rows = table_rows(io.StringIO(self.text, newline=""), self.path)
        return itertools.islice(rows, 1, None)


@dataclass(frozen=True)
class Table:
    """A table as it was read."""

    path: str
    columns: list[str]
    rows: Rows

    def common_column(self, what: str, names: Sequence[str]) -> str:
        """Return the first column with one of the common `names`.

        If there is no such column, the error message names the option to use.
        """
        plain = {plain_name(column): column for column in reversed(self.columns)}
        for name in names:
            if name in plain:
                return plain[name]
        problem = (
            f"the table has no column {' or '.join(names)}: add --{what} COLUMN; its columns are "
        )
        raise TreebankError(problem + ", ".join(self.columns), path=self.path)

    def column(self, name: str) -> int:
        """Return the index of a column.

        If the column does not exist, the error message lists all columns.
        """
        if name not in self.columns:
            known = ", ".join(self.columns)
            raise TreebankError(
                f"the table has no column '{name}'{nearest(name, self.columns)}; its columns are "
                f"{known}",
                path=self.path,
            )
        return self.columns.index(name)


@dataclass(frozen=True)
class Stimulus:
    """A sentence with its tokens, and the table cells that are written before their scores."""

    name: str
    tokens: list[Token]
    words: list[str]
    cells: list[list[str]]
    """The cells, with one row per token and one row for the end of the sentence."""
    document: str = ""
    """The name of the document, if the table has columns for it."""


def plain_name(column: str) -> str:
    """Return the name of a column in lower case, without spaces or punctuation.

    >>> plain_name("Subject.ID")
    'subjectid'
    """
    return "".join(character for character in column.lower() if character.isalnum())


def read_table(path: str | os.PathLike[str]) -> Table:
    """Read a table. The first line determines the delimiter (comma, tab or semicolon)."""
    return _table(read_utf8(path), os.fspath(path))


def read_utf8(path: str | os.PathLike[str]) -> str:
    """Return the text of a file. If the text is not UTF-8, the error message names the line."""
    with open_binary(path) as stream:
        content = stream.read()
    if content.startswith(WORKBOOK):
        problem = "the file is a workbook: save it as CSV (in Excel: CSV UTF-8)"
        raise TreebankError(problem, path=os.fspath(path))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = "the file is not valid UTF-8: save it with that encoding (in Excel: CSV UTF-8)"
        raise TreebankError(problem, path=os.fspath(path), line=line) from None


def delimiter_of(text: str) -> str:
    """Return the most frequent delimiter (comma, tab or semicolon) in the first line of a table."""
    return max(DELIMITERS, key=text.partition("\n")[0].count)


def table_rows(stream: io.StringIO, path: str) -> Iterator[Row]:
    """Yield the non-blank rows of a table. The first line determines the delimiter."""
    delimiter = delimiter_of(stream.readline())
    stream.seek(0)
    reader = csv.reader(_narrow_lines(stream, delimiter, path), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise TreebankError(f"the file is not a table: {error}", path=path, line=line) from None


def _narrow_lines(stream: io.StringIO, delimiter: str, path: str) -> Iterator[str]:
    """Yield the lines of a table. Raise an error if a line has too many cells."""
    for number, line in enumerate(stream, start=1):
        if line.count(delimiter) >= MOST_COLUMNS:
            problem = f"the line has more than {MOST_COLUMNS:,} cells: check that it is a table"
            raise TreebankError(problem, path=path, line=number)
        yield line


def parse_table(stream: io.StringIO, path: str) -> Table:
    """Read a table from text. Every row has one cell per column, and blank lines are ignored.

    The names of the columns must be distinct.
    """
    return _table(stream.getvalue(), path)


def _table(text: str, path: str) -> Table:
    header: Row | None = None
    num_rows = 0
    uneven: Row | None = None
    for row in table_rows(io.StringIO(text, newline=""), path):
        header = header or row
        num_rows += 1
        if uneven is None and len(row[1]) != len(header[1]):
            uneven = row
    if header is None or num_rows < 2:
        raise TreebankError(
            "the table contains no stimuli: expected a row of column names, followed by one or "
            "more rows",
            path=path,
        )
    columns = [cell.strip() for cell in header[1]]
    for column, count in Counter(columns).items():
        if count > 1:
            raise TreebankError(f"two columns are called '{column}'", path=path, line=header[0])
    if uneven is not None:
        problem = f"the row has {len(uneven[1])} cells, but the first row has {len(columns)}"
        raise TreebankError(problem, path=path, line=uneven[0])
    return Table(path, columns, Rows(text, path))


def one_row_each(
    table: Table, text: str, *, name: str | None = None, cut: Cutting = at_spaces
) -> Iterator[Stimulus]:
    """Yield the sentences in a table with one sentence per row.

    The column `name` contains the names of the sentences. If `name` is None, sentences are
    numbered.
    """
    place = table.column(text)
    names = None if name is None else table.column(name)
    check_texts(table, place)
    for number, row in enumerate(table.rows, start=1):
        [tokens] = _cut([row], place, table, cut)
        called = str(number) if names is None else row[1][names]
        rows = numbered_tokens((token.form, len(token.words)) for token in tokens)
        yield Stimulus(called, rows, words_in(tokens), [row[1]] * (len(rows) + 1))


def one_word_a_row(
    table: Table, text: str, sentence: Sequence[str], *, cut: Cutting = at_spaces
) -> Iterator[Stimulus]:
    """Yield the sentences in a table with one word per row.

    The columns named in `sentence` identify a sentence.
    """
    place = table.column(text)
    keys = [table.column(name) for name in sentence]
    check_texts(table, place)
    _check_adjacent(table, keys)
    for key, group in sentence_rows(table, keys):
        rows = list(group)
        words = [words_in(tokens) for tokens in _cut(rows, place, table, cut)]
        sizes = ((cells[place], len(own)) for (_, cells), own in zip(rows, words, strict=True))
        end = [MISSING] * len(table.columns)
        for k in keys:
            end[k] = rows[0][1][k]
        cells = [*(cells for _, cells in rows), end]
        yield Stimulus(".".join(key), numbered_tokens(sizes), list(itertools.chain(*words)), cells)


def check_texts(table: Table, place: int) -> None:
    """Raise an error if a cell in the column `place` contains no visible word."""
    for line, cells in table.rows:
        if not visible_text(cells[place], table.path, line):
            column = table.columns[place]
            raise TreebankError(f"column '{column}' has no word", path=table.path, line=line)


def _check_adjacent(table: Table, keys: Sequence[int]) -> None:
    """Raise an error if the rows of a sentence, identified by `keys`, are not adjacent.

    Only hashes are kept, since the names of one-word sentences take up many times more bytes in
    memory than in the file.
    """
    hashes = np.fromiter((hash(key) for key, _ in sentence_rows(table, keys)), np.int64)
    is_repeated = np.ones(len(hashes), bool)
    is_repeated[np.unique(hashes, return_index=True)[1]] = False
    if not is_repeated.any():
        return
    second = int(np.argmax(is_repeated))
    first = int(np.flatnonzero(hashes[:second] == hashes[second])[-1])
    ended = 0
    for number, (key, rows) in enumerate(sentence_rows(table, keys)):
        if number == first:
            *_, (ended, _) = rows
        elif number == second:
            problem = f"sentence {'.'.join(key)} continues here, but ended in line {ended}: keep "
            line = next(rows)[0]
            raise TreebankError(problem + "its rows together", path=table.path, line=line)


def sentence_rows(
    table: Table, keys: Sequence[int]
) -> Iterator[tuple[tuple[str, ...], Iterator[Row]]]:
    """Group adjacent rows that have the same cells in the columns `keys`.

    Yield these cells together with the rows.
    """
    return itertools.groupby(table.rows, lambda row: tuple(row[1][k] for k in keys))


def _cut(rows: Sequence[Row], place: int, table: Table, cut: Cutting) -> list[list[CutToken]]:
    """Return the tokens in each row of one sentence."""
    return cut([visible_text(cells[place], table.path, line) for line, cells in rows])
