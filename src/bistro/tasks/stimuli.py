"""Stimuli of an experiment: a CSV or TSV table with sentences, or with one word a row.

The first row names the columns. Each sentence becomes words at white space, and keeps the cells of
its row; where each row holds one word, rows with the same values in the columns that name the
sentence make one sentence, and the words of a cell (``barn.`` as *barn* and *.*) share its row.

>>> import io
>>> table = parse_table(io.StringIO("item,text\\n7,The dog barked.\\n"), "items.csv")
>>> [stimulus] = one_row_each(table, "text", name="item", split_punct=True)
>>> stimulus.name, stimulus.words, stimulus.cells[0]
('7', ['The', 'dog', 'barked', '.'], ['7', 'The dog barked.'])
"""

from __future__ import annotations

import csv
import io
import itertools
import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bistro.errors import TreebankError, nearest
from bistro.files import open_binary
from bistro.models.results.surprisal import Token, word_tokens
from bistro.treebank.invisible import is_invisible, seen

DELIMITERS = ",\t;"
MISSING = "NA"


@dataclass(frozen=True)
class Table:
    """A table as it was read; `rows` are (line in the file, cells)."""

    path: str
    columns: list[str]
    rows: list[tuple[int, list[str]]]

    def column(self, name: str) -> int:
        """Return the place of a column, or say which ones there are."""
        if name not in self.columns:
            known = ", ".join(self.columns)
            raise TreebankError(
                f"has no column '{name}'{nearest(name, self.columns)}; its columns are {known}",
                path=self.path,
            )
        return self.columns.index(name)


@dataclass(frozen=True)
class Stimulus:
    """One sentence with its tokens, and the cells that stand before each token's figures."""

    name: str
    tokens: list[Token]
    words: list[str]
    cells: list[list[str]]
    """One row a token, and one for the end of the sentence."""


def read_table(path: str | os.PathLike[str]) -> Table:
    """Read a table; the delimiter (comma, tab or semicolon) is found in its first line."""
    return parse_table(io.StringIO(read_utf8(path), newline=""), os.fspath(path))


def read_utf8(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, or say in which line it is not UTF-8."""
    with open_binary(path) as stream:
        content = stream.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        told = "is not UTF-8: save it with that encoding"
        raise TreebankError(told, path=os.fspath(path), line=line) from None


def parse_table(stream: io.StringIO, path: str) -> Table:
    """Read a table from text; every row must have a cell a column, wholly blank lines do not count.

    The names of the columns must differ.
    """
    first = stream.readline()
    stream.seek(0)
    reader = csv.reader(stream, delimiter=max(DELIMITERS, key=first.count), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise TreebankError(f"is no table: {error}", path=path, line=line) from None
    if len(rows) < 2:
        raise TreebankError("holds no stimuli: a row of column names, then rows", path=path)
    columns = [cell.strip() for cell in rows[0][1]]
    for column in columns:
        if columns.count(column) > 1:
            raise TreebankError(f"two columns are called '{column}'", path=path, line=rows[0][0])
    for line, cells in rows[1:]:
        if len(cells) != len(columns):
            told = f"{len(cells)} cells, where the first row names {len(columns)} columns"
            raise TreebankError(told, path=path, line=line)
    return Table(path, columns, rows[1:])


def one_row_each(
    table: Table, text: str, *, name: str | None = None, split_punct: bool = False
) -> Iterator[Stimulus]:
    """Yield the sentences of a table with a sentence a row, called by `name` or their number."""
    place = table.column(text)
    names = None if name is None else table.column(name)
    for number, (line, cells) in enumerate(table.rows, start=1):
        words = _words(cells[place], table, text, line, split_punct)
        called = str(number) if names is None else cells[names]
        yield Stimulus(called, word_tokens(words), words, [cells] * (len(words) + 1))


def one_word_a_row(
    table: Table, text: str, sentence: Sequence[str], *, split_punct: bool = False
) -> Iterator[Stimulus]:
    """Yield the sentences of a table with a word a row, told apart by the columns `sentence`."""
    place = table.column(text)
    keys = [table.column(name) for name in sentence]
    done: dict[tuple[str, ...], int] = {}
    for key, group in itertools.groupby(table.rows, lambda row: tuple(row[1][k] for k in keys)):
        rows = list(group)
        if key in done:
            told = f"sentence {'.'.join(key)} goes on here, but ended in line {done[key]}: keep "
            raise TreebankError(told + "its rows together", path=table.path, line=rows[0][0])
        done[key] = rows[-1][0]
        words = [_words(cells[place], table, text, line, split_punct) for line, cells in rows]
        tokens = _numbered(
            (cells[place], len(w)) for (_, cells), w in zip(rows, words, strict=True)
        )
        end = [MISSING] * len(table.columns)
        for k in keys:
            end[k] = rows[0][1][k]
        cells = [*(cells for _, cells in rows), end]
        yield Stimulus(".".join(key), tokens, list(itertools.chain(*words)), cells)


def _numbered(items: Iterable[tuple[str, int]]) -> list[Token]:
    tokens = []
    place = 1
    for form, size in items:
        name: int | str = place if size == 1 else f"{place}-{place + size - 1}"
        tokens.append(Token(name, form, size))
        place += size
    return tokens


def _words(cell: str, table: Table, column: str, line: int, split_punct: bool) -> list[str]:
    words = words_of(cell, split_punct, table.path, line)
    if not words:
        raise TreebankError(f"column '{column}' has no word", path=table.path, line=line)
    return words


def words_of(
    text: str, split_punct: bool, path: str | None = None, line: int | None = None
) -> list[str]:
    """Return the words of a text; its place is for messages."""
    words = [visible(word, path, line) for word in text.split()]
    return [part for word in words for part in split_word(word)] if split_punct else words


def visible(word: str, path: str | None = None, line: int | None = None) -> str:
    """Return a word without zero-width characters; one that has nothing else is refused."""
    if is_invisible(word):
        codes = " ".join(f"U+{ord(character):04X}" for character in word)
        told = f"a word cannot be seen: it is {codes}: take it out, or join it to its neighbour"
        raise TreebankError(told, path=path, line=line)
    return seen(word)


def split_word(word: str) -> list[str]:
    """Split punctuation from either end of a word.

    >>> split_word('"Stop!"'), split_word("don't"), split_word("...")
    (['"', 'Stop', '!', '"'], ["don't"], ['...'])
    """
    marks = [unicodedata.category(character).startswith("P") for character in word]
    if all(marks):
        return [word]
    first, last = marks.index(False), len(word) - marks[::-1].index(False)
    return [*word[:first], word[first:last], *word[last:]]
