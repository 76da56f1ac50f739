"""Parsing with syntactic topics: arcs with the states summed out, and a chart over all trees."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import Stream
from bistro.models.inputs import Words, as_sentence, check_temperature
from bistro.models.parsing.arc_trees import ArcTrees, ScoredTree
from bistro.models.parsing.codec import check_evidence
from bistro.models.parsing.options import SharedOptions
from bistro.models.parsing.tagging import Parsing
from bistro.models.results.parses import Analysis, Marginals, Parse
from bistro.rng import purpose_key
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

Floats = NDArray[np.float64]
NEGLIGIBLE = 1e-6
"""Heads less probable than this are not listed among the marginals."""


@dataclass(frozen=True)
class TopicsParseOptions(SharedOptions):
    """What to return. The search is exact, so there is nothing to choose about it.

    Latent states need no tags; those of the input are kept. Where states are tags they are given,
    or summed out.
    """

    temperature: float = 1.0
    """Of marginals, samples and least risk; 1 is the model's own posterior."""


class TopicsParsing(Parsing):
    """The ability to parse of a model that weighs arc by arc."""

    parse_options: ClassVar[type[SharedOptions]] = TopicsParseOptions
    tag_column: ClassVar[str] = "upos"
    finds_tags: ClassVar[bool] = False
    is_labelled: ClassVar[bool] = False
    label_names: ClassVar[tuple[str, ...]] = ()
    tag_names: ClassVar[tuple[str, ...]] = ()
    single_root: bool

    @abstractmethod
    def arc_probabilities(self, sentence: Sentence, *, given_tags: bool = True) -> Floats:
        """Return p(word d | parent h) at [h, d]; row 0 is the root."""

    def unknown_tags(self, sentence: Sentence) -> list[str]:
        """Return no tags: a tag that is not known leaves all states possible."""
        return []

    def parse_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Parse]:
        """Parse sentences one after the other."""
        chosen = self._chosen(options)
        check_temperature(chosen.temperature)
        for number, given in enumerate(sentences):
            yield self._parse(as_sentence(given), number, chosen)

    def _parse(self, sentence: Sentence, number: int, options: TopicsParseOptions) -> Parse:
        arcs = self.arc_probabilities(sentence, given_tags=options.tags == "given")
        with np.errstate(divide="ignore"):
            logs = np.log(arcs)
        np.fill_diagonal(logs, -np.inf)
        if options.partial:
            check_evidence(sentence, single_root=self.single_root)
            logs = _with_evidence(logs, sentence.heads)
        trees = ArcTrees(logs, single_root=self.single_root, temperature=options.temperature)
        total = trees.log_total

        def analysis(tree: ScoredTree) -> Analysis:
            labels = [EMPTY] * len(sentence)
            posterior = math.exp(tree.score - total)
            return Analysis(tree.heads, labels, list(sentence.upos), tree.score, posterior)

        best = trees.ranked(options.kbest)
        if options.by_risk:
            heads = trees.least_risk()
            best = [ScoredTree(heads, float(sum(logs[h, d] for d, h in enumerate(heads, 1))))]
        stream = Stream(options.seed, purpose_key("topics.samples"), number)
        return Parse(
            sentence,
            [analysis(tree) for tree in best],
            [analysis(tree) for tree in trees.samples(options.samples, stream)],
            _marginals(trees, sentence) if options.marginals else None,
            total,
        )


def _with_evidence(logs: Floats, heads: Sequence[int]) -> Floats:
    """Return the weights with only the given head left to each word that has one."""
    known = logs.copy()
    for word, head in enumerate(heads, start=1):
        if head >= 0:
            kept = known[head, word]
            known[:, word] = -np.inf
            known[head, word] = kept
    return known


def _marginals(trees: ArcTrees, sentence: Sentence) -> Marginals:
    probability = trees.head_probabilities()
    heads = []
    for word in range(1, len(sentence) + 1):
        column = probability[:, word]
        order = [h for h in np.argsort(-column, kind="stable").tolist() if column[h] > NEGLIGIBLE]
        heads.append([(h, float(column[h])) for h in order])
    labels = [[(EMPTY, 1.0)] for _ in heads]
    return Marginals(heads, labels, [[(tag, 1.0)] for tag in sentence.upos])
