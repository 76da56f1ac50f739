"""Syntactic topics are latent states between words and their dependents.

A parent word generates a state, and the state generates a word (Wallach, Sutton & McCallum 2008).

    P(words, states, tree) = prod_n  theta[state_n | parent of n]  phi[word_n | state_n]

A parent generates the dependents on each side separately, and a stop at the end of each side, as in
the model of Eisner (1996) on which the paper is based. The formula in the paper has neither sides
nor stops. To obtain the formula in the paper, set `directed` and `stops` to false.

The states are inferred from trees by Gibbs sampling. The states are word classes that a linguist
can interpret. A sentence is parsed using a chart over all projective trees, with the states summed
out. The arc weights are p(word | parent) = sum_k theta[k | parent] phi[word | k], averaged over the
kept samples. States may also be the tags of a treebank column, as in the paper's baseline.

>>> import bistro
>>> trees = bistro.builtin(sentences=300, seed=1)
>>> model = bistro.train("topics", trees, seed=1, states=8, sweeps=40)
>>> model.parse("The dog sleeps .".split()).heads.count(0)
1
>>> len(model.top_states(words=3)[0].words)
3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bistro._core import Stream
from bistro.encoding.vocabulary import Vocabulary, vocabulary_of
from bistro.errors import BistroError, ModelFileError
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin, by_owner, flat, megabytes
from bistro.models.checks import distinct_strings
from bistro.models.results.structures import TopState
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.contexts import parent_numbers, possible_parents, stopping_parents
from bistro.models.topics.parse import TopicsParsing
from bistro.models.topics.resample import JointTrees, Unparsed
from bistro.models.topics.samples import TopicSample
from bistro.treebank.sentence import Sentence

Floats = NDArray[np.float64]
ROOT = "<root>"
MOST_BYTES = 1 << 31
"""Maximum total size of the tables for all samples. Without a maximum, a small malicious file could
request huge tables."""
SHOWN_PARENTS = 5


@dataclass(eq=False, repr=False)
class TopicsModel(TopicsParsing, Model):
    """A trained model of syntactic topics."""

    kind: ClassVar[str] = "topics"

    config: TopicsConfig
    vocabulary: Vocabulary
    tags: list[str]
    """The names of the states, or an empty list if the states are not tags."""
    samples: list[TopicSample]
    origin: Origin
    single_root: bool = field(kw_only=True)
    stops: NDArray[np.int32] = field(kw_only=True)
    """Number of stops that each parent generates in the training data. In a model without stops,
    all numbers are 0."""

    @cached_property
    def _tables(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The tables theta and phi of all samples, concatenated along the state axis.

        The product of the two tables is p(word | parent), averaged over the samples.
        """
        number = len(self.samples)
        theta = [(s.theta(self.stops) / number).astype(np.float32) for s in self.samples]
        phi = [s.phi(len(self.vocabulary)).astype(np.float32) for s in self.samples]
        return np.concatenate(theta, axis=1), np.concatenate(phi, axis=1)

    def log_stops(self, sentence: Sentence) -> float:
        """Return the log-probability of all stops in a sentence.

        Each word and the root generate one stop on each side.
        """
        stops = self._stops_of(self.vocabulary.encode(sentence.forms))
        return float(np.log(self._stopping[stops]).sum())

    def _stops_of(self, words: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the parents that generate a stop.

        In a model without stops, the result is empty.
        """
        root, directed = len(self.vocabulary), self.config.directed
        stopping = stopping_parents(words, root=root, directed=directed)
        return stopping if self.config.stops else stopping[:0]

    @cached_property
    def _stopping(self) -> Floats:
        return np.asarray(np.mean([s.stopping(self.stops) for s in self.samples], axis=0))

    def arc_probabilities(self, sentence: Sentence, *, given_tags: bool = True) -> Floats:
        """Return p(word d | parent h) at [h, d], with the states summed out. Row 0 is the root."""
        theta, phi = self._tables
        ids = self.vocabulary.encode(sentence.forms)
        generated = phi[ids]
        if self.tags and given_tags:
            states = self._possible_states(getattr(sentence, self.config.source))
            generated = generated * np.tile(states, len(self.samples))
        parents, places = self._possible_parents(ids)
        arcs = np.zeros((ids.size + 1, ids.size + 1))
        arcs[:, 1:] = (theta[parents] @ generated.T)[places, np.arange(ids.size)]
        return arcs

    def _possible_parents(self, words: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any]]:
        return possible_parents(words, root=len(self.vocabulary), directed=self.config.directed)

    def unparsed(self, sentence: Sentence, possible_arcs: Floats, *, given_tags: bool) -> Unparsed:
        """Convert a sentence to the format that `JointTrees` expects."""
        words = self.vocabulary.encode(sentence.forms)
        parents, places = self._possible_parents(words)
        # One column represents all states, since the number of states differs between samples.
        states = np.ones((words.size, 1), np.float32)
        if self.tags and given_tags:
            states = self._possible_states(getattr(sentence, self.config.source))
        stops = self._stops_of(words)
        return Unparsed(words, parents, places, stops, states, possible_arcs)

    def joint_trees(
        self, sample: TopicSample, sentences: Sequence[Unparsed], stream: Stream
    ) -> JointTrees:
        """Return a Markov chain over the trees of sentences, given one training sample."""
        return JointTrees(
            sample,
            sentences,
            stops=self.stops,
            num_words=len(self.vocabulary),
            single_root=self.single_root,
            stream=stream,
        )

    def _possible_states(self, tags: Sequence[str]) -> NDArray[np.float32]:
        """Return a mask of the possible states of each word. An unknown tag allows all states."""
        numbers = {tag: i for i, tag in enumerate(self.tags)}
        mask = np.zeros((len(tags), len(self.tags) + 1), dtype=np.float32)
        for row, tag in zip(mask, tags, strict=True):
            row[numbers.get(tag, slice(None))] = 1.0
        return mask

    def state_probabilities(self, sentence: Sentence) -> Floats:
        """Return p(state | word, its head in the sentence) under the last sample, by word."""
        sample = self.samples[-1]
        ids = self.vocabulary.encode(sentence.forms)
        parents = parent_numbers(
            ids, sentence.heads, root=len(self.vocabulary), directed=self.config.directed
        )
        joint = sample.theta(self.stops)[parents] * sample.phi(len(self.vocabulary))[ids]
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def top_states(self, *, words: int = 10, sample: int = -1) -> list[TopState]:
        """Return all non-empty states of one sample, largest first."""
        kept = len(self.samples)
        if not -kept <= sample < kept:
            raise BistroError(
                f"there is no sample {sample}: the model has {kept} samples, numbered from 0"
            )
        draw = self.samples[sample]
        sizes, phi = draw.sizes(), draw.phi(len(self.vocabulary))
        return [
            TopState(
                int(k),
                self.tags[k] if self.tags else str(k),
                float(sizes[k] / sizes.sum()),
                [
                    (self.vocabulary.decode([int(w)])[0], float(phi[w, k]))
                    for w in np.argsort(-phi[:, k], kind="stable")[:words]
                ],
                self._parents_of(draw, int(k)),
            )
            for k in draw.live
        ]

    def _parents_of(self, sample: TopicSample, state: int) -> list[tuple[str, int]]:
        rows = sample.parents[sample.parents[:, 1] == state]
        best = rows[np.argsort(-rows[:, 2], kind="stable")][:SHOWN_PARENTS]
        return [(self._parent_name(int(parent)), int(count)) for parent, _, count in best]

    def _parent_name(self, number: int) -> str:
        word, side = divmod(number, 2) if self.config.directed else (number, None)
        name = ROOT if word == len(self.vocabulary) else self.vocabulary.decode([word])[0]
        return name if side is None else f"{name} →" if side else f"← {name}"

    def header(self) -> dict[str, Any]:
        """Return the header of the model file, with the tags and the vocabulary."""
        return {
            "single_root": self.single_root,
            "tags": self.tags,
            "vocabulary": self.vocabulary.to_header(),
            "vocabulary_hash": self.vocabulary.hash,
        }

    def arrays(self) -> Arrays:
        """Return the arrays of all samples and, if the model has stops, the numbers of stops."""
        samples = flat({f"sample{i}": sample.arrays() for i, sample in enumerate(self.samples)})
        return {**samples, "stops": self.stops} if self.config.stops else samples

    @classmethod
    def from_parts(
        cls, config: TopicsConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Restore the model from a file."""
        if config.chains * config.samples > len(arrays):
            raise ModelFileError("the model has fewer samples than its configuration requires")
        names = [f"sample{i}" for i in range(config.chains * config.samples)]
        parts = by_owner(arrays, names)
        samples = [TopicSample.from_arrays(parts[name]) for name in names]
        vocabulary = vocabulary_of(header)
        num_parents = (len(vocabulary) + 1) * (2 if config.directed else 1)
        for sample in samples:
            limits = (sample.parents, num_parents), (sample.words, len(vocabulary))
            if any(rows[:, 0].max(initial=0) >= limit for rows, limit in limits):
                raise ValueError("a sample contains a word that is not in the model's vocabulary")
        _check_size(samples, num_parents + len(vocabulary))
        stops = arrays["stops"] if config.stops else np.zeros(num_parents, np.int32)
        if stops.shape != (num_parents,):
            raise ValueError("the array of stops must have one entry for each parent")
        tags, single_root = header["tags"], header["single_root"]
        if bool(distinct_strings(tags, "tags")) == (config.source == "latent"):
            raise ModelFileError("the states of the model do not match its configuration")
        return cls(
            config,
            vocabulary,
            tags,
            samples,
            origin,
            single_root=single_root,
            stops=stops,
        )

    def summary(self) -> dict[str, Any]:
        """Return the numbers of states and words, and the size of the model."""
        live = [len(sample.live) for sample in self.samples]
        return {
            "states": "tags" if self.tags else self.config.states or "open",
            "live states of the samples": ", ".join(map(str, live)),
            "words known": len(self.vocabulary) - self.vocabulary.num_classes,
            "roots": "one" if self.single_root else "several",
            "megabytes": megabytes(self.arrays()),
        }


def _check_size(samples: Sequence[TopicSample], rows: int) -> None:
    """Raise an error if the tables for all parents, words and states would be too large."""
    cells = [rows * (sample.states + 1) for sample in samples]
    # Single precision for all samples, and one sample in double precision, with a copy.
    if 4 * sum(cells) + 16 * max(cells, default=0) > MOST_BYTES:
        raise ModelFileError(
            "the model has too many states and words: its tables would take more than "
            f"{MOST_BYTES >> 30} GB"
        )
