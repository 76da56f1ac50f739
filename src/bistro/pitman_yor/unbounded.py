"""A chain whose contexts have unlimited length, known as the sequence memoizer.

There is one discount for each context length from 0 to 9, and one discount for all longer contexts.
The strength of the empty context is a parameter. The strength of a longer context is its discount
times the strength of the context that is one element shorter. This makes it possible to leave out
all contexts that do not branch (see docs/pitman-yor.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from bistro._core import (
    Base,
    DiscountLearner,
    Franchise,
    Memoizer,
    MemoizerBase,
    MemoizerLikelihood,
    Stream,
    slice_step,
)
from bistro.errors import ConfigError
from bistro.inference.hyper import update_hyperparameters
from bistro.pitman_yor.chains import CoreChain, Floats, State
from bistro.pitman_yor.events import Events
from bistro.pitman_yor.numbering import Ids
from bistro.pitman_yor.settings import Settings

RATE = 0.05
"""Step size for hyper-parameters that are learned online."""
_PARTS = ("text", "nodes", "leaves", "children", "seats", "sizes")


class UnboundedChain(CoreChain[Memoizer]):
    """A chain with contexts of any length."""

    def __init__(self, base: Base, letters: Franchise | None, settings: Settings) -> None:
        self.base = base
        self.letters = letters
        self._settings = settings
        discounts, (strength,) = list(settings.discount), settings.strength
        super().__init__(Memoizer(base, discounts, strength, settings.seating))
        is_online = settings.hyper == "online"
        self._learner = DiscountLearner(RATE, len(discounts)) if is_online else None

    def observe(self, events: Events, stream: Stream) -> Floats:
        """Seat events, and return the probability of each event just before it is seated."""
        if self._learner is None:
            return super().observe(events, stream)
        return self.core.observe_and_learn(
            events.elements,
            events.offsets,
            last_only=events.last_only,
            given=events.num_context,
            rng=stream,
            learner=self._learner,
        )

    def update(self, stream: Stream) -> None:
        """Update the hyper-parameters."""
        likelihood = MemoizerLikelihood(self.core)
        move = self._sampled if self._settings.hyper == "slice" else self._maximised
        self.core.set_parameters(*move(likelihood, stream))
        if self.letters is not None:
            update_hyperparameters(self.letters, self._settings.sampler(), stream)

    def _sampled(self, likelihood: MemoizerLikelihood, stream: Stream) -> tuple[list[float], float]:
        """Return the hyper-parameters after one slice-sampling step for each of them."""
        discounts, strength = self.core.parameters()
        a, b = self._settings.discount_prior
        shape, rate = self._settings.strength_prior
        for level in range(len(discounts)):

            def of_discount(x: float, level: int = level) -> float:
                if not 0 < x < 1:
                    return -np.inf
                tried = [*discounts[:level], x, *discounts[level + 1 :]]
                prior = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x)
                return float(likelihood(tried, strength) + prior)

            discounts[level] = slice_step(
                discounts[level], of_discount, width=0.1, low=0.0, high=1.0, rng=stream
            )

        def of_log_strength(x: float) -> float:
            theta = float(np.exp(x))
            return likelihood(discounts, theta) + shape * x - rate * theta

        moved = slice_step(
            np.log(strength), of_log_strength, width=1.0, low=-30.0, high=30.0, rng=stream
        )
        return discounts, float(np.exp(moved))

    def _maximised(self, likelihood: MemoizerLikelihood, _: Stream) -> tuple[list[float], float]:
        """Return the hyper-parameters with the highest posterior density."""
        a, b = self._settings.discount_prior
        shape, rate = self._settings.strength_prior

        def loss(x: Floats) -> tuple[float, Floats]:
            d, theta = expit(x[:-1]), float(np.exp(x[-1]))
            value, by = likelihood.gradient(d.tolist(), theta)
            value += float(np.sum((a - 1) * np.log(d) + (b - 1) * np.log1p(-d)))
            value += (shape - 1) * x[-1] - rate * theta
            slope = np.array(by)
            slope[:-1] = slope[:-1] * (1 - d) + (a - 1) * (1 - d) - (b - 1) * d
            slope[-1] += (shape - 1) - rate * theta
            return -value, -slope

        discounts, strength = self.core.parameters()
        start = np.append(logit(discounts), np.log(strength))
        bounds = [(-10.0, 10.0)] * len(discounts) + [(-15.0, 15.0)]
        from scipy.optimize import minimize  # SciPy takes a second to load.

        best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        return expit(best[:-1]).tolist(), float(np.exp(best[-1]))

    def log_likelihood(self) -> float:
        """Return log p(seating, outcomes)."""
        letters = self.letters.log_likelihood() if self.letters is not None else 0.0
        return MemoizerLikelihood(self.core)(*self.core.parameters()) + letters

    def parameters(self) -> tuple[list[float], list[float]]:
        """Return the discounts, starting with the empty context, and the strength."""
        discounts, strength = self.core.parameters()
        return discounts, [strength]

    def set_parameters(self, discounts: Sequence[float], strengths: Sequence[float]) -> None:
        """Set the discounts and the strength."""
        (strength,) = strengths
        self.core.set_parameters(list(discounts), strength)

    def counts(self) -> list[tuple[int, int, int]]:
        """Return the numbers of restaurants, customers and tables for each context length."""
        return [(r, c, t) for r, c, t in self.core.counts_by_level()]

    def as_base(self, context: Ids) -> Base:
        """Return the empty context as the base of another process."""
        if context.size:
            raise ConfigError("only the empty context of an unbounded process can be a base")
        return MemoizerBase(self.core)

    def state(self) -> State:
        """Return everything that is needed to restore the chain."""
        discounts, strength = self.core.parameters()
        state: State = dict(zip(_PARTS, self.core.state(), strict=True))
        state["parameters"] = np.array([*discounts, strength])
        if self._learner is not None:
            state["learner"] = self._learner.state()
        return {**state, **self.letters_state()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a saved state."""
        self.restore_letters(state)
        *discounts, strength = state["parameters"].tolist()
        self.core.restore(*(state[name] for name in _PARTS))
        self.core.set_parameters(discounts, strength)
        if self._learner is not None:
            self._learner.restore(state["learner"])

    @property
    def bytes(self) -> int:
        """Memory used by the chain, in bytes."""
        return self.core.bytes
