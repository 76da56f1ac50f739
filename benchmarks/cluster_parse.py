"""`bistro parse` on one worker and on two: the overhead of the first process.

    python -m benchmarks.cluster_parse [SENTENCES] [transition|committee]

The model is a transition parser of EWT (preset `ud`), or a committee of three parsers trained on
the first 300 sentences of EWT. It parses the development part, repeated until SENTENCES is reached.
A run should take ten seconds or more, because the last pieces of work do not end at the same time.
The benchmark prints words per second by the clock, which requires idle cores, and two CPU times:
that of the first process, which reads, distributes and writes, and that of its workers, which only
parse. If the first is much smaller than the second, N workers on idle cores take about
max(first, second / N).
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import bistro
from benchmarks.cluster import train
from benchmarks.data import data_dir
from bistro.inference.cluster import workers_for
from bistro.inference.workers import Workers
from bistro.models.base import Model
from bistro.models.shared import SharedModel
from bistro.tasks import spread
from bistro.tasks.parse import ParseRun


def cpu_of_worker(shared: None, item: int) -> tuple[int, float]:
    """Return the id of a worker's process and its CPU time."""
    time.sleep(0.05)
    return os.getpid(), time.process_time()


def cpu_of_workers(workers: Workers) -> float:
    """Return the total CPU time of all workers."""
    return sum(dict(workers.run(cpu_of_worker, None, range(40))).values())


def small_committee() -> Model:
    """Return a committee that can be trained in seconds."""
    treebank = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-train.conllu")[:300]
    quick = {"sweeps": 2, "samples": 1}
    members = ["left", "right", "eisner"]
    return bistro.train(
        "committee", treebank, seed=1, members=members, sampler=quick, calibrate=False
    )


def main() -> None:
    """Parse on one worker and on two, twice each, and print the ratio of the best times."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 2001
    is_committee = sys.argv[2:] == ["committee"]
    model: Model = small_committee() if is_committee else train()
    dev = list(bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-dev.conllu"))
    sentences = list(islice(cycle(dev), number))
    words = sum(map(len, sentences))
    clocks: dict[str, float] = {}
    for name in ("local:1", "local:2"):
        with workers_for(name, threads=0) as workers, tempfile.TemporaryDirectory() as folder:
            # The model and all imported modules are loaded before the clock starts.
            task = partial(spread.parse_piece, given_tags=False)
            list(workers.run(task, SharedModel(model), [spread.Question([], {})] * 8))
            for round in (1, 2):
                before, own = cpu_of_workers(workers), time.process_time()
                begin = time.perf_counter()
                run = ParseRun(model, {}, workers)
                bistro.write(run.parsed(iter(sentences)), Path(folder) / f"{round}.conllu")
                clock = time.perf_counter() - begin
                own = time.process_time() - own
                elsewhere = cpu_of_workers(workers) - before
                clocks[name] = min(clocks.get(name, clock), clock)
                print(
                    f"{name}: {words / clock:,.0f} words/s by the clock, CPU time: "
                    f"{elsewhere:.1f} s workers, {own:.1f} s first process ({own / elsewhere:.1%})",
                    flush=True,
                )
    print(f"speed-up with two workers, by the clock: {clocks['local:1'] / clocks['local:2']:.2f}")


if __name__ == "__main__":
    main()
