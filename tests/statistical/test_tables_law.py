"""Tables of one restaurant against the exact laws of the two-parameter Chinese restaurant."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from laws import SUSPICIOUS, Array, chi_square_p_value

from bistro import _core
from bistro.rng import purpose_key

REPEATS = 20_000


def number_of_tables_law(discount: float, strength: float, customers: int) -> Array:
    """p(t tables) after n customers, one customer at a time; entry 0 is impossible."""
    law = np.zeros(customers + 1)
    law[1] = 1.0
    tables = np.arange(customers + 1)
    for seated in range(1, customers):
        opens = law * (strength + discount * tables) / (seated + strength)
        law = law - opens
        law[1:] += opens[:-1]
    return law


def partition_law(discount: float, strength: float, customers: int) -> dict[tuple[int, ...], float]:
    """p(multiset of table sizes), one customer at a time."""
    law: dict[tuple[int, ...], float] = {(1,): 1.0}
    for seated in range(1, customers):
        after: dict[tuple[int, ...], float] = defaultdict(float)
        for sizes, probability in law.items():
            share = probability / (seated + strength)
            after[tuple(sorted((*sizes, 1)))] += share * (strength + discount * len(sizes))
            for i, size in enumerate(sizes):
                grown = tuple(sorted((*sizes[:i], size + 1, *sizes[i + 1 :])))
                after[grown] += share * (size - discount)
        law = after
    return law


def sampled_partitions(
    discount: float, strength: float, customers: int, sweeps: int
) -> list[tuple[int, ...]]:
    """Table sizes of many restaurants with a single dish: every new table is free to open."""
    core = _core.Franchise(_core.UniformBase(1), 1)
    core.set_parameters(0, discount, strength)
    event = core.resolve(np.empty((1, 0), dtype=np.int32), np.zeros(1, dtype=np.int32))
    events = np.repeat(event, customers)
    partitions = []
    for repeat in range(REPEATS):
        rng = _core.Stream(1, purpose_key("tables"), repeat)
        core.add(events, rng)
        for _ in range(sweeps):
            core.sweep(events, rng)
        partitions.append(table_sizes(core))
        core.remove(events, rng)
    return partitions


def table_sizes(core: _core.Franchise) -> tuple[int, ...]:
    customers, _, triples = (array.tolist() for array in core.state())
    if not triples:
        return (int(customers[0]),)
    pairs = zip(triples[1::3], triples[2::3], strict=True)
    sizes: list[int] = sorted(size for size, count in pairs for _ in range(count))
    return tuple(sizes)


def tables_p_value(
    partitions: list[tuple[int, ...]], discount: float, strength: float, customers: int
) -> float:
    counts = np.bincount([len(sizes) for sizes in partitions], minlength=customers + 1)
    return chi_square_p_value(counts, number_of_tables_law(discount, strength, customers))


@pytest.mark.parametrize("sweeps", [0, 2])
@pytest.mark.parametrize(
    ("discount", "strength"), [(0.0, 1.5), (0.5, 1.0), (0.8, 0.1), (0.3, 10.0), (0.6, -0.4)]
)
def test_number_of_tables(discount: float, strength: float, sweeps: int) -> None:
    """The law holds after seating, and sweeps leave it as it is."""
    customers = 25
    partitions = sampled_partitions(discount, strength, customers, sweeps)
    assert tables_p_value(partitions, discount, strength, customers) > SUSPICIOUS


def test_number_of_tables_tells_other_parameters_apart() -> None:
    partitions = sampled_partitions(0.5, 1.0, 25, 0)
    assert tables_p_value(partitions, 0.47, 1.0, 25) < SUSPICIOUS
    assert tables_p_value(partitions, 0.5, 1.1, 25) < SUSPICIOUS


@pytest.mark.parametrize("sweeps", [0, 3])
@pytest.mark.parametrize(("discount", "strength"), [(0.0, 1.0), (0.5, 0.5), (0.7, -0.3)])
def test_sizes_of_tables(discount: float, strength: float, sweeps: int) -> None:
    law = partition_law(discount, strength, 7)
    seen = Counter(sampled_partitions(discount, strength, 7, sweeps))
    assert seen.keys() <= law.keys()
    counts = [seen[sizes] for sizes in law]
    assert chi_square_p_value(counts, np.array(list(law.values()))) > SUSPICIOUS


def test_sizes_of_tables_tell_a_wrong_seating_apart() -> None:
    """Joining tables by size, without the discount, leaves their number right and sizes wrong."""
    law = partition_law(0.5, 0.5, 7)
    rng = np.random.default_rng(1)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(REPEATS):
        sizes = [1]
        for seated in range(1, 7):
            if rng.random() < (0.5 + 0.5 * len(sizes)) / (seated + 0.5):
                sizes.append(1)
            else:
                sizes[rng.choice(len(sizes), p=np.array(sizes) / seated)] += 1
        seen[tuple(sorted(sizes))] += 1
    counts = [seen[sizes] for sizes in law]
    assert chi_square_p_value(counts, np.array(list(law.values()))) < SUSPICIOUS


def test_the_laws_are_laws() -> None:
    """The recursions agree with each other, and with the closed form of the mean."""
    for discount, strength in [(0.0, 1.5), (0.5, 1.0), (0.6, -0.4)]:
        tables = number_of_tables_law(discount, strength, 7)
        sizes = partition_law(discount, strength, 7)
        for t in range(1, 8):
            assert abs(tables[t] - sum(p for s, p in sizes.items() if len(s) == t)) < 1e-14
        if discount:
            rising = [(strength + discount + i) / (strength + i) for i in range(7)]
            expected = strength / discount * (math.prod(rising) - 1)
        else:
            expected = math.fsum(strength / (strength + i) for i in range(7))
        assert abs(tables @ np.arange(8) - expected) < 1e-12
