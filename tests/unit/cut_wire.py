"""A wire that can be cut: connections to a port pass through here to another one."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class Wire:
    """Passes bytes on to a port of this machine, as long as it is whole."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._pairs: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.port: int = self._listen(0)

    def _listen(self, port: int) -> int:
        self._listener = listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return int(listener.getsockname()[1])

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._pairs += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=pair, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and refuse new ones."""
        assert self._listener is not None
        for one in (self._listener, *self._pairs):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._pairs.clear()

    def mend(self) -> None:
        """Accept connections again."""
        self._listen(self.port)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    """Yield a wire to a port."""
    wire = Wire(port)
    try:
        yield wire
    finally:
        wire.cut()
