"""Common column names in tables of reading times, and the selection of columns and rows.

Experiment software uses many different column names (``rt``, ``ReadingTime``, ``subject_id``). If
the caller does not name a column, common names are tried. Case, spaces and punctuation are ignored.

>>> find_columns(["Subject.ID", "Item", "Cond", "wordn", "Word", "RT"], {}, "times.csv")["position"]
'wordn'
>>> sorted(find_columns(["item", "Parameter", "Value", "ReadingTime"], {}, "t.csv").values())
['Parameter', 'ReadingTime', 'Value', 'item']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bistro.errors import BistroError, TreebankError, nearest
from bistro.tasks.stimuli import plain_name

GUESSES: dict[str, tuple[str, ...]] = {
    "word": ("word", "token"),
    "item": ("item", "sentence", "itemid", "itemnumber", "itemno", "sentid", "sentenceid"),
    "condition": ("condition", "cond"),
    "time": ("rt", "time", "readingtime", "rtword", "rawrt", "rtms", "readingtimems"),
    "position": (
        "position", "wordid", "zone", "wordnumber", "wordnum", "wordn", "wordposition", "wordpos",
        "wordindex",
    ),
    "participant": (
        "participant", "subject", "workerid", "participantid", "subjectid", "subj", "prolificid",
        "prolificpid", "md5hashofparticipantsipaddress",
    ),
}  # fmt: skip
"""Names to try for each column, most common first, in lower case and without punctuation."""
IBEX = {"word": "value", "position": "parameter"}
"""Two Ibex column names, which are used only if both columns are present. Ibex writes one parameter
and its value per row."""
NEEDED = ("word", "item", "time")


def find_columns(
    header: Sequence[str], names: Mapping[str, str | None], path: str
) -> dict[str, str]:
    """Return the name of the column in `header` for each role, such as ``word`` or ``time``.

    Parameters
    ----------
    header
        The columns of the table.
    names
        Column names chosen by the caller; if a name is None, common names are tried.
    path
        The file, for messages.
    """
    plain = {plain_name(column): column for column in reversed(header)}
    columns = {}
    for what, guesses in GUESSES.items():
        name = names.get(what)
        if name is not None:
            require_column(name, header, path)
        else:
            if IBEX.get(what) in plain and set(IBEX.values()) <= set(plain):
                guesses = (*guesses, IBEX[what])
            name = next((plain[guess] for guess in guesses if guess in plain), None)
        if name is not None:
            columns[what] = name
        elif what in NEEDED:
            shown = " or ".join(guesses[:2])
            problem = f"the table has no column {shown}: add --{what} COLUMN; its columns are "
            raise TreebankError(problem + ", ".join(header), path=path)
    return columns


def require_column(name: str, header: Sequence[str], path: str) -> int:
    """Return the index of a column.

    If the column does not exist, the error message lists all columns.
    """
    if name not in header:
        known = ", ".join(header)
        problem = (
            f"the table has no column '{name}'{nearest(name, header)}; its columns are {known}"
        )
        raise TreebankError(problem, path=path)
    return header.index(name)


class RowFilter:
    """A filter that selects rows by conditions such as ``COLUMN=VALUE``.

    A row is selected if it has one of the given values in each named column.
    """

    def __init__(self, conditions: Sequence[str], header: Sequence[str], path: str) -> None:
        self.path, self.conditions = path, conditions
        self._allowed: dict[int, set[str]] = {}
        self._seen: dict[int, dict[str, None]] = {}
        for condition in conditions:
            column, equals, value = condition.partition("=")
            if not equals:
                raise BistroError(f"--only must have the form COLUMN=VALUE, not '{condition}'")
            place = require_column(column.strip(), header, path)
            self._allowed.setdefault(place, set()).add(value.strip())
            self._seen.setdefault(place, {})

    def accepts(self, cells: Sequence[str]) -> bool:
        """Return whether a row is selected."""
        accepted = True
        for place, values in self._allowed.items():
            value = cells[place].strip()
            self._seen[place].setdefault(value)
            accepted = accepted and value in values
        return accepted

    def error(self) -> TreebankError:
        """Return the error for a table in which no rows are selected.

        The message lists the values that occur in the table.
        """
        if not self.conditions:
            problem = (
                "the table contains no reading times: expected a row of column names, then rows"
            )
            return TreebankError(problem, path=self.path)
        values = [value for seen in self._seen.values() for value in seen]
        problem = f"no row has {' and '.join(self.conditions)}; values are {', '.join(values[:10])}"
        return TreebankError(problem, path=self.path)
