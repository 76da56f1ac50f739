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
import io
import lzma
import os
import secrets
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, cast

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
        if sys.stdin is None:
            raise InputError("stdin is closed: name a file, or pipe one in")
        yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as raw, _decompressed(raw, name) as stream:
            yield stream
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {explain(error)}") from error
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise InputError(f"{name}: the compressed data is damaged or cut short") from error


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open `path` for writing bytes; it appears under its name only when complete.

    A device or a pipe that stands under this name is written to, and stays what it is.
    """
    name = os.fspath(path)
    if name == STANDARD_STREAM:
        if sys.stdout is None:
            raise OutputError("stdout is closed: name a file with -o")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(name)
    if target.exists() and not target.is_file() and not target.is_dir():
        with _writing_straight(target, name) as stream:
            yield stream
        return
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


def write_text(path: str | os.PathLike[str], text: str | Iterable[str]) -> None:
    """Write a text, or its pieces as they come, to `path`; see `writing`."""
    with writing(path) as stream:
        for piece in [text] if isinstance(text, str) else text:
            stream.write(piece.encode())


@contextlib.contextmanager
def _writing_straight(target: Path, name: str) -> Iterator[IO[bytes]]:
    try:
        with target.open("wb") as raw, _compressed(raw, name) as stream:
            yield stream
    except OSError as error:
        raise OutputError(f"{name}: cannot be written: {explain(error)}") from error


def _decompressed(raw: IO[bytes], name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    if name.endswith(".gz"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw, mode="rb"))
    if name.endswith(".xz"):
        return cast(IO[bytes], lzma.LZMAFile(raw, mode="rb"))
    if name.endswith(".zst"):
        return _reading_zstandard(raw)
    return contextlib.nullcontext(raw)


def _compressed(raw: IO[bytes], name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    if name.endswith(".gz"):
        # No name and no time in the header: the same content gives the same bytes.
        return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
    if name.endswith(".xz"):
        return cast(IO[bytes], lzma.LZMAFile(raw, mode="wb"))
    if name.endswith(".zst"):
        return _writing_zstandard(raw)
    return contextlib.nullcontext(raw)


@contextlib.contextmanager
def _reading_zstandard(raw: IO[bytes]) -> Iterator[IO[bytes]]:
    failure: type[Exception]
    try:  # Python 3.14 and later have it in the standard library.
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        import zstandard

        failure = zstandard.ZstdError
        stream: Any = io.BufferedReader(_ZstandardReader(raw))
    else:
        failure, stream = zstd.ZstdError, zstd.ZstdFile(raw, mode="rb")
    try:
        yield stream
    except failure as error:
        raise EOFError(str(error)) from error


def _writing_zstandard(raw: IO[bytes]) -> contextlib.AbstractContextManager[IO[bytes]]:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        import zstandard

        compressor = zstandard.ZstdCompressor(write_checksum=True)
        return cast(IO[bytes], compressor.stream_writer(raw, closefd=False))
    options = {zstd.CompressionParameter.checksum_flag: 1}
    return cast(IO[bytes], zstd.ZstdFile(raw, mode="wb", options=options))


class _ZstandardReader(io.RawIOBase):
    """Decompresses frame after frame; unlike the package's own reader it notices a missing end."""

    def __init__(self, raw: IO[bytes]) -> None:
        import zstandard

        self._raw = raw
        self._new_frame = zstandard.ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._waiting = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._ready:
            piece = self._waiting or self._raw.read(io.DEFAULT_BUFFER_SIZE)
            if not piece:
                if self._frame is not None:
                    raise EOFError("a frame is cut short")
                return 0
            self._frame = self._frame or self._new_frame()
            self._ready = memoryview(self._frame.decompress(piece))
            self._waiting = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size
