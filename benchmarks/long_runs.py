"""Memory of long runs: the same small task repeated a thousand times.

    python -m benchmarks.long_runs [--iterations 1000] [--only particle-gibbs serving ...]

The tasks are training sweeps over a small treebank, parsing of the same sentences, and requests to
a server. The memory of the process is measured after a tenth of the iterations, when all one-time
allocations have been made, and at the end. Both figures are printed in megabytes.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bistro
from bistro.inference.chains import Session, Sweep

Work = Callable[[int, Callable[[int], None]], None]
"""A task: takes the number of iterations, and a function to call after each with its number."""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bistro.__file__).resolve().parents[1])}


def memory(pid: int | None = None) -> float:
    """Return the resident memory of a process in megabytes."""
    with open(f"/proc/{pid or 'self'}/statm") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def training(kind: str, data: Any, group: str = "sampler", **settings: Any) -> Work:
    """Return the training of a model; the settings in `group` determine its length."""

    def work(iterations: int, on_done: Callable[[int], None]) -> None:
        length = {"sweeps": iterations, "samples": 1}
        own = settings.get(group, {}) if group else {}
        whole = {**settings, group: {**own, **length}} if group else {**settings, **length}

        def note(sweep: Sweep) -> None:
            on_done(sweep.number)

        bistro.train(kind, data, seed=1, session=Session(on_sweep=note), **whole)

    return work


def parsing(kind: str, **settings: Any) -> Work:
    """Return repeated parsing of the same sentences."""

    def work(iterations: int, on_done: Callable[[int], None]) -> None:
        model: Any = bistro.train(kind, bistro.builtin(sentences=60, seed=1), seed=1, **settings)
        sentences = bistro.builtin(sentences=5, seed=2)
        for number in range(1, iterations + 1):
            list(model.parse_all(sentences, threads=1, marginals=True))
            on_done(number)

    return work


class Server:
    """A server of one model that is repeatedly asked to parse."""

    pid: int | None = None

    def __call__(self, iterations: int, on_done: Callable[[int], None]) -> None:
        """Start the server, send the requests, and kill it."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.bistro"
            quick = {"sweeps": 3, "samples": 1}
            treebank = bistro.builtin(sentences=60, seed=1)
            bistro.train("transition", treebank, seed=1, sampler=quick).save(path)
            command = [sys.executable, "-m", "bistro.cli.main", "serve", str(path), "--port", "0"]
            process = subprocess.Popen(
                command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            try:
                self.pid = process.pid
                address = _address(process)
                for number in range(1, iterations + 1):
                    _ask(address, number)
                    on_done(number)
            finally:
                process.kill()
                process.wait()


def _address(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.search(rb"http://[\d.]+:\d+", line):
            return match[0].decode()
    raise SystemExit("the server does not print its address")


def _ask(address: str, number: int) -> None:
    words = ["the", "dog", f"word{number}", "sleeps", "."]
    body = json.dumps({"model": "m", "words": words}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/api/parse", body, headers)
    urllib.request.urlopen(request).read()


def works() -> Iterator[tuple[str, Work]]:
    """Yield the name and the function of every task."""
    trees = bistro.builtin(sentences=40, seed=1)
    brackets = bistro.builtin_trees(sentences=15, seed=1)
    yield "ngram", training("ngram", trees)
    yield "transition", training("transition", trees)
    yield "particle-gibbs", training("transition", trees, derivations="sampled", particles=5)
    first = {"sweeps": 2, "samples": 1}
    latent = {"latent": "both", "particles": 5}
    second = training("transition", trees, "unsupervised", sampler=first, unsupervised=latent)
    yield "latent-trees", second
    yield "topics", training("topics", trees, "")
    gibbs = {"seating": "gibbs"}
    yield "tags", training("tags", trees, sampler=gibbs)
    yield "trees", training("trees", brackets, sampler=gibbs)
    for kind in ("transition", "eisner"):
        yield f"parse-{kind}", parsing(kind, sampler={"sweeps": 3, "samples": 1})
    yield "serving", Server()


def main() -> None:
    """Run the selected tasks, each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--here", action="store_true", help="run in this process")
    options = parser.parse_args()
    for name, work in works():
        if options.only and name not in options.only:
            continue
        if not options.here:
            command = [sys.executable, "-m", "benchmarks.long_runs", "--here", "--only", name]
            command += ["--iterations", str(options.iterations)]
            subprocess.run(command, check=True)
            continue
        seen: list[float] = []

        def look(done: int, work: Work = work, seen: list[float] = seen) -> None:
            if done in (options.iterations // 10, options.iterations):
                gc.collect()
                seen.append(memory(getattr(work, "pid", None)))

        work(options.iterations, look)
        growth = seen[-1] / seen[0] - 1
        print(f"{name:<18} {seen[0]:8.1f} {seen[-1]:8.1f} MB  {growth:+.1%}", flush=True)


if __name__ == "__main__":
    main()
