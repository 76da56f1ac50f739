"""The server under 500 connections, many of them hostile.

    python -m benchmarks.serve_load [--seconds 600] [--connections 500]

The server is a separate process on loopback; this process sends requests from many loopback
addresses, so that the server sees many clients. One in ten connections sends short requests, whose
response times are measured; one in ten sends the longest requests that are allowed; one in five
sends long requests and disconnects before the answer; the rest are hostile: headers and bodies that
never end or arrive byte by byte, bytes that are not HTTP, bodies above the limit, answers that are
not read, connections that stay idle. The benchmark prints the answers by kind and status, the
median and the 99th percentile of the short requests, and the memory of the server: under load, and
at rest after a warm-up and at the end. Targets: no 5xx except announced 503s (with Retry-After and
an error message), p99 at most 10 x the median, memory growth at most 5 %.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import multiprocessing
import random
import resource
import signal
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np

import bistro
from benchmarks.serve import megabytes, start, train

KINDS = ("transition", "ngram", "isbn")

SHORT = ["The dog sleeps .", "It rains .", "The old man saw the cat ."]
PAUSE = 0.05
"""Seconds between two short requests of a connection."""
WARM_UP = 0.25
"""Duration of the warm-up before the measurement, as a fraction of its time."""
REST = 5
"""Seconds without requests before the memory at rest is measured."""
PARTS = 6
"""Number of parts of the time for which the maximum memory is printed."""


class Record:
    """The answers of the server."""

    def __init__(self) -> None:
        self.statuses = collections.Counter[tuple[str, int]]()
        self.violations: list[str] = []
        self.short_seconds: list[float] = []

    def add(self, other: Record) -> None:
        """Add the answers that another process has recorded."""
        self.statuses += other.statuses
        self.violations += other.violations
        self.short_seconds += other.short_seconds

    def note(self, kind: str, status: int, head: bytes, body: bytes) -> None:
        """Count an answer, and record a violation if it is not allowed."""
        self.statuses[kind, status] += 1
        if status < 400:
            return
        announced = status == 503 and b"retry-after" in head.lower()
        try:
            has_sentence = list(json.loads(body)) == ["error"]
        except ValueError:
            has_sentence = False
        if (status >= 500 and not announced) or not has_sentence:
            self.violations.append(f"{kind}: {status} {body[:200]!r}")


class Client:
    """A client that opens connections one after the other, from one address."""

    def __init__(self, number: int, port: int, record: Record) -> None:
        self.address = f"127.0.{1 + number // 250}.{1 + number % 250}"
        self.port = port
        self.record = record
        self.rng = random.Random(number)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection."""
        return await asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(self.address, 0), limit=1 << 22
        )

    def request(self, path: str, body: object) -> bytes:
        """Return the bytes of a request."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content

    async def ask(self, kind: str, request: bytes, seconds: float = 90) -> None:
        """Send one request on its own connection, and record the answer."""
        reader, writer = await self.connect()
        try:
            begun = time.perf_counter()
            writer.write(request)
            async with asyncio.timeout(seconds):
                head = await reader.readuntil(b"\r\n\r\n")
                fields = dict(
                    line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line
                )
                body = await reader.readexactly(int(fields.get(b"content-length", b"0")))
            status = int(head.split()[1])
            self.record.note(kind, status, head, body)
            if kind == "short" and status == 200:
                self.record.short_seconds.append(time.perf_counter() - begun)
        finally:
            writer.close()

    # ---- what clients do -------------------------------------------------------------------------
    async def short(self) -> None:
        """Send a short request."""
        words = self.rng.choice(SHORT).split()
        model = self.rng.choice(["ngram", "transition"])
        await self.ask("short", self.request("/api/read", {"model": model, "words": words}))
        await asyncio.sleep(PAUSE)

    def long_request(self) -> bytes:
        """Return one of the longest requests that are allowed."""
        words = [self.rng.choice(["dog", "cat", "sleeps", "the"]) for _ in range(150)]
        return self.rng.choice(
            [
                self.request("/api/read", {"model": "isbn", "words": words, "analyses": 20}),
                self.request("/api/read", {"model": "transition", "words": words, "analyses": 20}),
                self.request("/api/parse", {"model": "isbn", "words": words, "samples": 20}),
                self.request("/api/generate", {"model": "transition", "n": 20, "prefix": "the "}),
            ]
        )

    async def long(self) -> None:
        """Send a long request, and wait for the answer."""
        await self.ask("long", self.long_request())

    async def given_up(self) -> None:
        """Send a long request, and disconnect."""
        _, writer = await self.connect()
        writer.write(self.long_request())
        await asyncio.sleep(self.rng.random() * 2)
        writer.close()

    async def unfinished(self) -> None:
        """Send a part of a request, and wait for an answer."""
        whole = self.request("/api/words", {"text": "a" * 5000})
        reader, writer = await self.connect()
        writer.write(whole[: self.rng.randrange(len(whole))])
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        if head:
            self.record.note("unfinished", int(head.split()[1]), head, body)
        writer.close()

    async def slow(self) -> None:
        """Send a request byte by byte."""
        _, writer = await self.connect()
        for byte in self.request("/api/words", {"text": "a" * 100}):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.2)
        writer.close()

    async def noise(self) -> None:
        """Send requests that are too large or invalid, and bytes that are not HTTP."""
        wrong = self.rng.randbytes(200) + b"\r\n\r\n"
        large = self.request("/api/words", b"[" * 1_500_000)
        most = self.request("/api/words", {"text": "a" * 990_000})
        deep = self.request("/api/parse", b'{"model":' * 100_000)
        request = self.rng.choice([large, most, deep])
        await self.ask("noise", request)
        reader, writer = await self.connect()
        writer.write(wrong)
        await reader.read()
        writer.close()
        await asyncio.sleep(
            1
        )  # without this pause, sending bodies of 1.5 MB would dominate the load of the machine

    async def unread(self) -> None:
        """Send requests, and never read the answers."""
        _, writer = await self.connect()
        for _ in range(20):
            writer.write(self.request("/api/words", {"text": "a " * 4000}))
        await asyncio.sleep(30)
        writer.close()

    async def idle(self) -> None:
        """Connect, and send nothing."""
        reader, writer = await self.connect()
        await reader.read()
        writer.close()

    async def repeat(self, act: Callable[[], Awaitable[None]], end: float) -> None:
        """Repeat one action until the time is over."""
        while time.monotonic() < end:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                async with asyncio.timeout(max(0.0, end + 30 - time.monotonic())):
                    await act()
            await asyncio.sleep(0.05)


async def load(port: int, numbers: list[int], seconds: float, record: Record) -> None:
    """Run the clients with these numbers."""
    end = time.monotonic() + seconds
    tasks = []
    for number in numbers:
        one = Client(number, port, record)
        hostile = [one.unfinished, one.slow, one.noise, one.unread, one.idle, one.unfinished]
        acts = [one.short, one.long, one.given_up, one.given_up, *hostile]
        tasks.append(asyncio.create_task(one.repeat(acts[number % 10], end)))
    await asyncio.gather(*tasks)


def ask_in_process(port: int, numbers: list[int], seconds: float, results: Any) -> None:
    """Run clients in a separate process, and put their record into the queue."""
    record = Record()
    asyncio.run(load(port, numbers, seconds, record))
    results.put(record)


def phase(port: int, connections: int, seconds: float, pid: int) -> tuple[Record, list[float]]:
    """Load the server for some seconds; return the record, and its memory every second.

    Short requests are sent and timed by a different process than the others, so that the figures
    measure the server and not this program.
    """
    short = [n for n in range(connections) if n % 10 == 0]
    others = [n for n in range(connections) if n % 10 != 0]
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [
        context.Process(target=ask_in_process, args=(port, numbers, seconds, results))
        for numbers in (short, others)
    ]
    for process in processes:
        process.start()
    memory, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(1)
        memory.append(megabytes(pid))
    whole = Record()
    for _ in processes:
        whole.add(results.get(timeout=300))
    for process in processes:
        process.join()
    return whole, memory


def report(record: Record, memory: list[float], idle: list[float]) -> None:
    """Print the answers, the response times and the memory."""
    for (kind, status), number in sorted(record.statuses.items()):
        print(f"{kind:12}{status:5}{number:9,}")
    times = np.array(record.short_seconds) * 1000
    median, late = np.median(times), np.percentile(times, 99)
    print(f"short: {times.size:,} answers, median {median:.1f} ms, p99 {late:.1f} ms")
    print(f"p99 / median: {late / median:.1f}")
    parts = np.array_split(np.array(memory), PARTS)
    highest = [float(part.max()) for part in parts]
    print("memory in MB, highest of each part:", ", ".join(f"{size:.0f}" for size in highest))
    print(f"memory, last part against first: {highest[-1] / highest[0] - 1:+.1%}")
    print(f"memory at rest, before and after: {idle[0]:.0f}, {idle[1]:.0f} MB")
    print(f"growth at rest: {idle[1] / idle[0] - 1:+.1%}")
    print(f"violations: {len(record.violations)} {record.violations[:5] or ''}")


def main() -> None:
    """Read the options, run, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--connections", type=int, default=500)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        server, host = start(train(Path(folder), bistro.builtin(sentences=500, seed=1), KINDS))
        try:
            port = int(host.rpartition(":")[2])
            phase(port, options.connections, options.seconds * WARM_UP, server.pid)
            time.sleep(REST)
            idle = [megabytes(server.pid)]
            record, memory = phase(port, options.connections, options.seconds, server.pid)
            time.sleep(REST)
            idle.append(megabytes(server.pid))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)
    print(f"{options.connections} connections, {options.seconds:g} s")
    report(record, memory, idle)


if __name__ == "__main__":
    main()
