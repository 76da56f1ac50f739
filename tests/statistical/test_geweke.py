"""Geweke's joint-distribution test: two ways to draw (hyper-parameters, seating, data) must agree.

Marginal-conditional: hyper-parameters from their prior, then data from the model. Successive-
conditional: a chain that sweeps, moves the hyper-parameters and redraws each datum given the rest.
If every piece is right, both have the same joint law; an error anywhere shifts some moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Protocol, TypeAlias

import numpy as np
import pytest
from laws import SUSPICIOUS, Estimate, batch_means, p_value, p_value_of_difference
from test_posterior import LeavesFromAnyTable

from bistro import _core
from bistro.reference import hyper
from bistro.reference.hpyp import Context, Franchise
from bistro.rng import Stream, purpose_key

Prior: TypeAlias = tuple[float, float, float, float]  # Beta(a, b), Gamma(shape, rate)

BASE = [0.5, 0.3, 0.2]
CONTEXTS: list[Context] = [(0, 0), (0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1)]
LEVELS = 3


class Model(Protocol):
    """What the test needs of a franchise, whoever implements it."""

    def set_parameters(self, level: int, discount: float, strength: float) -> None: ...
    def predict(self, context: Context) -> list[float]: ...
    def add(self, context: Context, dish: int) -> None: ...
    def remove(self, context: Context, dish: int) -> None: ...
    def move_hyperparameters(self, prior: Prior) -> None: ...
    def parameters(self) -> list[tuple[float, float]]: ...
    def tables(self) -> list[int]: ...


class Core:
    """The compiled franchise; all pairs are resolved once."""

    def __init__(self, seating: str = "gibbs", index: int = 0) -> None:
        self.core = _core.Franchise(_core.VectorBase(BASE), LEVELS, seating)
        self.rng = _core.Stream(1, purpose_key("geweke"), index)
        self.dishes = np.arange(len(BASE), dtype=np.int32)
        self.rows = {c: np.array([c] * len(BASE), dtype=np.int32) for c in set(CONTEXTS)}
        ids = {c: self.core.resolve(rows, self.dishes) for c, rows in self.rows.items()}
        self.ids = {(c, x): ids[c][x : x + 1] for c in ids for x in range(len(BASE))}
        self.set_parameters = self.core.set_parameters
        self.parameters = self.core.parameters

    def predict(self, context: Context) -> list[float]:
        probabilities: list[float] = self.core.probabilities(
            self.rows[context], self.dishes
        ).tolist()
        return probabilities

    def add(self, context: Context, dish: int) -> None:
        self.core.add(self.ids[context, dish], self.rng)

    def remove(self, context: Context, dish: int) -> None:
        self.core.remove(self.ids[context, dish], self.rng)

    def move_hyperparameters(self, prior: Prior) -> None:
        core_prior = _core.HyperPrior(discount=prior[:2], strength=prior[2:])
        self.core.slice_hyperparameters(core_prior, dirichlet=False, rng=self.rng)

    def tables(self) -> list[int]:
        return [tables for _, _, tables in self.core.counts_by_level()]


class Plain:
    """The reference franchise, or a wrong one derived from it."""

    def __init__(self, kind: type[Franchise], index: int = 0) -> None:
        self.franchise = kind(BASE.__getitem__, LEVELS)
        self.rng = Stream(1, "geweke", index)

    def set_parameters(self, level: int, discount: float, strength: float) -> None:
        self.franchise.discount[level], self.franchise.strength[level] = discount, strength

    def predict(self, context: Context) -> list[float]:
        return [self.franchise.probability(context, dish) for dish in range(len(BASE))]

    def add(self, context: Context, dish: int) -> None:
        self.franchise.add(context, dish, self.rng)

    def remove(self, context: Context, dish: int) -> None:
        self.franchise.remove(context, dish, self.rng)

    def move_hyperparameters(self, prior: Prior) -> None:
        hyper.slice_hyperparameters(self.franchise, hyper.HyperPrior(*prior), self.rng)

    def parameters(self) -> list[tuple[float, float]]:
        return list(zip(self.franchise.discount, self.franchise.strength, strict=True))

    def tables(self) -> list[int]:
        levels = [hyper.restaurants_of_depth(self.franchise, k) for k in range(LEVELS)]
        return [sum(r.num_tables() for r in restaurants) for restaurants in levels]


@dataclass
class Joint:
    """A model with its data; the same object serves both ways of drawing."""

    model: Model
    prior: Prior
    chance: np.random.Generator

    def draw_dish(self, context: Context) -> int:
        x = self.chance.random()
        cumulative = list(accumulate(self.model.predict(context)))
        return next((dish for dish, c in enumerate(cumulative) if x < c), len(BASE) - 1)

    def draw_parameters(self) -> None:
        a, b, shape, rate = self.prior
        for level in range(LEVELS):
            self.model.set_parameters(
                level, self.chance.beta(a, b), self.chance.gamma(shape, 1 / rate)
            )

    def draw_and_seat(self, context: Context) -> int:
        dish = self.draw_dish(context)
        self.model.add(context, dish)
        return dish

    def draw_forward(self) -> list[int]:
        """Hyper-parameters from the prior, then the data one by one."""
        self.draw_parameters()
        return [self.draw_and_seat(context) for context in CONTEXTS]

    def clear(self, data: list[int]) -> None:
        for context, dish in zip(CONTEXTS, data, strict=True):
            self.model.remove(context, dish)

    def move(self, data: list[int], prior: Prior) -> None:
        """Sweep, move the hyper-parameters, and redraw every datum given the others."""
        for context, dish in zip(CONTEXTS, data, strict=True):
            self.model.remove(context, dish)
            self.model.add(context, dish)
        self.model.move_hyperparameters(prior)
        for i, context in enumerate(CONTEXTS):
            self.model.remove(context, data[i])
            data[i] = self.draw_dish(context)
            self.model.add(context, data[i])

    def quantities(self, data: list[int]) -> list[float]:
        """First and second moments, and products that tie the parts together."""
        discounts, strengths = (
            list(values) for values in zip(*self.model.parameters(), strict=True)
        )
        tables = [float(t) for t in self.model.tables()]
        plain = [*discounts, *strengths, *tables, float(len(set(data))), float(data.count(0))]
        tied = [d * t for d, t in zip(discounts, tables, strict=True)]
        tied += [s * t for s, t in zip(strengths, tables, strict=True)]
        return [*plain, *(value * value for value in plain), *tied]


def marginal_conditional(model: Model, prior: Prior, draws: int, seed: int) -> Estimate:
    joint = Joint(model, prior, np.random.default_rng(seed))
    rows = []
    for _ in range(draws):
        data = joint.draw_forward()
        rows.append(joint.quantities(data))
        joint.clear(data)
    return batch_means(rows)


def successive_conditional(
    model: Model, prior: Prior, draws: int, seed: int, believed: Prior | None = None
) -> Estimate:
    """The chain starts from a forward draw; `believed` is the prior that its moves assume."""
    joint = Joint(model, prior, np.random.default_rng(seed))
    data = joint.draw_forward()
    rows = []
    for _ in range(draws):
        joint.move(data, believed or prior)
        rows.append(joint.quantities(data))
    return batch_means(rows)


PRIORS: list[Prior] = [(1, 1, 1, 1), (2, 3, 2, 1.5)]
DRAWS, WRONG_DRAWS = 30_000, 8_000


@cache
def forward(prior: Prior) -> Estimate:
    return marginal_conditional(Core(index=1), prior, DRAWS, seed=1)


@cache
def chain(prior: Prior) -> Estimate:
    return successive_conditional(Core(index=2), prior, DRAWS, seed=2)


@pytest.mark.parametrize("prior", PRIORS)
def test_both_ways_agree(prior: Prior) -> None:
    assert p_value_of_difference(forward(prior), chain(prior)) > SUSPICIOUS


@pytest.mark.parametrize("prior", PRIORS)
def test_the_chain_has_the_moments_of_the_prior(prior: Prior) -> None:
    """An anchor outside both samplers: averaged over data, the posterior is the prior."""
    hyperparameters = slice(0, 2 * LEVELS)
    mean, error = chain(prior).mean[hyperparameters], chain(prior).error[hyperparameters]
    a, b, shape, rate = prior
    assert (
        p_value(
            Estimate(mean, error, chain(prior).degrees),
            [a / (a + b)] * LEVELS + [shape / rate] * LEVELS,
        )
        > SUSPICIOUS
    )


@pytest.mark.parametrize("believed", [(1, 1, 1, 1.3), (1, 1, 1.3, 1), (1.4, 1, 1, 1)])
def test_a_wrong_prior_is_rejected(believed: Prior) -> None:
    wrong = successive_conditional(Core(index=2), PRIORS[0], WRONG_DRAWS, 2, believed)
    assert p_value_of_difference(forward(PRIORS[0]), wrong) < SUSPICIOUS


def test_a_chain_that_never_opens_a_second_table_is_rejected() -> None:
    wrong = successive_conditional(Core("minimal", index=2), PRIORS[0], WRONG_DRAWS, seed=2)
    assert p_value_of_difference(forward(PRIORS[0]), wrong) < SUSPICIOUS


class CountsOneTableTooMany(Franchise):
    """Wrong: a new table is weighed as if it were already there."""

    def _choose_table(self, context: Context, dish: int, rng: Stream) -> int:
        strength = self.strength[len(context)]
        self.strength[len(context)] = strength + self.discount[len(context)]
        size = super()._choose_table(context, dish, rng)
        self.strength[len(context)] = strength
        return size


PLAIN_DRAWS = 1_000


@pytest.mark.parametrize(
    ("kind", "right"),
    [(Franchise, True), (LeavesFromAnyTable, False), (CountsOneTableTooMany, False)],
)
def test_the_reference_passes_and_wrong_seatings_are_rejected(
    kind: type[Franchise], right: bool
) -> None:
    plain = successive_conditional(Plain(kind, index=2), PRIORS[0], PLAIN_DRAWS, seed=2)
    assert (p_value_of_difference(forward(PRIORS[0]), plain) > SUSPICIOUS) == right
