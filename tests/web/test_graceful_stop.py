"""A server that is asked to stop finishes the requests at hand; files for those who deploy it."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from bistro.models.base import Model

from .test_api_process import ENVIRONMENT, PROGRAM, Running, start

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
SENTENCES = 800
DOCUMENT = "\n".join(["The old dog that sees the cat sleeps in the old house ."] * SENTENCES)


@pytest.fixture(scope="module")
def parser(models: dict[str, Model], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "parser.bistro"
    models["parser"].save(path)
    return path


@pytest.fixture
def server(parser: Path) -> Iterator[Running]:
    """A server that takes long documents."""
    running = start(parser, "--max-document", 20_000)
    yield running
    if running.process.poll() is None:
        running.process.kill()
        running.process.communicate()


def long_request(server: Running) -> httpx.Response:
    form = {"data": DOCUMENT, "input": "horizontal", "tagger": "", "parser": ""}
    return httpx.post(f"{server.address}/process", data=form, timeout=60)


def wait_until_computing(server: Running) -> None:
    for _ in range(500):
        if re.search(
            r"bistro_computations_running\S* 1", httpx.get(f"{server.address}/metrics").text
        ):
            return
        time.sleep(0.01)
    raise AssertionError("the request was not at work")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_requests_at_hand_are_finished(server: Running, number: signal.Signals) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(long_request, server)
        wait_until_computing(server)
        code, told = server.stop(number)
        answer = asked.result(60)
    assert answer.status_code == 200
    assert answer.json()["result"].count("# sent_id") == SENTENCES
    assert code == 0
    assert told.endswith("Bistro has stopped\n") and "after 1 request" in told
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{server.address}/health")


def test_a_second_interrupt_stops_at_once(server: Running) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(long_request, server)
        wait_until_computing(server)
        server.process.send_signal(signal.SIGINT)
        assert server.process.stderr is not None
        assert "after 1 request" in server.process.stderr.readline()
        code, told = server.stop(signal.SIGINT)
        answer = asked.result(60)
    assert (answer.status_code, answer.json()) == (503, {"error": "the server is stopping"})
    assert (code, told) == (0, "Bistro has stopped\n")


def test_the_access_log_on_stdout(parser: Path) -> None:
    command = [*PROGRAM, str(parser), "--port", "0", "--access-log", "-"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        found = re.search(r"http://\S+/", process.stderr.readline())
        assert found
        httpx.get(f"{found[0]}health")
        line = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    assert '"GET /health HTTP/1.1" 200 ' in line


def commands() -> dict[str, list[str]]:
    """Return the command lines of the unit and of the container."""
    unit = re.search(r"^ExecStart=(.*)$", (DEPLOY / "bistro.service").read_text(), re.MULTILINE)
    container = re.search(
        r'^CMD .*"exec (.*)"\]$', (DEPLOY / "Dockerfile").read_text(), re.MULTILINE
    )
    assert unit and container
    return {"unit": shlex.split(unit[1]), "container": shlex.split(container[1])}


@pytest.mark.parametrize("name", ["unit", "container"])
def test_the_commands_of_deployment_exist(name: str) -> None:
    program, command, *rest = commands()[name]
    assert (Path(program).name, command) == ("bistro", "serve")
    wide = {**ENVIRONMENT, "COLUMNS": "200"}
    shown = subprocess.run([*PROGRAM, "--help"], capture_output=True, text=True, env=wide)
    known = set(re.findall(r"--[a-z-]+", shown.stdout))
    assert {word for word in rest if word.startswith("--")} <= known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd")
def test_the_unit_is_valid(tmp_path: Path) -> None:
    text = (DEPLOY / "bistro.service").read_text().replace("/opt/bistro/bin/bistro", "/bin/true")
    (tmp_path / "bistro.service").write_text(text)
    command = ["systemd-analyze", "verify", str(tmp_path / "bistro.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "bistro.service" not in done.stderr, done.stderr
