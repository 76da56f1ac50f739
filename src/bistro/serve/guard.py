"""Checks of each request's client, size and duration, and headers for all answers.

A body is read completely, up to the limit, before it is processed, whether or not its length was
announced. While a request is being answered, the guard listens for the end of the connection. If
the client disconnects, its request is cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import traceback
from collections.abc import Callable, Hashable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bistro.serve.access import Access
from bistro.serve.access_log import Served
from bistro.serve.errors import RefusedError, error_response
from bistro.serve.limits import Limits
from bistro.serve.metrics import GONE, Metrics
from bistro.serve.work import Work

CLIENT = "bistro.client"
"""The key under which the scope of a request stores the client."""
SIZE = "bistro.size"
"""The key under which the scope of a request stores the number of bytes sent."""
SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
HEADERS_OF = {401: {"www-authenticate": "Bearer"}}
DRAINED = 16
"""The amount of an oversized body that is read and discarded, as a multiple of the size limit. A
client reads the answer only after it has sent its request."""
SHORT_BODY = 65_536
"""Size in bytes below which a body does not count towards the memory limit for bodies."""


class GoneError(Exception):
    """The client disconnected before its request was complete."""


class Guard:
    """The outermost middleware of the application, which checks every request.

    Parameters
    ----------
    app
        The application that the guard protects.
    limits
        Limits on requests.
    access
        Access control.
    metrics
        Counts the requests.
    log
        Called with every request that has been answered.
    """

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        access: Access,
        metrics: Metrics,
        log: Callable[[Served], None] | None = None,
    ) -> None:
        self.app = app
        self.limits = limits
        self.access = access
        self.metrics = metrics
        self.log = log
        self.held = 0
        """Total size in bytes of the long request bodies in memory."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and count it in the metrics."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = Answer(send)
        begun = time.perf_counter()
        self.metrics.in_flight += 1
        try:
            await self._answer(scope, receive, answer)
        finally:
            self.metrics.in_flight -= 1
            status = answer.status or GONE
            seconds = time.perf_counter() - begun
            self.metrics.observe(scope["method"], scope["path"], status, seconds)
            if self.log is not None:
                key = self.access.key_of(scope)
                self.log(Served.of(scope, key, status, answer.sent, seconds))

    async def _answer(self, scope: Scope, receive: Receive, answer: Answer) -> None:
        body = Body(self)
        try:
            client = self.access.client_of(scope)
            await body.read(receive)
            size = len(scope["query_string"]) + len(body.content)
            known = {**scope, CLIENT: client, SIZE: size}
            await _while_connected(self.app, known, body.content, receive, answer)
        except RefusedError as refusal:
            refused = error_response(refusal.status, str(refusal), HEADERS_OF.get(refusal.status))
            await refused(scope, receive, answer.send)
        except GoneError:
            pass
        except Exception:
            traceback.print_exc()
            if answer.is_begun:
                raise
            response = error_response(500, "the server has a bug; its log has the details")
            await response(scope, receive, answer.send)
        finally:
            body.release()


class Answer:
    """The answer to a request, with the headers that all answers have."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.is_begun = self.is_complete = False
        self.status = 0
        """The HTTP status, which is set when the answer begins."""
        self.sent = 0
        """Bytes of the body."""

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.is_begun = True
            self.status = message["status"]
            have = {name for name, _ in message["headers"]}
            extra = [(k.encode(), v.encode()) for k, v in SECURITY_HEADERS.items()]
            added = [pair for pair in extra if pair[0] not in have]
            message = {**message, "headers": [*message["headers"], *added]}
        else:
            self.sent += len(message.get("body", b""))
            self.is_complete = not message.get("more_body", False)
        await self._send(message)


class Body:
    """The body of a request, which is kept in memory until the request is answered."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.content = b""
        self.held = 0

    async def read(self, receive: Receive) -> None:
        """Read the whole body. Raise an error if the body is too large."""
        seconds = self.guard.limits.body_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._read_all(receive)
        except TimeoutError:
            raise RefusedError(
                408, f"sending the body of the request took longer than {seconds:g} s"
            ) from None

    async def _read_all(self, receive: Receive) -> None:
        pieces: list[bytes] = []
        size, most = 0, self.guard.limits.body
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise GoneError
            piece = message.get("body", b"")
            size += len(piece)
            more = message.get("more_body", False) and size <= most * DRAINED
            if size <= most:
                self._hold(size)
                pieces.append(piece)
        if size > most:
            raise RefusedError(413, f"the body of the request is larger than {most:,} bytes")
        self.content = b"".join(pieces)

    def _hold(self, size: int) -> None:
        if size <= SHORT_BODY:
            return
        guard = self.guard
        guard.held += size - self.held
        self.held = size
        if guard.held > guard.limits.bodies:
            raise RefusedError(503, "too many long requests are in progress: try again later")

    def release(self) -> None:
        """Release the memory that the body occupies."""
        self.guard.held -= self.held
        self.held = 0


async def _while_connected(
    app: ASGIApp, scope: Scope, body: bytes, receive: Receive, answer: Answer
) -> None:
    """Run the application, and cancel it if the client disconnects before the answer."""
    gone = asyncio.Event()
    is_replayed = False

    async def replay() -> Message:
        """Return the whole body on the first call, and then wait for the end of the connection."""
        nonlocal is_replayed
        if is_replayed:
            await gone.wait()
            return {"type": "http.disconnect"}
        is_replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def listen() -> None:
        await receive()  # the body has been read, so only the end of the connection can follow
        gone.set()
        if not answer.is_complete:
            asking.cancel()

    asking = asyncio.ensure_future(app(scope, replay, answer.send))
    listening = asyncio.ensure_future(listen())
    try:
        await asking
    except asyncio.CancelledError:
        if not gone.is_set():
            asking.cancel()
            raise
    finally:
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listening


async def run_for(
    work: Work, request: Request, compute: Callable[[], Response], about: Hashable
) -> Response:
    """Compute the answer to a request.

    The cost is predicted from earlier requests with the same path, a similar size and the same
    value of `about`.
    """
    scope = request.scope
    sort = (scope["path"], about, scope[SIZE].bit_length())
    return await work.run(compute, client=scope[CLIENT], sort=sort)
