"""The results of every search under unbounded contexts, with one model: trees and utterances.

For each search: F1; the mean difference in nats per sentence between its tree and the most probable
tree found by any search; how often it returns that tree; opened partial trees (ways tried for
astar-nodes); sentences on which it ended with a complete tree; milliseconds per word.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bistro.evaluate.brackets import score_brackets
from bistro.models.unbounded.parse import TreeParsingModel
from bistro.models.unbounded.search import Found, SearchOptions
from bistro.treebank.brackets import Tree
from experiments.papers import shareghi_morphology, shareghi_trees
from experiments.papers.table import Row

SEARCHES: dict[str, dict[str, Any]] = {
    "equation 10 or 11, beam 1": {"search": "astar-literal", "beam": 1},
    "equation 11, beam 10": {"search": "astar-literal", "beam": 10},
    "equation 11, beam 200": {"search": "astar-literal"},
    "equation 11, beam 200, all open nodes": {"search": "astar-literal", "expand": "all"},
    "equation 10, beam 10": {"search": "astar-full", "beam": 10},
    "equation 10, beam 200": {"search": "astar-full"},
    "equation 10, beam 200, all open nodes": {"search": "astar-full", "expand": "all"},
    "equation 10, beam 200, best of 100": {"search": "astar-full", "completions": 100},
    "astar-nodes, 200 ways": {"search": "astar-nodes"},
    "astar-nodes, 200 ways, best of 100": {"search": "astar-nodes", "completions": 100},
    "mcmc, 5,000 draws": {"search": "mcmc", "samples": 5000},
    "mcmc, 2,000 draws, 10 subtrees": {"search": "mcmc", "samples": 2000, "subtrees": 10},
}
EXPANSIONS = 20_000


@dataclass(frozen=True)
class Sentences:
    """A model, its input, the gold trees, and the function that selects F1."""

    model: TreeParsingModel
    words: Sequence[Sequence[str]]
    gold: Sequence[Tree]
    f1: Callable[[Any], float | None]


def of_trees() -> Sentences:
    """Return the first 120 sentences of the development part of the WSJ sample."""
    model, gold = shareghi_trees.published(), shareghi_trees.part("dev")[:120]
    words = [model.task.words_of(tree) for tree in gold]
    return Sentences(model, words, gold, lambda report: report.labelled.f1)


def of_utterances() -> Sentences:
    """Return the held-out utterances of one fold."""
    model, items = shareghi_morphology.trained(0), shareghi_morphology.fold(0)[1]
    words = [model.task.words_of(item) for item in items]
    gold = [model.task.gold(item) for item in items]
    return Sentences(model, words, gold, lambda report: report.unlabelled.f1)


def searched(given: Sentences, options: dict[str, Any]) -> tuple[list[Found | None], float]:
    """Return the results of a search, and milliseconds per word."""
    whole = {"completions": 1, "expansions": EXPANSIONS, "threads": 1, **options}
    terminals = [given.model.task.terminals(words) for words in given.words]
    begin = time.process_time()
    found = given.model.tree_search.find(terminals, SearchOptions(**whole))
    seconds = time.process_time() - begin
    return found, 1000 * seconds / sum(map(len, given.words))


def figures(given: Sentences) -> Iterator[tuple[str, str]]:
    """Yield the name of each search and its figures."""
    results = {name: searched(given, options) for name, options in SEARCHES.items()}
    scores = {
        name: np.array([-np.inf if one is None else one.log_prob for one in found])
        for name, (found, _) in results.items()
    }
    most = np.max(list(scores.values()), axis=0)
    known = np.isfinite(most)
    for name, (found, milliseconds) in results.items():
        trees = [
            given.model.task.output(words, None if one is None else one.derivation)
            for words, one in zip(given.words, found, strict=True)
        ]
        f1 = given.f1(score_brackets(given.gold, trees).all) or 0.0
        gap = (most - scores[name])[known]
        made = [one for one in found if one is not None]
        opened = np.mean([one.expansions for one in made])
        ended = 100 * np.mean([one.is_complete for one in made])
        yield (
            name,
            (
                f"{f1:.1f}; {gap.mean():.1f} nats, best in {100 * np.mean(gap < 1e-6):.0f} %; "
                f"{opened:,.0f} opened, {ended:.0f} % ended; {milliseconds:.1f} ms"
            ),
        )


def searches() -> Iterator[Row]:
    """Yield all searches on trees and on utterances."""
    for kind, given in (("trees", of_trees()), ("utterances", of_utterances())):
        for name, text in figures(given):
            yield Row(f"{kind}: {name}", published=text)
