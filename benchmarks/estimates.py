"""Accuracy of the estimates of the remaining time: estimated divided by true remaining time.

    python -m benchmarks.estimates TREEBANK KIND [KIND ...]

Each kind is trained with default settings on one thread. The time covers reading the treebank,
training, and writing the model. The estimate is the one that the command line shows, after a fifth,
a half and four fifths of the time.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

import bistro
from bistro.inference.chains import Session
from bistro.models.kinds import find
from bistro.progress import Work, observing, phase

EVERY_SECONDS = 0.02
PLACES = (0.2, 0.5, 0.8)


def watched(kind: str, treebank: str) -> tuple[float, list[float | None]]:
    """Train a model; return the seconds, and the ratio at each fraction of `PLACES`."""
    seen: list[tuple[float, float | None]] = []
    is_over = threading.Event()
    with observing() as work, tempfile.TemporaryDirectory() as folder, phase("train"):
        watcher = threading.Thread(target=_watch, args=(work, seen, is_over))
        began = time.monotonic()
        watcher.start()
        try:
            reading = find(kind).reading
            with phase("", share=reading):
                data = bistro.read(treebank)
            session = Session(threads=1, share=1 - reading)
            model = bistro.train(kind, data, seed=1, session=session)
            model.save(Path(folder) / "model.bistro")
        finally:
            took = time.monotonic() - began
            is_over.set()
            watcher.join()
    return took, [_ratio(seen, began + place * took, began + took) for place in PLACES]


def _watch(work: Work, seen: list[tuple[float, float | None]], is_over: threading.Event) -> None:
    while not is_over.wait(EVERY_SECONDS):
        # The other thread starts and ends phases; an entry may disappear while it is read.
        try:
            seen.append((time.monotonic(), work.seconds_left()))
        except (IndexError, ValueError):
            continue


def _ratio(seen: list[tuple[float, float | None]], at: float, end: float) -> float | None:
    """Return the ratio at a moment, or None if there was no estimate."""
    moment, left = min(seen, key=lambda one: abs(one[0] - at))
    return None if left is None else left / (end - moment)


def main() -> None:
    """Print one row per kind."""
    treebank, *kinds = sys.argv[1:]
    print("kind\tseconds\ta fifth\ta half\tfour fifths")
    for kind in kinds:
        took, ratios = watched(kind, treebank)
        cells = ["none" if ratio is None else f"{ratio:.1f}" for ratio in ratios]
        print(kind, f"{took:.0f}", *cells, sep="\t", flush=True)


if __name__ == "__main__":
    main()
