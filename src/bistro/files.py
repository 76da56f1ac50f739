"""Files in and out: compression by suffix, ``-`` for the standard streams, nothing half-written.

Reading (`open_binary`) yields bytes, decompressed by suffix (``.gz``, ``.xz``, ``.zst``).
Writing (`writing`) goes to a temporary name beside the target, which takes the target's name only
when everything has reached the disk. Whatever goes wrong, the old file stays and no part of the
new one is left behind.

>>> with writing("out.conllu.gz") as stream:        # doctest: +SKIP
...     stream.write("# text = Hello\\n".encode())
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from bistro.errors import BistroError, OutputError

STANDARD_STREAM = "-"


class InputError(BistroError):
    """An input file cannot be opened or read."""


def explain(error: OSError) -> str:
    """Return the reason of an operating-system error in plain words."""
    return (error.strerror or str(error)).lower()


@contextlib.contextmanager
def open_binary(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open `path` for reading bytes; ``-`` is standard input; suffixes decompress."""
    name = os.fspath(path)
    if name == STANDARD_STREAM:
        yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as raw, _decompressed(raw, name) as stream:
            yield stream
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {explain(error)}") from error
    except (EOFError, lzma.LZMAError) as error:
        raise InputError(f"{name}: the compressed data is damaged or cut short") from error


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open `path` for writing bytes; it appears under its name only when complete."""
    name = os.fspath(path)
    if name == STANDARD_STREAM:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(name)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("wb") as raw:
            with _compressed(raw, name) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        temporary.replace(target)
    except OSError as error:
        raise OutputError(f"{name}: cannot be written: {explain(error)}") from error
    finally:
        # After a successful rename the temporary name no longer exists.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _decompressed(raw: IO[bytes], name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    if name.endswith(".gz"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw, mode="rb"))
    if name.endswith(".xz"):
        return cast(IO[bytes], lzma.LZMAFile(raw, mode="rb"))
    if name.endswith(".zst"):
        return _open_zstandard(raw, "rb")
    return contextlib.nullcontext(raw)


def _compressed(raw: IO[bytes], name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    if name.endswith(".gz"):
        # No name and no time in the header: the same content gives the same bytes.
        return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
    if name.endswith(".xz"):
        return cast(IO[bytes], lzma.LZMAFile(raw, mode="wb"))
    if name.endswith(".zst"):
        return _open_zstandard(raw, "wb")
    return contextlib.nullcontext(raw)


def _open_zstandard(raw: IO[bytes], mode: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    try:  # Python 3.14 and later have it in the standard library.
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        import zstandard

        if mode == "rb":
            return cast(
                IO[bytes],
                zstandard.ZstdDecompressor().stream_reader(
                    raw, read_across_frames=True, closefd=False
                ),
            )
        return cast(IO[bytes], zstandard.ZstdCompressor().stream_writer(raw, closefd=False))
    return cast(IO[bytes], zstd.ZstdFile(raw, mode=mode))
