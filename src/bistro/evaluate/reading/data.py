"""Reading times of an experiment: one row per participant and word, or means.

    participant,item,position,word,time
    p01,7,1,The,312
    p01,7,2,horse,355

Rows of one item and position must have the same word for all participants, and the positions of an
item must have no gaps, so that a model's score of a word can be joined to the correct rows.
"""

from __future__ import annotations

import io
import math
import os
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bistro.errors import TreebankError, nearest
from bistro.tasks.stimuli import MISSING, read_utf8, table_rows

GUESSES: dict[str, tuple[str, ...]] = {
    "word": ("word", "token", "Word"),
    "item": ("item", "sentence", "sent_id", "Item"),
    "time": ("time", "rt", "RT", "reading_time"),
    "position": ("position", "word_id", "zone", "Position"),
    "participant": ("participant", "subject", "WorkerId", "Participant", "Subject"),
}
"""Names of columns that are tried if the caller does not name them."""
NEEDED = ("word", "item", "time")
ALL = "all"
"""Name of the only participant if there is no such column: times are means."""


@dataclass(frozen=True)
class ReadingData:
    """Reading times, and the words that were read."""

    path: str
    items: list[str]
    words: list[list[str]]
    """The words of each item."""
    participants: list[str]
    token: NDArray[np.int64]
    """The word of each row, counted over all items."""
    reader: NDArray[np.int64]
    """The participant of each row."""
    times: NDArray[np.float64]
    """Times in milliseconds; NaN where the table has none."""
    columns: dict[str, str]
    """Names of the columns of the table."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first word of each item."""
        return np.cumsum([0, *map(len, self.words)][:-1])

    @property
    def item_of_token(self) -> NDArray[np.int64]:
        """The item of each word."""
        return np.repeat(np.arange(len(self.words)), [len(words) for words in self.words])


def read_reading_data(path: str | os.PathLike[str], **names: str | None) -> ReadingData:
    """Read a table; `names` name its columns word, item, time, position, participant."""
    name = os.fspath(path)
    rows = table_rows(io.StringIO(read_utf8(path), newline=""), name)
    first = next(rows, None)
    if first is None:
        problem = "contains no reading times: expected a row of column names, then rows"
        raise TreebankError(problem, path=name)
    header = [cell.strip() for cell in first[1]]
    columns = {what: _chosen(what, names.get(what), header, name) for what in GUESSES}
    found = {what: column for what, column in columns.items() if column is not None}
    return _Collected(name, header, found).read(rows)


class _Collected:
    """The state of reading a table."""

    def __init__(self, path: str, header: list[str], columns: dict[str, str]) -> None:
        self.path, self.header, self.columns = path, header, columns
        self.items: dict[str, int] = {}
        self.words: list[dict[int, tuple[str, int]]] = []
        """For each item, the word at each position and the line that had it first."""
        self.readers: dict[str, int] = {}

    def read(self, rows: Iterator[tuple[int, list[str]]]) -> ReadingData:
        """Read the rows."""
        place = {what: self.header.index(column) for what, column in self.columns.items()}
        item_of, position_of, reader_of = array("q"), array("q"), array("q")
        times = array("d")
        next_position: dict[tuple[int, int], int] = {}
        for line, cells in rows:
            if len(cells) != len(self.header):
                problem = (
                    f"{len(cells)} cells, where the first row names {len(self.header)} columns"
                )
                raise TreebankError(problem, path=self.path, line=line)
            item = self.items.setdefault(cells[place["item"]], len(self.items))
            who = cells[place["participant"]] if "participant" in place else ALL
            reader = self.readers.setdefault(who, len(self.readers))
            if "position" in place:
                position = self._number(cells[place["position"]], "position", line)
            else:
                position = next_position.get((reader, item), 0) + 1
                next_position[reader, item] = position
            self._word(item, position, cells[place["word"]].strip(), line)
            item_of.append(item)
            position_of.append(position)
            reader_of.append(reader)
            times.append(self._time(cells[place["time"]], line))
        return self._whole(*(np.array(part) for part in (item_of, position_of, reader_of, times)))

    def _word(self, item: int, position: int, word: str, line: int) -> None:
        if item == len(self.words):
            self.words.append({})
        known, first = self.words[item].setdefault(position, (word, line))
        if not word:
            raise TreebankError("has no word", path=self.path, line=line)
        if known != word:
            name = list(self.items)[item]
            problem = (
                f"item {name} has '{word}' at position {position}, but '{known}' in line {first}"
            )
            raise TreebankError(problem, path=self.path, line=line)

    def _number(self, cell: str, what: str, line: int) -> int:
        try:
            return int(cell)
        except ValueError:
            problem = f"column '{self.columns[what]}' has '{cell}', which is not a whole number"
            raise TreebankError(problem, path=self.path, line=line) from None

    def _time(self, cell: str, line: int) -> float:
        if not cell.strip() or cell == MISSING:
            return math.nan
        try:
            return float(cell)
        except ValueError:
            problem = f"column '{self.columns['time']}' has '{cell}', which is not a number"
            raise TreebankError(problem, path=self.path, line=line) from None

    def _whole(
        self,
        item: NDArray[np.int64],
        position: NDArray[np.int64],
        reader: NDArray[np.int64],
        times: NDArray[np.float64],
    ) -> ReadingData:
        first = np.array([min(words) for words in self.words])
        for name, words, begin in zip(self.items, self.words, first.tolist(), strict=True):
            for place in range(begin, begin + len(words)):
                if place not in words:
                    problem = f"item {name} has no word at position {place}"
                    raise TreebankError(problem, path=self.path)
        starts = np.cumsum([0, *map(len, self.words)][:-1])
        return ReadingData(
            self.path,
            list(self.items),
            [[words[place][0] for place in sorted(words)] for words in self.words],
            list(self.readers),
            starts[item] + position - first[item],
            reader,
            times,
            self.columns,
        )


def _chosen(what: str, name: str | None, header: Sequence[str], path: str) -> str | None:
    if name is None:
        found = next((guess for guess in GUESSES[what] if guess in header), None)
        if found is None and what in NEEDED:
            problem = f"has no column {' or '.join(GUESSES[what][:2])}: add --{what} COLUMN; "
            raise TreebankError(f"{problem}its columns are {', '.join(header)}", path=path)
        return found
    if name not in header:
        problem = (
            f"has no column '{name}'{nearest(name, header)}; its columns are {', '.join(header)}"
        )
        raise TreebankError(problem, path=path)
    return name
