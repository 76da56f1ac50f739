"""Parsing with syntactic topics: arcs with the states summed out, and a chart over all trees.

`ArcTrees` takes log p(word d | head h) at [h, d] and gives the best trees, draws, marginals, and
the tree of least risk: the one with the most arcs expected to be right.

>>> arcs = np.log(np.array([[0, 0.9, 0.1], [0, 0, 0.5], [0, 0.2, 0]]) + 1e-9)
>>> ArcTrees(arcs, single_root=True).ranked(1)[0].heads
[0, 1]
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import Stream, TreeChart
from bistro.models.inputs import Words, as_sentence, check_temperature
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
class ScoredTree:
    """Heads, 0 for the root, and the sum of the weights of their arcs."""

    heads: list[int]
    score: float


class ArcTrees:
    """All projective trees of one sentence under weights of its arcs."""

    def __init__(self, arcs: Floats, *, single_root: bool, temperature: float = 1.0) -> None:
        self._temperature = temperature
        self._single_root = single_root
        self._nodes = len(arcs)
        nodes = np.arange(self._nodes, dtype=np.int32)
        # A child sees whether its head has had one before it: all that a single root needs.
        steps = np.zeros((len(arcs), 2, 2, 2))
        if single_root:
            steps[0, :, 1, 1] = -np.inf
        kinds = np.minimum(nodes, 1).astype(np.int32)
        self._chart = TreeChart(
            positions=nodes, kinds=kinds, pairs=np.ascontiguousarray(arcs), steps=steps
        )

    @property
    def log_total(self) -> float:
        """The logarithm of the weights of all trees."""
        return float(self._chart.log_total())

    def ranked(self, most: int) -> list[ScoredTree]:
        """Return the best trees, at most so many."""
        return [ScoredTree(head.tolist(), score) for _, head, score in self._chart.ranked(most)]

    def samples(self, number: int, stream: Stream) -> list[ScoredTree]:
        """Draw trees by their weights to the power of 1/temperature."""
        drawn = self._chart.samples(number, stream, self._temperature)
        return [ScoredTree(head.tolist(), score) for _, head, score in drawn]

    def head_probabilities(self) -> Floats:
        """Return the probability of each arc at [head, dependent]."""
        found: Floats = self._chart.arc_probabilities(self._temperature)
        return found.reshape(self._nodes, self._nodes)

    def least_risk(self) -> list[int]:
        """Return the heads of the tree with the most arcs expected to be right."""
        expected = self.head_probabilities()
        return ArcTrees(expected, single_root=self._single_root).ranked(1)[0].heads


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
