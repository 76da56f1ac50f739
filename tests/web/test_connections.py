"""Connections of a running server: slow, unfinished, too many, given up."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import uvicorn

from bistro._core import pause
from bistro.serve import answers
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog
from bistro.serve.connection import connections_within
from bistro.serve.limits import Limits
from bistro.serve.run import listen

LIMITS = Limits(
    at_once=2,
    connections=20,
    header_seconds=1.0,
    body_seconds=1.0,
    idle_seconds=2.0,
    body=4_000_000,
    bodies=6_000_000,
)
HEAD = b"POST /api/words HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class Running(NamedTuple):
    """A server on a thread of this process, and its application."""

    port: int
    app: Any

    def connect(self) -> socket.socket:
        """Return a connection to it."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def ask(self, path: str, body: object) -> tuple[int, Any]:
        """Return status and content of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        status, content = answer.status, json.loads(answer.read())
        connection.close()
        return status, content


@pytest.fixture(scope="module")
def server(catalog: Catalog) -> Iterator[Running]:
    app = create_app(catalog, LIMITS)
    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        app, http=connections_within(LIMITS), ws="none", log_level="error", lifespan="on"
    )
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    yield Running(listening.getsockname()[1], app)
    running.should_exit = True
    thread.join(20)
    listening.close()
    assert not thread.is_alive()


def received(connection: socket.socket) -> tuple[int, Any]:
    """Return status and content of all that comes until the server closes the connection."""
    pieces = []
    while piece := connection.recv(65536):
        pieces.append(piece)
    head, _, body = b"".join(pieces).partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head.lower()
    return int(head.split()[1]), json.loads(body)


def answered(connection: socket.socket) -> bytes:
    """Return the first line of an answer, after all of it has come."""
    content = b""
    while b"\r\n\r\n" not in content:
        content += connection.recv(65536)
    head, _, body = content.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split()[0])
    while len(body) < length:
        body += connection.recv(65536)
    return head.partition(b"\r\n")[0]


def words(server: Running) -> int:
    """Return the status of a short request."""
    return server.ask("/api/words", {"text": "It rains."})[0]


def test_headers_have_to_come(server: Running) -> None:
    for sent in (b"", b"POST", HEAD):
        with server.connect() as connection:
            connection.sendall(sent)
            begun = time.monotonic()
            status, content = received(connection)
            assert time.monotonic() - begun < 5
        assert status == 408
        assert "headers" in content["error"]


def test_headers_that_come_slowly_are_late_too(server: Running) -> None:
    with server.connect() as connection:
        begun = time.monotonic()
        connection.sendall(HEAD)
        with pytest.raises(OSError, match=r".*"):
            for _ in range(100):
                connection.sendall(b"X")
                time.sleep(0.1)
        assert time.monotonic() - begun < 5


def test_the_next_request_of_a_connection_has_to_come_too(server: Running) -> None:
    body = b'{"text": "It rains."}'
    whole = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with server.connect() as connection:
        connection.sendall(whole)
        assert answered(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(whole[:30])
        begun = time.monotonic()
        assert received(connection)[0] == 408
        assert time.monotonic() - begun < 1.8
    with server.connect() as connection:
        connection.sendall(whole)
        assert answered(connection).startswith(b"HTTP/1.1 200")
        begun = time.monotonic()
        assert connection.recv(65536) == b""
        assert 1.5 < time.monotonic() - begun < 5


def test_bodies_have_to_come(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        status, content = received(connection)
    assert status == 408
    assert "body" in content["error"]


def test_what_is_not_http(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 10 + b"\r\n\r\n")
        status, content = received(connection)
    assert status == 400
    assert "HTTP/1.1" in content["error"]


@pytest.mark.parametrize("sent", [b"", b"POST /api/words HTTP/1.1\r\nHost: loc", HEAD + b"\r\n"])
def test_unfinished_requests_keep_nobody_away(server: Running, sent: bytes) -> None:
    unfinished = [server.connect() for _ in range(2 * LIMITS.connections)]
    for connection in unfinished:
        connection.sendall(sent.replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n"))
    assert [words(server) for _ in range(10)] == [200] * 10
    for connection in unfinished:
        connection.close()


def test_answers_that_nobody_reads_keep_nobody_away(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "read", lambda *_: {"words": ["x" * 100_000] * 100})
    body = json.dumps({"model": "ngram", "words": ["a"]}).encode()
    head = HEAD.replace(b"words", b"read") + b"Content-Length: %d\r\n\r\n" % len(body)
    lazy = [server.connect() for _ in range(4)]
    for connection in lazy:
        connection.sendall(head + body)
    time.sleep(0.5)
    assert [words(server) for _ in range(10)] == [200] * 10
    time.sleep(LIMITS.body_seconds + 0.5)
    for connection in lazy:
        size = 0
        with contextlib.suppress(ConnectionError):
            while piece := connection.recv(1 << 20):
                size += len(piece)
        assert size < 10_000_000
        connection.close()


def test_long_bodies_share_a_limit(server: Running) -> None:
    long = b'{"text": "' + b"a" * 3_500_000
    head = HEAD + b"Content-Length: 3600000\r\n\r\n"
    with server.connect() as first, server.connect() as second:
        first.sendall(head + long)
        time.sleep(0.2)
        second.sendall(head + long)
        status, content = received(second)
        assert status == 503
        assert "long requests" in content["error"]
        assert words(server) == 200
    time.sleep(LIMITS.body_seconds)
    assert server.ask("/api/words", {"text": "a" * 3_500_000})[0] == 413


def test_a_client_that_goes_away_frees_its_place(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def for_ever(*_: object) -> None:
        begun.release()
        try:
            while True:
                pause()
        finally:
            ended.release()

    monkeypatch.setattr(answers, "read", for_ever)
    body = json.dumps({"model": "ngram", "words": ["a"]}).encode()
    head = HEAD.replace(b"words", b"read") + b"Content-Length: %d\r\n\r\n" % len(body)
    for _ in range(3):
        with server.connect() as connection:
            connection.sendall(head + body)
            assert begun.acquire(timeout=10)
        gone = time.monotonic()
        assert ended.acquire(timeout=10)
        assert time.monotonic() - gone < 5
