"""Constituency of Shareghi et al. (2015): Table 3, the bounded depths in its text, and Table 5."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import bistro
from benchmarks.data import data_dir
from bistro.config import read_toml, to_dict
from bistro.evaluate.brackets import score_brackets
from bistro.models.presets import file_or_preset
from bistro.models.trees.config import TreesConfig
from bistro.models.trees.model import TreesModel
from bistro.treebank.brackets import Tree
from bistro.treebank.constituents import simplified
from bistro.treebank.tree_files import read_examples
from experiments.papers.spines import matched, once
from experiments.papers.table import Row

MCMC: dict[str, Any] = {"guide": "pcfg", "subtrees": 0, "burn_in": 0, "node_cost": 0.0}
"""Metropolis-Hastings as published: whole trees from the PCFG, and the plain sum of counts."""
FIRST: dict[str, Any] = {"guide": "pcfg", "completions": 1, "beam": 200}
"""A* as published, which returns the first complete tree."""
DRAWS = 2000
"""Number of draws in the comparisons of depths and spines."""
SPINES = range(2, 11)
PAPER_SPINES = {
    None: (100, 75, 72, 68, 62, 59, 58, 60, 68),
    2: (100, 75, 70, 63, 60, 59, 51, 49, 51),
}
PAPER_CONTEXTS = {
    "NP": "S*, SINV*, S PP*, S VP PP, S VP*",
    "VP": "S*, S VP SBAR S*, SINV*, S SBAR S, S PRN",
    "DT": "S NP*, S PP NP*, S VP SBAR S NP*, S VP PP NP*, S SBAR NP",
    "JJ": "S NP*, S PP NP*, S VP ADJP*, SINV NP, S VP SBAR S VP PP NP*",
}
"""Contexts that are among the five commonest of the gold trees have a star; ranks may differ."""


@cache
def part(name: str) -> list[Tree]:
    """Return a part of the WSJ sample."""
    return list(read_examples(data_dir() / "ptb_sample" / f"wsj-{name}.mrg"))


@cache
def published(depth: int | None = None) -> TreesModel:
    """Return the model of the preset, with bounded or unbounded contexts."""
    settings = to_dict(read_toml(file_or_preset("shareghi-2015-trees"), TreesConfig))
    return bistro.train("trees", part("train"), seed=1, **{**settings, "depth": depth})


@cache
def best() -> TreesModel:
    """Return the model of the preset `phrases`."""
    settings = to_dict(read_toml(file_or_preset("phrases"), TreesConfig))
    return bistro.train("trees", part("train"), seed=1, **settings)


def parsed(model: TreesModel, name: str, **options: Any) -> list[Tree]:
    """Return the predicted trees of a part."""
    words = [model.task.words_of(tree) for tree in part(name)]
    return [parse.tree for parse in model.parse_trees(words, threads=1, seed=1, **options)]


@cache
def drawn(depth: int | None, samples: int, node_cost: float = 0.0) -> list[Tree]:
    """Return test trees from Metropolis-Hastings, as published or with a cost per node."""
    options = {**MCMC, "node_cost": node_cost, "samples": samples}
    return parsed(published(depth), "test", **options)


@cache
def best_trees() -> list[Tree]:
    """Return the trees of the test part predicted by Bistro's best model."""
    return parsed(best(), "test")


def scores(found: Sequence[Tree], name: str = "test") -> str:
    """Return F1 and exact match of all trees, then of those up to 40 words."""
    report = score_brackets(part(name), found)
    figures = ((one.labelled.f1, one.exact) for one in (report.all, report.short))
    return ", ".join(f"{f1 or 0.0:.2f} {exact or 0.0:.2f}" for f1, exact in figures)


def table3() -> Iterator[Row]:
    """Yield F1 and exact match of every search."""
    model = published()
    literal, full = ({"search": f"astar-{name}", **FIRST} for name in ("literal", "full"))
    every = {"expand": "all"}
    usual = scores(best_trees())
    local_paper, full_paper = "75.33 16.12, 76.21 16.85", "72.27 13.14, 72.34 13.57"
    nodes = scores(parsed(best(), "test", search="astar-nodes"))
    best_full = scores(parsed(best(), "test", search="astar-full"))
    cyk = scores(parsed(model, "test", search="cyk"))
    yield Row("PCFG CYK", "58.91 4.11, 60.25 4.42", cyk)
    row = scores(parsed(model, "test", **literal, **every))
    yield Row("A* (Local Frontier)", local_paper, row, nodes, "equation 11; best: astar-nodes")
    row = scores(parsed(model, "test", **literal))
    yield Row("the same, leftmost node", local_paper, row)
    row = scores(parsed(model, "test", **full, **every))
    yield Row("A* (Full Frontier)", full_paper, row, best_full, "equation 10")
    yield Row("the same, leftmost node", full_paper, scores(parsed(model, "test", **full)))
    row = scores(drawn(None, 5000))
    yield Row("MCMC", "76.74 18.23, 78.21 18.99", row, usual, "5,000 draws; paper 30,000")
    row = scores(drawn(None, 5000, 0.5))
    yield Row("the same, a node costs half the draws", "-", row, "-", "`--node-cost 0.5`")


def depths() -> Iterator[Row]:
    """Yield F1 by depth: as published, and with sampled seating."""
    gibbs = {"seating": "gibbs", "hyper": "slice", "sweeps": 30, "samples": 10}
    for depth, paper in {2: 68.1, 3: 71.1, 4: 75.0, None: 76.74}.items():
        model: TreesModel = bistro.train(
            "trees", part("train"), seed=1, gibbs_depth=depth or 20, sampler=gibbs
        )
        own, sampled, cost = (
            scores(trees).split()[0]
            for trees in (
                drawn(depth, DRAWS),
                parsed(model, "test", samples=1000),
                drawn(depth, DRAWS, 0.5),
            )
        )
        name = f"vertical context {depth or 'unbounded'}"
        yield Row(name, f"{paper:.1f}", own, sampled, f"node cost 0.5: {cost}")


def spines_of(trees: Iterable[Tree], size: int) -> Counter[tuple[str, ...]]:
    """Return the chains of labels of length `size`, each node a child of the previous one."""
    counts = Counter[tuple[str, ...]]()
    for tree in trees:
        waiting: list[tuple[Tree, tuple[str, ...]]] = [(tree, ())]
        while waiting:
            node, above = waiting.pop()
            spine = (*above[-size + 1 :], node.label)
            if len(spine) == size:
                counts[spine] += 1
            waiting += [(child, spine) for child in reversed(node.children)]
    return counts


def table5a() -> Iterator[Row]:
    """Yield the percentages of frequent spines that are also frequent in predicted trees."""
    gold = [simplified(tree) for tree in part("test")]
    usual = best_trees()
    for bound, paper in PAPER_SPINES.items():
        fewer = drawn(bound, DRAWS, 0.5)
        for size, figure in zip(SPINES, paper, strict=True):
            right = spines_of(gold, size)
            own, other, cost = (
                f"{matched(right, spines_of(trees, size)):.0f}"
                for trees in (drawn(bound, DRAWS), usual, fewer)
            )
            note = f"node cost 0.5: {cost}; {once(right)}"
            name = f"WSJ, v = {bound or '∞'}, size {size}"
            yield Row(name, str(figure), own, "-" if bound else other, note)


def table5b() -> Iterator[Row]:
    """Yield the commonest contexts of four symbols in predicted trees."""
    gold = [simplified(tree) for tree in part("test")]
    for symbol, paper in PAPER_CONTEXTS.items():
        right = {context for context, _ in contexts_of(gold, symbol).most_common(5)}
        cells = []
        for trees in (drawn(None, DRAWS), best_trees()):
            common = [context for context, _ in contexts_of(trees, symbol).most_common(5)]
            cells.append(", ".join(f"{c}{'*' * (c in right)}" for c in common))
        yield Row(symbol, paper, *cells)


def contexts_of(trees: Iterable[Tree], symbol: str) -> Counter[str]:
    """Return the labels above a symbol, starting below the root, with their counts."""
    counts = Counter[str]()
    for tree in trees:
        waiting: list[tuple[Tree, tuple[str, ...]]] = [(tree, ())]
        while waiting:
            node, above = waiting.pop()
            if node.label == symbol and above:
                counts[" ".join(above)] += 1
            below = above if node is tree else (*above, node.label)
            waiting += [(child, below) for child in reversed(node.children)]
    return counts
