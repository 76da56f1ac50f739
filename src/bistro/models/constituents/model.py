"""A committee of constituency parsers finds the minimum-risk tree under mixed votes.

Members differ in the binarisation of trees, in the marks on labels, and in their Markov chains.
Each member draws trees for a sentence from its posterior. The probability of a labelled span is the
weighted mean of its relative frequencies in the draws of all members.

    p(label, start, end) = Σ over members of  weight · share of its draws with this constituent

The result is the tree with the highest Σ (p - cost) (`bistro.models.constituents.mixture`).

>>> import bistro
>>> from bistro.treebank.brackets import format_tree, parse_tree
>>> text = "((S (NP (DT the) (NN {})) (VP (VBZ sleeps))))"
>>> trees = [parse_tree(text.format(noun)) for noun in ("dog", "dog", "cat")]
>>> model = bistro.train("constituents", trees, seed=1, members=("head-left", "right"))
>>> parse = model.parse_tree("the horse sleeps".split(), marginals=True)
>>> format_tree(parse.tree)
'(TOP (S (NP (DT the) (NN horse)) (VP (VBZ sleeps))))'
>>> parse.marginals[0].label, parse.marginals[0].probability > 0.9
('S', True)
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Self

from bistro._core import LONGEST_OF_SPANS
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.modelfile import Arrays
from bistro.models.abilities import VOTE_SPANS, SpanVoter
from bistro.models.base import Model, Origin
from bistro.models.constituents.config import ConstituentsConfig
from bistro.models.constituents.mixture import Risked, least_risk, log_prob
from bistro.models.defaults import own_defaults
from bistro.models.inputs import Words, as_words
from bistro.models.nested import nested_arrays, nested_models, numbered
from bistro.models.options import Options
from bistro.models.results.structures import FoundTree, LabelledSpan, TreeParse
from bistro.models.span_votes import SpanVotes, mixed
from bistro.rng import check_seed
from bistro.treebank.brackets import Tree, format_tree
from bistro.treebank.constituents import simplified

SENTENCES_AT_ONCE = 64
LEAST_SHOWN = 0.01
"""Minimum probability of the constituents that are listed among the marginals."""


@dataclass(frozen=True)
class VoteOptions(Options):
    """Options for drawing trees and for choosing the result."""

    samples: int = 2000
    """Number of trees that each member draws. The first tenth of the drawn trees is discarded."""
    subtrees: int = 10
    """Number of subtrees that are resampled after each draw of a whole tree."""
    node_cost: float = 0.5
    """Cost of a constituent. Only constituents whose probability exceeds this cost can be in the
    tree."""
    marginals: bool = False
    """Whether to list the probabilities of constituents."""
    seed: int = 1
    threads: int = 0
    """Number of threads; 0 uses all cores. The result is the same for any number of threads."""

    def __post_init__(self) -> None:
        if self.samples < 1 or self.subtrees < 0:
            raise ConfigError("samples must be at least 1, and subtrees at least 0")
        if not 0 <= self.node_cost <= 1:
            raise ConfigError(f"node_cost is {self.node_cost}, but must lie between 0 and 1")
        check_seed(self.seed)

    def of_members(self) -> dict[str, Any]:
        """Return the options that are passed to each member."""
        return self.some(("samples", "subtrees", "seed", "threads"))


@dataclass(eq=False, repr=False)
class ConstituentsModel(Model):
    """A trained committee of constituency parsers."""

    kind: ClassVar[str] = "constituents"
    parse_options: ClassVar[type[VoteOptions]] = VoteOptions

    config: ConstituentsConfig
    members: list[SpanVoter]
    weights: list[float]
    ranks: dict[str, float]
    """How often each label is the parent in unary rules, minus how often it is the child."""
    origin: Origin

    def parse_tree(self, words: Words, **options: Any) -> TreeParse:
        """Parse one sentence. The options are the fields of `VoteOptions`."""
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

        With `kbest` (or ``mbr=False``), the results are the most probable of the trees that the
        members drew. The probability of a tree is computed as if its constituents were independent.
        With `drawn`, the results are trees drawn from the members in turn. Draws depend on `first`,
        the index of the first sentence.
        """
        settings = self._options(options)
        whole = iter(sentences)
        while batch := [list(words) for words in as_words(islice(whole, SENTENCES_AT_ONCE))]:
            if not all(batch):
                raise BistroError("a sentence without words cannot be parsed")
            if (longest := max(map(len, batch))) > LONGEST_OF_SPANS:
                raise BistroError(
                    f"a sentence has {longest:,} words, but a committee of constituency parsers "
                    f"can parse at most {LONGEST_OF_SPANS:,}: split the sentence"
                )
            votes = self.votes(batch, settings, first)
            best = self._best(votes, batch, settings)
            other: Mapping[int, list[Tree]] = {}
            if drawn:
                other = self._drawn(batch, settings, first, drawn)
            elif kbest > 1 or not mbr:
                other = self._visited(batch, settings, first, kbest)
            for i, words in enumerate(batch):
                other_trees = other.get(i)
                yield self._parse(
                    votes, i, words, best[i], other_trees, kbest, settings, drawn=drawn > 0
                )
            first += len(batch)

    def votes(
        self, sentences: Sequence[Sequence[str]], options: VoteOptions, first: int = 0
    ) -> SpanVotes:
        """Return the weighted mean of the members' votes."""
        own = options.of_members()
        votes = [member.span_votes(sentences, first=first, **own) for member in self.members]
        return mixed(votes, self.weights)

    def figures(self, items: Sequence[Any]) -> dict[str, float]:
        """Return the cross-entropy of held-out trees, given their words, in bits per word.

        Constituents are treated as independent. A constituent that no member proposes costs about
        20 bits.
        """
        trees = [simplified(item) for item in items]
        words, bits = 0, 0.0
        for begin in range(0, len(trees), SENTENCES_AT_ONCE):
            batch = trees[begin : begin + SENTENCES_AT_ONCE]
            sentences = [tree.leaves() for tree in batch]
            votes = self.votes(sentences, self._options({}), begin)
            words += sum(map(len, sentences))
            bits -= math.fsum(log_prob(votes, i, tree) for i, tree in enumerate(batch))
        return {"trees": len(items), "bits per word": bits / math.log(2) / max(1, words)}

    def header(self) -> dict[str, Any]:
        """Return the headers of the members, their weights and the order of labels."""
        return {
            "members": [member.whole_header() for member in self.members],
            "weights": self.weights,
            "ranks": self.ranks,
        }

    def arrays(self) -> Arrays:
        """Return the arrays of the members."""
        return nested_arrays(numbered(self.members))

    @classmethod
    def from_parts(
        cls,
        config: ConstituentsConfig,
        header: Mapping[str, Any],
        arrays: Arrays,
        origin: Origin,
    ) -> Self:
        """Restore the committee from a file."""
        models = nested_models(numbered(header["members"]), arrays)
        members = [VOTE_SPANS.of(model) for model in models.values()]
        weights, ranks = header["weights"], header["ranks"]
        good = isinstance(weights, list) and isinstance(ranks, dict)
        numbers = [*weights, *ranks.values()] if good else []
        good = good and all(isinstance(x, float) and math.isfinite(x) for x in numbers)
        if not good or not len(weights) == len(members) > 0:
            raise ModelFileError("the weights or ranks do not match the members")
        if min(weights) < 0 or not math.isclose(math.fsum(weights), 1.0, abs_tol=1e-6):
            raise ModelFileError("the weights of the members do not sum to 1")
        return cls(config, members, weights, ranks, origin)

    def summary(self) -> dict[str, Any]:
        """Return the members and their weights."""
        shares = zip(self.config.members, self.weights, strict=False)
        return {
            "members": len(self.members),
            "weights": [f"{name} {weight:.3f}" for name, weight in shares],
            "megabytes": round(sum(a.nbytes for a in self.arrays().values()) / 1e6, 1),
        }

    def _options(self, options: Mapping[str, Any]) -> VoteOptions:
        whole = {**own_defaults(self.config, "parse"), **options}
        return VoteOptions.of(whole, self.kind, "find trees")

    def _best(
        self, votes: SpanVotes, batch: Sequence[Sequence[str]], options: VoteOptions
    ) -> list[Risked]:
        return least_risk(
            votes,
            batch,
            cost=options.node_cost,
            ranks=self.ranks,
            threads=options.threads or os.cpu_count() or 1,
        )

    def _drawn(
        self, batch: list[list[str]], options: VoteOptions, first: int, drawn: int
    ) -> dict[int, list[Tree]]:
        """Return the trees drawn for each sentence, in turn from each member that found a tree."""
        own = {**options.of_members(), "drawn": drawn, "first": first}
        of_members = [list(member.parse_trees(batch, **own)) for member in self.members]
        trees: dict[int, list[Tree]] = {}
        for i, parses in enumerate(zip(*of_members, strict=True)):
            able = [parse for parse in parses if parse.is_found]
            if able:
                trees[i] = [able[k % len(able)].trees[k].tree for k in range(drawn)]
        return trees

    def _visited(
        self, batch: list[list[str]], options: VoteOptions, first: int, kbest: int
    ) -> dict[int, list[Tree]]:
        """Return the distinct trees among the members' most probable trees, for each sentence."""
        by_sentence: dict[int, dict[str, Tree]] = {}
        for member in self.members:
            own = {**options.of_members(), "kbest": kbest, "mbr": False}
            for i, parse in enumerate(member.parse_trees(batch, first=first, **own)):
                if parse.is_found:
                    trees = {format_tree(one.tree): one.tree for one in parse.trees}
                    by_sentence.setdefault(i, {}).update(trees)
        return {i: list(trees.values()) for i, trees in by_sentence.items()}

    def _parse(
        self,
        votes: SpanVotes,
        number: int,
        words: list[str],
        best: Risked,
        other: Sequence[Tree] | None,
        kbest: int,
        options: VoteOptions,
        *,
        drawn: bool,
    ) -> TreeParse:
        """Return the parse of one sentence. If `other` is given, it replaces the best tree."""
        if not votes.has_tree[number]:
            return next(self.members[0].parse_trees([words], samples=1, burn_in=0))
        trees = [best.tree] if other is None else other
        scored = [FoundTree(tree, log_prob(votes, number, tree)) for tree in trees]
        if other is not None and not drawn:
            scored = sorted(scored, key=lambda one: -one.log_prob)[:kbest]
        return TreeParse(
            words,
            scored,
            accepted=float(votes.accepted[number]),
            expected_f1=best.expected_f1,
            marginals=_listed(votes, number) if options.marginals else None,
        )


def _listed(votes: SpanVotes, number: int) -> list[LabelledSpan]:
    """Return the constituents of a sentence in order of decreasing probability."""
    rows = [row for row in votes.rows(number) if row.probability >= LEAST_SHOWN]
    rows.sort(key=lambda row: (-row.probability, row.start, -row.end))
    return [
        LabelledSpan(votes.names[row.name].label, row.start, row.end, row.probability)
        for row in rows
        if not votes.names[row.name].is_tag
    ]
