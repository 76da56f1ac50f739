"""Parsing raw text in pieces: threads and Dask workers, in one run.

    python -m benchmarks.cluster [WORDS]

A parser of EWT (preset `ud`, one sweep) parses text as learning from raw text does: by the
same task, in the same pieces (1,000 sentences), with tags of its own and 100 particles. Rounds go
through all kinds of workers in turn, and the best round counts. The clock starts when every worker
has the model; how long that takes is printed beside. Words for each second of the clock need as
many idle cores as there are workers; words for each second of CPU time, all processes together,
show what the way of working costs on a machine that has other work too, and pieces that only wait
show how well two workers share, whatever else the machine does.
Before all this, the speed of the one process that encodes, indexes and seats what comes back (five
levels, one core).
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

import bistro
from benchmarks.data import data_dir
from bistro._core import UniformBase
from bistro.config import read_toml
from bistro.encoding.events import text_events
from bistro.encoding.vocabulary import Vocabulary
from bistro.inference.cluster import workers_for
from bistro.inference.gibbs import Chain
from bistro.inference.workers import Workers
from bistro.models.ngram.config import NgramConfig
from bistro.models.presets import file_or_preset
from bistro.models.shared import SharedModel
from bistro.models.transition.analyses import Piece, parse_piece, pieces_of
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel

PARTICLES = 100
ROUNDS = 2
WAITING_PIECES, WAITED_SECONDS = 24, 0.5
Kind = tuple[str | None, int]
KINDS: list[Kind] = [(None, 1), (None, 2), ("local:1", 0), ("local:2", 0)]


@dataclasses.dataclass(frozen=True)
class Measured:
    """One kind of workers; seconds of the clock, and of CPU time."""

    broadcast: float
    clock: float
    cpu: float
    own_cpu: float
    """Of the process that hands out and takes back."""
    sent: int
    waited: float


def parse(
    shared: SharedModel[TransitionModel], piece: Piece
) -> tuple[dict[str, NDArray[Any]], int, float]:
    """Return the analyses of a piece, the process, and its CPU time."""
    begin = time.process_time()
    _, columns = parse_piece(shared, piece)
    return columns, os.getpid(), time.process_time() - begin


def wait(shared: float, item: int) -> None:
    """Take time, but no computing."""
    time.sleep(shared)


def read_text(folder: Path, words: int) -> list[list[str]]:
    """Return running text, in equal parts of every genre."""
    files = sorted(folder.glob("*.txt"))
    sentences: list[list[str]] = []
    for path in files:
        taken = 0
        with path.open(encoding="utf-8") as lines:
            for sentence in filter(None, map(str.split, lines)):
                if taken >= words / len(files):
                    break
                sentences.append(sentence)
                taken += len(sentence)
    return sentences


def train() -> TransitionModel:
    config = read_toml(file_or_preset("ud"), TransitionConfig)
    sampler = dataclasses.replace(config.sampler, sweeps=1, samples=1)
    config = dataclasses.replace(config, sampler=sampler)
    treebank = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-train.conllu")
    return bistro.train("transition", treebank, seed=1, config=config)


def measure(workers: Workers, model: TransitionModel, pieces: Sequence[Piece]) -> Measured:
    """Parse all pieces; an empty one goes first, whose result says that the model has come."""
    begin = time.perf_counter()
    results = workers.run(parse, SharedModel(model), [(PARTICLES, []), *pieces])
    next(results)
    ready, own = time.perf_counter(), time.process_time()
    found = list(results)
    clock, own = time.perf_counter() - ready, time.process_time() - own
    elsewhere = sum(cpu for _, process, cpu in found if process != os.getpid())
    sent = sum(len(pickle.dumps(columns)) for columns, _, _ in found)
    return Measured(ready - begin, clock, own + elsewhere, own, sent, waiting(workers))


def waiting(workers: Workers) -> float:
    """Return the seconds that pieces take which only wait, from the first result to the last."""
    results = workers.run(wait, WAITED_SECONDS, range(WAITING_PIECES))
    next(results)
    begin = time.perf_counter()
    list(results)
    return time.perf_counter() - begin


def seating(sentences: Sequence[list[str]]) -> float:
    """Return words a second that one process encodes, indexes and seats in a 5-gram franchise."""
    config = NgramConfig(unknown="single")
    begin = time.process_time()
    vocabulary = Vocabulary.of(sentences, config)
    events = text_events(sentences, vocabulary, config.order)
    chain = Chain("words", events, UniformBase(len(vocabulary) + 1), config.sampler, seed=1)
    chain.seat()
    return len(events) / (time.process_time() - begin)


def main() -> None:
    model = train()
    text = read_text(data_dir() / "text_en", int(sys.argv[1]) if len(sys.argv) > 1 else 500_000)
    pieces = list(pieces_of(iter(text), PARTICLES))
    words = sum(map(len, text))
    size = len(model.to_bytes())
    print(f"{words:,} words in {len(pieces)} pieces; the model takes {size / 1e6:.1f} MB")
    print(
        f"encoding, indexing and seating in one process: {seating(text):,.0f} words/s", flush=True
    )
    best: dict[Kind, Measured] = {}
    for number in range(ROUNDS):
        for kind in KINDS:
            with workers_for(*kind) as workers:
                found = measure(workers, model, pieces)
            best[kind] = least(best.get(kind, found), found)
            report(f"round {number + 1}, {kind[0] or f'{kind[1]} threads'}", found, words)
    print("least of all rounds:")
    for kind, found in best.items():
        report(kind[0] or f"{kind[1]} threads", found, words)
    for what, one, two in (("threads", KINDS[0], KINDS[1]), ("Dask workers", KINDS[2], KINDS[3])):
        print(
            f"two {what}: {best[one].clock / best[two].clock:.2f} times one by the clock, "
            f"{best[one].cpu / best[two].cpu:.2f} times the words a CPU second, "
            f"{best[one].waited / best[two].waited:.2f} times one with pieces that only wait"
        )


def least(a: Measured, b: Measured) -> Measured:
    """Return the least of every figure: what else the machine does only adds."""
    return Measured(*map(min, dataclasses.astuple(a), dataclasses.astuple(b)))


def report(name: str, found: Measured, words: int) -> None:
    print(
        f"  {name}: {words / found.clock:,.0f} words/s, {words / found.cpu:,.0f} a CPU second "
        f"({found.own_cpu / found.cpu:.1%} in the first process), broadcast {found.broadcast:.2f} "
        f"s, {found.sent / words:.1f} bytes a word come back, waiting {found.waited:.2f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
