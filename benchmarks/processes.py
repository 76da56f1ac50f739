"""Public processes of depth 5: observations and predictions per second on one core, from Python.

    python -m benchmarks.processes [--events 2000000]

The data are the bytes and the words of text_en. Observations are online: each outcome is predicted
and then seated. Predictions are made in batches: a sequence, a matrix of contexts with an array of
outcomes, or a list of tuples. Figures are millions per second of CPU time; they include the time to
convert Python objects to numbers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.text_bytes import english
from bistro.pitman_yor import PitmanYor

DEPTH = 5


def rate(count: int, work: Callable[[], Any]) -> float:
    """Return millions per second of CPU time."""
    start = time.process_time()
    work()
    return count / (time.process_time() - start) / 1e6


def on_bytes(events: int, seating: Any) -> None:
    data = english(4 * events)
    process = PitmanYor(DEPTH, outcomes=range(256), seating=seating, hyper="fixed")
    first, second = data[:events], data[events : 2 * events]
    later = np.frombuffer(data[2 * events : 3 * events], np.uint8).astype(np.int32)
    windows = np.lib.stride_tricks.sliding_window_view(later, DEPTH + 1)
    contexts, outcomes = windows[:, :DEPTH], np.ascontiguousarray(windows[:, DEPTH])
    row = [
        rate(events, lambda: process.observe_all(first)),
        rate(events, lambda: process.observe_all(second)),
        rate(later.size, lambda: process.log_probs(later)),
        rate(outcomes.size, lambda: process.log_probs(contexts, outcomes)),
    ]
    tuples = [tuple(context) for context in contexts[: events // 4].tolist()]
    row.append(rate(len(tuples), lambda: process.log_probs(tuples, outcomes[: len(tuples)])))
    tell("bytes", seating, row)


def on_words(events: int, seating: Any) -> None:
    words = english(16 * events).decode(errors="ignore").split()[: 2 * events]
    process = PitmanYor(DEPTH, outcomes=list(dict.fromkeys(words)), seating=seating, hyper="fixed")
    half = len(words) // 2
    tuples = [tuple(words[i - DEPTH : i]) for i in range(half, half + half // 4)]
    row = [
        rate(half, lambda: process.observe_all([words[:half]])),
        rate(half, lambda: process.observe_all([words[half:]])),
        rate(half, lambda: process.log_probs([words[half:]])),
        float("nan"),
        rate(len(tuples), lambda: process.log_probs(tuples, words[half : half + len(tuples)])),
    ]
    tell("words", seating, row)


def tell(data: str, seating: str, row: list[float]) -> None:
    print(f"{data:>6} {seating:>8} " + " ".join(f"{value:>9.2f}" for value in row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=2_000_000)
    events = parser.parse_args().events
    names = ("observe", "and more", "sequence", "matrix", "tuples")
    print(f"{'data':>6} {'seating':>8} " + " ".join(f"{name:>9}" for name in names))
    for seating in ("gibbs", "minimal"):
        on_bytes(events, seating)
        on_words(events // 2, seating)


if __name__ == "__main__":
    main()
