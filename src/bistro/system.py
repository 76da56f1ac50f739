"""What differs between operating systems, in one place.

Elsewhere the code is written for all of them: names of files are `Path` objects, text is UTF-8 by
name, and what only some systems can do is asked of this module.
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
"""For `os.open`: bytes are written as they are, which only Windows has to be asked for."""
_GROUP_BITS = 0o070
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
"""Options of glibc's mallopt."""


def lock(raw: IO[bytes]) -> None:
    """Mark an open file as in use by this process, however that ends; `OSError` if it is already.

    Windows keeps files that are open from being removed, so there it needs no mark.
    """
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(raw.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def read_at(descriptor: int, size: int, at: int) -> bytes:
    """Read up to `size` bytes from a place of an open file."""
    if sys.platform == "win32":
        os.lseek(descriptor, at, os.SEEK_SET)
        return os.read(descriptor, size)
    return os.pread(descriptor, size, at)


def remove_unused(path: Path) -> None:
    """Remove a file unless a process that lives has locked it; `OSError` if one has."""
    if sys.platform == "win32":
        path.unlink()
        return
    with path.open("rb") as raw:
        lock(raw)
        path.unlink()


def rename_open(raw: IO[bytes], path: Path, target: Path) -> None:
    """Give an open file another name, in place of a file that may be there.

    The lock lasts until the file has its name. On Windows an open file cannot be renamed.
    """
    if sys.platform == "win32":
        raw.close()
    path.replace(target)


def keep_access(descriptor: int, before: os.stat_result) -> None:
    """Give a new file the owner and the permissions of the file that it replaces."""
    if sys.platform == "win32":
        return  # The folder decides about both.
    mode, now = stat.S_IMODE(before.st_mode), os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(descriptor, before.st_uid, before.st_gid)
        except PermissionError:
            # Only root may give files away. What one group may do is not for another one.
            mode &= ~(_GROUP_BITS | stat.S_ISUID | stat.S_ISGID)
    os.fchmod(descriptor, mode)


def prepare_stdout() -> None:
    """Let the terminal show the code of a letter that it lacks; write UTF-8 to files and pipes."""
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    options: dict[str, Any] = {"errors": "backslashreplace"}
    if IS_WINDOWS and not sys.stdout.isatty():
        options |= {"encoding": "utf-8", "newline": "\n"}
    sys.stdout.reconfigure(**options)


def allow_restart(listening: socket.socket) -> None:
    """Let a server use its port again at once after it has stopped.

    On Windows a port is free at once, and the option would let two servers share it.
    """
    if not IS_WINDOWS:
        import socket

        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def give_memory_back() -> None:
    """Let memory go back to the system when a long computation has ended, where glibc is used.

    Large blocks are mapped one by one, at any size of earlier ones; and threads share their heaps.
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
    """Let other threads go first, on systems where a thread has a priority of its own."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, thread, priority)
