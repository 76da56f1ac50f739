"""The latent-variable parser as a language model, with the 5-gram and the transition parser.

    python -m experiments.isbn_language [wsj] [ewt] [--models FOLDER]

Perplexity of the test part over words and sentence ends, seed 1; the three models of a treebank
share one vocabulary. `wsj`: words seen once in training and unknown words are one `<unk>`. `ewt`:
words seen fewer than five times and unknown words are classes, so that the parser of
`experiments.isbn_tables` can be used. The 5-gram averages 40 samples. The transition parser
(presets `wsj`, `language`) averages 10 samples, and its sums over trees and tags are sequential
Monte Carlo, 10 runs of 100 particles, all tags. The latent-variable parser sums over the analyses
that its search keeps, a lower bound of the probability, with beams of 30, 100 and 300 (WSJ).
Weights of mixtures are fitted on the development part with a beam of 100.

Models that exist in FOLDER (`wsj-isbn.bistro`, `ewt.bistro`) are loaded instead of trained.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from bistro.config import apply_overrides, read_toml
from bistro.inference.chains import Session
from bistro.models.abilities import SCORE
from bistro.models.base import Model
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.tasks.mixture import fitted_weights, mixed
from bistro.treebank.treebank import Treebank
from experiments.language_tables import log_probs, perplexity
from experiments.treebanks import Split, load_split

SETTINGS: dict[str, tuple[dict[str, Any], str, str, tuple[int, ...]]] = {
    "wsj": ({"unknown": "single", "unknown_below": 2}, "wsj", "wsj-isbn", (30, 100, 300)),
    "ewt": ({"unknown": "classes", "unknown_below": 5}, "language", "ewt", (30, 100)),
}
"""Vocabulary, preset of the transition parser, model file and beams of each treebank."""
MIXED = 100
"""The beam of the latent-variable parser in mixtures."""


def isbn_of(split: Split, words: dict[str, Any], path: Path | None) -> Model:
    if path and path.exists():
        return bistro.load(path)
    session = Session(threads=2)
    return bistro.train("isbn", split.train, dev=split.dev, seed=1, session=session, **words)


def searched(isbn: Model, sentences: Treebank, width: int) -> NDArray[np.float64]:
    """Return the log-probabilities that a beam of `width` finds."""
    return SCORE.of(isbn).score(sentences, particles=width).log_probs


def report(name: str, folder: Path | None) -> None:
    """Train the missing models, and print the figures of a treebank."""
    words, preset, file, beams = SETTINGS[name]
    split = load_split(name)
    isbn = isbn_of(split, words, folder / f"{file}.bistro" if folder else None)
    overrides = [f"{key}={value}" for key, value in words.items()]
    config = apply_overrides(read_toml(file_or_preset(preset), TransitionConfig), overrides)
    others: dict[str, Model] = {
        "5-gram": bistro.train("ngram", split.train, seed=1, **words),
        "transition": bistro.train("transition", split.train, config=config, seed=1),
    }
    print(f"\n{name} test", flush=True)
    logs = {
        other: (log_probs(model, split.dev), log_probs(model, split.test))
        for other, model in others.items()
    }
    found = {width: searched(isbn, split.test, width) for width in beams}
    for width, on_test in found.items():
        print(f"isbn, beam {width:<20} {perplexity(on_test):7.2f}", flush=True)
    logs["isbn"] = searched(isbn, split.dev, MIXED), found[MIXED]
    for other in others:
        print(f"{other:<31} {perplexity(logs[other][1]):7.2f}  {logs[other][1].size:,} events")
    for one, other in combinations(reversed(logs), 2):
        weights = fitted_weights([logs[one][0], logs[other][0]])
        both = perplexity(mixed([logs[one][1], logs[other][1]], weights))
        print(f"{f'{one} and {other}':<31} {both:7.2f}  weight of {one} {weights[0]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="*", default=list(SETTINGS))
    parser.add_argument("--models", type=Path, default=None)
    options = parser.parse_args()
    print(__doc__)
    for name in options.treebanks:
        report(name, options.models)


if __name__ == "__main__":
    main()
