"""Parsing into bracketed trees, for `trees` models and for utterances in `morphology` models.

With ``mcmc``, trees are drawn from the model, and the result is the minimum-risk tree, which
contains the labelled spans that were drawn most often. The drawn trees themselves are returned on
request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, ClassVar

import numpy as np

from bistro.errors import BistroError, ConfigError
from bistro.models.defaults import own_defaults
from bistro.models.inputs import Words, as_words
from bistro.models.results.structures import FoundTree, TreeParse
from bistro.models.unbounded.model import UnboundedModel
from bistro.models.unbounded.rules import Derivation
from bistro.models.unbounded.search import SearchOptions

SENTENCES_AT_ONCE = 64


@dataclass(frozen=True)
class _Wanted:
    """The requested trees from a chain: the best distinct trees or evenly spaced draws."""

    kbest: int
    drawn: int
    mbr: bool

    @property
    def visited(self) -> bool:
        """Whether trees from the chain are requested instead of the minimum-risk tree."""
        return self.kbest > 1 or self.drawn > 0 or not self.mbr

    def choose(self, visited: dict[str, Any], number: int) -> list[Derivation]:
        """Return the requested trees for a sentence."""
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


class TreeParsingModel(UnboundedModel):
    """A model that parses sentences into bracketed trees."""

    usual_options: ClassVar[Mapping[str, Any]] = {}
    """The default options of the search."""

    def parse_tree(self, words: Words, **options: Any) -> TreeParse:
        """Parse one sentence. The options are the same as for `parse_trees`."""
        return next(self.parse_trees([words], **options))

    def parse_trees(
        self,
        sentences: Iterable[Words],
        *,
        kbest: int = 1,
        drawn: int = 0,
        mbr: bool = True,
        first: int = 0,
        **options: Any,
    ) -> Iterator[TreeParse]:
        """Yield the parse of each sentence.

        Draws depend on `first`, the index of the first sentence.

        The options are the fields of `SearchOptions`, such as ``search="astar-nodes"`` or
        ``samples=20000``. With mcmc, `kbest` (or ``mbr=False``) requests the most probable drawn
        trees instead of the minimum-risk tree. If `drawn` is above 0, that number of evenly spaced
        draws is returned.
        """
        settings = self._options(options)
        wanted = _Wanted(kbest, drawn, mbr)
        if wanted.visited and settings.search != "mcmc":
            raise ConfigError(
                "only search = 'mcmc' can draw trees: set search = 'mcmc', or request a single "
                "best tree"
            )
        whole = iter(sentences)
        while batch := [list(words) for words in as_words(islice(whole, SENTENCES_AT_ONCE))]:
            if not all(batch):
                raise BistroError("a sentence without words cannot be parsed")
            yield from self._parsed(batch, settings, first, wanted)
            first += len(batch)

    def _options(self, options: dict[str, Any]) -> SearchOptions:
        """Return the search options, with the model's defaults for options that are not given."""
        return SearchOptions.of(self._all_options(options), self.kind, "find trees")

    def _all_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Combine the given options with the defaults of the configuration and the model."""
        return {**self.usual_options, **own_defaults(self.config, "parse"), **options}

    def _parsed(
        self, batch: list[list[str]], options: SearchOptions, first: int, wanted: _Wanted
    ) -> Iterator[TreeParse]:
        terminals = [self.task.terminals(words) for words in batch]
        visited = {"visited": True} if wanted.visited else {}
        arrays = self.tree_search.arrays(terminals, options, first, **visited)
        for i, words in enumerate(batch):
            begin, end = arrays["offsets"][i : i + 2]
            if begin == end:
                flat = FoundTree(self.task.output(words, None), -np.inf)
                yield TreeParse(words, [flat], is_found=False)
                continue
            derivations = [arrays["rules"][begin:end]]
            if visited:
                derivations = wanted.choose(arrays["visited"], i)
            yield TreeParse(
                words,
                self._trees(words, derivations),
                accepted=float(arrays["accepted"][i]) if "accepted" in arrays else 1.0,
                is_complete=bool(arrays["complete"][i]) if "complete" in arrays else True,
            )

    def _trees(self, words: Sequence[str], derivations: list[Derivation]) -> list[FoundTree]:
        log_probs = self.log_prob(derivations).tolist()
        trees = [self.task.output(words, derivation) for derivation in derivations]
        return [FoundTree(*pair) for pair in zip(trees, log_probs, strict=True)]
