"""Table 1 of Wallach, Sutton & McCallum (2008): Eisner's model with Pitman-Yor priors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import bistro
from bistro.config import merged, read_mapping
from bistro.models.eisner.model import EisnerModel
from bistro.models.presets import file_or_preset
from experiments.papers.table import Row, Table
from experiments.treebanks import Split, evaluate, load_split

PRESET = "wallach-2008-eisner"
FIGURES = {
    ("Dirichlet", "fixed"): {"maximal": 80.7, "minimal": 80.2},
    ("Dirichlet", "sampled"): {"maximal": 84.3, "minimal": 84.1},
    ("Pitman-Yor", "fixed"): {"maximal": 83.6, "minimal": 83.7},
    ("Pitman-Yor", "sampled"): {"maximal": 85.4, "minimal": 85.7},
}
"""The paper's figures."""
BEST_OF = "the same prior with seats sampled by Gibbs, ten samples averaged, the minimum-risk tree"


def accuracy(split: Split, settings: Mapping[str, Any], **options: Any) -> str:
    """Train on the training part; return UAS on the test part, without punctuation."""
    model = bistro.train("eisner", split.train, seed=1, **settings)
    assert isinstance(model, EisnerModel)
    return f"{evaluate(model, split.test, tags='given', **options).scores.no_punct.uas:.1f}"


def settings_of(prior: str, sampling: str, sampler: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a row: the preset with its prior and sampler."""
    fixed = {"hyper": "fixed"} if sampling == "fixed" else {}
    changes = {"sampler": {"dirichlet": prior == "Dirichlet", **sampler, **fixed}}
    return merged(read_mapping(file_or_preset(PRESET)), changes)


def table1_rows() -> Iterator[Row]:
    split = load_split("wsj")
    for (prior, sampling), figures in FIGURES.items():
        gibbs = {"seating": "gibbs", "hyper": "slice", "samples": 10}
        best = accuracy(split, settings_of(prior, sampling, gibbs))
        for seating, figure in figures.items():
            settings = settings_of(prior, sampling, {"seating": seating})
            published = accuracy(split, settings, mbr=False)
            yield Row(f"{prior}, {sampling}, {seating}", f"{figure}", published, best)


def tables() -> tuple[Table, ...]:
    """Return the tables of the paper's section on parsing."""
    return (
        Table(
            "table1",
            "Table 1: parse accuracy with Dirichlet and Pitman-Yor priors",
            "UAS without punctuation, WSJ sample (3,262 training and 405 test sentences), "
            "gold tags, the most probable tree, seed 1. The paper: the whole Penn Treebank.",
            table1_rows,
            best=BEST_OF,
        ),
    )
