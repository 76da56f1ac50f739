"""Are unbounded contexts better than bounded ones, as Shareghi et al. (2015) claim? A sweep.

    python -m experiments.unbounded_claim sizes [TASK ...] -o FILE.tsv    # data sizes and depths
    python -m experiments.unbounded_claim priors [TASK ...] -o FILE.tsv   # discounts and strengths
    python -m experiments.unbounded_claim picture FILE.tsv -o docs/images/unbounded-claim.svg
    python -m experiments.unbounded_claim table FILE.tsv                  # and as Markdown

The paper fits one discount and one strength per length of context to the minimal seating, under
priors Beta(a, b) and Gamma(shape, rate) whose parameters it does not report. `priors` varies them,
from flat priors to priors that outweigh the data, and also fixes the pairs: at one value for all
lengths, or increasing with the length as in the sequence memoizer, on which the paper is based.
`sizes` compares depths 1, 2, 3, 5 and unbounded (depth includes the node's own symbol: 1 is a PCFG
or a hidden Markov model) on 1/8, 1/4, 1/2 and all of the training part, for three ways of learning:
as published (minimal seating, flat priors); minimal seating with pairs fitted to predict held-out
blocks, which is the best that any prior could do for held-out data; and sampled seating (30 sweeps,
10 averaged; unbounded is 20).

Tasks: ewt, ddt (UPOS), wsj (XPOS): percentage of correct tags, beam 16, minimum risk; trees (WSJ
sample): labelled F1, 500 draws with 10 subtrees each. Development parts, one thread; sampled
seating of tags with two seeds, all else with one.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.brackets import score_brackets
from bistro.models.settings import settled_settings
from bistro.models.tags.model import TagsModel
from bistro.models.unbounded.model import UnboundedModel
from bistro.models.unbounded.train import TrieChain, chain_of
from bistro.treebank.tree_files import read_examples
from experiments.treebanks import load_split
from experiments.unbounded_claim_report import draw, table

TAGS = {"ewt": "upos", "ddt": "upos", "wsj": "xpos"}
TASKS = (*TAGS, "trees")
SIZES = (8, 4, 2, 1)
"""Training uses one item in this many of the training part."""
DEPTHS = (1, 2, 3, 5, None)
WHOLE = 20
"""The depth of "unbounded" if the seating is sampled."""
GIBBS = {"seating": "gibbs", "hyper": "slice", "sweeps": 30, "samples": 10}
WAYS: dict[str, dict[str, Any]] = {
    "as published": {"fit": "seating"},
    "left-out": {"fit": "left-out"},
    "sampled": {"sampler": GIBBS},
}
FLAT = (1.0, 1.0)
PRIORS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "Beta(1, 1), Gamma(1, 1)": (FLAT, FLAT),
    "Beta(1, 1), Gamma(1, 0.01)": (FLAT, (1.0, 0.01)),
    "Beta(1, 1), Gamma(100, 1)": (FLAT, (100.0, 1.0)),
    "Beta(1, 1), Gamma(10000, 100)": (FLAT, (1e4, 100.0)),
    "Beta(10, 1), Gamma(1, 1)": ((10.0, 1.0), FLAT),
    "Beta(900, 100), Gamma(1, 1)": ((900.0, 100.0), FLAT),
    "Beta(90000, 10000), Gamma(1, 1)": ((9e4, 1e4), FLAT),
}
FIXED: dict[str, tuple[Sequence[float], float]] = {
    "d = 0.5, c = 1": ((0.5,), 1.0),
    "d = 0.8, c = 0.1": ((0.8,), 0.1),
    "d = 0.9, c = 1": ((0.9,), 1.0),
    "d = 0.62 0.69 0.74 0.80 0.95 ..., c = 0.1": ((0.62, 0.69, 0.74, 0.80, 0.95), 0.1),
    "d = 0.5 0.8 0.9 0.95 ..., c = 1": ((0.5, 0.8, 0.9, 0.95), 1.0),
    "d = 0.5 0.9 0.99 ..., c = 1": ((0.5, 0.9, 0.99), 1.0),
}

STRONG = ("Beta(90000, 10000), Gamma(1, 1)", "d = 0.9, c = 1", "d = 0.5 0.9 0.99 ..., c = 1")
"""Priors and fixed values that are best without a bound."""


@dataclass(frozen=True)
class Figure:
    """One model: its task, training data, settings and figures on the development part."""

    task: str
    size: int
    way: str
    prior: str
    depth: str
    seed: int
    right: float
    bits: float
    seconds: float


@cache
def data(task: str) -> tuple[list[Any], list[Any]]:
    """Return the training and the development part."""
    if task == "trees":
        paths = [data_dir() / "ptb_sample" / f"wsj-{part}.mrg" for part in ("train", "dev")]
        train, dev = (list(read_examples(path)) for path in paths)
        return train, dev
    split = load_split(task)
    return list(split.train), list(split.dev)


def settings_of(task: str, depth: int | None, **more: Any) -> dict[str, Any]:
    """Return the settings of a model of this depth."""
    own = {"tagset": TAGS[task]} if task in TAGS else {}
    return {"depth": depth, "gibbs_depth": depth or WHOLE, **own, **more}


def trained(task: str, size: int, depth: int | None, seed: int, **more: Any) -> UnboundedModel:
    """Return a model trained on one item in every `size`."""
    kind = "trees" if task == "trees" else "tags"
    items = data(task)[0][::size]
    settings = settings_of(task, depth, **more)
    model = bistro.train(kind, items, seed=seed, **settings)
    assert isinstance(model, UnboundedModel)
    return model


def with_pairs(
    task: str, size: int, depth: int | None, discounts: Sequence[float], strength: float
) -> UnboundedModel:
    """Return a model with fixed discounts by length; the last applies to all longer contexts."""
    kind, config = settled_settings(
        "trees" if task == "trees" else "tags", settings_of(task, depth, fit="seating")
    )
    model_class: Any = kind.model_class()
    items = data(task)[0][::size]
    learner, derivations = model_class.task_class.learn(items, config)
    pcfg = learner.base(learner.rules.counts(derivations), config.base_smoothing)
    chain = chain_of(learner, derivations, pcfg, config, 1)
    assert isinstance(chain, TrieChain)
    levels = len(chain.state()["rules.parameters"])
    by_length = [*discounts, *[discounts[-1]] * levels][:levels]
    chain.restore({"rules.parameters": np.array([(d, strength) for d in by_length])})
    origin = trained(task, 64, 1, 1, fit="seating").origin
    model: UnboundedModel = model_class(config, learner, pcfg, chain.frozen(), origin)
    return model


def judged(task: str, model: UnboundedModel) -> tuple[float, float]:
    """Return the percentage of correct tags, or F1; and bits per word."""
    dev = data(task)[1]
    bits = UnboundedModel.figures(model, dev)["bits per word"]
    if isinstance(model, TagsModel):
        tags = [tagging.tags for tagging in model.tag_all(dev, threads=1)]
        pairs = [(t, getattr(s, model.tag_column)) for t, s in zip(tags, dev, strict=True)]
        right = sum(a == b for found, gold in pairs for a, b in zip(found, gold, strict=True))
        return 100 * right / sum(len(gold) for _, gold in pairs), bits
    words = [model.task.words_of(tree) for tree in dev]
    options = {"threads": 1, "samples": 500, "subtrees": 10}
    found = [parse.tree for parse in model.parse_trees(words, **options)]  # type: ignore[attr-defined]
    f1 = score_brackets(dev, found).all.labelled.f1
    assert f1 is not None
    return f1, bits


def figure(task: str, size: int, way: str, prior: str, depth: int | None, seed: int) -> Figure:
    """Train and evaluate one model."""
    begin = time.process_time()
    if prior in FIXED:
        model = with_pairs(task, size, depth, *FIXED[prior])
    else:
        settings = dict(WAYS[way])
        if way == "as published":
            d, c = PRIORS[prior]
            sampler = {"seating": "minimal", "hyper": "map", "sweeps": 1, "samples": 1}
            settings["sampler"] = {**sampler, "discount_prior": d, "strength_prior": c}
        model = trained(task, size, depth, seed, **settings)
    right, bits = judged(task, model)
    shown = "inf" if depth is None else str(depth)
    seconds = time.process_time() - begin
    return Figure(task, size, way, prior, shown, seed, right, bits, seconds)


def sizes(tasks: Sequence[str]) -> Iterator[Figure]:
    """Yield figures for all data sizes and depths, for every way of learning."""
    flat = next(iter(PRIORS))
    for task in tasks:
        for size in SIZES:
            for way in WAYS:
                for seed in (1, 2) if way == "sampled" and task in TAGS else (1,):
                    for depth in DEPTHS:
                        yield figure(task, size, way, flat, depth, seed)


def priors(tasks: Sequence[str]) -> Iterator[Figure]:
    """Yield figures by depth for every prior and every fixed choice, on all data and an eighth.

    The two large tasks use only those that were best on the small ones, on all data.
    """
    for task in tasks:
        is_small = task in ("ddt", "wsj")
        for size in (8, 1) if is_small else (1,):
            for prior in (*list(PRIORS)[1:], *FIXED) if is_small else STRONG:
                for depth in DEPTHS[1:] if is_small else (2, 3, None):
                    yield figure(task, size, "as published", prior, depth, 1)


def written(figures: Iterable[Figure], path: Path) -> None:
    """Append figures to a table, each as soon as it is computed."""
    names = [field.name for field in fields(Figure)]
    is_new = not path.exists()
    with path.open("a", encoding="utf-8") as file:
        if is_new:
            print(*names, sep="\t", file=file)
        for one in figures:
            cells = (getattr(one, name) for name in names)
            shown = (f"{cell:.4f}" if isinstance(cell, float) else cell for cell in cells)
            print(*shown, sep="\t", file=file, flush=True)


def read(paths: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of stored tables."""
    rows: list[dict[str, str]] = []
    for path in paths:
        with Path(path).open(encoding="utf-8") as file:
            rows += csv.DictReader(file, delimiter="\t")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=("sizes", "priors", "picture", "table"))
    parser.add_argument("names", nargs="*", help="tasks, or for picture and table: stored tables")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if options.part == "table":
        print(table(read(options.names)))
        return
    if options.output is None:
        parser.error("name a file with -o")
    if options.part == "picture":
        options.output.write_text(draw(read(options.names)), encoding="utf-8")
        return
    part = {"sizes": sizes, "priors": priors}[options.part]
    written(part(options.names or TASKS), options.output)


if __name__ == "__main__":
    main()
