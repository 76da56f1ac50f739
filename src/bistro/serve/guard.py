"""What stands before every request: its host, its size, its time; and the headers of answers.

A body is read whole before anything looks at it, no further than the limit, whether or not its
length was announced. Names of hosts are checked on loopback: a page elsewhere that has its own name
point here (DNS rebinding) would otherwise be taken for ours.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bistro.serve.errors import error_response
from bistro.serve.limits import Limits

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}
DRAINED = 16
"""Of a body that is too large, so many times the limit are read and thrown away: who is still
sending does not see the answer."""


class RefusedError(Exception):
    """A request that is answered before it is understood."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Collection[str] | None) -> None:
        self.app = app
        self.limits = limits
        self.hosts = None if hosts is None else {host.lower() for host in hosts}
        """Names that the server answers to; None: to all."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def guarded_send(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                have = {name for name, _ in message["headers"]}
                extra = [(k.encode(), v.encode()) for k, v in SECURITY_HEADERS.items()]
                added = [pair for pair in extra if pair[0] not in have]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        try:
            self._check_host(scope)
            body = await self._read(scope, receive)
            await self.app(scope, _replayed(body, receive), guarded_send)
        except RefusedError as refusal:
            await error_response(refusal.status, str(refusal))(scope, receive, guarded_send)
        except Exception:
            traceback.print_exc()
            if started:
                raise
            response = error_response(500, "the server has a bug, and its log tells where")
            await response(scope, receive, guarded_send)

    def _check_host(self, scope: Scope) -> None:
        if self.hosts is None:
            return
        given = [value for name, value in scope["headers"] if name == b"host"]
        host = given[0].decode("latin-1").lower() if len(given) == 1 else ""
        name, colon, port = host.rpartition(":")
        if not (colon and port.isdigit()):
            name = host
        if name not in self.hosts:
            raise RefusedError(400, "this server does not answer to that host name (--allow-host)")

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        """Return the body, or refuse it."""
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await self._read_all(scope, receive)
        except TimeoutError:
            raise RefusedError(
                408, f"the body took longer than {self.limits.seconds:g} s"
            ) from None

    async def _read_all(self, scope: Scope, receive: Receive) -> bytes:
        pieces: list[bytes] = []
        size, most = 0, self.limits.body
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            piece = message.get("body", b"")
            size += len(piece)
            more = message.get("more_body", False) and size <= most * DRAINED
            if size <= most:
                pieces.append(piece)
        if size > most:
            raise RefusedError(413, f"the body is larger than {most:,} bytes")
        return b"".join(pieces)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that gives the whole body at once, and then what really comes."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
