"""Output destinations that are given by name, such as descriptors, devices and files.

Symbolic links are followed, so that a link stays a link and its target is replaced. The name of an
open descriptor (``/dev/stdout``, ``/dev/fd/63``) refers to that descriptor, whatever its type. A
pipe or a device is written to directly. A regular file is replaced as a whole: the new content goes
to ``.NAME.1a2b3c4d.part`` in the same folder, gets the permissions and the owner of the old file,
and takes its name.

While the ``.part`` file is being written, it is locked. A lock is released when its process ends,
even if the process is killed. A ``.part`` file without a lock is left over from a killed run, and
the next run removes it (see `bistro.system` for the details on each system).
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bistro import system

_MOST_LINKS = 40


@contextlib.contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """Open the destination `name` for writing. A regular file is replaced on exit."""
    descriptor = descriptor_of(name)
    if descriptor is not None:
        if sys.stdout is not None:
            sys.stdout.flush()  # Flush earlier output first.
        with os.fdopen(os.dup(descriptor), "wb") as raw:
            yield raw
    elif is_special(name):
        with Path(name).open("wb") as raw:
            yield raw
    else:
        with _replacing(Path(os.path.realpath(name))) as raw:
            yield raw


def descriptor_of(name: str) -> int | None:
    """Return the file descriptor that a name such as ``/dev/stdout`` refers to.

    >>> descriptor_of("/dev/fd/63"), descriptor_of("out.conllu")
    (63, None)
    """
    path = Path.cwd() / name
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(path.parent)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = Path(os.path.normpath(Path(folder) / path.readlink()))
    return None


def is_special(name: str) -> bool:
    """Return whether a name is a descriptor, device or pipe, which cannot be replaced."""
    if descriptor_of(name) is not None:
        return True
    try:
        mode = Path(name).stat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def check_writable(name: str) -> None:
    """Raise the `OSError` that writing to this name would cause, if the error can be predicted."""
    descriptor = descriptor_of(name)
    if descriptor is not None:
        os.fstat(descriptor)
    elif is_special(name):
        _check_access(Path(name))
    else:
        target = Path(os.path.realpath(name))
        if target.exists():
            _check_access(target)
        tempfile.TemporaryFile(dir=target.parent).close()


def remove_left_overs(target: Path) -> None:
    """Remove temporary files left for this target by killed runs, but not those of active runs."""
    target = Path(os.path.realpath(target))
    pattern = f".{glob.escape(target.name)}.{'[0-9a-f]' * 8}.part"
    for part in target.parent.glob(pattern):
        with contextlib.suppress(OSError):
            system.remove_unused(part)


@contextlib.contextmanager
def _replacing(target: Path) -> Iterator[IO[bytes]]:
    before = target.stat() if target.exists() else None
    if before is not None:
        _check_access(target)
    remove_left_overs(target)
    part, raw = _new_part(target, 0o666 if before is None else 0o600)
    try:
        with raw:
            yield raw
            raw.flush()
            if before is not None:
                system.keep_access(raw.fileno(), before)
            os.fsync(raw.fileno())
            system.rename_open(raw, part, target)
    finally:
        # After a successful rename the temporary name no longer exists.
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _new_part(target: Path, mode: int) -> tuple[Path, IO[bytes]]:
    """Create and lock a temporary file with permissions no wider than those of the old file."""
    while True:
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.BINARY
        raw = os.fdopen(os.open(part, flags, mode), "wb")
        try:
            system.lock(raw)
        except OSError as error:
            if error.errno != errno.EWOULDBLOCK:
                return part, raw  # A file system without locks: left-over files stay there.
        else:
            if part.exists():
                return part, raw
        # Another run has removed it as a left-over before it was locked.
        raw.close()


def _check_access(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
