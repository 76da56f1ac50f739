"""Train a franchise by seating events, sweeping, updating hyper-parameters and averaging samples.

The state of a chain can be saved after every sweep, and sweep i draws its random numbers from the
stream (seed, purpose, i). A run that was stopped and resumed therefore gives the same result as an
uninterrupted run.

>>> chain = Chain("words", events, UniformBase(9), SamplerSettings(), seed=1)   # doctest: +SKIP
>>> for sweep in range(40): chain.step(sweep)                                   # doctest: +SKIP
>>> arrays = chain.frozen()                                                     # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import Base, Franchise, PredictiveSum, SequentialLikelihood, Stream
from bistro.encoding.events import Events
from bistro.inference.chains import Figures, short
from bistro.inference.event_runs import EventRuns
from bistro.inference.hyper import update_hyperparameters
from bistro.inference.settings import SamplerSettings
from bistro.rng import purpose_key


def level_figures(
    name: str, parameters: Sequence[tuple[float, float]], tables: Sequence[int] = ()
) -> Figures:
    """Return the discounts, strengths and table counts of a process, with one number per depth."""
    figures: Figures = {
        f"{name}.discount": [short(discount) for discount, _ in parameters],
        f"{name}.strength": [short(strength) for _, strength in parameters],
    }
    return {**figures, f"{name}.tables": list(tables)} if tables else figures


class Learned:
    """One franchise, its hyper-parameters and the samples kept so far."""

    def __init__(
        self, name: str, levels: int, base: Base, settings: SamplerSettings, seed: int
    ) -> None:
        self.name = name
        self.settings = settings
        self.seed = seed
        self.franchise = Franchise(base, levels, settings.seating)
        for level in range(levels):
            discount = 0.0 if settings.dirichlet else settings.discount
            self.franchise.set_parameters(level, discount, settings.strength)
        self._kept = PredictiveSum()
        self.has_samples = False
        """True if samples are kept. Kept samples refer to restaurants and entries by index."""
        self._sequence: SequentialLikelihood | None = None

    def finish_sweep(self, sweep: int, *, keep: bool) -> None:
        """Update the hyper-parameters every few sweeps, and keep the sample if `keep` is true."""
        if (sweep + 1) % self.settings.hyper_every == 0:
            update_hyperparameters(
                self.franchise, self.settings, self._stream("hyper", sweep), self._sequence
            )
        if keep:
            self._kept.add(self.franchise)
            self.has_samples = True

    def forget_samples(self) -> None:
        """Discard the samples kept so far."""
        self._kept = PredictiveSum()
        self.has_samples = False

    def frozen(self) -> dict[str, NDArray[Any]]:
        """Return the mean of the kept samples as the arrays of a frozen franchise."""
        arrays: dict[str, NDArray[Any]] = self._kept.freeze(self.franchise)
        return arrays

    def figures(self) -> Figures:
        """Return discounts, strengths and table counts, starting with the shortest context."""
        tables = [tables for _, _, tables in self.franchise.counts_by_level()]
        return level_figures(self.name, self.franchise.parameters(), tables)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that change from sweep to sweep, by name."""
        customers, tables, sizes = self.franchise.state()
        probability, backoff, samples = self._kept.state()
        return {
            f"{self.name}.customers": customers,
            f"{self.name}.tables": tables,
            f"{self.name}.sizes": sizes,
            f"{self.name}.parameters": np.array(self.franchise.parameters()),
            f"{self.name}.kept_probability": probability,
            f"{self.name}.kept_backoff": backoff,
            f"{self.name}.kept_samples": np.array([samples]),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore the seating, the hyper-parameters and the kept samples from a saved state."""

        def saved(name: str) -> NDArray[Any]:
            return state[f"{self.name}.{name}"]

        self.franchise.restore(saved("customers"), saved("tables"), saved("sizes"))
        for level, (discount, strength) in enumerate(saved("parameters").tolist()):
            self.franchise.set_parameters(level, discount, strength)
        samples = int(saved("kept_samples")[0])
        self.has_samples = samples > 0
        self._kept.restore(saved("kept_probability"), saved("kept_backoff"), samples)

    def _stream(self, purpose: str, index: int) -> Stream:
        return Stream(self.seed, purpose_key(f"{self.name}.{purpose}"), index)


class Chain(Learned):
    """A franchise that is learned from observed events."""

    def __init__(
        self,
        name: str,
        events: Events | EventRuns,
        base: Base,
        settings: SamplerSettings,
        seed: int,
    ) -> None:
        super().__init__(name, events.levels + 1, base, settings, seed)
        if isinstance(events, EventRuns):
            self._entries = self.franchise.resolve_runs(events.lists())
        else:
            ordered = events.sorted()
            self._entries = self.franchise.resolve(ordered.contexts, ordered.outcomes)
        if settings.hyper == "sequential":
            order = self._stream("sequence", 0)
            self._sequence = SequentialLikelihood(self.franchise, self._entries, order)

    @property
    def is_deterministic(self) -> bool:
        """True if a second sweep cannot change anything."""
        return self.settings.seating != "gibbs" and self.settings.hyper in ("map", "fixed")

    def seat(self) -> None:
        """Seat all events for the first time."""
        self.franchise.add(self._entries, self._stream("seat", 0))

    def step(self, sweep: int, *, keep: bool) -> None:
        """Sweep once, update the hyper-parameters, and keep the sample if `keep` is true."""
        if self.settings.seating == "gibbs":
            self.franchise.sweep(self._entries, self._stream("sweep", sweep))
        self.finish_sweep(sweep, keep=keep)

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the current seating."""
        return self.franchise.log_likelihood()
