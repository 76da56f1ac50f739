"""Morphological parsing of Shareghi et al. (2015): Table 2, on isiZulu."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

import bistro
from benchmarks.data import data_dir
from bistro.config import read_toml, to_dict
from bistro.evaluate.brackets import score_brackets
from bistro.models.morphology.config import MorphologyConfig
from bistro.models.morphology.reader import utterances
from bistro.models.morphology.utterances import UtteranceModel
from bistro.models.presets import file_or_preset
from bistro.treebank.morphology import Paragraph
from bistro.treebank.morphology_files import read_segmented
from experiments.papers.table import Row

FOLDS = 10
SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "A* Search (Local Frontier)": (
        "95.99 89.77",
        {"search": "astar-literal", "completions": 1, "expand": "all"},
    ),
    "the same, leftmost node": ("95.99 89.77", {"search": "astar-literal", "completions": 1}),
    "A* Search (Full Frontier)": (
        "93.08 85.04",
        {"search": "astar-full", "completions": 1, "expand": "all"},
    ),
    "the same, leftmost node ": ("93.08 85.04", {"search": "astar-full", "completions": 1}),
    "MCMC": ("91.33 78.86", {"search": "mcmc", "samples": 5000, "node_cost": 0.0}),
    "PCFG CYK": ("91.27 79.39", {"search": "cyk"}),
}
BEST = {"search": "astar-full"}


@cache
def paragraphs() -> list[Paragraph]:
    """Return the paragraphs of the training file."""
    return list(read_segmented(data_dir() / "zu_morph" / "zu-train.tsv", tolerance=0.001))


@cache
def fold(number: int) -> tuple[list[Paragraph], list[Paragraph]]:
    """Return the utterances of nine tenths of the paragraphs, and those of the other tenth."""
    own, rest = (
        list(utterances(p for i, p in enumerate(paragraphs()) if (i % FOLDS == number) == inside))
        for inside in (True, False)
    )
    return rest, own


@cache
def trained(number: int, preset: bool = True) -> UtteranceModel:
    """Return the model of one fold, as published or with Bistro's own settings."""
    settings: dict[str, Any] = {"unit": "utterance"}
    if preset:
        source = file_or_preset("shareghi-2015-morphology")
        settings = to_dict(read_toml(source, MorphologyConfig))
    model: UtteranceModel = bistro.train("morphology", fold(number)[0], seed=1, **settings)
    return model


def scores(number: int, options: dict[str, Any], preset: bool = True) -> tuple[float, float]:
    """Return unlabelled F1 and exact match on one fold."""
    model = trained(number, preset)
    test = fold(number)[1]
    given = [model.task.words_of(item) for item in test]
    found = model.group(given, threads=1, **options)
    report = score_brackets([model.task.gold(item) for item in test], found).all
    assert report.unlabelled.f1 is not None and report.exact is not None
    return report.unlabelled.f1, report.exact


def mean(figures: Sequence[tuple[float, float]]) -> str:
    """Return means over folds, and the standard error of F1."""
    f1, exact = np.mean(figures, axis=0)
    error = np.std([one for one, _ in figures], ddof=1) / np.sqrt(len(figures))
    return f"{f1:.2f} ± {error:.2f}, {exact:.2f}"


def table2() -> Iterator[Row]:
    """Yield every search, averaged over ten folds."""
    at_best = mean([scores(number, BEST, preset=False) for number in range(FOLDS)])
    for name, (paper, options) in SEARCHES.items():
        row = mean([scores(number, options) for number in range(FOLDS)])
        yield Row(name, paper, row, at_best if name.startswith("A* Search (Full") else "-")
