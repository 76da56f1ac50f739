"""Learning with sampled derivations: the order in which a tree is built is not observed.

Most trees have several derivations. The deterministic oracle trains on one of them; here all are
latent, and particle Gibbs draws each sentence's derivation anew in every sweep, given all others
(§2 of Buys & Blunsom 2015; conditional SMC with the present derivation retained).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from bistro._core import DerivationSampler, SentenceBatch, Stream, TransitionShape
from bistro.inference.gibbs import Learned
from bistro.rng import purpose_key


class DerivationChain:
    """The franchises of one model, learned together with the derivations of its sentences."""

    is_deterministic = False

    def __init__(
        self,
        shape: TransitionShape,
        batch: SentenceBatch,
        learned: dict[str, Learned],
        *,
        particles: int,
        seed: int,
        labels_in_contexts: bool,
    ) -> None:
        self.learned = learned
        self._particles = particles
        self._seed = seed
        franchises = {name: part.franchise for name, part in learned.items()}
        self._sampler = DerivationSampler(
            shape,
            batch,
            franchises["actions"],
            franchises.get("labels"),
            franchises["tags"],
            franchises.get("words"),
            labels_in_contexts,
        )

    def seat(self) -> None:
        """Seat the events of the deterministic oracle."""
        self._sampler.seat(self._stream("seat", 0))

    def step(self, sweep: int, *, keep: bool) -> None:
        """Draw all derivations anew, then move the hyper-parameters, then keep the sample."""
        self._sampler.sweep(self._particles, self._stream("sweep", sweep))
        for part in self.learned.values():
            part.finish_sweep(sweep, keep=keep)

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the present seating."""
        return sum(part.franchise.log_likelihood() for part in self.learned.values())

    def frozen(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return the frozen arrays of every distribution by name."""
        return {name: part.frozen() for name, part in self.learned.items()}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return derivations, structure and seating."""
        steps, ends = self._sampler.histories()
        arrays: dict[str, NDArray[Any]] = {"derivations.steps": steps, "derivations.ends": ends}
        for name, part in self.learned.items():
            restaurants, entries = part.franchise.structure()
            arrays |= {f"{name}.restaurants": restaurants, f"{name}.entries": entries}
            arrays |= part.state()
        return arrays

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Put everything back into a saved state."""
        for name, part in self.learned.items():
            part.franchise.rebuild(state[f"{name}.restaurants"], state[f"{name}.entries"])
            part.restore(state)
        self._sampler.resume(state["derivations.steps"], state["derivations.ends"])

    def _stream(self, purpose: str, index: int) -> Stream:
        return Stream(self._seed, purpose_key(f"derivations.{purpose}"), index)
