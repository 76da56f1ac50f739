"""A constituency parser whose rules see all their ancestors.

    P(tree, words) = Π over nodes of P(rule | the node's symbol, its parent's, ..., TOP's)

The search is one of `bistro.models.unbounded.search`; with ``mcmc`` trees are drawn from the model
and the one of least risk is given: its labelled spans were drawn most often.

>>> import bistro
>>> from bistro.treebank.brackets import format_tree, parse_tree
>>> text = "((S (NP (DT the) (NN {})) (VP (VBZ sleeps))))"
>>> trees = [parse_tree(text.format(noun)) for noun in ("dog", "dog", "cat")]
>>> model = bistro.train("trees", trees, seed=1)
>>> parse = model.parse_tree("the horse sleeps".split(), samples=100)
>>> format_tree(parse.tree), parse.is_found
('(TOP (S (NP (DT the) (NN horse)) (VP (VBZ sleeps))))', True)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, ClassVar

import numpy as np

from bistro.errors import BistroError, ConfigError
from bistro.models.defaults import own_defaults
from bistro.models.inputs import Words, as_words
from bistro.models.results.structures import FoundTree, TreeParse
from bistro.models.trees.parents import ParentGrammar
from bistro.models.trees.task import TreesTask
from bistro.models.unbounded.model import UnboundedModel
from bistro.models.unbounded.rules import Derivation
from bistro.models.unbounded.search import SearchOptions, TreeSearch

SENTENCES_AT_ONCE = 64
USUAL = {"guide": "parents", "samples": 2000, "subtrees": 10}
"""Subtrees are worth more than whole trees: the best trees for the time."""
NOT_COUNTED = 10
"""One in so many draws, at the start, is not counted."""


@dataclass(frozen=True)
class _Wanted:
    """Which of the trees that a chain visited are wanted: the best, each once, or draws."""

    kbest: int
    drawn: int
    mbr: bool

    @property
    def visited(self) -> bool:
        """Whether any is, and not the tree of least risk."""
        return self.kbest > 1 or self.drawn > 0 or not self.mbr

    def choose(self, visited: dict[str, Any], number: int) -> list[Derivation]:
        """Return the trees wanted of a sentence."""
        first, last = visited["begin"][number : number + 2]
        borders = visited["offsets"][first : last + 1]
        trees = [visited["rules"][a:b] for a, b in pairwise(borders)]
        if self.drawn:
            until = np.cumsum(visited["times"][first:last])
            places = (np.arange(self.drawn) + 0.5) * until[-1] / self.drawn
            return [trees[i] for i in np.searchsorted(until, places).tolist()]
        best: dict[bytes, Derivation] = {}
        for i in np.argsort(-visited["log_prob"][first:last], kind="stable").tolist():
            best.setdefault(trees[i].tobytes(), trees[i])
        return list(best.values())[: self.kbest]


class TreesModel(UnboundedModel):
    """A trained constituency parser."""

    kind: ClassVar[str] = "trees"
    task_class = TreesTask
    parse_options: ClassVar[type[SearchOptions]] = SearchOptions
    task: TreesTask

    @cached_property
    def tree_search(self) -> TreeSearch:
        """The searches for trees, with a grammar that knows parents."""
        search = super().tree_search
        parents = ParentGrammar.build(self.rules, self.pcfg, self.task.parents)
        search.parents = parents.over(search.grammar)
        return search

    def parse_tree(self, words: Words, **options: Any) -> TreeParse:
        """Parse one sentence; for the options see `parse_trees`."""
        return next(self.parse_trees([words], **options))

    def parse_trees(
        self,
        sentences: Iterable[Words],
        *,
        kbest: int = 1,
        drawn: int = 0,
        mbr: bool = True,
        **options: Any,
    ) -> Iterator[TreeParse]:
        """Yield the parse of each sentence.

        `options` are those of `SearchOptions`: ``search="astar-local"``, ``samples=20000``. With
        mcmc, `kbest` (or ``mbr=False``) asks for the most probable trees that were drawn, instead
        of that of least risk, and `drawn` for so many draws, evenly spaced.
        """
        chosen = self._options(options)
        wanted = _Wanted(kbest, drawn, mbr)
        if wanted.visited and chosen.search != "mcmc":
            raise ConfigError("drawn trees, one or several, are found by search = 'mcmc' only")
        whole = iter(sentences)
        first = 0
        while batch := [list(words) for words in as_words(islice(whole, SENTENCES_AT_ONCE))]:
            if not all(batch):
                raise BistroError("a sentence without words cannot be parsed")
            yield from self._parsed(batch, chosen, first, wanted)
            first += len(batch)

    def _options(self, options: dict[str, Any]) -> SearchOptions:
        """Return the options, with what suits constituents where nothing else is said."""
        chosen: dict[str, Any] = {**USUAL, **own_defaults(self.config, "parse"), **options}
        whole = {"burn_in": chosen["samples"] // NOT_COUNTED, **chosen}
        return SearchOptions.of(whole, self.kind, "find constituents")

    def _parsed(
        self, batch: list[list[str]], options: SearchOptions, first: int, wanted: _Wanted
    ) -> Iterator[TreeParse]:
        terminals = [self.task.terminals(words) for words in batch]
        visited = {"visited": True} if wanted.visited else {}
        found = self.tree_search.arrays(terminals, options, first, **visited)
        for i, words in enumerate(batch):
            begin, end = found["offsets"][i : i + 2]
            if begin == end:
                flat = FoundTree(self.task.output(words, None), -np.inf)
                yield TreeParse(words, [flat], is_found=False)
                continue
            derivations = [found["rules"][begin:end]]
            if visited:
                derivations = wanted.choose(found["visited"], i)
            yield TreeParse(
                words,
                self._trees(words, derivations),
                accepted=float(found["accepted"][i]) if "accepted" in found else 1.0,
                is_complete=bool(found["complete"][i]) if "complete" in found else True,
            )

    def _trees(self, words: Sequence[str], derivations: list[Derivation]) -> list[FoundTree]:
        log_probs = self.log_prob(derivations).tolist()
        trees = [self.task.output(words, derivation) for derivation in derivations]
        return [FoundTree(*pair) for pair in zip(trees, log_probs, strict=True)]
