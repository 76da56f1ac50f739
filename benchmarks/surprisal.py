"""Speed of surprisal from the transition parser on one core, with `model.score`, in one run.

    python -m benchmarks.surprisal [PRESET ...]

Words per second of CPU time, best of three, for search and sequential Monte Carlo. All tags are
possible for every word (the default), or only the tags that the word had in training. The
perplexity of each method is also printed, because a faster method may sum over fewer analyses.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import bistro
from benchmarks.data import best_seconds, data_dir
from bistro.config import read_toml
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel

REPEATS = 3
PARTICLES = (10, 100, 1000)
TREEBANKS = {
    "wsj": ("ptb_sample/wsj-train.conll", "ptb_sample/wsj-test.conll"),
    "ud": ("en_ewt/en_ewt-ud-train.conllu", "en_ewt/en_ewt-ud-test.conllu"),
}


def speed(model: TransitionModel, texts: Sequence[Sequence[str]], **options: Any) -> str:
    """Return words per second and perplexity, as a cell of the table."""
    words = sum(map(len, texts))
    seconds = best_seconds(lambda: model.score(texts, **options), REPEATS)
    perplexity = math.exp(-float(model.score(texts, **options).log_probs.mean()))
    return f"{words / seconds:,.0f} words/s, perplexity {perplexity:.2f}"


def table(preset: str) -> None:
    """Train with the preset, and print one line per method of summing."""
    train, test = (bistro.read(data_dir() / path) for path in TREEBANKS[preset])
    config = read_toml(file_or_preset(preset), TransitionConfig)
    model = bistro.train("transition", train, seed=1, config=config)
    texts = [sentence.forms for sentence in test]
    print(f"{preset}: {len(texts)} sentences, {test.words} words")
    for particles in PARTICLES:
        for method in ("search", "smc"):
            for tags in ("all", "seen"):
                sums = {"method": method, "particles": particles, "tags": tags}
                cell = speed(model, texts, repeats=1, threads=1, **sums)
                print(f"  {method}, {particles} particles, tags {tags}: {cell}", flush=True)


def main() -> None:
    for preset in sys.argv[1:] or ["wsj"]:
        table(preset)


if __name__ == "__main__":
    main()
