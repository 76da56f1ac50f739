"""A constituency parser whose rules depend on all ancestors of a node.

    P(tree, words) = Π over nodes of P(rule | the node's symbol, its parent's, ..., TOP's)

The searches are defined in `bistro.models.unbounded.search`. With ``mcmc``, trees are drawn from
the model, and the result is the minimum-risk tree, which contains the labelled spans that were
drawn most often.

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

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from bistro.errors import ConfigError
from bistro.models.span_votes import SpanVotes
from bistro.models.trees.parents import ParentGrammar
from bistro.models.trees.task import TreesTask
from bistro.models.unbounded.parse import TreeParsingModel
from bistro.models.unbounded.search import SearchOptions, TreeSearch

USUAL = {"guide": "parents", "samples": 2000, "subtrees": 10}
"""Default options. For the same computing time, resampling subtrees gives better results than
drawing more whole trees."""
NOT_COUNTED = 10
"""The first 1/NOT_COUNTED of the draws are discarded."""


class TreesModel(TreeParsingModel):
    """A trained constituency parser."""

    kind: ClassVar[str] = "trees"
    task_class = TreesTask
    parse_options: ClassVar[type[SearchOptions]] = SearchOptions
    task: TreesTask
    usual_options = USUAL

    @cached_property
    def tree_search(self) -> TreeSearch:
        """The tree search, guided by a grammar whose symbols are annotated with their parents."""
        search = super().tree_search
        parents = ParentGrammar.build(self.rules, self.pcfg, self.task.parents)
        search.parents = parents.over(search.grammar)
        return search

    def span_votes(
        self, sentences: Sequence[Sequence[str]], *, first: int = 0, **options: Any
    ) -> SpanVotes:
        """Return the probability of each labelled span and tag, as its share of the drawn trees.

        Parameters
        ----------
        sentences
            Words of each sentence.
        first
            Index of the first sentence, on which draws depend.
        **options
            Options of `bistro.models.unbounded.search.SearchOptions`. The search must be ``mcmc``.
        """
        settings = self._options(options)
        if settings.search != "mcmc":
            raise ConfigError("the probabilities of spans require search = 'mcmc'")
        terminals = [self.task.terminals(words) for words in sentences]
        arrays = self.tree_search.arrays(terminals, settings, first, counts=True)
        begin, *columns, count = arrays["counts"]
        shares = count / (settings.samples - settings.burn_in)
        return self.task.votes(begin, columns, shares, arrays["accepted"])

    def _options(self, options: dict[str, Any]) -> SearchOptions:
        settings = self._all_options(options)
        return super()._options({"burn_in": settings["samples"] // NOT_COUNTED, **settings})
