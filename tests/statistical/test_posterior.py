"""Long Gibbs runs against the exact posterior, on data small enough to enumerate all seatings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from laws import SUSPICIOUS, Array, Estimate, batch_means, p_value

from bistro import _core
from bistro.reference.exact import Priors, arrangements
from bistro.reference.hpyp import Context, Franchise, Restaurant, table_of_customer
from bistro.rng import Stream, purpose_key

Event: TypeAlias = tuple[Context, int]


@dataclass(frozen=True)
class Tiny:
    """A data set with its hyper-parameters and what is asked of it."""

    events: tuple[Event, ...]
    base: tuple[float, ...]
    discount: tuple[float, ...]
    strength: tuple[float, ...]
    queries: tuple[Context, ...]

    def pairs(self) -> list[Event]:
        return [(context, x) for context in self.queries for x in range(len(self.base))]


def events(text: str) -> tuple[Event, ...]:
    """'01:2 :0' is dish 2 after context (0, 1), then dish 0 after the empty one."""
    pairs = [word.split(":") for word in text.split()]
    return tuple((tuple(map(int, context)), int(dish)) for context, dish in pairs)


DATA = {
    "one level": Tiny(events(":0 :0 :0 :0 :1 :2"), (0.5, 0.3, 0.2), (0.6,), (0.7,), ((),)),
    "two levels": Tiny(
        events("0:0 0:0 0:0 0:0 0:1 1:0"),
        (0.7, 0.3),
        (0.4, 0.6),
        (1.0, 0.8),
        ((), (0,), (1,), (2,)),
    ),
    "three levels": Tiny(
        events("00:0 00:0 00:0 01:1 1:0 :0"),
        (0.4, 0.6),
        (0.5, 0.3, 0.7),
        (0.5, 1.5, 0.3),
        ((), (0,), (0, 0), (0, 1), (0, 2), (3, 3)),
    ),
    "Dirichlet": Tiny(
        events("0:0 0:0 0:0 1:0 1:1 0:0"), (0.5, 0.5), (0.0, 0.0), (1.2, 2.0), ((), (0,), (1,))
    ),
    "negative strength": Tiny(
        events("0:0 0:0 0:0 1:0 1:1"), (0.2, 0.8), (0.8, 0.7), (-0.4, -0.5), ((), (0,), (1,))
    ),
}


@cache
def exact_predictive(tiny: Tiny) -> Array:
    """The posterior mean of the predictive probability of every query."""
    priors = Priors(tiny.base, tiny.discount, tiny.strength)
    total, weighted = 0.0, np.zeros(len(tiny.pairs()))
    for probability, seats in arrangements(tiny.events, priors):
        total += probability
        weighted += probability * np.array([priors.probability(seats, *q) for q in tiny.pairs()])
    return weighted / total


def matrix(contexts: Sequence[Context]) -> npt.NDArray[np.int32]:
    return np.array(contexts, dtype=np.int32).reshape(len(contexts), -1)


def core_chain(tiny: Tiny, sweeps: int) -> Estimate:
    core = _core.Franchise(_core.VectorBase(tiny.base), len(tiny.discount))
    for level, parameters in enumerate(zip(tiny.discount, tiny.strength, strict=True)):
        core.set_parameters(level, *parameters)
    ids = np.concatenate(
        [core.resolve(matrix([c]), np.array([x], dtype=np.int32)) for c, x in tiny.events]
    )
    dishes = np.arange(len(tiny.base), dtype=np.int32)
    queries = [matrix([c] * len(dishes)) for c in tiny.queries]
    rng = _core.Stream(1, purpose_key("posterior"), 0)
    core.add(ids, rng)
    chain = []
    for _ in range(sweeps):
        core.sweep(ids, rng)
        chain.append(np.concatenate([core.probabilities(q, dishes) for q in queries]))
    return batch_means(np.array(chain))


def reference_chain(tiny: Tiny, kind: type[Franchise], sweeps: int) -> Estimate:
    franchise = kind(tiny.base.__getitem__, len(tiny.discount))
    franchise.discount, franchise.strength = list(tiny.discount), list(tiny.strength)
    rng = Stream(1, "posterior", 1)
    for event in tiny.events:
        franchise.add(*event, rng)
    chain = []
    for _ in range(sweeps):
        for event in tiny.events:
            franchise.remove(*event, rng)
            franchise.add(*event, rng)
        chain.append([franchise.probability(*query) for query in tiny.pairs()])
    return batch_means(chain)


@pytest.mark.parametrize("name", DATA)
def test_the_core_samples_the_exact_posterior(name: str) -> None:
    estimate = core_chain(DATA[name], 60_000)
    assert p_value(estimate, exact_predictive(DATA[name])) > SUSPICIOUS
    assert estimate.error.max() < 1e-3  # the gate is narrow: three digits of every probability


class LeavesFromAnyTable(Franchise):
    """Wrong: draws a table, not a customer, so small tables lose customers too often."""

    def _leaving_from(self, restaurant: Restaurant, dish: int, rng: Stream) -> int:
        tables = sorted(restaurant.tables[dish].elements())
        return tables[rng.below(len(tables))]

    def remove(self, context: Context, dish: int, rng: Stream) -> None:
        restaurant = self.restaurants[context]
        size = self._leaving_from(restaurant, dish, rng)
        restaurant.move(dish, size, size - 1)
        if size == 1 and context:
            self.remove(context[:-1], dish, rng)


class ForgetsTheParent(Franchise):
    """Wrong: a closed table leaves its customer behind in the parent."""

    def remove(self, context: Context, dish: int, rng: Stream) -> None:
        restaurant = self.restaurants[context]
        sizes = sorted(restaurant.tables[dish].items())
        size = table_of_customer(sizes, rng.below(restaurant.num_customers(dish)))
        restaurant.move(dish, size, size - 1)


class ForgetsTheBase(Franchise):
    """Wrong: a new table is weighed without its dish's probability in the parent."""

    def parent_probability(self, context: Context, dish: int) -> float:
        return 1.0 if context else self.base(dish)

    def probability(self, context: Context, dish: int) -> float:
        honest = Franchise(self.base, len(self.discount))
        honest.__dict__.update(self.__dict__)
        return honest.probability(context, dish)


CONTROLLED = DATA["two levels"]
REFERENCE_SWEEPS = 4_000


def test_the_reference_passes_the_same_gate() -> None:
    estimate = reference_chain(CONTROLLED, Franchise, REFERENCE_SWEEPS)
    assert p_value(estimate, exact_predictive(CONTROLLED)) > SUSPICIOUS


@pytest.mark.parametrize("wrong", [LeavesFromAnyTable, ForgetsTheParent, ForgetsTheBase])
def test_a_wrong_sampler_is_rejected(wrong: type[Franchise]) -> None:
    estimate = reference_chain(CONTROLLED, wrong, REFERENCE_SWEEPS)
    assert p_value(estimate, exact_predictive(CONTROLLED)) < SUSPICIOUS
