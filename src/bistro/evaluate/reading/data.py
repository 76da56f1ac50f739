"""Reading times from an experiment, with one row per participant and word, or mean times per word.

    participant,item,condition,position,word,time
    p01,7,reduced,1,The,312
    p01,7,reduced,2,horse,355

A *text* is an item in one of its conditions, as participants read it; without a column of
conditions, every item has one text. Rows with the same text and position must have the same word
for all participants, and the positions in a text must have no gaps. The surprisal of each word
under a model can then be joined to the correct rows.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bistro.errors import TreebankError
from bistro.evaluate.reading.columns import RowFilter, find_columns, require_column
from bistro.tasks.stimuli import delimiter_of, read_utf8, table_rows

ALL = "all"
"""Name of the only participant if the table has no participant column. Its times are means."""
IBEX_COMMA = "%2C"
"""Replacement for commas in the result files of Ibex and PCIbex, whose cells are not quoted."""
MISSING_TIMES = ("", "na", "nan", "null", ".")
"""Cell values that represent a missing time, in lower case."""


@dataclass(frozen=True)
class ReadingData:
    """The reading times from an experiment, and the words that were read."""

    path: str
    items: list[str]
    """The item of each text."""
    words: list[list[str]]
    """The words of each text."""
    participants: list[str]
    token: NDArray[np.int64]
    """Index of the word in each row, counted over all texts."""
    reader: NDArray[np.int64]
    """Index of the participant in each row."""
    times: NDArray[np.float64]
    """Reading times in milliseconds. Missing times are NaN."""
    columns: dict[str, str]
    """Names of the table's columns."""
    conditions: list[str] | None = None
    """The condition of each text, if the table has a condition column."""
    kept: dict[str, list[str]] = field(default_factory=dict)
    """Other columns of the table, with one cell per row."""

    def documents(self, columns: Sequence[str]) -> list[str] | None:
        """Return the document of each text, as named by the given columns.

        If no columns are given, the result is None.
        """
        if not columns:
            return None
        _, first = np.unique(self.text_of_token[self.token], return_index=True)
        cells = [self.kept[name] for name in columns]
        return [".".join(column[row] for column in cells) for row in first.tolist()]

    @property
    def texts_by_name(self) -> list[int]:
        """The indices of all texts, sorted by the names of their items and conditions."""
        conditions = self.conditions or [""] * len(self.items)
        keys = [(name_order(i), name_order(c)) for i, c in zip(self.items, conditions, strict=True)]
        return sorted(range(len(keys)), key=keys.__getitem__)

    @property
    def starts(self) -> NDArray[np.int64]:
        """The index of the first word of each text."""
        return np.cumsum([0, *map(len, self.words)][:-1])

    @property
    def text_of_token(self) -> NDArray[np.int64]:
        """The text of each word."""
        return np.repeat(np.arange(len(self.words)), [len(words) for words in self.words])

    @property
    def item_of_token(self) -> NDArray[np.int64]:
        """Index of each word's item. All conditions of an item share one index.

        Items are numbered in the order of their names, so that the result of a study does not
        depend on the order of the rows.
        """
        names = sorted(set(self.items), key=name_order)
        numbers = {name: number for number, name in enumerate(names)}
        return np.array([numbers[name] for name in self.items])[self.text_of_token]


def name_order(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Return a sort key that compares the numbers within names by value.

    >>> sorted(["item10", "item9", "item"], key=name_order)
    ['item', 'item9', 'item10']
    """
    parts: list[str | tuple[int, str]] = []
    for text, digits in re.findall(r"(\D*)(\d*)", name):
        number = digits.lstrip("0")
        parts += [text, (len(number), number)]
    return parts, name


def read_reading_data(
    path: str | os.PathLike[str],
    *,
    keep: Sequence[str] = (),
    only: Sequence[str] = (),
    **names: str | None,
) -> ReadingData:
    """Read a table of reading times.

    Parameters
    ----------
    path
        The CSV or TSV file.
    keep
        Columns whose cells are kept for other programs.
    only
        Conditions on rows, as ``COLUMN=VALUE``.
    **names
        Names of the columns word, item, condition, time, position, participant; without them,
        common names are tried.
    """
    name = os.fspath(path)
    text = read_utf8(path)
    rows = table_rows(io.StringIO(text, newline=""), name)
    first = next(rows, None)
    if first is None:
        raise RowFilter((), (), name).error()
    header = [cell.strip() for cell in first[1]]
    collected = _Collected(name, header, find_columns(header, names, name), keep)
    collected.decimal_comma = delimiter_of(text) != ","
    wanted = RowFilter(only, header, name)
    for row in rows:  # All rows are checked before any of them is kept.
        if collected.is_whole(row) and wanted.accepts(row[1]):
            collected.check_cells(row)
    again = itertools.islice(table_rows(io.StringIO(text, newline=""), name), 1, None)
    data = collected.read(row for row in again if wanted.accepts(row[1]))
    if not len(data.times):
        raise wanted.error()
    return data


class _Collected:
    """The rows collected so far while a table is being read."""

    def __init__(
        self, path: str, header: list[str], columns: dict[str, str], keep: Sequence[str]
    ) -> None:
        self.path, self.header, self.columns = path, header, columns
        self.place = {what: header.index(column) for what, column in columns.items()}
        self.kept = {name: (require_column(name, header, path), list[str]()) for name in keep}
        self.decimal_comma = False
        self.texts: dict[tuple[str, str], int] = {}
        """The index of each text, by item and condition."""
        self.words: list[dict[int, tuple[str, int]]] = []
        """The word at each position of each text, and the line where the word first occurs."""
        self.readers: dict[str, int] = {}
        self.lines = array("q")
        """The line of each row."""
        self._last_line: dict[int, int] = {}
        """The last line of each text in a table without participants or positions."""

    def is_whole(self, row: tuple[int, list[str]]) -> bool:
        """Raise an error unless a row has one cell per column."""
        line, cells = row
        if len(cells) != len(self.header):
            problem = f"the row has {len(cells)} cells, but the first row has {len(self.header)}"
            raise TreebankError(problem, path=self.path, line=line)
        return True

    def check_cells(self, row: tuple[int, list[str]]) -> None:
        """Raise an error unless a row has a word and valid numbers."""
        line, cells = row
        if "position" in self.place:
            self._position(cells[self.place["position"]], line)
        if not cells[self.place["word"]].strip():
            raise TreebankError("the row has no word", path=self.path, line=line)
        self._time(cells[self.place["time"]], line)

    def read(self, rows: Iterator[tuple[int, list[str]]]) -> ReadingData:
        """Read the rows."""
        text_of, position_of, reader_of = array("q"), array("q"), array("q")
        times = array("d")
        next_position: dict[tuple[int, int], int] = {}
        last = -1
        for line, cells in rows:
            text = self._text(cells)
            who = cells[self.place["participant"]] if "participant" in self.place else ALL
            reader = self.readers.setdefault(who, len(self.readers))
            if "position" in self.place:
                position = self._position(cells[self.place["position"]], line)
            else:
                position = next_position.get((reader, text), 0) + 1
                next_position[reader, text] = position
            self._word(text, position, cells[self.place["word"]], line)
            if "participant" not in self.place and "position" not in self.place:
                self._check_adjacent(text, line, is_adjacent=text == last)
            last = text
            self.lines.append(line)
            text_of.append(text)
            position_of.append(position)
            reader_of.append(reader)
            times.append(self._time(cells[self.place["time"]], line))
            for place, column in self.kept.values():
                column.append(sys.intern(cells[place]))
        return self._whole(
            np.array(text_of, np.int64),
            np.array(position_of, np.int64),
            np.array(reader_of, np.int64),
            np.array(times, np.float64),
        )

    def _text(self, cells: list[str]) -> int:
        condition = cells[self.place["condition"]] if "condition" in self.place else ""
        text = self.texts.setdefault((cells[self.place["item"]], condition), len(self.texts))
        if text == len(self.words):
            self.words.append({})
        return text

    def _called(self, text: int) -> str:
        item, condition = list(self.texts)[text]
        return f"item {item} in condition {condition}" if condition else f"item {item}"

    def _word(self, text: int, position: int, cell: str, line: int) -> None:
        word = cell.strip().replace(IBEX_COMMA, ",")
        known, first = self.words[text].setdefault(position, (word, line))
        if known == word:
            return
        problem = (
            f"{self._called(text)} has '{word}' at position {position}, but '{known}' in line "
            f"{first}"
        )
        if "position" not in self.place:
            problem += ": if rows are missing, name the column of positions, --position COLUMN"
        elif "condition" not in self.place:
            problem += ": if items have several versions, name their column, --condition COLUMN"
        raise TreebankError(problem, path=self.path, line=line)

    def _check_adjacent(self, text: int, line: int, *, is_adjacent: bool) -> None:
        """Raise an error if a text without participants or positions occurs a second time."""
        if not is_adjacent and text in self._last_line:
            problem = (
                f"{self._called(text)} continues here, but ended in line {self._last_line[text]}: "
                "if there are several participants, name their column, --participant COLUMN"
            )
            raise TreebankError(problem, path=self.path, line=line)
        self._last_line[text] = line

    def _check_repeated(
        self,
        token: NDArray[np.int64],
        reader: NDArray[np.int64],
        text: NDArray[np.int64],
        position: NDArray[np.int64],
    ) -> None:
        """Raise an error if a participant has two reading times for the same word."""
        pairs = token * len(self.readers) + reader
        is_repeated = np.ones(len(pairs), np.bool_)
        is_repeated[np.unique(pairs, return_index=True)[1]] = False
        if not is_repeated.any():
            return
        row = int(is_repeated.argmax())
        first = self.lines[int((pairs == pairs[row]).argmax())]
        who = f" of participant {list(self.readers)[reader[row]]}"
        problem = (
            f"{self._called(int(text[row]))} has a time{who if 'participant' in self.place else ''}"
            f" at position {position[row]} in line {first} already: remove one of the two rows, or,"
            " if they belong to different participants, name their column, --participant COLUMN"
        )
        raise TreebankError(problem, path=self.path, line=self.lines[row])

    def _position(self, cell: str, line: int) -> int:
        try:
            return int(cell)
        except ValueError:
            problem = (
                f"column '{self.columns['position']}' has '{cell}', which is not a whole number: "
                "rows that are not words can be left out with --only COLUMN=VALUE"
            )
            raise TreebankError(problem, path=self.path, line=line) from None

    def _time(self, cell: str, line: int) -> float:
        if cell.strip().lower() in MISSING_TIMES:
            return math.nan
        try:
            return float(cell.replace(",", ".") if self.decimal_comma else cell)
        except ValueError:
            problem = f"column '{self.columns['time']}' has '{cell}', which is not a number"
            raise TreebankError(problem, path=self.path, line=line) from None

    def _whole(
        self,
        text: NDArray[np.int64],
        position: NDArray[np.int64],
        reader: NDArray[np.int64],
        times: NDArray[np.float64],
    ) -> ReadingData:
        first = np.array([min(words) for words in self.words], np.int64)
        for number, (words, begin) in enumerate(zip(self.words, first.tolist(), strict=True)):
            for place in range(begin, begin + len(words)):
                if place not in words:
                    problem = f"{self._called(number)} has no word at position {place}"
                    raise TreebankError(problem, path=self.path)
        starts = np.cumsum([0, *map(len, self.words)][:-1])
        token = starts[text] + position - first[text] if len(text) else text
        self._check_repeated(token, reader, text, position)
        return ReadingData(
            self.path,
            [item for item, _ in self.texts],
            [[words[place][0] for place in sorted(words)] for words in self.words],
            list(self.readers),
            token,
            reader,
            times,
            self.columns,
            [condition for _, condition in self.texts] if "condition" in self.columns else None,
            {name: cells for name, (_, cells) in self.kept.items()},
        )
