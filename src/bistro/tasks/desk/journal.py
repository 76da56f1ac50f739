"""The journal stores every decision about a file before the decision takes effect.

The journal of ``mine.conllu`` is ``mine.conllu.journal``, with one line of JSON per event.

    {"opened": SHA-256 of the file, "journal": 1}
    {"seq": 1, "sentence": 3, "do": {…}, "at": 5, "old": […], "new": […], "hash": …}
    {"seq": 2, "undo": 1}
    {"saving": SHA-256 of the file with all decisions so far}

A line counts when its line end is on disk (`fsync`), so a process may be killed at any moment. An
incomplete line at the end was never confirmed to the client, and is removed at the next startup.
A ``saving`` line is written before the file is replaced. After a crash, the content of the file
matches one of the last two ``saving`` lines. The decisions after that line are applied again.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from bistro import system
from bistro.errors import BistroError, OutputError
from bistro.files import explain, read_json
from bistro.tasks.desk.events import Event, checked
from bistro.treebank.keeping import check_then_list

SUFFIX = ".journal"
VERSION = 1


class Journal:
    """The journal of one file, open for writing, and locked by this process.

    Parameters
    ----------
    path
        The path of the journal, which is created if it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.raw = self._opened()
        self.events: list[Event] = self._read()
        self.broken = ""
        """The reason why the journal can no longer be written, or an empty string."""

    @classmethod
    def beside(cls, file: Path) -> Journal:
        """Return the journal of a file."""
        return cls(file.with_name(file.name + SUFFIX))

    def append(self, event: Mapping[str, Any]) -> None:
        """Write an event, and return only when it is on disk."""
        if self.broken:
            raise OutputError(self.broken)
        line = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        size = self.raw.seek(0, os.SEEK_END)
        try:
            self._write(line)
        except OSError as error:
            message = (
                f"{self.path}: cannot be written: {explain(error)}; the decision was not applied"
            )
            try:
                os.ftruncate(self.raw.fileno(), size)
            except OSError:
                self.broken = f"{message}; restart the server when there is room"
            raise OutputError(message) from None
        self.events.append(dict(event))

    def _write(self, line: bytes) -> None:
        view = memoryview(line)
        while view:
            view = view[os.write(self.raw.fileno(), view) :]
        os.fsync(self.raw.fileno())

    def _opened(self) -> IO[bytes]:
        try:
            is_new = not self.path.exists()
            raw = self.path.open("a+b", buffering=0)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {explain(error)}") from None
        try:
            system.lock(raw)
        except OSError:
            raw.close()
            raise BistroError(f"{self.path}: another process has this file open") from None
        if is_new:
            _sync_folder(self.path.parent)
        return raw

    def _read(self) -> list[Event]:
        self.raw.seek(0)
        content = self.raw.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(self.raw.fileno(), whole)
        return check_then_list(lambda: self._events(io.BytesIO(content[:whole])))

    def _events(self, lines: Iterable[bytes]) -> Iterator[Event]:
        for number, line in enumerate(lines, start=1):
            try:
                event = read_json(line.decode())
                if number == 1:
                    self._check_version(event)
                yield checked(event)
            except (ValueError, RecursionError):
                raise BistroError(
                    f"{self.path}:{number}: this is not a valid journal line: move the journal "
                    "to another folder to begin a new journal"
                ) from None

    def _check_version(self, first: Any) -> None:
        if isinstance(first, dict) and first.get("journal", VERSION) != VERSION:
            raise BistroError(f"{self.path}: the journal was written by another version of Bistro")

    def close(self) -> None:
        """Release the journal for other processes."""
        self.raw.close()


def _sync_folder(folder: Path) -> None:
    """Sync a folder, if the system allows it, so that the name of a new file is on disk."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
