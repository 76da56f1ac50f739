"""Gibbs sweeps of a 5-gram model: speed, growth and memory, on one core.

    python -m benchmarks.sweep

Speed is training tokens times levels per second, including hyper-parameters. Growth is measured on
0.1 to 2.5 million words of running text; a constant time per token means linear growth. Memory is
the size of the franchise per (context, outcome) entry, trainable and frozen, and the growth of the
whole process at its peak (0 if reading the data used more).
"""

from __future__ import annotations

import multiprocessing
import resource
from pathlib import Path

from benchmarks.data import best_seconds, data_dir, words_of
from bistro._core import UniformBase
from bistro.encoding.events import text_events
from bistro.encoding.vocabulary import Vocabulary
from bistro.inference.gibbs import Chain
from bistro.models.ngram.config import NgramConfig

ORDER = 5


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, words: int | None, sweeps: int = 10) -> float:
    """Print one row and return the nanoseconds per token and level."""
    sentences = text_of(data_dir() / "text_en", words) if words else wsj_sample()
    config = NgramConfig(unknown="single")
    vocabulary = Vocabulary.of(sentences, config)
    events = text_events(sentences, vocabulary, config.order)
    before = peak_megabytes()
    chain = Chain("words", events, UniformBase(len(vocabulary) + 1), config.sampler, seed=1)
    chain.seat()
    numbers = iter(range(sweeps))
    seconds = best_seconds(lambda: chain.step(next(numbers), keep=False), sweeps - 1)
    trainable = chain.franchise.bytes
    process = (peak_megabytes() - before) * 1e6
    chain.step(sweeps - 1, keep=True)
    frozen = sum(array.nbytes for array in chain.frozen().values())
    entries = chain.franchise.num_entries
    levels = len(events) * ORDER
    print(
        f"{name:>12} {len(events):>10,} {entries:>11,} {levels / seconds / 1e6:>10.1f} "
        f"{seconds / levels * 1e9:>7.1f} {trainable / entries:>10.1f} {process / entries:>10.1f} "
        f"{frozen / entries:>9.1f}",
        flush=True,
    )
    return seconds / levels * 1e9


def wsj_sample() -> list[list[str]]:
    return words_of(data_dir() / "ptb_sample" / "wsj-train.conll")


def text_of(folder: Path, words: int) -> list[list[str]]:
    """Return about `words` words of English text, in equal parts from every file."""
    files = sorted(folder.glob("*.txt"))
    sentences = []
    for file in files:
        count = 0
        for sentence in words_of(file):
            if count >= words / len(files):
                break
            sentences.append(sentence)
            count += len(sentence)
    return sentences


def main() -> None:
    print(
        f"{'data':>12} {'events':>10} {'entries':>11} {'Mtok*lev/s':>10} {'ns each':>7} "
        f"{'B/entry':>10} {'peak RSS/e':>10} {'frozen/e':>9}",
        flush=True,
    )
    rows: list[tuple[str, int | None]] = [("ptb_sample", None)]
    rows += [(f"text {words / 1e6:.1f} M", words) for words in (100_000, 500_000, 2_500_000)]
    # Each row has its own process, because the peak of one row would hide that of the next.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        figures = pool.starmap(measure, rows, chunksize=1)
    print(
        f"growth: time per token and level at 2.5 M words is {figures[-1] / figures[1]:.2f} x 0.1 M"
    )


if __name__ == "__main__":
    main()
