"""A counting shim: the n-th operation on files, or start of a thread, fails as a sick disk would.

    with Faults(fail=3) as faults:
        ...                       # what is tested
    faults.failed                 # which operation was the third, None if there were fewer

Counted are opening a file to write, every write of bytes, flushing to the disk, renaming, removing,
locking, changing owner or mode, and starting a thread. A file of which a write fails keeps half of
its bytes, and takes no more. Without `fail`, operations are counted and none fails.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
import threading
from collections.abc import Callable
from typing import IO, Any
from unittest import mock

ERRORS = {
    "open": errno.EMFILE,
    "write": errno.ENOSPC,
    "fsync": errno.EIO,
    "rename": errno.EXDEV,
    "unlink": errno.EIO,
    "lock": errno.ENOLCK,
    "mode": errno.EPERM,
    "owner": errno.EPERM,
}


class Faults:
    """Patches the functions of Python that all output of the program goes through."""

    def __init__(self, fail: int = 0) -> None:
        self.fail = fail
        self.operations: list[str] = []
        self.failed: str | None = None
        self._patches: list[Any] = [
            mock.patch.object(os, "open", self._opening(os.open)),
            mock.patch.object(os, "fdopen", self._writing),
            mock.patch.object(io, "open", self._opening_stream(io.open)),
            mock.patch.object(os, "fsync", self._failing("fsync", os.fsync)),
            mock.patch.object(os, "replace", self._failing("rename", os.replace)),
            mock.patch.object(os, "unlink", self._failing("unlink", os.unlink)),
            mock.patch.object(os, "fchmod", self._failing("mode", os.fchmod)),
            mock.patch.object(os, "fchown", self._failing("owner", os.fchown)),
            mock.patch.object(fcntl, "flock", self._failing("lock", fcntl.flock)),
            mock.patch.object(
                threading.Thread, "start", self._failing("thread", threading.Thread.start)
            ),
        ]

    def __enter__(self) -> Faults:
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        for patch in reversed(self._patches):
            patch.stop()

    def count(self, operation: str) -> None:
        """Count an operation, and raise its error if it is the one that fails."""
        self.operations.append(operation)
        if len(self.operations) == self.fail:
            self.failed = operation
            if operation == "thread":
                raise RuntimeError("can't start new thread")
            raise OSError(ERRORS[operation], os.strerror(ERRORS[operation]))

    def _failing(self, operation: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **options: Any) -> Any:
            self.count(operation)
            return plain(*arguments, **options)

        return called

    def _opening(self, plain: Callable[..., int]) -> Callable[..., int]:
        def called(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
            if flags & (os.O_WRONLY | os.O_RDWR):
                self.count("open")
            return plain(path, flags, *arguments, **options)

        return called

    def _writing(self, descriptor: int, mode: str) -> IO[bytes]:
        return io.BufferedWriter(_Raw(descriptor, mode.replace("b", ""), self))

    def _opening_stream(self, plain: Callable[..., IO[Any]]) -> Callable[..., IO[Any]]:
        def called(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> IO[Any]:
            # With an opener, `os.open` is called, and counted there.
            if not set(mode) & set("wax+") or isinstance(file, int) or "opener" in options:
                return plain(file, mode, *arguments, **options)
            self.count("open")
            raw = _Raw(file, mode.replace("b", "").replace("t", ""), self)
            stream = io.BufferedWriter(raw)
            return stream if "b" in mode else io.TextIOWrapper(stream, "utf-8")

        return called


class _Raw(io.FileIO):
    """A file whose writes are counted."""

    def __init__(self, file: Any, mode: str, faults: Faults) -> None:
        super().__init__(file, mode)
        self._faults = faults
        self._is_full = False

    def write(self, data: Any) -> int:
        """Write all of it, or half of it when the disk is about to be full, as systems do."""
        if not self._is_full:
            try:
                self._faults.count("write")
            except OSError:
                self._is_full = True
                if len(data) > 1:
                    return super().write(memoryview(data)[: len(data) // 2])
            else:
                return super().write(data)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
