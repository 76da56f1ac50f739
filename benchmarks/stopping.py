"""Time until long computations stop after a flag is set, as in the server, or after Ctrl-C.

    python -m benchmarks.stopping [TRIALS]

Committees with a stack, and pipelines with such a parser, parse a long text on one thread; a
committee with its stack, and an n-gram model, are trained. After a random time they are asked to
stop. The benchmark measures the CPU time that their thread uses until it stops, which does not
depend on other processes. Ctrl-C is a signal that the process sends to itself.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable
from typing import Any

import bistro
from bistro import config as configuration
from bistro._core import ComputationStopped, StopFlag
from bistro.models.committee.config import CommitteeConfig

WORDS = 120
QUICK = """
[sampler]
sweeps = 3
samples = 1
[isbn]
hidden = 20
[isbn.learning]
passes = 2
[stack]
passes = 2
bits = 16
"""
MOST_SECONDS_BEFORE = 1.0


def by_flag(work: Callable[[], object], wait: float) -> float:
    """Return the milliseconds of CPU time from setting the flag to the end of the computation."""
    flag, ends = StopFlag(), list[float]()

    def compute() -> None:
        try:
            with flag:
                while True:
                    work()
        except ComputationStopped:
            ends.append(time.thread_time())

    thread = threading.Thread(target=compute)
    thread.start()
    assert thread.ident is not None
    clock = time.pthread_getcpuclockid(thread.ident)
    time.sleep(wait)
    begin = time.clock_gettime(clock)
    flag.set()
    thread.join()
    return 1000 * (ends[0] - begin)


def by_signal(work: Callable[[], object], wait: float) -> float:
    """Return the milliseconds of CPU time from Ctrl-C to the end of the computation."""
    ident = threading.main_thread().ident
    assert ident is not None
    clock, begins = time.pthread_getcpuclockid(ident), list[float]()

    def interrupt() -> None:
        time.sleep(wait)
        begins.append(time.clock_gettime(clock))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    try:
        while True:
            work()
    except KeyboardInterrupt:
        return 1000 * (time.thread_time() - begins[0])


def main() -> None:
    """Measure all computations, and print the median and the maximum time to stop."""
    # A shell makes background jobs ignore interrupts from the start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    # The treebank is large enough for a stack.
    treebank = list(bistro.builtin(sentences=700, seed=1))
    settings = configuration.from_dict(CommitteeConfig, tomllib.loads(QUICK))
    committee: Any = bistro.train("committee", treebank, seed=1, **configuration.to_dict(settings))
    assert committee.stacks
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(QUICK)
        file.flush()
        parser = {"parser": "committee", "parser_config": file.name}
        pipeline: Any = bistro.train("pipeline", treebank, seed=1, **parser)
    ngram = bistro.builtin(sentences=3000, seed=1)
    sentences = [["the", "dog"] * (WORDS // 2)] * 20
    works: dict[str, Callable[[], object]] = {
        "committee": lambda: list(committee.parse_all(sentences, threads=1)),
        "pipeline": lambda: list(pipeline.annotate("the dog " * WORDS, threads=1)),
        "training committee": lambda: bistro.train(
            "committee", treebank, seed=1, **configuration.to_dict(settings)
        ),
        "training ngram": lambda: bistro.train("ngram", ngram, seed=1),
    }
    chance = random.Random(1)
    for name, work in works.items():
        for how, measure in (("flag", by_flag), ("Ctrl-C", by_signal)):
            waits = [chance.uniform(0.05, MOST_SECONDS_BEFORE) for _ in range(trials)]
            times = sorted(measure(work, wait) for wait in waits)
            print(
                f"{name}, {how}: median {times[trials // 2]:.0f} ms, at most {times[-1]:.0f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
