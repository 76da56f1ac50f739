"""The server under load: several connections at once and a mixture of requests, for a minute.

    python -m benchmarks.serve [--seconds 60] [--connections 8] [--treebank en_ewt]

The server is a separate process on loopback; this process sends the requests. Each connection sends
the next request of a fixed mixture when it has received the last answer: words, surprisal, trees,
sentences, orders, the protocol of UDPipe. The benchmark prints errors, the median and the 99th
percentile of the response time over all requests and for each kind, and the memory of the server:
after a warm-up of half the time, and then six times until the end. Targets: no error, p99 under
10 x the median, no growth of memory.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np

import bistro
from benchmarks.data import data_dir
from bistro.treebank.sentence import Sentence

LONGEST = 40
"""Maximum words of the sentences in requests."""
LOOKS = 6
"""Number of memory measurements under load."""
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Ask(NamedTuple):
    """One request."""

    kind: str
    path: str
    body: bytes
    headers: dict[str, str]


class Took(NamedTuple):
    """The response time and the status of a request."""

    kind: str
    seconds: float
    status: int


def treebank(name: str | None) -> tuple[bistro.Treebank, bistro.Treebank]:
    """Return sentences for training, and others for the requests."""
    if name is None:
        whole = bistro.builtin(sentences=3300, seed=1)
        return whole[:3000], whole[3000:]
    folder = data_dir() / name
    parts = [bistro.read(folder / f"{name}-ud-{part}.conllu") for part in ("train", "dev")]
    return parts[0], parts[1]


def train(folder: Path, sentences: bistro.Treebank, kinds: Sequence[str]) -> list[str]:
    """Train models of these kinds, and return their files."""
    paths = []
    for kind in kinds:
        path = folder / f"{kind}.bistro"
        bistro.train(kind, sentences, seed=1).save(path)
        paths.append(str(path))
    return paths


def mixture(sentences: bistro.Treebank) -> Iterator[Ask]:
    """Yield requests of all kinds for each sentence."""
    for number, sentence in enumerate(s for s in sentences if len(s) <= LONGEST):
        words = {"words": sentence.forms}
        yield _json("words", "/api/words", {"text": " ".join(sentence.forms)})
        yield _json("read (n-grams)", "/api/read", {"model": "ngram", **words})
        yield _json("read (parser)", "/api/read", {"model": "transition", **words})
        yield _json("parse", "/api/parse", {"model": "transition", **words})
        drawn = {"model": "transition", "n": 3, "seed": number}
        yield _json("generate", "/api/generate", drawn)
        form = {"data": str(sentence), "tagger": "", "parser": ""}
        yield Ask("process", "/process", urlencode(form).encode(), FORM)
        if tree := _tree(sentence):
            yield _json("linearize", "/api/linearize", {"model": "linearize", **tree})


def _json(kind: str, path: str, body: object) -> Ask:
    return Ask(kind, path, json.dumps(body).encode(), JSON)


def _tree(sentence: Sentence) -> dict[str, object] | None:
    """Return the tree of a sentence, or None if it is not one tree within the server's limits."""
    heads = sentence.heads
    if max(heads.count(head) for head in heads) > 8 or heads.count(0) != 1:
        return None
    columns = {"heads": heads, "labels": sentence.deprels, "tags": sentence.upos}
    return {"words": sentence.forms, **columns}


class Load:
    """Connections that send requests until the time is over."""

    def __init__(self, host: str, asks: list[Ask], connections: int, seconds: float) -> None:
        self.host = host
        self.asks = asks
        self.connections = connections
        self.seconds = seconds
        self.took: list[Took] = []

    def run(self) -> None:
        """Send requests from all connections, and wait until all have ended."""
        end = time.monotonic() + self.seconds
        threads = [
            threading.Thread(target=self._ask, args=(number, end))
            for number in range(self.connections)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _ask(self, number: int, end: float) -> None:
        connection = http.client.HTTPConnection(self.host, timeout=60)
        at = number * len(self.asks) // self.connections
        while (begin := time.monotonic()) < end:
            ask = self.asks[at % len(self.asks)]
            at += 1
            try:
                connection.request("POST", ask.path, ask.body, ask.headers)
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except (OSError, http.client.HTTPException):
                connection.close()
                status = 0
            self.took.append(Took(ask.kind, time.monotonic() - begin, status))
        connection.close()


def start(paths: list[str]) -> tuple[subprocess.Popen[str], str]:
    """Start a server on a free port, and return it with its address."""
    command = [sys.executable, "-m", "bistro.cli.main", "serve", *paths, "--port", "0"]
    source = str(Path(bistro.__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert server.stderr is not None
    match = re.search(r"http://([\d.:]+)/", server.stderr.readline())
    if match is None:
        server.kill()
        sys.exit("the server did not start")
    return server, match[1]


def megabytes(pid: int) -> float:
    """Return the memory of a process without the pages of files, such as those of its models."""
    match = re.search(r"RssAnon:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert match is not None
    return int(match[1]) / 1000


def report(took: list[Took], seconds: float) -> None:
    errors = [one for one in took if one.status != 200]
    print(f"{len(took):,} requests in {seconds:g} s ({len(took) / seconds:,.0f}/s)")
    print(f"errors: {len(errors)} {sorted({(e.kind, e.status) for e in errors}) or ''}")
    kinds = ["all", *sorted({one.kind for one in took})]
    print(f"{'kind':16}{'requests':>9}{'median ms':>11}{'p99 ms':>9}{'ratio':>7}")
    for kind in kinds:
        times = np.array([one.seconds for one in took if kind in ("all", one.kind)]) * 1000
        median, late = np.median(times), np.percentile(times, 99)
        print(f"{kind:16}{times.size:9,}{median:11.1f}{late:9.1f}{late / median:7.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Put the server under load.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--treebank", help="a treebank of the data folder; default: the built-in")
    options = parser.parse_args()
    learned, sentences = treebank(options.treebank)
    asks = list(mixture(sentences))
    with tempfile.TemporaryDirectory() as folder:
        server, host = start(train(Path(folder), learned, ("transition", "ngram", "linearize")))
        try:
            Load(host, asks, options.connections, options.seconds / 2).run()
            memory = [megabytes(server.pid)]
            load = Load(host, asks, options.connections, options.seconds)
            watcher = threading.Thread(target=load.run)
            watcher.start()
            for _ in range(LOOKS):
                time.sleep(options.seconds / LOOKS)
                memory.append(megabytes(server.pid))
            watcher.join()
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)
    print(f"{options.connections} connections, treebank: {options.treebank or 'built-in'}")
    report(load.took, options.seconds)
    print(
        "memory of the server in MB, without mapped files:",
        ", ".join(f"{size:.1f}" for size in memory),
    )


if __name__ == "__main__":
    main()
