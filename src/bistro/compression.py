"""Compression by the suffix of a file's name: ``.gz``, ``.xz`` and ``.zst``.

A few bytes can decompress to terabytes of zeros. Text is rarely compressed to less than a thirtieth
of its size, so a file that expands by a much larger factor is rejected before it fills memory.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
from collections.abc import Iterator
from typing import IO, Any, cast

_PIECE = 1024
MOST_EXPANSION = 200
"""Maximum ratio of the decompressed size to the compressed size."""
ALWAYS_ALLOWED = 1 << 24
"""Number of decompressed bytes allowed in addition to those that the maximum ratio allows."""


class ExpansionError(Exception):
    """Raised when a compressed file expands far more than compressed text does."""


def decompressed(raw: IO[bytes], name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Return a stream of decompressed bytes. The suffix of the name determines the format."""
    if name.endswith(".gz"):
        return _limited(contextlib.closing(gzip.GzipFile(fileobj=raw, mode="rb")), raw)
    if name.endswith(".xz"):
        return _limited(contextlib.closing(lzma.LZMAFile(raw, mode="rb")), raw)
    if name.endswith(".zst"):
        return _limited(_reading_zstandard(raw), raw)
    return contextlib.nullcontext(raw)


@contextlib.contextmanager
def _limited(
    opening: contextlib.AbstractContextManager[Any], raw: IO[bytes]
) -> Iterator[IO[bytes]]:
    with opening as stream:
        yield cast(IO[bytes], io.BufferedReader(_Limited(stream, raw), 1 << 16))


class _Limited(io.RawIOBase):
    """A decompressed stream that raises an error when it becomes far larger than its source."""

    def __init__(self, stream: IO[bytes], raw: IO[bytes]) -> None:
        self._stream = stream
        self._raw = raw
        self._total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        piece = self._stream.read(len(buffer))
        self._total += len(piece)
        if self._total > ALWAYS_ALLOWED + MOST_EXPANSION * self._raw.tell():
            raise ExpansionError
        buffer[: len(piece)] = piece
        return len(piece)


def compressed(raw: IO[bytes], name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    """Return a stream that compresses its bytes in the format given by the suffix of the name."""
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
    """A Zstandard reader that raises an error if the last frame is cut short."""

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
            # Small pieces, since four bytes can be a block of 128 KiB.
            piece = self._waiting or self._raw.read(_PIECE)
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
