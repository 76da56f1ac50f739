"""Parsing with syntactic topics, using a chart over all trees, with the states summed out."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import Stream
from bistro.errors import ConfigError
from bistro.models.inputs import Words, as_sentence, check_temperature
from bistro.models.parsing.codec import check_evidence
from bistro.models.parsing.options import SharedOptions
from bistro.models.parsing.tagging import Parsing
from bistro.models.results.parses import Analysis, Marginals, Parse
from bistro.models.topics.arc_trees import ArcTrees, ScoredTree
from bistro.models.topics.resample import JointTrees, Unparsed
from bistro.models.topics.samples import TopicSample
from bistro.rng import purpose_key
from bistro.sums import added
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence

Floats = NDArray[np.float64]
NEGLIGIBLE = 1e-6
"""Only heads with at least this probability are included in the marginals."""


@dataclass(frozen=True)
class TopicsParseOptions(SharedOptions):
    """Options for the parser's output. The search is exact and therefore has no options.

    A model with latent states ignores the tags of the input and copies them to the output. If the
    states of the model are tags, the tags are either given or summed out.
    """

    temperature: float = 1.0
    """Temperature for marginals, samples and the minimum-risk tree. A temperature of 1 gives the
    model's own posterior."""
    resample: int = 0
    """Number of joint sweeps over the trees and states of all sentences, for each training sample.
    The results are averaged over the second half of the sweeps. With 0 sweeps, each sentence is
    parsed separately."""

    def check(self, num_chains: int) -> None:
        """Raise an error if these options cannot be used with this number of chains."""
        check_temperature(self.temperature)
        if self.resample < 0:
            raise ConfigError(f"resample is {self.resample}, but must be at least 0")
        if self.resample and self.temperature != 1:
            raise ConfigError(
                "resample draws trees from the posterior itself, so temperature must be 1"
            )
        kept = num_chains * (self.resample - self.resample // 2)
        if self.resample and self.samples > kept:
            raise ConfigError(
                f"resample = {self.resample} yields only {kept} trees per sentence, which is fewer "
                f"than samples = {self.samples}"
            )

    def _search(self) -> list[str]:
        return [f"trees resampled in {self.resample} sweeps"] if self.resample else []


class TopicsParsing(Parsing):
    """Mixin with parsing methods for models in which the arcs of a tree are independent."""

    parse_options: ClassVar[type[SharedOptions]] = TopicsParseOptions
    tag_column: ClassVar[str] = "upos"
    finds_tags: ClassVar[bool] = False
    is_labelled: ClassVar[bool] = False
    label_names: ClassVar[tuple[str, ...]] = ()
    tag_names: ClassVar[tuple[str, ...]] = ()
    single_root: bool
    samples: list[TopicSample]

    @abstractmethod
    def arc_probabilities(self, sentence: Sentence, *, given_tags: bool = True) -> Floats:
        """Return p(word d | parent h) at [h, d]. Row 0 is the root."""

    @abstractmethod
    def log_stops(self, sentence: Sentence) -> float:
        """Return the log-probability of all stops in a sentence.

        This log-probability is the same for all trees.
        """

    @abstractmethod
    def unparsed(self, sentence: Sentence, possible_arcs: Floats, *, given_tags: bool) -> Unparsed:
        """Convert a sentence to the format that `JointTrees` expects."""

    @abstractmethod
    def joint_trees(
        self, sample: TopicSample, sentences: Sequence[Unparsed], stream: Stream
    ) -> JointTrees:
        """Return a Markov chain over the trees of sentences, given one training sample."""

    def unknown_tags(self, sentence: Sentence) -> list[str]:
        """Return an empty list, because unknown tags are allowed."""
        return []

    def parse_all(self, sentences: Iterable[Words], **options: Any) -> Iterator[Parse]:
        """Parse sentences one by one or, with the option `resample`, all together."""
        settings: TopicsParseOptions = self._parse_options(options)
        settings.check(len(self.samples))
        with_annotation = map(as_sentence, sentences)
        if settings.resample:
            yield from self._parse_together(list(with_annotation), settings)
            return
        for number, sentence in enumerate(with_annotation, start=settings.first):
            arcs = self.arc_probabilities(sentence, given_tags=settings.tags == "given")
            logs = _log(arcs) + self._possible_arcs(sentence, settings)
            stream = Stream(settings.seed, purpose_key("topics.samples"), number)
            yield self._parse(
                sentence,
                logs,
                settings,
                lambda trees: trees.samples(settings.samples, stream),  # noqa: B023
            )

    def _parse_together(
        self, sentences: list[Sentence], options: TopicsParseOptions
    ) -> Iterator[Parse]:
        possible = [self._possible_arcs(sentence, options) for sentence in sentences]
        given_tags = options.tags == "given"
        unparsed = [
            self.unparsed(sentence, arcs, given_tags=given_tags)
            for sentence, arcs in zip(sentences, possible, strict=True)
        ]
        kept: list[list[list[int]]] = []
        sums = [np.zeros(arcs.shape) for arcs in possible]
        for i, sample in enumerate(self.samples):
            stream = Stream(options.seed, purpose_key("topics.resample"), i)
            chain = self.joint_trees(sample, unparsed, stream)
            for sweep in range(options.resample):
                arcs = chain.sweep()
                if sweep >= options.resample // 2:
                    sums = [total + one for total, one in zip(sums, arcs, strict=True)]
                    kept.append([derivation.heads for derivation in chain.current])
        for number, sentence in enumerate(sentences):
            logs = _log(sums[number] / len(kept)) + possible[number]
            rows = np.linspace(0, len(kept) - 1, options.samples).round().astype(int)
            drawn = [_scored(kept[row][number], logs) for row in rows]
            yield self._parse(sentence, logs, options, lambda _: drawn)  # noqa: B023

    def _possible_arcs(self, sentence: Sentence, options: TopicsParseOptions) -> Floats:
        """Return an array with 0 at [h, d] if d may depend on h, and minus infinity otherwise."""
        arcs = np.zeros((len(sentence) + 1, len(sentence) + 1))
        np.fill_diagonal(arcs, -np.inf)
        if options.partial:
            check_evidence(sentence, single_root=self.single_root)
            for word, head in enumerate(sentence.heads, start=1):
                if head >= 0:
                    arcs[np.arange(len(arcs)) != head, word] = -np.inf
        return arcs

    def _parse(
        self,
        sentence: Sentence,
        logs: Floats,
        options: TopicsParseOptions,
        draw: Callable[[ArcTrees], Sequence[ScoredTree]],
    ) -> Parse:
        trees = ArcTrees(logs, single_root=self.single_root, temperature=options.temperature)
        total, stops = trees.log_total, self.log_stops(sentence)

        def analysis(tree: ScoredTree) -> Analysis:
            labels = [EMPTY] * len(sentence)
            posterior = math.exp(tree.score - total)
            return Analysis(tree.heads, labels, list(sentence.upos), tree.score + stops, posterior)

        best = trees.ranked(options.kbest)
        if options.by_risk:
            best = [_scored(trees.least_risk(), logs)]
        return Parse(
            sentence,
            [analysis(tree) for tree in best],
            [analysis(tree) for tree in draw(trees)],
            _marginals(trees, sentence) if options.marginals else None,
            total + stops,
        )


def _log(probabilities: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))


def _scored(heads: list[int], logs: Floats) -> ScoredTree:
    return ScoredTree(heads, float(added(logs[h, d] for d, h in enumerate(heads, 1))))


def _marginals(trees: ArcTrees, sentence: Sentence) -> Marginals:
    probability = trees.head_probabilities()
    heads = []
    for word in range(1, len(sentence) + 1):
        column = probability[:, word]
        order = [h for h in np.argsort(-column, kind="stable").tolist() if column[h] > NEGLIGIBLE]
        heads.append([(h, float(column[h])) for h in order])
    labels = [[(EMPTY, 1.0)] for _ in heads]
    return Marginals(heads, labels, [[(tag, 1.0)] for tag in sentence.upos])
