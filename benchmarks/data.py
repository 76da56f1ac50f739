"""The location of the treebanks, and the measurement of times."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def data_dir() -> Path:
    """Return the folder of treebanks, or exit with a message."""
    folder = Path(os.environ.get("BISTRO_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        sys.exit(f"no treebanks at {folder}; set BISTRO_DATA")
    return folder


def words_of(path: Path) -> list[list[str]]:
    """Return the sentences of a file as lists of words."""
    import bistro

    return [sentence.forms for sentence in bistro.read(path)]


def best_seconds(task: Callable[[], object], repeats: int) -> float:
    """Return the minimum CPU time of several runs, because other processes can only increase it."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        task()
        times.append(time.process_time() - begin)
    return min(times)
