"""Tree searches for models with unbounded contexts, and their results.

    cyk            the best tree of the PCFG, the baseline
    astar-full     A*, partial trees in one queue, valued by all open nodes (equation 10)
    astar-literal  the same, valued by the children of the last rule only (equation 11)
    astar-nodes    A*, valued as astar-full, but each node is searched separately, without a queue
    mcmc           Metropolis-Hastings with proposals from the PCFG, then the minimum-risk tree

For tags, whose trees are chains, there are other searches. The name `astar-local`, a former name of
`astar-nodes`, is still accepted.

>>> SearchOptions(search="astar-local", beam=50).search
'astar-nodes'
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bistro._core import FinerGrammar, Lattices, RuleGrammar, RuleTrie, draw_trees, search_trees
from bistro.errors import ConfigError
from bistro.models.options import Options, check_choice
from bistro.models.unbounded.rules import Derivation, RuleTable
from bistro.models.unbounded.task import Terminals
from bistro.rng import check_seed, purpose_key

SearchName = Literal["cyk", "astar-full", "astar-literal", "astar-nodes", "mcmc"]
Guide = Literal["pcfg", "parents"]
Expand = Literal["leftmost", "all"]
FORMER_NAMES = {"astar-local": "astar-nodes"}
"""Former names of searches."""
AGENDAS = {"astar-full": "full", "astar-literal": "local", "astar-nodes": "nodes"}
"""The variants of A*, with their names in the C++ core."""
PURPOSE = "infinite.mcmc"


def present_name(search: str) -> str:
    """Return the current name of a search, given its current or former name."""
    return FORMER_NAMES.get(search, search)


@dataclass(frozen=True)
class SearchOptions(Options):
    """Options that determine the type and the size of a tree search."""

    search: SearchName = "mcmc"
    samples: int = 5000
    """Number of trees that mcmc draws, including the initial trees that are discarded."""
    burn_in: int = 0
    """Number of initial trees that are discarded."""
    subtrees: int = 0
    """Number of subtrees that mcmc resamples after each draw of a whole tree."""
    node_cost: float = 0.5
    """Cost of a node in the minimum-risk tree. Only nodes that occur in more than this share of the
    drawn trees can be in the minimum-risk tree."""
    guide: Guide = "pcfg"
    """The grammar that proposes trees for mcmc and guides A*: the PCFG or, only for constituency
    parsing, a grammar whose symbols are annotated with their parents."""
    beam: int = 200
    """Number of partial trees that A* keeps, or number of alternatives that astar-nodes tries per
    node."""
    completions: int = 100
    """Number of complete trees that A* compares. With a value of 1, the search returns the first
    complete tree, as in the paper."""
    expansions: int = 200_000
    """Maximum number of partial trees that A* expands, or of alternatives that astar-nodes
    tries."""
    expand: Expand = "leftmost"
    """Which open nodes of a partial tree are rewritten by astar-full and astar-literal. With
    ``leftmost``, only the leftmost node is rewritten, so that each tree is built in only one order.
    With ``all``, all nodes are rewritten, as in the paper."""
    seed: int = 1
    threads: int = 0
    """Number of threads; 0 uses all cores. The result is the same for any number of threads."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "search", present_name(self.search))
        check_choice("search", self.search, get_args(SearchName))
        check_choice("expand", self.expand, get_args(Expand))
        if self.samples < 1 or not 0 <= self.burn_in < self.samples:
            raise ConfigError("samples must be at least 1 and greater than burn_in")
        for name, least in (("subtrees", 0), ("beam", 1), ("completions", 1), ("expansions", 1)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be at least {least}")
        check_choice("guide", self.guide, get_args(Guide))
        if not 0 <= self.node_cost <= 1:
            raise ConfigError(f"node_cost is {self.node_cost}, but must lie between 0 and 1")
        check_seed(self.seed)


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a tree search: a tree and its log-probability under the model."""

    derivation: Derivation
    log_prob: float
    """Joint log-probability of the tree and the words. If the search is `cyk`, the value is the
    log-probability under the PCFG."""
    accepted: float = 1.0
    """The share of proposals that mcmc accepted."""
    is_complete: bool = True
    """Whether A* finished. If A* did not finish, the tree consists of the best-scoring rule at each
    node."""
    expansions: int = 0
    """Number of partial trees that A* expanded, or of alternatives that astar-nodes tried."""


class TreeSearch:
    """Tree searches that use the rules, the PCFG and the trie of a model."""

    def __init__(
        self, rules: RuleTable, pcfg: NDArray[np.float64], trie: RuleTrie, *, by_rules: bool
    ) -> None:
        with np.errstate(divide="ignore"):
            log_prob = np.log(pcfg)
        self.grammar = RuleGrammar(
            num_symbols=len(rules.symbols),
            num_words=len(rules.words),
            root=rules.top,
            **rules.arrays(),
            log_prob=log_prob,
        )
        self._trie = trie
        self._by_rules = by_rules
        self.parents: FinerGrammar | None = None
        """The grammar with parent annotation, or None if the task has no such grammar."""

    def find(
        self, sentences: Sequence[Terminals], options: SearchOptions, first: int = 0
    ) -> list[Found | None]:
        """Return the tree found for each sentence, or None if no tree was found.

        The random draws depend on `first`, the index of the first sentence.
        """
        arrays = self.arrays(sentences, options, first)
        offsets, count = arrays["offsets"], len(sentences)
        accepted = arrays.get("accepted", np.ones(count))
        complete = arrays.get("complete", np.ones(count))
        expansions = arrays.get("expansions", np.zeros(count, dtype=np.int64))
        trees = [arrays["rules"][a:b] for a, b in pairwise(offsets)]
        columns = (arrays["log_prob"], accepted, complete.astype(bool), expansions)
        rows = zip(trees, *(column.tolist() for column in columns), strict=True)
        return [Found(*row) if row[0].size else None for row in rows]

    def arrays(
        self, sentences: Sequence[Terminals], options: SearchOptions, first: int = 0, **more: bool
    ) -> dict[str, Any]:
        """Run the search, and return its results as arrays.

        `more` requests additional results from mcmc: the counts of spans, or the visited trees.
        """
        batch, threads = lattices(sentences), options.threads or os.cpu_count() or 1
        common: dict[str, Any] = {"finer": self._finer(options), "threads": threads}
        common["contexts_of_rules"] = self._by_rules
        if options.search == "cyk":
            arrays: dict[str, Any] = self.grammar.best(batch, threads)
        elif options.search == "mcmc":
            names = ("samples", "burn_in", "subtrees", "seed", "node_cost")
            own = {"first": first, "purpose": purpose_key(PURPOSE), **options.some(names), **more}
            arrays = draw_trees(self.grammar, self._trie, batch, **common, **own)
        else:
            own = options.some(("beam", "completions", "expansions"))
            own |= {"agenda": AGENDAS[options.search], "everywhere": options.expand == "all"}
            arrays = search_trees(self.grammar, self._trie, batch, **common, **own)
        return arrays

    def _finer(self, options: SearchOptions) -> FinerGrammar | None:
        if options.guide == "pcfg":
            return None
        if self.parents is None:
            raise ConfigError(
                "guide = 'parents' is available only for constituency parsers: set guide = 'pcfg'"
            )
        return self.parents


def lattices(sentences: Sequence[Terminals]) -> Lattices:
    """Convert sentences to the form that the C++ core expects."""

    def column(name: str) -> NDArray[np.int32]:
        parts = [np.zeros(0, dtype=np.int32), *(getattr(s, name) for s in sentences)]
        return np.concatenate(parts).astype(np.int32)

    lengths = np.array([s.length for s in sentences], dtype=np.int32)
    offsets = np.cumsum([0, *(s.word.size for s in sentences)]).astype(np.int64)
    return Lattices(
        lengths=lengths,
        offsets=offsets,
        starts=column("begin"),
        ends=column("end"),
        words=column("word"),
    )
