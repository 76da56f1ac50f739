"""The compiled franchise and its plain twin side by side, driven by the same events and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bistro import _core
from bistro.reference.hpyp import Franchise, Seating
from bistro.rng import Stream, purpose_key

Context: TypeAlias = tuple[int, ...]
Event: TypeAlias = tuple[Context, int]
Ids: TypeAlias = npt.NDArray[np.uint32]
Seats: TypeAlias = dict[Event, dict[int, int]]  # (context, dish) -> {table size: tables}

SEATINGS: tuple[Seating, ...] = ("gibbs", "minimal", "maximal")


FLAT = _core.HyperPrior(discount=(1, 1), strength=(1, 1))


def stream(index: int = 0, seed: int = 1) -> _core.Stream:
    """A stream of the core; `plain_stream` gives the same numbers."""
    return _core.Stream(seed, purpose_key("twins"), index)


def plain_stream(index: int = 0, seed: int = 1) -> Stream:
    return Stream(seed, "twins", index)


def contexts(rows: Sequence[Context]) -> npt.NDArray[np.int32]:
    """A matrix of contexts of one length."""
    return np.array(rows, dtype=np.int32).reshape(len(rows), len(rows[0]) if rows else 0)


def dishes(values: Sequence[int]) -> npt.NDArray[np.int32]:
    return np.array(values, dtype=np.int32)


def resolve(core: _core.Franchise, events: Sequence[Event]) -> Ids:
    """The entries of events whose contexts may have different lengths."""
    ids = [core.resolve(contexts([context]), dishes([dish])) for context, dish in events]
    return np.concatenate([np.empty(0, dtype=np.uint32), *ids])


def core_probability(core: _core.Franchise, context: Context, dish: int) -> float:
    return float(core.probabilities(contexts([context]), dishes([dish]))[0])


def core_distribution(
    core: _core.Franchise, context: Context, num_dishes: int
) -> npt.NDArray[np.float64]:
    return core.probabilities(contexts([context] * num_dishes), dishes(range(num_dishes)))


def prefixes(events: Iterable[Event]) -> list[Event]:
    """Every (context, dish) pair that the events pass through on their way to the base."""
    pairs = {(context[:k], dish) for context, dish in events for k in range(len(context) + 1)}
    return sorted(pairs)


def core_seats(core: _core.Franchise, events: Sequence[Event]) -> Seats:
    """What the core's state says about the tables of every pair."""
    pairs = prefixes(events)
    ids = resolve(core, pairs).tolist()
    customers, tables, triples = (array.tolist() for array in core.state())
    listed: dict[int, dict[int, int]] = {}
    for entry, size, count in zip(triples[::3], triples[1::3], triples[2::3], strict=True):
        listed.setdefault(entry, {})[size] = count
    seats: Seats = {}
    for pair, entry in zip(pairs, ids, strict=True):
        if tables[entry]:
            one_size = {customers[entry] // tables[entry]: tables[entry]}
            seats[pair] = listed.get(entry, one_size)
            assert sum(seats[pair].values()) == tables[entry]
            assert sum(size * count for size, count in seats[pair].items()) == customers[entry]
        else:
            assert customers[entry] == 0
            assert entry not in listed
    return seats


def reference_seats(reference: Franchise) -> Seats:
    return {
        (context, dish): dict(sizes)
        for context, restaurant in reference.restaurants.items()
        for dish, sizes in restaurant.tables.items()
        if sizes
    }


class Twins:
    """Core and reference over the same events, which are named by their position."""

    def __init__(
        self,
        events: Sequence[Event],
        base: Sequence[float],
        levels: int,
        seating: Seating,
        parameters: Sequence[tuple[float, float]] = (),
        seed: int = 1,
    ) -> None:
        self.events = events
        self.core = _core.Franchise(_core.VectorBase(base), levels, seating)
        self.reference = Franchise(base.__getitem__, levels, seating)
        for level, (discount, strength) in enumerate(parameters):
            self.core.set_parameters(level, discount, strength)
            self.reference.discount[level] = discount
            self.reference.strength[level] = strength
        self.ids = resolve(self.core, events)
        self.core_rng, self.plain_rng = stream(seed=seed), plain_stream(seed=seed)

    def add(self, positions: Sequence[int]) -> None:
        self.core.add(self.ids[list(positions)], self.core_rng)
        for i in positions:
            self.reference.add(*self.events[i], self.plain_rng)

    def remove(self, positions: Sequence[int]) -> None:
        self.core.remove(self.ids[list(positions)], self.core_rng)
        for i in positions:
            self.reference.remove(*self.events[i], self.plain_rng)

    def sweep(self, positions: Sequence[int]) -> None:
        self.core.sweep(self.ids[list(positions)], self.core_rng)
        for i in positions:
            self.reference.remove(*self.events[i], self.plain_rng)
            self.reference.add(*self.events[i], self.plain_rng)

    def assert_equal(self) -> None:
        """The same seats, and the same number of random draws behind them."""
        assert core_seats(self.core, self.events) == reference_seats(self.reference)
        assert self.core_rng.uniform() == self.plain_rng.uniform()

    def assert_equal_probabilities(self, queries: Iterable[Event]) -> None:
        for context, dish in queries:
            expected = self.reference.probability(context, dish)
            assert abs(core_probability(self.core, context, dish) - expected) <= 1e-12


def invariants(seats: Seats) -> None:
    """Every table of a restaurant is one customer of its parent."""
    sent_up: Counter[Event] = Counter()
    for (context, dish), sizes in seats.items():
        if context:
            sent_up[context[:-1], dish] += sum(sizes.values())
    for pair, arrived in sent_up.items():
        assert sum(size * count for size, count in seats[pair].items()) >= arrived
