"""Constituency with unbounded contexts on our data: settings, seating, searches, contexts of rules.

    python -m experiments.infinite_trees [settings|searches|depths|gibbs|astar|rules ...]

The WSJ sample: 3,262 sentences for training. Scores as EVALB computes them (Collins' parameters);
tags are predicted. Settings were chosen on the development part (`settings`); the other tables are
of the test part, some also of the development part, with seed 1 and one thread. The tables of the
paper itself are printed by ``python -m experiments.paper shareghi-2015``.

The guide is the grammar that proposes trees to mcmc and provides the estimates of A*: the PCFG, as
in the paper, or a grammar whose symbols include their parents (`bistro.models.trees.parents`).
Chains draw only whole trees, as in the paper, unless subtrees are named. `astar` compares the first
complete tree, at which the paper stops, with the best of the default number of complete trees.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any

import bistro
from benchmarks.data import data_dir
from bistro.evaluate.brackets import score_brackets
from bistro.models.trees.model import TreesModel
from bistro.treebank.brackets import Tree
from bistro.treebank.tree_files import read_examples

WHOLE: dict[str, Any] = {"samples": 5000, "subtrees": 0}
"""The Metropolis-Hastings chain of the paper: whole trees only."""
ASTAR = ("astar-nodes", "astar-full")
HEADINGS = (
    f"{'F1':>6} {'exact':>6} {'F1<=40':>6} {'exact':>6} {'tags':>6} {'s/word':>8} {'accepted':>8}"
)


@cache
def part(name: str) -> list[Tree]:
    return list(read_examples(data_dir() / "ptb_sample" / f"wsj-{name}.mrg"))


@cache
def trained(
    depth: int | None = None, fit: str = "left-out", contexts: str = "symbols", **unknown: Any
) -> TreesModel:
    settings: dict[str, Any] = {"depth": depth, "fit": fit, **unknown}
    return bistro.train("trees", part("train"), seed=1, contexts=contexts, **settings)


@cache
def sampled(depth: int, contexts: str = "symbols") -> TreesModel:
    """Return a model with sampled seating and contexts of at most `depth` elements."""
    sampler = {"seating": "gibbs", "hyper": "slice", "sweeps": 30, "samples": 10}
    settings: dict[str, Any] = {"gibbs_depth": depth, "sampler": sampler}
    return bistro.train("trees", part("train"), seed=1, contexts=contexts, **settings)


def parsed(model: TreesModel, golds: Sequence[Tree], **options: Any) -> tuple[list[Tree], str]:
    """Return the predicted trees, and their scores as a row."""
    words = [model.task.words_of(tree) for tree in golds]
    begin = time.process_time()
    parses = list(model.parse_trees(words, threads=1, seed=1, **options))
    seconds = (time.process_time() - begin) / sum(map(len, words))
    report = score_brackets(golds, [parse.tree for parse in parses])
    figures = (
        *(report.all.labelled.f1, report.all.exact),
        *(report.short.labelled.f1, report.short.exact, report.all.tags),
    )
    accepted = sum(parse.accepted for parse in parses) / len(parses)
    row = " ".join(f"{figure or 0.0:6.2f}" for figure in figures)
    return [parse.tree for parse in parses], f"{row} {seconds:8.5f} {accepted:8.3f}"


def show(name: str, row: str) -> None:
    print(f"{name:<44} {row}", flush=True)


def settings() -> None:
    """Print the settings tried on the development part: unknown words, fitting, costs, subtrees."""
    print(f"\nDevelopment part, mcmc, 5,000 draws, unbounded{'':<1} {HEADINGS}")
    dev = part("dev")
    for label, unknown in (
        ("markers, words seen once", {}),
        ("markers, words seen up to twice", {"unknown_below": 3}),
        ("markers, up to four times", {"unknown_below": 5}),
        ("learned classes, words seen once", {"unknown": "classes"}),
    ):
        show(label, parsed(trained(**unknown), dev, **WHOLE)[1])
    model = trained()
    for cost in (0.0, 0.3, 0.4, 0.6):
        show(f"a node costs {cost}", parsed(model, dev, **WHOLE, node_cost=cost)[1])
    show("the best tree that was drawn", parsed(model, dev, **WHOLE, mbr=False)[1])
    show("parameters fitted to the seating", parsed(trained(fit="seating"), dev, **WHOLE)[1])
    for draws, subtrees in ((20_000, 0), (5000, 3), (5000, 10), (2000, 10), (1000, 20), (1000, 50)):
        row = parsed(sampled(10), dev, samples=draws, subtrees=subtrees)[1]
        show(f"sampled seating, {draws:,} draws, {subtrees} subtrees", row)


def searches() -> None:
    print(f"\nSearches, test part, unbounded{'':<14} {HEADINGS}")
    model, test = trained(), part("test")
    for name, options in (
        ("PCFG CYK", {"search": "cyk"}),
        ("A* nodes, pcfg", {"search": "astar-nodes", "guide": "pcfg"}),
        ("A* full, pcfg", {"search": "astar-full", "guide": "pcfg"}),
        ("MCMC, pcfg, 5,000 draws", {"guide": "pcfg", **WHOLE}),
        ("A* nodes, parents", {"search": "astar-nodes"}),
        ("A* full, parents", {"search": "astar-full"}),
        ("MCMC, parents, 5,000 draws", WHOLE),
        ("MCMC, parents, 20,000 draws", {**WHOLE, "samples": 20_000}),
        ("MCMC, parents, subtrees, default", {}),
    ):
        show(name, parsed(model, test, **options)[1])


def depths() -> None:
    print(f"\nDepth, test part, mcmc, parents, 5,000 draws{'':<2} {HEADINGS}")
    for depth in (2, 3, 4, None):
        show(f"depth {depth or 'unbounded'}", parsed(trained(depth), part("test"), **WHOLE)[1])
    row = parsed(trained(fit="seating"), part("test"), **WHOLE)[1]
    show("unbounded, parameters fitted to the seating", row)


def gibbs() -> None:
    """Print sampled seating with slice-sampled parameters; contexts have at most ten elements."""
    print(f"\nSampled seating, mcmc, parents{'':<14} {HEADINGS}")
    for name in ("dev", "test"):
        for depth in (2, 3, 4, 10):
            for draws in (5_000, 20_000):
                row = parsed(sampled(depth), part(name), samples=draws, subtrees=0)[1]
                show(f"{name}, depth {depth}, {draws:,} draws", row)
        show(f"{name}, depth 10, subtrees, default", parsed(sampled(10), part(name))[1])


def astar() -> None:
    """Print both guides with sampled seating, for the first complete tree and the best of 100."""
    print(f"\nA*, sampled seating{'':<25} {HEADINGS}")
    for name in ("dev", "test"):
        for guide in ("pcfg", "parents"):
            for search, completions in product(ASTAR, (1, 100)):
                options = {"search": search, "guide": guide, "completions": completions}
                row = parsed(sampled(10), part(name), **options)[1]
                show(f"{name}, {guide}, {search}, {completions} complete", row)


def rules() -> None:
    """Print contexts of rules instead of symbols, in one pass and sampled (preset `phrases`)."""
    print(f"\nContexts of rules, parents{'':<18} {HEADINGS}")
    ways = {"one pass": trained(contexts="rules"), "sampled": sampled(10, "rules")}
    for name, (way, model) in product(("dev", "test"), ways.items()):
        for search in ("mcmc", *ASTAR):
            show(f"{name}, {way}, {search}", parsed(model, part(name), search=search)[1])


def main() -> None:
    print(__doc__)
    parts: dict[str, Callable[[], None]] = {
        "settings": settings,
        "searches": searches,
        "depths": depths,
        "gibbs": gibbs,
        "astar": astar,
        "rules": rules,
    }
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
