"""The server as a process of its own: it starts, answers many at once, and stops."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

import bistro
from bistro.cli.main import run
from bistro.models.base import Model
from bistro.serve.run import listen

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bistro.__file__).resolve().parents[1])}
PROGRAM = [sys.executable, "-m", "bistro.cli.main", "serve"]


@dataclass
class Running:
    """A server that was started."""

    process: subprocess.Popen[str]
    address: str

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Stop it, and return its exit code and what it said."""
        self.process.send_signal(number)
        _, told = self.process.communicate(timeout=30)
        return self.process.returncode, told


def start(*arguments: object) -> Running:
    command = [*PROGRAM, *map(str, arguments), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert process.stderr is not None
    said = process.stderr.readline()
    found = re.search(r"http://\S+/", said)
    if found is None:
        process.kill()
        process.wait()
        raise AssertionError(said)
    return Running(process, found[0].rstrip("/"))


@pytest.fixture(scope="module")
def files(models: dict[str, Model], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name, model in models.items():
        model.save(folder / f"{name}.bistro")
    return folder


@pytest.fixture(scope="module")
def running(files: Path) -> Iterator[Running]:
    names = ("parser", "ngram", "order")
    server = start(*(files / f"{name}.bistro" for name in names), "--max-body", 5000)
    yield server
    if server.process.poll() is None:
        server.stop()


REQUESTS = [
    ("/api/read", {"model": "parser", "text": "The dog sleeps."}),
    ("/api/parse", {"model": "parser", "text": "The old dog sees the cat.", "samples": 3}),
    ("/api/read", {"model": "ngram", "text": "It rains."}),
    ("/api/generate", {"model": "parser", "n": 3, "seed": 2}),
    ("/api/words", {"text": "It rains."}),
]


def test_many_at_once_get_what_one_alone_gets(running: Running) -> None:
    with httpx.Client(base_url=running.address) as client:
        alone = [client.post(path, json=body).json() for path, body in REQUESTS]

        def ask(number: int) -> bool:
            path, body = REQUESTS[number % len(REQUESTS)]
            return bool(client.post(path, json=body).json() == alone[number % len(REQUESTS)])

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(80)))


def test_large_bodies_are_answered_whatever_they_announce(running: Running) -> None:
    with httpx.Client(base_url=running.address) as client:
        for content in (b"x" * 20_000, (b"x" * 1000 for _ in range(20))):
            answer = client.post("/api/words", content=content)
            assert answer.status_code == 413
            assert "5,000 bytes" in answer.json()["error"]
        assert client.get("/api/models").status_code == 200


def test_broken_http_does_no_harm(running: Running) -> None:
    host, port = running.address.removeprefix("http://").split(":")
    for message in (
        b"\x16\x03\x01\x00",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"\r\n" * 9,
    ):
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(message)
            connection.shutdown(socket.SHUT_WR)
            assert b" 500 " not in connection.recv(1000)[:20]
    assert httpx.get(f"{running.address}/api/models").status_code == 200


def test_only_its_own_names_on_loopback(running: Running) -> None:
    answer = httpx.get(f"{running.address}/api/models", headers={"host": "evil.example"})
    assert answer.status_code == 400


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_when_told(files: Path, number: signal.Signals) -> None:
    server = start(files / "ngram.bistro")
    assert httpx.get(f"{server.address}/models").json()["default_model"] == "ngram"
    assert server.stop(number) == (0, "Bistro has stopped\n")


def test_addresses_that_cannot_be_had(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert run(["serve", str(files / "ngram.bistro"), "--port", str(port)]) == 2
    told = capsys.readouterr().err
    assert f"cannot listen on 127.0.0.1:{port}" in told
    assert "--port" in told
    assert run(["serve", str(files / "ngram.bistro"), "--host", "no such host"]) == 2
    assert "no such host" in capsys.readouterr().err


def test_models_that_cannot_be_had(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", str(tmp_path / "absent.bistro")]) == 2
    assert "absent.bistro" in capsys.readouterr().err
    (tmp_path / "text.bistro").write_text("no model")
    assert run(["serve", str(tmp_path / "text.bistro")]) == 2
    assert "text.bistro" in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [n for n in sys.modules if n.startswith("bistro.serve.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    assert run(["serve", str(files / "ngram.bistro")]) == 2
    assert "pip install fastapi uvicorn python-multipart" in capsys.readouterr().err
