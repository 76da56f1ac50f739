"""Syntactic topics: latent states between words and their dependents.

A parent word chooses a state, the state a word (Wallach, Sutton & McCallum 2008):

    P(words, states, tree) = prod_n  theta[state_n | parent of n]  phi[word_n | state_n]

The states, found from trees by Gibbs sampling, are classes of words that a linguist can read. A
sentence is parsed with the states summed out: p(word | parent) = sum_k theta[k | parent]
phi[word | k], the mean over the samples kept, and a chart over all projective trees. States may
also be the tags of a column: the paper's baseline.

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

from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin, by_owner, flat, megabytes
from bistro.models.results.structures import TopState
from bistro.models.topics.config import TopicsConfig
from bistro.models.topics.parse import TopicsParsing
from bistro.models.topics.samples import TopicSample
from bistro.treebank.sentence import Sentence

Floats = NDArray[np.float64]
ROOT = "<root>"
SHOWN_PARENTS = 5


@dataclass(eq=False, repr=False)
class TopicsModel(TopicsParsing, Model):
    """A trained model of syntactic topics."""

    kind: ClassVar[str] = "topics"

    config: TopicsConfig
    vocabulary: Vocabulary
    tags: list[str]
    """The names of the states, if they are tags."""
    samples: list[TopicSample]
    origin: Origin
    single_root: bool = field(kw_only=True)

    @property
    def _num_parents(self) -> int:
        return (len(self.vocabulary) + 1) * (2 if self.config.directed else 1)

    @cached_property
    def _tables(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Theta and phi of all samples side by side: their product is the mean over samples."""
        theta = [sample.theta(self._num_parents) for sample in self.samples]
        phi = [sample.phi(len(self.vocabulary)) for sample in self.samples]
        mean = np.concatenate(theta, axis=1) / len(self.samples)
        return mean.astype(np.float32), np.concatenate(phi, axis=1).astype(np.float32)

    def arc_probabilities(self, sentence: Sentence, *, given_tags: bool = True) -> Floats:
        """Return p(word d | parent h) at [h, d], states summed out; row 0 is the root."""
        theta, phi = self._tables
        ids = self.vocabulary.encode(sentence.forms)
        generated = phi[ids]
        if self.tags and given_tags:
            generated = generated * self._given_states(getattr(sentence, self.config.source))
        heads = np.append([len(self.vocabulary)], ids)
        arcs = np.zeros((ids.size + 1, ids.size + 1))
        if not self.config.directed:
            arcs[:, 1:] = theta[heads] @ generated.T
            return arcs
        before, after = theta[2 * heads] @ generated.T, theta[2 * heads + 1] @ generated.T
        is_after = np.arange(1, ids.size + 1) > np.arange(ids.size + 1)[:, None]
        arcs[:, 1:] = np.where(is_after, after, before)
        return arcs

    def _given_states(self, tags: Sequence[str]) -> NDArray[np.float32]:
        """Return a row a word that leaves only its tag's state; an unknown tag leaves them all."""
        numbers = {tag: i for i, tag in enumerate(self.tags)}
        mask = np.zeros((len(tags), len(self.tags) + 1), dtype=np.float32)
        for row, tag in zip(mask, tags, strict=True):
            row[numbers.get(tag, slice(None))] = 1.0
        return np.tile(mask, len(self.samples))

    def state_probabilities(self, sentence: Sentence) -> Floats:
        """Return p(state | word, its head in the sentence) under the last sample, a row a word."""
        sample = self.samples[-1]
        ids = self.vocabulary.encode(sentence.forms)
        parents = parent_numbers(
            ids, sentence.heads, root=len(self.vocabulary), directed=self.config.directed
        )
        joint = sample.theta(self._num_parents)[parents] * sample.phi(len(self.vocabulary))[ids]
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def top_states(self, *, words: int = 10, sample: int = -1) -> list[TopState]:
        """Return all states of one sample that have words, the largest first."""
        kept = len(self.samples)
        if not -kept <= sample < kept:
            raise BistroError(f"sample {sample}: the model keeps {kept} samples, numbered from 0")
        chosen = self.samples[sample]
        sizes, phi = chosen.sizes(), chosen.phi(len(self.vocabulary))
        return [
            TopState(
                int(k),
                self.tags[k] if self.tags else str(k),
                float(sizes[k] / sizes.sum()),
                [
                    (self.vocabulary.decode([int(w)])[0], float(phi[w, k]))
                    for w in np.argsort(-phi[:, k], kind="stable")[:words]
                ],
                self._parents_of(chosen, int(k)),
            )
            for k in chosen.live
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
        """Return the symbols."""
        return {
            "single_root": self.single_root,
            "tags": self.tags,
            "vocabulary": self.vocabulary.to_header(),
            "vocabulary_hash": self.vocabulary.hash,
        }

    def arrays(self) -> Arrays:
        """Return the counts of all samples."""
        return flat({f"sample{i}": sample.arrays() for i, sample in enumerate(self.samples)})

    @classmethod
    def from_parts(
        cls, config: TopicsConfig, header: Mapping[str, Any], arrays: Arrays, origin: Origin
    ) -> Self:
        """Make the model again from a file."""
        names = [f"sample{i}" for i in range(config.samples)]
        parts = by_owner(arrays, names)
        samples = [TopicSample.from_arrays(parts[name]) for name in names]
        vocabulary = Vocabulary.from_header(header["vocabulary"])
        return cls(
            config, vocabulary, header["tags"], samples, origin, single_root=header["single_root"]
        )

    def summary(self) -> dict[str, Any]:
        """Return states, symbols and size."""
        live = [len(sample.live) for sample in self.samples]
        return {
            "states": "tags" if self.tags else self.config.states or "open",
            "live states of the samples": ", ".join(map(str, live)),
            "words known": len(self.vocabulary) - self.vocabulary.num_classes,
            "roots": "one" if self.single_root else "several",
            "megabytes": megabytes(self.arrays()),
        }


def parent_numbers(
    words: NDArray[np.int32], heads: Sequence[int], *, root: int, directed: bool
) -> NDArray[np.int32]:
    """Return the number of each word's parent, and on which side of it the word stands."""
    above = np.asarray(heads)
    parents: NDArray[np.int32] = np.append([root], words)[above].astype(np.int32)
    if directed:
        parents = 2 * parents + (np.arange(1, above.size + 1) > above).astype(np.int32)
    return parents
