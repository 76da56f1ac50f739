"""Counts from a long text, kept in files if they do not fit in memory.

During training, every context in the text is counted. Inside `counts_in`, the large arrays of
counts are unnamed files that are mapped into memory. The operating system caches as much of the
files as fits into memory. The files disappear when the process ends, even if it is killed. The
model file is the same as if the counts were kept in memory.

>>> import tempfile
>>> with counts_in(tempfile.gettempdir()):
...     _core.bytes_of_counts_on_disk()  # Small arrays stay in memory.
0
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bistro import _core
from bistro.errors import OutputError
from bistro.files import explain
from bistro.system import IS_WINDOWS


@contextlib.contextmanager
def counts_in(folder: str | None) -> Iterator[None]:
    """Keep large arrays of counts as files in a folder, or in memory if no folder is given."""
    if folder is None:
        yield
        return
    if IS_WINDOWS:
        raise OutputError(
            "counts cannot be kept on disk on Windows: leave the option out, since Windows "
            "itself pages memory to disk"
        )
    _check(folder)
    _core.keep_counts_in(str(Path(folder).resolve()))
    try:
        yield
    except OSError as error:
        if error.filename is not None:  # The error concerns another file.
            raise
        raise _cannot(folder, error) from None
    finally:
        _core.keep_counts_in("")


def _check(folder: str) -> None:
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise _cannot(folder, error) from None


def _cannot(folder: str, error: OSError) -> OutputError:
    return OutputError(
        f"{folder}: counts cannot be kept there: {explain(error)}; name another folder with "
        "--counts-on-disk"
    )
