"""Language models of treebank and raw text: the 5-gram, the parser, and both mixed.

    python -m experiments.language_tables                          # all rows: about 40 minutes
    python -m experiments.language_tables wsj --unknown single     # some
    python -m experiments.language_tables text --set 'raw_text.learns=["words"]' --preset FILE.toml

Data sets: `wsj` (sample of the Penn Treebank, preset `wsj`), `ewt` (preset `language`), `text`
(EWT and all but the last 5 % of the sentences of every file of `text_en`; those 5 % are the test
set; preset `language`). `dev` trains on the first 90 % of `text_en` and tests on the next 5 %; it
was used to choose the settings.

Perplexity over words and sentence ends. Words seen once in training and unknown words are one
`<unk>` or classes, the same for both models. The 5-gram averages 40 samples, the parser 10; its
sums over analyses are sequential Monte Carlo, 10 runs of 100 particles, all tags. The weight of the
mixture is fitted on the development set of the treebank. The last line of each data set shows the
CPU seconds of training and the peak memory of the process so far. With --parse, the development set
of the treebank is also parsed (1000 particles, predicted tags), to measure the effect of the text
on the parser.
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bistro
from benchmarks.data import data_dir
from bistro.config import apply_overrides, read_toml
from bistro.models.abilities import SCORE
from bistro.models.base import Model
from bistro.models.inputs import as_words
from bistro.models.presets import file_or_preset
from bistro.models.transition.config import TransitionConfig
from bistro.models.transition.model import TransitionModel
from bistro.tasks.mixture import fitted_weights, mixed
from bistro.treebank.treebank import Treebank
from experiments.treebanks import HEADINGS, evaluate, load_split

SEED = 1
PARTS = {"text": (0.95, 1.0), "dev": (0.90, 0.95)}
"""Begin and end of the test set of raw text, as fractions; training ends where it begins."""


@dataclass(frozen=True)
class Data:
    """Training, development and test data of the models."""

    preset: str
    trees: Treebank
    texts: list[Path]
    dev: Treebank
    test: Sequence[Any]
    more: dict[str, Sequence[Any]]
    """Other test sets."""


def load(name: str, folder: Path) -> Data:
    """Return a data set; training texts are written to the folder."""
    split = load_split("wsj" if name == "wsj" else "ewt")
    if name not in PARTS:
        preset = "wsj" if name == "wsj" else "language"
        return Data(preset, split.train, [], split.dev, split.test, {})
    first, last = PARTS[name]
    texts, test = [], []
    for file in sorted((data_dir() / "text_en").glob("*.txt")):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        begin, end = int(first * len(lines)), int(last * len(lines))
        texts.append(folder / file.name)
        texts[-1].write_text("".join(lines[:begin]), encoding="utf-8")
        test += [line.split(" ") for line in map(str.strip, lines[begin:end]) if line]
    return Data("language", split.train, texts, split.dev, test, {"EWT test": split.test})


def train_ngram(data: Data, unknown: str) -> Model:
    """Train the 5-gram on the words of trees and texts."""
    words = as_words(data.trees)
    for path in data.texts:
        words += as_words(bistro.read(path))
    return bistro.train("ngram", words, seed=SEED, unknown=unknown)


def train_parser(data: Data, unknown: str, overrides: list[str]) -> Model:
    """Train the parser on the trees and, if there are any, the texts."""
    config = read_toml(file_or_preset(data.preset), TransitionConfig)
    config = apply_overrides(config, [f"unknown={unknown}", *overrides])
    return bistro.train("transition", data.trees, config=config, seed=SEED, text=data.texts)


def log_probs(model: Model, sentences: Sequence[Any]) -> NDArray[np.float64]:
    """Return the natural logarithms of the probabilities of all words and sentence ends."""
    return SCORE.of(model).score(sentences).log_probs


def perplexity(logs: NDArray[np.float64]) -> float:
    return math.exp(-float(logs.mean()))


def rows(data: Data, unknown: str, overrides: list[str], *, parse: bool) -> Iterator[str]:
    """Train both models, and yield the lines of the table."""
    began = time.process_time()
    ngram = train_ngram(data, unknown)
    spent_on_ngram, began = time.process_time() - began, time.process_time()
    parser = train_parser(data, unknown, overrides)
    spent_on_parser = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    weights = fitted_weights([log_probs(parser, data.dev), log_probs(ngram, data.dev)])
    for name, sentences in {"test": data.test, **data.more}.items():
        baseline, syntactic = log_probs(ngram, sentences), log_probs(parser, sentences)
        mixture = mixed([syntactic, baseline], weights)
        figures = [perplexity(logs) for logs in (baseline, syntactic, mixture)]
        against = ", ".join(f"{100 * (f / figures[0] - 1):+.1f} %" for f in figures[1:])
        yield (
            f"{name:<9} {baseline.size:>8,} events  5-gram {figures[0]:7.2f}  "
            f"transition {figures[1]:7.2f}  mixture {figures[2]:7.2f} (weight {weights[0]:.2f})  "
            f"against the 5-gram {against}"
        )
    yield (
        f"training: 5-gram {spent_on_ngram:.0f} s, transition {spent_on_parser:.0f} s; "
        f"{memory:.2f} GB"
    )
    if parse:
        assert isinstance(parser, TransitionModel)
        yield f"parsing dev: {HEADINGS}"
        yield f"             {evaluate(parser, data.dev).row()}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ["wsj", "ewt", "text"]
    parser.add_argument("data", nargs="*", choices=[*names, "dev", []], default=names)
    parser.add_argument("--unknown", nargs="+", choices=["single", "classes"])
    parser.add_argument("--preset", help="preset of the parser; default: that of the data set")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--parse", action="store_true", help="parse the development set too")
    options = parser.parse_args()
    for name in options.data:
        for unknown in options.unknown or ["single", "classes"]:
            with tempfile.TemporaryDirectory() as folder:
                data = load(name, Path(folder))
                data = replace(data, preset=options.preset or data.preset)
                print(name, f"unknown={unknown}", data.preset, *options.set, flush=True)
                for row in rows(data, unknown, options.set, parse=options.parse):
                    print(f"  {row}", flush=True)


if __name__ == "__main__":
    main()
