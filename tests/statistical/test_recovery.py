"""Hyper-parameters found again in data drawn with known ones: by sampling and by maximising."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from laws import Array
from scipy import optimize

from bistro import _core
from bistro.rng import purpose_key

Parameters: TypeAlias = tuple[tuple[float, float], ...]  # (discount, strength) by level

RESTAURANTS, CUSTOMERS, DISHES = 80, 100, 100_000
# Four standard deviations: one right answer in sixteen thousand lies outside.
FAR = 4.0
PRIOR = _core.HyperPrior(discount=(1, 1), strength=(1, 0.1))


@dataclass
class Crowd:
    """A restaurant that lists its tables; written for this test, apart from core and reference."""

    discount: float
    strength: float
    parent: Crowd | None
    chance: np.random.Generator
    sizes: list[int] = field(default_factory=list)
    dishes: list[int] = field(default_factory=list)

    def next_dish(self) -> int:
        """Seat a customer and return what is eaten at the table."""
        weights = np.array([*self.sizes, 0.0]) - self.discount
        weights[-1] = self.strength + self.discount * len(self.sizes)
        cumulative = weights.cumsum()
        table = int(np.searchsorted(cumulative, self.chance.random() * cumulative[-1], "right"))
        if table == len(self.sizes):
            self.sizes.append(0)
            self.dishes.append(
                self.parent.next_dish() if self.parent else int(self.chance.integers(DISHES))
            )
        self.sizes[table] += 1
        return self.dishes[table]


@cache
def drawn_events(
    truth: Parameters, seed: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    chance = np.random.default_rng(seed)
    (d0, theta0), (d1, theta1) = truth
    root = Crowd(d0, theta0, None, chance)
    crowds = [Crowd(d1, theta1, root, chance) for _ in range(RESTAURANTS)]
    # In turns, so that no restaurant is favoured by the order.
    pairs = [(r, crowds[r].next_dish()) for _ in range(CUSTOMERS) for r in range(RESTAURANTS)]
    rows = np.array(pairs, dtype=np.int32)
    return rows[:, :1], rows[:, 1].copy()


class Fit:
    """A chain on given data, with the hyper-parameters of every kept sweep."""

    def __init__(
        self, truth: Parameters, seed: int, dirichlet: bool = False, seating: str = "gibbs"
    ) -> None:
        self.core = _core.Franchise(_core.UniformBase(DISHES), 2, seating)
        self.ids = self.core.resolve(*drawn_events(truth, seed))
        rng = _core.Stream(seed, purpose_key("recovery"), 0)
        self.core.add(self.ids, rng)
        kept = []
        for sweep in range(800):
            self.core.sweep(self.ids, rng)
            self.core.slice_hyperparameters(PRIOR, dirichlet=dirichlet, rng=rng)
            if sweep >= 200:
                kept.append([value for pair in self.core.parameters() for value in pair])
        chain = np.array(kept)
        self.mean, self.deviation = chain.mean(axis=0), chain.std(axis=0)

    def distance(self, truth: Parameters) -> Array:
        """How many posterior standard deviations the truth is away, per parameter."""
        off = np.abs(self.mean - np.array(truth).ravel())
        free = self.deviation > 0  # a Dirichlet process has its discounts fixed
        distance: Array = off[free] / self.deviation[free]
        return distance


TRUTHS: list[Parameters] = [
    ((0.3, 5.0), (0.6, 2.0)),
    ((0.7, 10.0), (0.2, 8.0)),
    ((0.5, 30.0), (0.8, 0.3)),
]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("truth", TRUTHS)
def test_slice_sampling_finds_the_truth(truth: Parameters, seed: int) -> None:
    fit = Fit(truth, seed)
    assert fit.distance(truth).max() < FAR
    d0, _, d1, _ = fit.deviation
    assert d0 < 0.1  # and knows it well
    assert d1 < 0.05


def test_slice_sampling_finds_a_dirichlet_process() -> None:
    truth: Parameters = ((0.0, 40.0), (0.0, 6.0))
    fit = Fit(truth, 1, dirichlet=True)
    assert (fit.mean[::2] == 0).all()
    assert fit.distance(truth).max() < FAR


def test_other_truths_are_told_apart() -> None:
    fit = Fit(TRUTHS[0], 1)
    for other in [((0.3, 5.0), (0.3, 2.0)), ((0.7, 5.0), (0.6, 2.0)), ((0.3, 5.0), (0.6, 8.0))]:
        assert fit.distance(other).max() > FAR


@pytest.mark.parametrize("seating", ["minimal", "maximal"])
def test_a_seating_that_is_not_sampled_misses_the_truth(seating: str) -> None:
    assert Fit(TRUTHS[0], 1, seating=seating).distance(TRUTHS[0]).max() > FAR


def maximised(likelihood: _core.LevelLikelihood, start: tuple[float, float]) -> Array:
    """The most probable (discount, strength) under the flat prior and Gamma(1, 0.1)."""

    def objective(x: Array) -> tuple[float, Array]:
        value, by_discount, by_strength = likelihood.gradient(x[0], x[1])
        return -(value - 0.1 * x[1]), -np.array([by_discount, by_strength - 0.1])

    found = optimize.minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=[(1e-6, 1 - 1e-6), (1e-6, 1e4)]
    )
    assert found.success
    return np.asarray(found.x)


@pytest.mark.parametrize("truth", TRUTHS)
def test_maximisation_finds_the_truth(truth: Parameters) -> None:
    """Alternating sweeps and maximisation ends near the truth, from a poor start."""
    fit = Fit(truth, 3)
    deviation = fit.deviation
    core, rng = fit.core, _core.Stream(3, purpose_key("recovery"), 1)
    for level in range(2):
        core.set_parameters(level, 0.5, 1.0)
    ends = []
    for sweep in range(80):
        core.sweep(fit.ids, rng)
        for level, likelihood in enumerate(core.level_likelihoods()):
            discount, strength = maximised(likelihood, core.parameters()[level])
            core.set_parameters(level, discount, strength)
        if sweep >= 40:
            ends.append([value for pair in core.parameters() for value in pair])
    off = np.abs(np.mean(ends, axis=0) - np.array(truth).ravel())
    assert (off / deviation).max() < FAR


def test_the_maximum_is_one() -> None:
    """No neighbour of the point found is better: the gradient led to the top."""
    core = Fit(TRUTHS[0], 1).core
    for likelihood in core.level_likelihoods():
        d, theta = maximised(likelihood, (0.5, 1.0))
        top = likelihood(d, theta) - 0.1 * theta
        for other_d, other_theta in [
            (d + 0.01, theta),
            (d - 0.01, theta),
            (d, theta * 1.05),
            (d, theta / 1.05),
        ]:
            assert likelihood(other_d, other_theta) - 0.1 * other_theta < top
