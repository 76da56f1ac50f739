"""A table of a paper: its figures, ours with the paper's settings, and Bistro's best.

Each module of this package is named after its paper and defines a constant ``PAPER``. The rows of a
table are generated one by one, so that each is printed as soon as it is computed.
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
    """One table: its name on the command line, its title, protocol, rows and best column.

    `protocol` describes the figures, their data, and the data of the paper. `best` describes the
    column "at best"; if it is empty, the table does not have this column.
    """

    name: str
    title: str
    protocol: str
    rows: Callable[[], Iterator[Row]]
    best: str = ""


@dataclass(frozen=True)
class Paper:
    """One paper: its key, citation, presets with its settings, and tables."""

    key: str
    citation: str
    presets: tuple[str, ...]
    tables: tuple[Table, ...] = field(default=())


def print_table(table: Table) -> None:
    """Print one table as Markdown, each row when it is ready, and the CPU time."""
    print(f"\n### {table.title}\n\n{table.protocol}")
    if table.best:
        print(f"The column *at best*: {table.best}")
    columns = ["", "paper", "as published"] + ["at best"] * bool(table.best) + ["note"]
    print("\n| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    begin = time.process_time()
    for row in table.rows():
        cells = [row.name, row.paper, row.published, *[row.best] * bool(table.best), row.note]
        print("| " + " | ".join(cells) + " |", flush=True)
    print(f"\n{time.process_time() - begin:.0f} seconds of CPU time", flush=True)
