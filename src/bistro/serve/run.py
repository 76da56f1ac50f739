"""Start the server, print its address, and stop it cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import math
import signal
import socket
import sys
from collections.abc import Sequence

import uvicorn
from fastapi import FastAPI

from bistro.errors import BistroError
from bistro.files import explain
from bistro.serve.connection import connections_within
from bistro.serve.limits import Limits
from bistro.serve.work import Work
from bistro.system import allow_restart, give_memory_back

LAST_WORDS = 0.1
"""Seconds to wait at shutdown, so that cancelled requests can still be answered."""


def serve(
    app: FastAPI,
    host: str,
    port: int,
    limits: Limits,
    *,
    proxies: Sequence[str] = (),
    page: str = "",
) -> None:
    """Answer requests until Ctrl-C or SIGTERM, then finish the current requests.

    A second Ctrl-C stops the server at once. `proxies` are the addresses whose X-Forwarded-For
    header is trusted. `page` is the page whose address is printed.
    """
    listening = listen(host, port)
    name, bound = listening.getsockname()[:2]
    shown = f"[{name}]" if ":" in name else name
    logging.getLogger("python_multipart").addHandler(logging.NullHandler())
    config = uvicorn.Config(
        app,
        http=connections_within(limits),
        ws="none",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        log_level="error",
        access_log=False,
        server_header=False,
        # No computation takes longer than the limit, so all requests are finished by then.
        timeout_graceful_shutdown=math.ceil(limits.seconds) + 1,
    )
    address = f"http://{shown}:{bound}/{page}"
    print(f"Bistro is at {address} (Ctrl-C stops it)", file=sys.stderr, flush=True)
    _tune_interpreter()
    # Uvicorn stops at either signal, and then raises it again.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with listening, contextlib.suppress(KeyboardInterrupt):
        Server(config, app.state.work).run(sockets=[listening])
    print("Bistro has stopped", file=sys.stderr)


class Server(uvicorn.Server):
    """A Uvicorn server that reports pending requests when it stops.

    Parameters
    ----------
    config
        The settings of Uvicorn.
    work
        The computations, which are ended early if the server must stop at once.
    """

    def __init__(self, config: uvicorn.Config, work: Work) -> None:
        super().__init__(config)
        self.work = work

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, and finish the current requests."""
        if number := len(self.server_state.tasks):
            requests = "1 request" if number == 1 else f"{number} requests"
            message = f"Bistro stops after {requests} (Ctrl-C stops it at once)"
            print(message, file=sys.stderr, flush=True)
        await super().shutdown(sockets)
        if self.force_exit:
            self.work.close()
            await asyncio.sleep(LAST_WORDS)
            await self.lifespan.shutdown()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address. If binding fails, the error message gives the reason."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = addresses[0]
        listening = socket.socket(family, kind, protocol)
        allow_restart(listening)
        listening.bind(address)
        listening.listen(128)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = explain(error) if isinstance(error, OSError) else str(error)
        raise BistroError(
            f"cannot listen on {host}:{port}: {reason}; choose another address with --host and "
            "--port (--port 0 uses a free port)"
        ) from None
    return listening


def _tune_interpreter() -> None:
    """Tune garbage collection and thread switching for short response times."""
    # Collect garbage only among the objects of requests, never again among the models.
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000)
    give_memory_back()
    # A computation in Python yields to the event loop after one millisecond instead of five.
    sys.setswitchinterval(0.001)
