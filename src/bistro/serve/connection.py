"""Limits on the duration and number of connections, enforced below the application.

The server waits for a client only for a limited time. Time limits apply to headers and bodies that
do not arrive, to answers that are not read, and to idle connections. If there are still too many
connections, the client with the most connections loses the connection that has been idle the
longest. A complete request is never dropped, and the application's queue limits the number of
requests. A new client therefore always gets an answer.

All errors are sent as JSON, like those from the application.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from bistro.serve.limits import Limits


def connections_within(limits: Limits) -> type[asyncio.Protocol]:
    """Return the protocol class that Uvicorn uses for the connections of a server."""

    class Within(Connection):
        within = limits

    return Within


class Connection(H11Protocol):
    """One connection of HTTP/1.1."""

    within = Limits()
    timer: asyncio.TimerHandle | None = None
    writing_timer: asyncio.TimerHandle | None = None
    is_reading = True
    """True if the server is waiting for the rest of a request.

    The flag is true for the first request on a connection, and for any request whose first bytes
    have arrived.
    """
    has_bytes = False
    """True if the first bytes of the expected request have arrived."""
    waiting_since = 0.0

    # ---- events of the transport ---------------------------------------------------------------
    def connection_made(self, transport: Any) -> None:
        """Accept a client, and close one connection if there are too many connections."""
        super().connection_made(transport)
        self._wait(self.within.header_seconds)
        if len(self.connections) > self.within.connections:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Receive the next part of a request, whose headers must all arrive within a time limit."""
        super().data_received(data)
        if not self._is_between():
            self._end_wait()
        elif not self.has_bytes:
            self.has_bytes = self.is_reading = True
            self._wait(self.within.header_seconds)

    def on_response_complete(self) -> None:
        """Prepare for the next request, which may already have arrived."""
        self.has_bytes = self.is_reading = False
        super().on_response_complete()
        self._unset_keepalive_if_required()
        if self._is_between() and not self.transport.is_closing():
            self._wait(self.within.idle_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove this connection from the list of connections."""
        self._end_wait()
        self._end_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the client has received the data, up to a time limit."""
        super().pause_writing()
        self._end_writing()
        seconds = self.within.body_seconds
        self.writing_timer = self.loop.call_later(seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue sending."""
        self._end_writing()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Reject a request that is not valid HTTP."""
        self._refuse(400, "this is not a valid HTTP/1.1 request")

    # ---- waiting -------------------------------------------------------------------------------
    def _is_between(self) -> bool:
        """Return whether no request is in progress."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self, seconds: float) -> None:
        self._end_wait()
        self.waiting_since = self.loop.time()
        self.timer = self.loop.call_later(seconds, self._stop_waiting)

    def _end_wait(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _end_writing(self) -> None:
        if self.writing_timer is not None:
            self.writing_timer.cancel()
            self.writing_timer = None

    def _stop_waiting(self) -> None:
        if self.is_reading:
            seconds = self.within.header_seconds
            self._refuse(408, f"the headers of the request took longer than {seconds:g} s")
        else:
            self._close()

    # ---- leaving -------------------------------------------------------------------------------
    def _make_room(self) -> None:
        """Close the oldest idle connection of the client with the most idle connections."""
        others = [one for one in self.connections if isinstance(one, Connection)]
        waiting = [one for one in others if one is not self and one.can_be_dropped()]
        if not waiting:
            self._refuse(503, "too many connections are open: try again in a moment")
            return
        counts = Counter(one.address for one in waiting)
        oldest = min(waiting, key=lambda one: (-counts[one.address], one.waiting_since))
        oldest.drop()

    @property
    def address(self) -> str:
        """The address of the client."""
        return self.client[0] if self.client else ""

    def can_be_dropped(self) -> bool:
        """Return whether the server is waiting for the client to send or to receive data."""
        return self._is_between() or self.cycle.more_body or self.cycle.response_started

    def drop(self) -> None:
        """Close this connection to make room for another client."""
        if self._is_between() and self.is_reading:
            self._refuse(503, "others need this connection: send each request promptly and in full")
        else:
            self.transport.abort()

    def _close(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _refuse(self, status: int, sentence: str) -> None:
        """Send an error without involving the application, if possible, and disconnect."""
        body = json.dumps({"error": sentence}).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
            *([("retry-after", "2")] if status == HTTPStatus.SERVICE_UNAVAILABLE else []),
        ]
        reason = HTTPStatus(status).phrase.encode()
        events: list[Any] = [
            h11.Response(status_code=status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ]
        try:
            for event in events:
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # an answer has begun already
        self._close()
