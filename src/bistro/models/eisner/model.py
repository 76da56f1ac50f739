"""Eisner's generative model of trees (Eisner 1996), with Pitman-Yor priors (Wallach et al., 2008).

Every head generates its children outward, on its left and on its right, and ends each side with a
stop symbol. A child consists of a tag and a word, which are generated in this order.

    p(tag | direction, head's tag, sibling's tag, head's word)   the stop among the tags
    p(word | tag, direction, head's tag, head's word)

Back-off drops the last element of a context first. The context elements can be configured
(`EisnerConfig`). A chart over all projective trees yields the most probable tree, the sum over all
trees, samples and marginals, all of them exactly (`cpp/parse/chart.hpp`).

>>> import bistro
>>> model = bistro.train("eisner", bistro.builtin(sentences=300, seed=1), seed=1)
>>> parse = model.parse("The dog sleeps .".split())
>>> parse.heads, parse.labels
([2, 3, 0, 3], ['det', 'nsubj', 'root', 'punct'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import ChartRequest, DependencyShape, EisnerParser, Frozen, OutputRequest
from bistro.modelfile import Arrays
from bistro.models.base import Origin, by_owner, flat
from bistro.models.eisner.config import EisnerConfig
from bistro.models.inputs import Words, as_sentence
from bistro.models.parsing.codec import Codec
from bistro.models.parsing.options import CoreOptions
from bistro.models.parsing.parser import ParsingAbility
from bistro.models.parsing.training import trees_of

if TYPE_CHECKING:
    from bistro.models.results.explanations import Explanation

DISTRIBUTIONS = ("labels", "tags", "words", "states", "emissions")


@dataclass(frozen=True)
class EisnerOptions(CoreOptions):
    """Options for the chart parser."""

    kind: ClassVar[str] = "eisner"

    temperature: float = 1.4
    """Temperature of the posterior. Posteriors that sum over all trees are less overconfident than
    posteriors that sum over the trees found by a search."""
    least_candidate: float = 0.01
    """Minimum probability of a candidate tag, relative to the probability of the tagger's likeliest
    tag."""

    def request_for(self, output: OutputRequest) -> ChartRequest:
        """Return a request to the core for the given output, with limits on candidate tags."""
        return ChartRequest(
            output=output, tags_per_word=self.tags_per_word, least_candidate=self.least_candidate
        )


@dataclass(frozen=True)
class States:
    """The states of the tagger.

    A state is a tag or, if labels are generated, a pair of a tag and a label.
    """

    tag: NDArray[np.int32]
    label: NDArray[np.int32]
    """Label of each state, or -1 if labels are assigned to finished arcs."""
    begin: NDArray[np.int32]
    """Word w occurs in the training data with the states ``list[begin[w]:begin[w + 1]]``."""
    list: NDArray[np.int32]


def shape_of(config: EisnerConfig, codec: Codec, *, single_root: bool) -> DependencyShape:
    """Return the structure of the model in the format that the C++ core expects."""
    return DependencyShape(
        num_tags=len(codec.tags),
        num_words=len(codec.vocabulary),
        num_labels=len(codec.labels),
        single_root=single_root,
        labelled=codec.is_labelled,
        generated_labels=codec.is_labelled and config.labels == "generated",
        contexts=vars(config.contexts),
    )


def outcomes_of(shape: DependencyShape, codec: Codec, states: States) -> dict[str, int]:
    """Return the number of outcomes of each distribution."""
    words = len(codec.vocabulary)
    return {
        "labels": shape.label_outcomes,
        "tags": shape.tag_outcomes,
        "words": words,
        "states": len(states.tag),
        "emissions": words,
    }


@dataclass(eq=False, repr=False)
class EisnerModel(ParsingAbility):
    """A trained Eisner model."""

    kind: ClassVar[str] = "eisner"
    parse_options: ClassVar[type[CoreOptions]] = EisnerOptions
    # Time is cubic and memory quadratic in the length: 1,000 words take half a minute and 400 MB.
    most_words: ClassVar[int | None] = 1000

    config: EisnerConfig
    codec: Codec
    distributions: Mapping[str, Arrays]
    """The arrays of the frozen distributions, by name."""
    states: States
    origin: Origin
    single_root: bool = field(kw_only=True)

    def __post_init__(self) -> None:
        states = self.states
        self.shape = shape_of(self.config, self.codec, single_root=self.single_root)
        self.num_outcomes = outcomes_of(self.shape, self.codec, states)
        frozen = {
            name: Frozen(**arrays, dishes=self.num_outcomes[name])
            for name, arrays in self.distributions.items()
        }
        self._parser = EisnerParser(
            self.shape,
            **frozen,
            tag_of=states.tag,
            label_of=states.label,
            state_begin=states.begin,
            state_list=states.list,
        )

    def explain(self, sentence: Words, training: Iterable[Words] | None = None) -> Explanation:
        """Explain the probability of the given tree or of the best tree in terms of its decisions.

        If `training` data is given, the result also contains the counts of each context in that
        data.
        """
        from bistro.models.eisner.explain import explain_tree

        data = None if training is None else trees_of(list(training))
        return explain_tree(self, as_sentence(sentence), data)

    def arrays(self) -> Arrays:
        """Return the arrays of the frozen distributions and of the tagger's states."""
        return {
            **{f"state.{part}": array for part, array in vars(self.states).items()},
            **flat(self.distributions),
        }

    @classmethod
    def from_parts(
        cls, config: EisnerConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from the content of a file."""
        distributions = by_owner(arrays, DISTRIBUTIONS)
        states = States(*(arrays[f"state.{part}"] for part in ("tag", "label", "begin", "list")))
        codec = Codec.from_parts(config, header, arrays)
        return cls(config, codec, distributions, states, origin, single_root=header["single_root"])
