"""Titov & Henderson (2007), A Latent Variable Model for Generative Dependency Parsing.

Only Danish: the Dutch and Slovene treebanks of the paper are not available. Models that exist in
the folder BISTRO_MODELS are loaded instead of trained; new ones are saved there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import bistro
from bistro.config import merged, read_mapping
from bistro.evaluate.by_length import score_by_length
from bistro.inference.chains import Session
from bistro.models.isbn.model import IsbnModel
from bistro.models.presets import file_or_preset
from bistro.treebank.sentence import Sentence
from experiments.papers.table import Paper, Row, Table
from experiments.treebanks import Split, evaluate, load_split, with_analysis

PRESET = "titov-henderson-2007"
TUNED = {"features": ["malt", "decisions"]}
VARIANTS: dict[str, Mapping[str, Any]] = {
    "TF": TUNED,
    "LF": {},
    "TF-NA": {**TUNED, "links": False},
}
"""The changes of each model of the paper to the preset."""
OURS: dict[str, Mapping[str, Any]] = {
    "TF": {"tagset": "xpos"},
    "LF": {"tagset": "xpos", "features": ["local"]},
    "TF-NA": {"tagset": "xpos", "links": False},
}
NAMES = {"TF": "tuned features (TF)", "LF": "local features (LF)", "TF-NA": "no links (TF-NA)"}
FIGURES = {"TF": 85.0, "LF": 84.5, "TF-NA": 83.5}
OTHERS = {"MALT, TF": 85.1, "MALT, LF": 79.8, "MST": 84.8, "mean of the shared task": 78.3}
BY_LENGTH = {
    "TF": {"to root": 95.1, "1": 95.7, "2": 90.1, "3-6": 84.1, ">= 7": 74.7},
    "MALT": {"to root": 95.4, "1": 96.0, "2": 90.8, "3-6": 84.0, ">= 7": 71.6},
}
"""The paper's figures for Danish."""
AS_PUBLISHED: dict[str, Any] = {"tags": "given", "size": 30, "labels_per_arc": 5, "mbr": False}
BEST = (
    "Bistro's default settings (160 variables, feed-forward means, dropout, classes of unknown "
    "words, rich features for TF), the minimum-risk tree"
)


@cache
def danish() -> Split:
    """Return the Danish treebank."""
    return load_split("ddt")


@cache
def model_of(variant: str, published: bool) -> IsbnModel:
    """Return a model of the paper, selected on the development part, seed 1."""
    folder = os.environ.get("BISTRO_MODELS")
    path = Path(folder or "") / f"{PRESET}-{variant}-{'published' if published else 'best'}.bistro"
    if folder and path.exists():
        loaded = bistro.load(path)
        assert isinstance(loaded, IsbnModel)
        return loaded
    preset = read_mapping(file_or_preset(PRESET)) if published else {}
    settings = merged(preset, (VARIANTS if published else OURS)[variant])
    session, split = Session(threads=1), danish()
    model = bistro.train("isbn", split.train, dev=split.dev, session=session, seed=1, **settings)
    if folder:
        model.save(path)
    return model


def attachment(variant: str, *, published: bool) -> str:
    """Return LAS and UAS on the test part, without punctuation."""
    options = AS_PUBLISHED if published else {"tags": "given"}
    scores = evaluate(model_of(variant, published), danish().test, **options).scores.no_punct
    return f"{scores.las:.1f} ({scores.uas:.1f})"


def table1_rows() -> Iterator[Row]:
    for variant, figure in FIGURES.items():
        published = attachment(variant, published=True)
        best = attachment(variant, published=False)
        yield Row(f"ISBN, {NAMES[variant]}", f"{figure}", published, best)
    for name, figure in OTHERS.items():
        yield Row(name, f"{figure}")


def lengths(variant: str, *, published: bool) -> dict[str, str]:
    """Return F1 by length on the test part, labelled and unlabelled, without punctuation."""
    model, test = model_of(variant, published), danish().test
    options = AS_PUBLISHED if published else {"tags": "given"}
    parses = model.parse_all(test, threads=1, **options)
    pairs = zip(test, parses, strict=True)
    found: list[Sentence] = [with_analysis(model, sentence, parse) for sentence, parse in pairs]
    classes = score_by_length(test, found, "unicode")
    return {c.length: f"{c.las.f1:.1f} ({c.uas.f1:.1f})" for c in classes}


def table2_rows() -> Iterator[Row]:
    for variant in VARIANTS:
        published, best = (lengths(variant, published=p) for p in (True, False))
        for length, figure in published.items():
            paper = f"{BY_LENGTH[variant][length]}" if variant in BY_LENGTH else "-"
            yield Row(f"ISBN, {variant}, {length}", paper, figure, best[length])
    for length, value in BY_LENGTH["MALT"].items():
        yield Row(f"MALT, {length}", f"{value}")


PROTOCOL = (
    "without punctuation (as in CoNLL-X), Danish (DDT) test part, given tags and features, beam "
    "30, seed 1. The paper: the release of 2006; its Dutch and Slovene treebanks are not available "
    "here."
)
PAPER = Paper(
    "titov-henderson-2007",
    "Titov & Henderson (2007), A Latent Variable Model for Generative Dependency Parsing",
    (PRESET,),
    (
        Table(
            "table1",
            "Table 1: labelled attachment on Danish",
            f"LAS (in brackets UAS) {PROTOCOL}",
            table1_rows,
            best=BEST,
        ),
        Table(
            "table2",
            "Table 2: F1 by the length of the dependency on Danish",
            f"F1 of labelled (in brackets unlabelled) arcs {PROTOCOL}",
            table2_rows,
            best=BEST,
        ),
    ),
)
