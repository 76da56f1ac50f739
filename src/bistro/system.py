"""Functions that depend on the operating system.

All other code is independent of the operating system. Other modules use `Path` objects for file
names and always specify UTF-8 as the encoding. This module wraps functions that are available only
on some systems.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

IS_WINDOWS = os.name == "nt"
BINARY: int = getattr(os, "O_BINARY", 0)
"""Flag for `os.open` to write bytes unchanged, which only Windows needs."""
_GROUP_BITS = 0o070
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
"""The numeric codes of two options of glibc's `mallopt` function."""


def lock(raw: IO[bytes]) -> None:
    """Lock an open file for as long as this process runs. Raise `OSError` if the file is already
    locked.

    Windows does not allow open files to be removed, so no lock is needed there.
    """
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(raw.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def read_at(descriptor: int, size: int, at: int) -> bytes:
    """Read up to `size` bytes from an open file, starting at position `at`."""
    if sys.platform == "win32":
        os.lseek(descriptor, at, os.SEEK_SET)
        return os.read(descriptor, size)
    return os.pread(descriptor, size, at)


def remove_unused(path: Path) -> None:
    """Remove a file. Raise `OSError` if a running process has locked the file."""
    if sys.platform == "win32":
        path.unlink()
        return
    with path.open("rb") as raw:
        lock(raw)
        path.unlink()


def rename_open(raw: IO[bytes], path: Path, target: Path) -> None:
    """Rename an open file, replacing any existing file with the new name.

    The file stays locked until it has its new name. On Windows, an open file cannot be renamed.
    """
    if sys.platform == "win32":
        raw.close()
    path.replace(target)


def keep_access(descriptor: int, before: os.stat_result) -> None:
    """Give a new file the owner and the permissions of the file that it replaces."""
    if sys.platform == "win32":
        return  # The folder determines both.
    mode, now = stat.S_IMODE(before.st_mode), os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(descriptor, before.st_uid, before.st_gid)
        except PermissionError:
            # Only root may change the owner. Permissions of one group must not pass to another.
            mode &= ~(_GROUP_BITS | stat.S_ISUID | stat.S_ISGID)
    os.fchmod(descriptor, mode)


def prepare_stdout() -> None:
    """Escape characters that the terminal cannot display, and write UTF-8 to files and pipes."""
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    options: dict[str, Any] = {"errors": "backslashreplace"}
    if IS_WINDOWS and not sys.stdout.isatty():
        options |= {"encoding": "utf-8", "newline": "\n"}
    sys.stdout.reconfigure(**options)


def allow_restart(listening: socket.socket) -> None:
    """Allow a server to reuse its port immediately after it has stopped.

    On Windows, a closed port can be reused immediately, and the reuse option would let two servers
    share one port.
    """
    if not IS_WINDOWS:
        import socket

        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def give_memory_back() -> None:
    """Configure glibc to return freed memory to the system, if glibc is used.

    Large blocks are always mapped separately, regardless of the size of earlier blocks, and threads
    share heaps.
    """
    if sys.platform != "linux":
        return
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_MMAP_THRESHOLD, 1 << 20)
    mallopt(_ARENA_MAX, 2)


def lower_priority(thread: int, priority: int) -> None:
    """Lower the priority of a thread, on systems where threads have priorities."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, thread, priority)
