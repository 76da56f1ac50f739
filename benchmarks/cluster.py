"""Parsing of raw text in pieces, by threads and by Dask workers, in one run.

    python -m benchmarks.cluster [WORDS]

A parser of EWT (preset `ud`, one sweep) parses text in the same way as training on raw text does:
with the same task, the same pieces (128 kilobytes), predicted tags and 100 particles. Each round
measures all kinds of workers in turn, and the minimum of every figure counts. The clock starts at
the first result, when the model has been sent; the time until then is printed separately. Words per
second of wall-clock time require one idle core per worker. Words per second of CPU time, summed
over all processes, show the overhead of each kind of worker even on a machine that is otherwise
busy. Pieces that only wait show how well two workers share the work, regardless of the load of the
machine.

The benchmark first measures the one process that merges the results (five levels): sorted events of
pieces of 400,000 words are added, resolved and seated. The speed of the workers' part (converting
words to ids, and sorting the events) is printed in the same line.
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
"""Number of words in each list of events that a worker sorts."""
ROUNDS = 2
WAITING_PIECES, WAITED_SECONDS = 24, 0.5
Kind = tuple[str | None, int]
KINDS: list[Kind] = [(None, 1), (None, 2), ("local:1", 0), ("local:2", 0)]


@dataclasses.dataclass(frozen=True)
class Measured:
    """Wall-clock and CPU seconds of one kind of workers, and bytes sent back."""

    broadcast: float
    clock: float
    cpu: float
    own_cpu: float
    """CPU seconds of the process that distributes the pieces and collects the results."""
    sent: int
    waited: float


def parse(
    shared: SharedModel[TransitionModel], piece: Piece
) -> tuple[dict[str, NDArray[Any]], int, float]:
    """Return the analyses of a piece, the id of the process, and its CPU time."""
    begin = time.process_time()
    _, columns = parse_piece(shared, piece)
    return columns, os.getpid(), time.process_time() - begin


def wait(shared: float, item: int) -> None:
    """Wait without using CPU time."""
    time.sleep(shared)


def read_text(folder: Path, words: int) -> list[list[str]]:
    """Return about `words` words of running text, in equal parts from every file of the folder."""
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
    """Yield the text in the pieces in which raw text is parsed."""
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
    """Parse all pieces. The result of an empty first piece shows that the model has arrived."""
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
    """Return the seconds from the first to the last result of pieces that only wait."""
    results = workers.run(wait, WAITED_SECONDS, range(WAITING_PIECES))
    next(results)
    begin = time.perf_counter()
    list(results)
    return time.perf_counter() - begin


def merging(sentences: Sequence[list[str]]) -> tuple[float, float]:
    """Return words per CPU second: encoded and sorted by workers, and merged by one process."""
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
        f"encoding and sorting, by workers: {ready:,.0f} words per CPU second; merging and "
        f"seating, by one process: {merged:,.0f}",
        flush=True,
    )
    best: dict[Kind, Measured] = {}
    for number in range(ROUNDS):
        for kind in KINDS:
            with workers_for(*kind) as workers:
                figures = measure(workers, model, pieces)
            best[kind] = least(best.get(kind, figures), figures)
            report(f"round {number + 1}, {kind[0] or f'{kind[1]} threads'}", figures, words)
    print("minimum over all rounds:")
    for kind, figures in best.items():
        report(kind[0] or f"{kind[1]} threads", figures, words)
    for what, one, two in (("threads", KINDS[0], KINDS[1]), ("Dask workers", KINDS[2], KINDS[3])):
        print(
            f"two {what}, relative to one: {best[one].clock / best[two].clock:.2f} times by the "
            f"clock, {best[one].cpu / best[two].cpu:.2f} times the words per CPU second, "
            f"{best[one].waited / best[two].waited:.2f} times with pieces that only wait"
        )


def least(a: Measured, b: Measured) -> Measured:
    """Return the minimum of every figure, because other processes can only increase it."""
    return Measured(*map(min, dataclasses.astuple(a), dataclasses.astuple(b)))


def report(name: str, figures: Measured, words: int) -> None:
    print(
        f"  {name}: {words / figures.clock:,.0f} words/s, {words / figures.cpu:,.0f} per CPU s "
        f"({figures.own_cpu / figures.cpu:.1%} in the first process), broadcast "
        f"{figures.broadcast:.2f} s, {figures.sent / words:.1f} bytes per word returned, "
        f"waiting {figures.waited:.2f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
