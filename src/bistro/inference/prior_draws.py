"""Draw hyper-parameters and outcomes from a Pitman-Yor prior.

The discounts and strengths are drawn from their priors. Each outcome is drawn from the predictive
distribution given all earlier outcomes, and then seated (Pólya's urn). The seating is therefore
also a draw from its distribution given the data. Since the properties of the seating are known, a
sampler can be tested against them.

>>> from bistro._core import UniformBase
>>> settings = SamplerSettings()
>>> learned = Learned("words", 2, UniformBase(3), settings, seed=1)
>>> urn = Urn(learned, seed=1)
>>> events = [((0,), urn.draw((0,), range(3))) for _ in range(5)]
>>> sorted(franchise_quantities(learned.franchise, "words"))[:2]
['words.discount[0]', 'words.discount[1]']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bistro._core import Franchise, Stream
from bistro.errors import ConfigError
from bistro.inference.gibbs import Chain, Learned
from bistro.inference.settings import SamplerSettings
from bistro.inference.simulated import Simulated
from bistro.rng import purpose_key


class Urn:
    """A franchise that generates data, with hyper-parameters drawn from their priors."""

    def __init__(
        self, learned: Learned, *, seed: int, groups: Iterable[Iterable[int]] | None = None
    ) -> None:
        """Draw the hyper-parameters.

        Parameters
        ----------
        learned
            The franchise, without customers, and its settings.
        seed
            Seed of the draws.
        groups
            Levels that share their hyper-parameters; by default each level has its own.
        """
        self.franchise = learned.franchise
        key = purpose_key(f"sbc.{learned.name}")
        self._rng = np.random.default_rng((seed, key))
        self._stream = Stream(seed, key, 0)
        draw_parameters(learned, self._rng, groups)

    def draw(self, context: Sequence[int], outcomes: Sequence[int] | range) -> int:
        """Draw one of the possible outcomes in a context, given earlier outcomes, and seat it."""
        dishes = np.array(outcomes, dtype=np.int32)
        row = np.array([context] * len(dishes), dtype=np.int32).reshape(len(dishes), -1)
        chances = self.franchise.probabilities(row, dishes)
        place = int(self._rng.choice(len(chances), p=chances / chances.sum()))
        entry = self.franchise.resolve(row[:1], dishes[place : place + 1])
        self.franchise.add(entry, self._stream)
        return int(dishes[place])


def draw_parameters(
    learned: Learned, rng: np.random.Generator, groups: Iterable[Iterable[int]] | None = None
) -> None:
    """Draw discounts and strengths from their priors, unless they are fixed."""
    settings = learned.settings
    check_samples(settings)
    if settings.hyper == "fixed":
        return
    (a, b), (shape, rate) = settings.discount_prior, settings.strength_prior
    every = ([level] for level in range(learned.franchise.levels))
    for levels in every if groups is None else groups:
        discount = 0.0 if settings.dirichlet else rng.beta(a, b)
        strength = rng.gamma(shape, 1 / rate)
        for level in levels:
            learned.franchise.set_parameters(level, discount, strength)


def check_samples(settings: SamplerSettings) -> None:
    """Raise an error if training with these settings does not sample from the posterior."""
    if settings.seating != "gibbs" or settings.hyper not in ("slice", "fixed"):
        raise ConfigError(
            f"seating = '{settings.seating}' with hyper = '{settings.hyper}' does not sample from "
            "the posterior: calibration needs seating = 'gibbs' with hyper = 'slice' or 'fixed'"
        )


def simulated_chain(true: Learned, chain: Chain) -> Simulated:
    """Return a simulation with the true values of a franchise and a chain trained on its data."""
    chain.seat()
    return Simulated.of_chain(
        franchise_quantities(true.franchise, true.name),
        chain,
        lambda: franchise_quantities(chain.franchise, chain.name),
    )


def franchise_quantities(franchise: Franchise, name: str) -> dict[str, float]:
    """Return the hyper-parameters and table counts at every depth, and the log-likelihood."""
    quantities: dict[str, float] = {}
    counts = franchise.counts_by_level()
    for level, (discount, strength) in enumerate(franchise.parameters()):
        quantities[f"{name}.discount[{level}]"] = discount
        quantities[f"{name}.strength[{level}]"] = strength
        quantities[f"{name}.tables[{level}]"] = counts[level][2]
    return {**quantities, f"{name}.log_likelihood": franchise.log_likelihood()}
