"""Sorted lists of events from several workers are kept on disk if they are large.

A worker that encodes a piece of text sorts its events (see `bistro.encoding.events`), so that
combining all pieces is a merge: the franchise reads all lists in parallel, each from beginning to
end. Beyond a few hundred megabytes, lists are kept in an unnamed file that is mapped into memory.
The operating system caches as much of the file as fits into memory. The file disappears when the
process ends, even if it is killed.

>>> runs = EventRuns(levels=1)
>>> runs.add(Events(np.array([[2], [3]], np.int32), np.array([5, 6], np.int32)))
>>> len(runs), [outcomes.tolist() for _, outcomes in runs.lists()]
(2, [[5, 6]])
"""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import IO

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.events import Events
from bistro.errors import OutputError
from bistro.files import explain

MOST_IN_MEMORY = 1 << 28
"""Maximum size in bytes of the lists that are kept in memory. Later lists are written to disk."""
Lists = list[tuple[NDArray[np.int32], NDArray[np.int32]]]


class EventRuns:
    """Sorted lists of events with contexts of the same length."""

    def __init__(self, levels: int, most_in_memory: int = MOST_IN_MEMORY) -> None:
        """Create an empty collection of events with `levels` context elements each."""
        self.levels = levels
        self._most = most_in_memory
        self._held: Lists = []
        self._bytes = 0
        self._file: IO[bytes] | None = None
        self._sizes: list[int] = []
        """The number of events in each list that is stored in the file."""

    def __len__(self) -> int:
        return sum(outcomes.size for _, outcomes in self._held) + sum(self._sizes)

    def add(self, events: Events) -> None:
        """Add a list of sorted events."""
        if events.contexts.shape[1] != self.levels:
            raise ValueError(
                f"contexts have {events.contexts.shape[1]} elements, but {self.levels} were "
                "expected"
            )
        size = events.contexts.nbytes + events.outcomes.nbytes
        if self._bytes + size <= self._most:
            self._bytes += size
            self._held.append((np.ascontiguousarray(events.contexts), events.outcomes))
            return
        self._write(events)

    def _write(self, events: Events) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="bistro-events-")  # noqa: SIM115
            self._file.write(np.ascontiguousarray(events.contexts).data)
            self._file.write(np.ascontiguousarray(events.outcomes).data)
            self._file.flush()
        except OSError as error:
            raise OutputError(
                f"{tempfile.gettempdir()}: events cannot be stored in this folder: "
                f"{explain(error)}; choose another folder with the environment variable TMPDIR"
            ) from None
        self._sizes.append(len(events))

    def lists(self) -> Lists:
        """Return the contexts and outcomes of every list.

        Lists on disk are memory-mapped.
        """
        return [*self._held, *self._mapped()]

    def _mapped(self) -> Lists:
        if self._file is None:
            return []
        whole = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        numbers = np.frombuffer(whole, dtype=np.int32)
        pairs, place = [], 0
        for size in self._sizes:
            middle, end = place + size * self.levels, place + size * (self.levels + 1)
            pairs.append((numbers[place:middle].reshape(size, self.levels), numbers[middle:end]))
            place = end
        return pairs

    @property
    def bytes_on_disk(self) -> int:
        """The size of the file in bytes, or 0 if there is no file."""
        return os.fstat(self._file.fileno()).st_size if self._file else 0
