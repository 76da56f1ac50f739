"""Speed of Eisner's model on one core: training, parsing, growth with the sentence length.

    python -m benchmarks.eisner

Targets: 150 sentences per second on the WSJ sample, and 20 milliseconds for a sentence of 40 words.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import bistro
from benchmarks.data import best_seconds, data_dir
from bistro.models.eisner.model import EisnerModel
from bistro.treebank.sentence import Sentence

REPEATS = 5


def speed(model: EisnerModel, sentences: Sequence[Sentence], **options: Any) -> float:
    """Return the seconds for parsing all sentences on one core."""
    return best_seconds(lambda: list(model.parse_all(sentences, threads=1, **options)), REPEATS)


def growth(model: EisnerModel, words: Sequence[str], tags: Sequence[str]) -> None:
    """Print the milliseconds per sentence of 10 to 160 words, concatenated from real sentences."""
    for way in ("given", "joint"):
        times = []
        for length in (10, 20, 40, 80, 160):
            glued = [
                Sentence.from_columns(words[i : i + length], xpos=tags[i : i + length])
                for i in range(0, min(len(words), 4000) - length, length)
            ]
            times.append(speed(model, glued, tags=way) / len(glued) * 1e3)
        row = " ".join(f"{time:.2f}" for time in times)
        print(f"  tags {way}, 10 20 40 80 160 words: {row} ms per sentence", flush=True)


def main() -> None:
    folder = data_dir() / "ptb_sample"
    before = time.process_time()
    model = bistro.train("eisner", bistro.read(folder / "wsj-train.conll"), seed=1, tagset="xpos")
    print(f"WSJ sample: 20 sweeps in {time.process_time() - before:.1f} s")
    test = bistro.read(folder / "wsj-test.conll")
    for options in (
        {"tags": "given"},
        {"tags": "given", "mbr": False},
        {"tags": "joint"},
        {"tags": "joint", "kbest": 10},
        {"tags": "joint", "samples": 10},
    ):
        seconds = speed(model, test, **options)
        settings = ", ".join(f"{name} {value}" for name, value in options.items())
        print(
            f"  {settings}: {len(test) / seconds:,.0f} sentences/s, "
            f"{test.words / seconds:,.0f} words/s",
            flush=True,
        )
    words = [word for sentence in test for word in sentence.forms]
    growth(model, words, [tag for sentence in test for tag in sentence.xpos])


if __name__ == "__main__":
    main()
