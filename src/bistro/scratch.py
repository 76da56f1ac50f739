"""Temporary folders, which a later run removes if their process was killed.

A process that is killed cannot remove its own folder. Each folder therefore contains a file that
the process keeps locked. A new process removes folders of the same kind that belong to the same
user, if no process holds their locks.

>>> with scratch_folder("bistro-example-") as folder:
...     folder.is_dir()
True
>>> folder.exists()
False
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bistro import system

IN_USE = "in-use"
"""The name of the locked file."""


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Yield a new temporary folder, which is removed at the end.

    Abandoned folders with the same prefix are removed first.

    Parameters
    ----------
    prefix
        The beginning of the folder's name.
    """
    remove_abandoned(prefix)
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        unlocked = folder / (IN_USE + ".new")
        with unlocked.open("wb") as raw:
            # The file gets its name after it is locked, so that no other process can lock it first.
            system.lock(raw)
            system.rename_open(raw, unlocked, folder / IN_USE)
            yield folder


def remove_abandoned(prefix: str) -> None:
    """Remove temporary folders whose process is no longer running."""
    for folder in Path(tempfile.gettempdir()).glob(prefix + "*"):
        try:
            if folder.is_symlink():
                continue
            system.remove_unused(folder / IN_USE)
        except OSError:  # in use, of another user, or not made by this module
            continue
        shutil.rmtree(folder, ignore_errors=True)
