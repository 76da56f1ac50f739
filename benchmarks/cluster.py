"""Parsing raw text in pieces: threads and Dask workers, in one run.

    python -m benchmarks.cluster [WORDS]

A parser of EWT (preset `ud`, one sweep) parses text as learning from raw text does: by the
same task, in the same pieces (128 kilobytes), with tags of its own and 100 particles. Rounds go
through all kinds of workers in turn, and the best round counts. The clock starts when every worker
has the model; how long that takes is printed beside. Words for each second of the clock need as
many idle cores as there are workers; words for each second of CPU time, all processes together,
show what the way of working costs on a machine that has other work too, and pieces that only wait
show how well two workers share, whatever else the machine does.
Before all this, the speed of the one process that merges what comes back (five levels): sorted
events of pieces of 400,000 words are taken in, resolved and seated. What workers do for it (making
ids of words, and sorted events of ids) is printed beside.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
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
from bistro.inference.event_runs import EventRuns
from bistro.inference.gibbs import Chain
from bistro.inference.workers import Workers
from bistro.models.ngram.config import NgramConfig
from bistro.models.parsing.analyses import Piece, parse_piece
from bistro.models.presets import file_or_preset
from bistro.models.shared import SharedModel
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from bistro.treebank.raw_text import RawText, TextPiece

PARTICLES = 100
RUN_WORDS = 400_000
"""Words of a list of events that a worker sorts."""
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


def pieces_of(text: Sequence[list[str]]) -> Iterator[Piece]:
    """Return the text in the pieces in which raw text is parsed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text("".join(" ".join(words) + "\n" for words in text), encoding="utf-8")
        for piece in RawText(path).pieces():
            yield PARTICLES, piece


def train() -> TransitionModel:
    config = read_toml(file_or_preset("ud"), TransitionConfig)
    sampler = dataclasses.replace(config.sampler, sweeps=1, samples=1)
    config = dataclasses.replace(config, sampler=sampler)
    treebank = bistro.read(data_dir() / "en_ewt" / "en_ewt-ud-train.conllu")
    return bistro.train("transition", treebank, seed=1, config=config)


def measure(workers: Workers, model: TransitionModel, pieces: Sequence[Piece]) -> Measured:
    """Parse all pieces; a tiny one goes first, whose result says that the model has come."""
    begin = time.perf_counter()
    empty = (PARTICLES, TextPiece("", 1, b"."))
    results = workers.run(parse, SharedModel(model), [empty, *pieces])
    next(results)
    ready, own = time.perf_counter(), time.process_time()
    parts = list(results)
    clock, own = time.perf_counter() - ready, time.process_time() - own
    elsewhere = sum(cpu for _, process, cpu in parts if process != os.getpid())
    sent = sum(len(pickle.dumps(columns)) for columns, _, _ in parts)
    return Measured(ready - begin, clock, own + elsewhere, own, sent, waiting(workers))


def waiting(workers: Workers) -> float:
    """Return the seconds that pieces take which only wait, from the first result to the last."""
    results = workers.run(wait, WAITED_SECONDS, range(WAITING_PIECES))
    next(results)
    begin = time.perf_counter()
    list(results)
    return time.perf_counter() - begin


def merging(sentences: Sequence[list[str]]) -> tuple[float, float]:
    """Return words per CPU second: made ready by workers, and merged and seated by one process."""
    config = NgramConfig(unknown="single")
    vocabulary = Vocabulary.of(sentences, config)
    runs = EventRuns(config.order - 1)
    ready = taken = 0.0
    cut = max(1, round(len(sentences) * RUN_WORDS / sum(map(len, sentences))))
    for first in range(0, len(sentences), cut):
        begin = time.process_time()
        events = text_events(sentences[first : first + cut], vocabulary, config.order).sorted()
        middle = time.process_time()
        runs.add(events)
        ready, taken = ready + middle - begin, taken + time.process_time() - middle
    begin = time.process_time()
    chain = Chain("words", runs, UniformBase(len(vocabulary) + 1), config.sampler, seed=1)
    chain.seat()
    taken += time.process_time() - begin
    return len(runs) / ready, len(runs) / taken


def main() -> None:
    model = train()
    text = read_text(data_dir() / "text_en", int(sys.argv[1]) if len(sys.argv) > 1 else 500_000)
    pieces = list(pieces_of(text))
    words = sum(map(len, text))
    size = len(model.to_bytes())
    print(f"{words:,} words in {len(pieces)} pieces; the model takes {size / 1e6:.1f} MB")
    ready, merged = merging(text)
    print(
        f"encoding and sorting, by workers: {ready:,.0f} words a CPU second; merging and seating, "
        f"by one process: {merged:,.0f}",
        flush=True,
    )
    best: dict[Kind, Measured] = {}
    for number in range(ROUNDS):
        for kind in KINDS:
            with workers_for(*kind) as workers:
                figures = measure(workers, model, pieces)
            best[kind] = least(best.get(kind, figures), figures)
            report(f"round {number + 1}, {kind[0] or f'{kind[1]} threads'}", figures, words)
    print("least of all rounds:")
    for kind, figures in best.items():
        report(kind[0] or f"{kind[1]} threads", figures, words)
    for what, one, two in (("threads", KINDS[0], KINDS[1]), ("Dask workers", KINDS[2], KINDS[3])):
        print(
            f"two {what}: {best[one].clock / best[two].clock:.2f} times one by the clock, "
            f"{best[one].cpu / best[two].cpu:.2f} times the words a CPU second, "
            f"{best[one].waited / best[two].waited:.2f} times one with pieces that only wait"
        )


def least(a: Measured, b: Measured) -> Measured:
    """Return the least of every figure: what else the machine does only adds."""
    return Measured(*map(min, dataclasses.astuple(a), dataclasses.astuple(b)))


def report(name: str, figures: Measured, words: int) -> None:
    print(
        f"  {name}: {words / figures.clock:,.0f} words/s, {words / figures.cpu:,.0f} a CPU second "
        f"({figures.own_cpu / figures.cpu:.1%} in the first process), broadcast "
        f"{figures.broadcast:.2f} s, {figures.sent / words:.1f} bytes a word come back, "
        f"waiting {figures.waited:.2f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
