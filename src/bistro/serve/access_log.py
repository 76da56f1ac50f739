"""The access log, with one line per request in a format that many web servers use.

    127.0.0.1 - lab [17/Nov/2026:06:54:06 +0000] "POST /api/parse HTTP/1.1" 200 1834 0.012

A line gives the address of the client, the name of its key, the time, the request, the status, the
size of the answer in bytes, and the number of seconds until the answer was complete. The log
contains neither the body of a request nor the part of the address after ``?``, which may contain
text.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from pathlib import Path

from starlette.types import Scope

from bistro.errors import BistroError, printable
from bistro.files import STANDARD_STREAM, explain

NAMELESS = "-"
UNSEEN = re.compile(rb'[^\x21-\x7e]|["\\]')
"""Bytes that are escaped in logged paths, since they could break or forge a log line."""
LONGEST_PATH = 200


@dataclass(frozen=True)
class Served:
    """A request and its answer."""

    method: str
    path: str
    """The path as it was sent, without the part after ``?``."""
    client: str
    key: str | None
    """The name of the client's API key."""
    http_version: str
    status: int
    sent: int
    """Number of bytes in the response body."""
    seconds: float

    @classmethod
    def of(cls, scope: Scope, key: str | None, status: int, sent: int, seconds: float) -> Served:
        """Create a log entry from the scope of a request."""
        raw = scope.get("raw_path") or scope["path"].encode()
        path = UNSEEN.sub(_escaped, raw.partition(b"?")[0]).decode("ascii")
        client = (scope.get("client") or (NAMELESS, 0))[0]
        version = scope.get("http_version", "1.1")
        return cls(scope["method"], path, client, key, version, status, sent, seconds)

    def line(self, now: datetime) -> str:
        """Return the entry as a line for the log."""
        time = now.strftime("%d/%b/%Y:%H:%M:%S %z")
        path = self.path if len(self.path) <= LONGEST_PATH else f"{self.path[:LONGEST_PATH]}..."
        request = f"{self.method} {path} HTTP/{self.http_version}"
        key = "_".join(self.key.split()) if self.key else NAMELESS
        return printable(
            f'{self.client} - {key} [{time}] "{request}" {self.status} {self.sent} '
            f"{self.seconds:.3f}"
        )


def _escaped(match: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % match[0][0]


def open_log(path: str) -> Callable[[Served], None]:
    """Return a function that writes to a log file, or to standard output if the name is ``-``.

    If the log file is moved, for example by log rotation, a new file is created.
    """
    handler: logging.Handler
    if path == STANDARD_STREAM:
        handler = logging.StreamHandler(sys.stdout)
    else:
        _check_kind(path)
        try:
            handler = WatchedFileHandler(path, encoding="utf-8")
        except OSError as error:
            raise BistroError(f"{path}: cannot be written: {explain(error)}") from None
    logger = logging.getLogger("bistro.access")
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.handlers = [handler]

    def write(served: Served) -> None:
        logger.info("%s", served.line(datetime.now(UTC)))

    return write


def _check_kind(path: str) -> None:
    """Raise an error if an existing file is clearly not a log."""
    try:
        with Path(path).open("rb") as stream:
            begin = stream.read(1 << 12)
    except OSError:
        return  # a new file, or an error that opening it will report
    first = begin.partition(b"\n")[0]
    if begin and (b'] "' not in first or b"\0" in begin):
        raise BistroError(f"{path}: the file exists and is not an access log: choose another name")
