"""A billion words on N workers, some slow, some failing: a discrete-event simulation.

    python -m experiments.scale_simulation

The simulation follows the rules of `bistro.inference.cluster`: a bounded number of pieces is in
progress, and free workers receive the earliest piece first; a piece whose worker fails is queued
again; one process takes the results in order, and merges each before it takes the next. In simple
cases the time is known: ceil(pieces / N) · t with N equal workers that never fail, and pieces · m
if merging takes most of the time. Rates are those that ``python -m benchmarks.cluster`` measured;
see docs/scale.md.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace
from typing import Any

from bistro.inference.cluster import AHEAD_PER_WORKER
from bistro.rng import Stream

HOUR = 3600.0


@dataclass(frozen=True)
class Cluster:
    """The workers and their speed; times are in seconds."""

    workers: int
    piece: float
    """Time for parsing one piece on an ordinary worker."""
    merge: float = 0.0
    """Time for merging one piece in the one process that merges."""
    broadcast: float = 0.0
    """Time until the model has reached every worker."""
    window: int = AHEAD_PER_WORKER
    """Number of pieces in progress per worker."""
    slow_share: float = 0.0
    """Share of the workers that take `slow_factor` times as long."""
    slow_factor: float = 4.0
    spread: float = 0.0
    """Standard deviation of the logarithm of a piece's time; the mean time remains `piece`."""
    hours_between_failures: float = math.inf
    """Mean time between failures of one worker."""
    restart: float = 60.0
    """Time from a failure until another worker replaces the failed one."""


@dataclass(frozen=True)
class Outcome:
    """The time of a run, and how it was used."""

    seconds: float
    busy: float
    """Share of the workers' time spent on pieces whose results were used."""
    merging: float
    """Share of the time during which the one process merged."""
    failures: int


class Simulation:
    """One run; events are (time, sequence number, name of the event, worker or piece)."""

    def __init__(self, cluster: Cluster, pieces: int, seed: int) -> None:
        self.cluster = cluster
        self.pieces = pieces
        self.chance = Stream(seed, "scale.simulation")
        self.events: list[tuple[float, int, str, int]] = []
        self.waiting = list(range(min(cluster.window * cluster.workers, pieces)))
        self.next_piece = len(self.waiting)
        self.free = list(range(cluster.workers))
        self.doing: dict[int, tuple[int, float]] = {}
        self.done: set[int] = set()
        self.merged = self.made = self.failures = 0
        self.is_merging = False
        self.useful = 0.0

    def run(self) -> Outcome:
        """Process events until the last piece is merged."""
        now = self.cluster.broadcast
        self._hand_out(now)
        while self.merged < self.pieces:
            now, _, what, who = heapq.heappop(self.events)
            getattr(self, f"_{what}")(who, now)
            self._take(now)
            self._hand_out(now)
        capacity = self.cluster.workers * now
        merging = self.pieces * self.cluster.merge / now
        return Outcome(now, self.useful / capacity, merging, self.failures)

    def _finish(self, worker: int, now: float) -> None:
        piece, begun = self.doing.pop(worker)
        self.useful += now - begun
        self.done.add(piece)
        self.free.append(worker)

    def _fail(self, worker: int, now: float) -> None:
        piece, _ = self.doing.pop(worker)
        heapq.heappush(self.waiting, piece)
        self.failures += 1
        self._later(now + self.cluster.restart, "return", worker)

    def _return(self, worker: int, now: float) -> None:
        self.free.append(worker)

    def _merge(self, piece: int, now: float) -> None:
        self.merged += 1
        self.is_merging = False
        # A merged piece frees its place in the window, and the next piece is queued.
        if self.next_piece < self.pieces:
            heapq.heappush(self.waiting, self.next_piece)
            self.next_piece += 1

    def _take(self, now: float) -> None:
        if not self.is_merging and self.merged in self.done:
            self.done.remove(self.merged)
            self.is_merging = True
            self._later(now + self.cluster.merge, "merge", self.merged)

    def _hand_out(self, now: float) -> None:
        while self.free and self.waiting:
            worker, piece = self.free.pop(0), heapq.heappop(self.waiting)
            self.doing[worker] = piece, now
            seconds, life = self._seconds(worker), self._life()
            what = "finish" if seconds <= life else "fail"
            self._later(now + min(seconds, life), what, worker)

    def _seconds(self, worker: int) -> float:
        is_slow = worker < round(self.cluster.slow_share * self.cluster.workers)
        factor = self.cluster.slow_factor if is_slow else 1.0
        if self.cluster.spread:
            normal = math.sqrt(-2 * math.log(1 - self.chance.uniform()))
            normal *= math.cos(2 * math.pi * self.chance.uniform())
            factor *= math.exp(self.cluster.spread * normal - self.cluster.spread**2 / 2)
        return self.cluster.piece * factor

    def _life(self) -> float:
        """Return the time until this worker's next failure, which is exponentially distributed."""
        mean = self.cluster.hours_between_failures * HOUR
        return -mean * math.log(1 - self.chance.uniform()) if mean < math.inf else math.inf

    def _later(self, time: float, what: str, who: int) -> None:
        self.made += 1
        heapq.heappush(self.events, (time, self.made, what, who))


def simulate(cluster: Cluster, pieces: int, seed: int = 1) -> Outcome:
    """Return the outcome of a run with `pieces` pieces."""
    return Simulation(cluster, pieces, seed).run()


WORDS = 1_000_000_000
WORDS_A_PIECE = 50_000
WORDS_A_SECOND = 20_000.0
"""Words that one worker parses per second."""
MERGED_A_SECOND = 2_000_000.0
"""Sorted events that one process merges, resolves and seats per second."""
SECONDS_TO_BROADCAST = 2.0
"""Time to send the model to another process; processes that have the model pass it on."""


def base(workers: int) -> Cluster:
    """Return a cluster with the measured speeds and without failures."""
    return Cluster(
        workers,
        piece=WORDS_A_PIECE / WORDS_A_SECOND,
        merge=WORDS_A_PIECE / MERGED_A_SECOND,
        broadcast=SECONDS_TO_BROADCAST * math.ceil(math.log2(workers + 1)),
        spread=0.2,
    )


TROUBLES: dict[str, dict[str, Any]] = {
    "none": {},
    "slow": {"slow_share": 0.05, "slow_factor": 4.0},
    "slow, window 2": {"slow_share": 0.05, "slow_factor": 4.0, "window": 2},
    "failing": {"hours_between_failures": 2.0, "restart": 60.0},
}


def main() -> None:
    pieces = WORDS // WORDS_A_PIECE
    print(
        "| workers | " + " | ".join(TROUBLES) + " | merging |\n|---|" + "---|" * (len(TROUBLES) + 1)
    )
    for workers in (1, 10, 30, 100, 300, 1000):
        found = [simulate(replace(base(workers), **t), pieces) for t in TROUBLES.values()]
        cells = [f"{o.seconds / HOUR:.2f} h" for o in found]
        print(f"| {workers} | " + " | ".join(cells) + f" | {found[0].merging:.0%} |", flush=True)


if __name__ == "__main__":
    main()
