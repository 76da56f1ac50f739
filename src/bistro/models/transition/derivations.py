"""Learning with unobserved analyses, using particle Gibbs sampling of derivations, trees and tags.

Most trees have several derivations. For training, a deterministic oracle selects one derivation of
each tree. A `DerivationChain` resamples the derivation of each sentence in every sweep, given the
derivations of all other sentences (§2 of Buys & Blunsom 2015). A `LatentChain` continues from this
result and also draws trees, labels and tags, given only the words (§5.4). Both chains use
conditional sequential Monte Carlo (SMC), which retains the current derivation. A
Metropolis-Hastings step corrects for the dependence among the events of one sentence.

    events of sentence i leave  ->  particles draw d ~ p(d | words, the others), one retraces d_i
    ->  events of d enter       ->  accept, or all events return to their old tables
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bistro._core import DerivationSampler, SentenceBatch, Stream, TransitionShape
from bistro.inference.chains import Figures
from bistro.inference.gibbs import Learned
from bistro.rng import purpose_key
from bistro.sums import added

WordTags: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]
"""The tags that each word may have, stored as the offset of each word and a list of tag indices.
Empty arrays allow all tags."""

ALL_TAGS: WordTags = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))


@dataclass(eq=False)
class DerivationChain:
    """A Markov chain over the seating of all distributions and the derivations of all sentences."""

    is_deterministic: ClassVar[bool] = False

    shape: TransitionShape
    batch: SentenceBatch
    learned: dict[str, Learned]
    _: KW_ONLY
    particles: int
    seed: int
    labels_in_contexts: bool
    word_tags: WordTags = ALL_TAGS

    def __post_init__(self) -> None:
        self.moved = (0, 0)
        """In the last sweep, the number of accepted proposals and the number of sentences whose
        derivation changed."""
        franchises = {name: part.franchise for name, part in self.learned.items()}
        self._sampler = DerivationSampler(
            self.shape,
            self.batch,
            **franchises,
            labels_in_contexts=self.labels_in_contexts,
            tag_begin=self.word_tags[0],
            tag_list=self.word_tags[1],
        )

    @property
    def derivations(self) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """The action, tag and label of every step, and the position where each sentence ends."""
        steps, ends = self._sampler.histories()
        return steps, ends

    def seat(self) -> None:
        """Seat the events of the derivations that the deterministic oracle selects."""
        self._sampler.seat(self._stream("seat", 0))

    def step(self, sweep: int, *, keep: bool) -> None:
        """Resample all derivations and update the hyper-parameters.

        Keep the sample if requested.
        """
        self.moved = self._sampler.sweep(self.particles, self._stream("sweep", sweep))
        for part in self.learned.values():
            part.finish_sweep(sweep, keep=keep)
        if not any(part.has_samples for part in self.learned.values()):
            self._sampler.drop_empty()

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the current seating."""
        return added(part.franchise.log_likelihood() for part in self.learned.values())

    def figures(self) -> Figures:
        """Return statistics on every distribution, and the number of changed derivations."""
        figures: Figures = {"derivations.changed": self.moved[1]}
        for part in self.learned.values():
            figures |= part.figures()
        return figures

    def frozen(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return the arrays of every frozen distribution, by name."""
        return {name: part.frozen() for name, part in self.learned.items()}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the derivations and the seating of all distributions, for a checkpoint."""
        steps, ends = self.derivations
        arrays: dict[str, NDArray[Any]] = {"derivations.steps": steps, "derivations.ends": ends}
        for name, part in self.learned.items():
            restaurants, entries = part.franchise.structure()
            arrays |= {f"{name}.restaurants": restaurants, f"{name}.entries": entries}
            arrays |= part.state()
        return arrays

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a saved state."""
        for name, part in self.learned.items():
            part.franchise.clear()
            part.franchise.rebuild(state[f"{name}.restaurants"], state[f"{name}.entries"])
            part.restore(state)
        self._sampler.resume(state["derivations.steps"], state["derivations.ends"])

    def _stream(self, purpose: str, index: int) -> Stream:
        return Stream(self.seed, purpose_key(f"derivations.{purpose}"), index)


@dataclass(eq=False)
class LatentChain(DerivationChain):
    """The Markov chain of the second training stage, which also samples trees, tags or both."""

    before: DerivationChain | SentenceBatch
    """The chain of the first stage, or the trees if the first stage used oracle derivations."""

    def seat(self) -> None:
        """Start from the derivations of the first stage, whose events are already seated."""
        if isinstance(self.before, DerivationChain):
            self._sampler.resume(*self.before.derivations)
        else:
            self._sampler.take_up(self.before)
