"""A table of a paper: its figure, ours with the paper's own settings, and the best that Bistro has.

Each module of this package is named after its paper and holds one constant ``PAPER``. The rows of
a table come one by one, so that they are seen as soon as they are computed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One line of a table; "-" stands for a figure that does not exist."""

    name: str
    paper: str = "-"
    published: str = "-"
    best: str = "-"
    note: str = ""


@dataclass(frozen=True)
class Table:
    """One table: its name on the command line, what it shows, how it is computed, and its rows.

    `protocol` says what the figures are, on which data, and what the paper's data were. `best` says
    what "Bistro at best" is in this table; without it, the table has no such column.
    """

    name: str
    title: str
    protocol: str
    rows: Callable[[], Iterator[Row]]
    best: str = ""


@dataclass(frozen=True)
class Paper:
    """One paper: its key, how it is cited, the presets with its settings, and its tables."""

    key: str
    citation: str
    presets: tuple[str, ...]
    tables: tuple[Table, ...] = field(default=())


def print_table(table: Table) -> None:
    """Print one table as Markdown, each row when it is ready, and the time that it took."""
    print(f"\n### {table.title}\n\n{table.protocol}")
    if table.best:
        print(f"The column *at best*: {table.best}")
    columns = ["", "paper", "as published"] + ["at best"] * bool(table.best) + ["note"]
    print("\n| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    begin = time.process_time()
    for row in table.rows():
        cells = [row.name, row.paper, row.published, *[row.best] * bool(table.best), row.note]
        print("| " + " | ".join(cells) + " |", flush=True)
    print(f"\n{time.process_time() - begin:.0f} seconds of processor time", flush=True)
