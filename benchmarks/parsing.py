"""Speed of the transition parser on one core: training, loading, parsing, growth with length.

    python -m benchmarks.parsing

Figures of the original code (C++) on a machine of the same kind, with one core and the same data:
131 sentences per second with gold tags, 24 with joint tags, 20 sweeps of training in 510 s.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bistro
from benchmarks.data import best_seconds, data_dir
from bistro.config import read_toml
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank

REPEATS = 5


def trained(name: str, treebank: Treebank, preset: str) -> TransitionModel:
    """Train a model, and print the CPU time and the peak memory."""
    config = read_toml(file_or_preset(preset), TransitionConfig)
    before = time.process_time()
    model = bistro.train("transition", treebank, seed=1, config=config)
    seconds = time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sweeps = config.sampler.sweeps
    print(f"{name}: {sweeps} sweeps in {seconds:.1f} s, peak memory {peak:.0f} MB", flush=True)
    return model


def loading(model: TransitionModel) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.bistro"
        model.save(path)
        seconds = best_seconds(lambda: bistro.load(path), REPEATS)
        print(f"  loading {path.stat().st_size / 1e6:.1f} MB: {seconds:.3f} s")


def speed(model: TransitionModel, sentences: Sequence[Sentence], **options: Any) -> float:
    """Return the seconds for parsing all sentences on one core."""
    return best_seconds(lambda: list(model.parse_all(sentences, threads=1, **options)), REPEATS)


def parsing(model: TransitionModel, sentences: Treebank) -> None:
    for tags in ("given", "joint"):
        for selection, size in (("paper", 1000), ("weight", 100), ("weight", 1000)):
            seconds = speed(model, sentences, tags=tags, selection=selection, size=size)
            print(
                f"  tags {tags}, {size} particles by {selection}, minimum risk: "
                f"{len(sentences) / seconds:,.0f} sentences/s, "
                f"{sentences.words / seconds:,.0f} words/s",
                flush=True,
            )


def growth(model: TransitionModel, sentences: Treebank) -> None:
    """Print microseconds per word of 25 to 200 words, concatenated from real sentences."""
    words = [word for sentence in sentences for word in sentence.forms]
    for size in (100, 1000):
        times = []
        for length in (25, 50, 100, 200):
            glued = [
                Sentence.from_columns(words[i : i + length])
                for i in range(0, min(len(words), 4000) - length, length)
            ]
            times.append(speed(model, glued, mbr=False, size=size) / len(glued) / length * 1e6)
        row = " ".join(f"{time:.1f}" for time in times)
        print(f"  {size} particles by weight, 25 50 100 200 words: {row} microseconds per word")


def wsj() -> None:
    folder = data_dir() / "ptb_sample"
    model = trained("WSJ sample", bistro.read(folder / "wsj-train.conll"), "wsj")
    test = bistro.read(folder / "wsj-test.conll")
    loading(model)
    parsing(model, test)
    growth(model, test)


def ewt() -> None:
    folder = data_dir() / "en_ewt"
    model = trained("EWT", bistro.read(folder / "en_ewt-ud-train.conllu"), "ud")
    loading(model)
    parsing(model, bistro.read(folder / "en_ewt-ud-test.conllu"))


def main() -> None:
    # Each treebank has its own process, so that the peak memory is its own.
    for task in (wsj, ewt):
        process = multiprocessing.get_context("spawn").Process(target=task)
        process.start()
        process.join()


if __name__ == "__main__":
    main()
