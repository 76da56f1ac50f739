"""Boundaries of words and sentences: characters alone, and with a model of both sides.

    python -m experiments.ends                    # French, Hebrew, English

The training part (Hebrew: the development part) is divided into five contiguous folds (English:
every second of ten folds). Each fold is segmented by a model of the others. Running text is rebuilt
from the treebank. Seed 1; F1 in percent, mean over the folds.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

import bistro
from benchmarks.data import data_dir
from bistro.models.tokens.around import Around
from bistro.models.tokens.model import TokensModel
from bistro.treebank.sentence import Sentence

FILES = {
    "fr": ("fr_partut/fr_partut-ud-train.conllu", 5, 1),
    "he": ("he_htb/he_htb-ud-dev.conllu", 5, 1),
    "ewt": ("en_ewt/en_ewt-ud-train.conllu", 10, 2),
}
"""The file of each treebank, its number of folds, and the step between evaluated folds."""


def folds(name: str) -> Iterator[tuple[list[Sentence], list[Sentence]]]:
    """Yield the training and the held-out sentences of each fold."""
    path, number, step = FILES[name]
    data = list(bistro.read(data_dir() / path))
    bounds = [len(data) * fold // number for fold in range(number + 1)]
    for begin, end in list(pairwise(bounds))[::step]:
        yield data[:begin] + data[end:], data[begin:end]


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("treebanks", nargs="*", default=[*FILES], help=", ".join(FILES))
    for name in options.parse_args().treebanks:
        rows: dict[str, list[list[float]]] = {"characters alone": [], "both sides": []}
        for train, held_out in folds(name):
            model = bistro.train("tokens", train, seed=1)
            assert isinstance(model, TokensModel)
            alone = replace(model, around=Around({}))
            for what, one in zip(rows, (alone, model), strict=True):
                figures = one.figures(held_out)
                rows[what].append([figures[key] for key in figures])
        for what, found in rows.items():
            means = np.mean(found, axis=0)
            shown = "  ".join(f"{k} {m:.2f}" for k, m in zip(figures, means, strict=True))
            print(f"{name:<4} {what:<18} {shown}", flush=True)


if __name__ == "__main__":
    main()
