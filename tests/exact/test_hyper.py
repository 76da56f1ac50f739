"""Likelihood, gradient and slice move of the hyper-parameters against direct sums and the twin."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special
from twins import FLAT, SEATINGS, Event, Twins, contexts, dishes, plain_stream, resolve, stream

from bistro import _core
from bistro.reference import hyper
from bistro.reference.hpyp import Franchise, Seating

PARAMETERS = [(0.0, 1.0), (0.0, 30.0), (0.5, 1.0), (0.9, 0.01), (0.7, -0.6), (0.3, -0.29)]
TINY_DISCOUNTS = [(1e-12, 1.0), (1e-7, 0.5), (1e-3, 2.0), (1e-12, -5e-13)]


def zipf_events(n: int, seed: int, num_dishes: int = 6) -> list[Event]:
    rows = np.random.default_rng(seed).zipf(1.5, (n, 3)) % num_dishes
    return [((int(a) % 3, int(b) % 2), int(x)) for a, b, x in rows]


def seated_twins(seating: Seating, n: int = 250) -> Twins:
    twins = Twins(zipf_events(n, 2), [0.3, 0.2, 0.2, 0.1, 0.1, 0.1], 3, seating, [(0.4, 1.0)] * 3)
    everyone = list(range(n))
    twins.add(everyone)
    twins.sweep(everyone)
    return twins


def restaurant_of(customers: int, tables: int) -> _core.LevelLikelihood:
    """The likelihood of one restaurant whose first table has all customers but the other tables."""
    core = _core.Franchise(_core.UniformBase(1), 1)
    core.resolve(np.empty((1, 0), dtype=np.int32), dishes([0]))
    sizes = [0, 1, tables - 1, 0, customers - tables + 1, 1] if tables > 1 else []
    core.restore(dishes([customers]), dishes([tables]), dishes(sizes))
    return core.level_likelihoods()[0]


def direct_terms(customers: int, tables: int, d: float, theta: float) -> list[float]:
    """The logarithms whose sum it is."""
    return [
        *(math.log(theta + i * d) for i in range(1, tables)),
        *(-math.log(theta + i) for i in range(1, customers)),
        *(math.log(i - d) for i in range(1, customers - tables + 1)),
    ]


@pytest.mark.parametrize("seating", SEATINGS)
@pytest.mark.parametrize(("d", "theta"), PARAMETERS + TINY_DISCOUNTS)
def test_likelihood_is_the_product_of_the_steps(seating: Seating, d: float, theta: float) -> None:
    twins = seated_twins(seating)
    for level in range(3):
        twins.core.set_parameters(level, d, theta)
        twins.reference.discount[level], twins.reference.strength[level] = d, theta
    expected = hyper.log_likelihood(twins.reference)
    assert twins.core.log_likelihood() == pytest.approx(expected, rel=1e-11)
    for level, likelihood in enumerate(twins.core.level_likelihoods()):
        restaurants = hyper.restaurants_of_depth(twins.reference, level)
        by_steps = hyper.level_log_likelihood(restaurants, d, theta)
        assert likelihood(d, theta) == pytest.approx(by_steps, rel=1e-11, abs=1e-11)


def test_likelihood_is_the_probability_with_which_the_events_came() -> None:
    """Under minimal seating the path is forced, so its probability is a product of known steps."""
    core = _core.Franchise(_core.VectorBase([0.25, 0.75]), 1, "minimal")
    core.set_parameters(0, 0.4, 0.9)
    core.add(resolve(core, [((), 0), ((), 1), ((), 1), ((), 0)]), stream())
    steps = [
        0.25,
        (0.9 + 0.4) * 0.75 / 1.9,
        (1 - 0.4) / 2.9,
        (1 - 0.4) / 3.9,
    ]
    assert core.log_likelihood() == pytest.approx(math.log(math.prod(steps)), rel=1e-14)


def test_likelihood_on_a_base_that_learns() -> None:
    """The base counts its customers itself, so the two add up to the probability of everything."""
    below = _core.Franchise(_core.VectorBase([0.25, 0.75]), 1, "minimal")
    core = _core.Franchise(_core.FranchiseBase(below, []), 1, "maximal")
    below.set_parameters(0, 0.4, 0.9)
    core.set_parameters(0, 0.2, 1.5)
    core.add(resolve(core, [((), 0), ((), 1), ((), 1)]), stream())
    tables = [1.0, (1.5 + 0.2) / 2.5, (1.5 + 0.4) / 3.5]  # every customer opens one
    drawn = [0.25, (0.9 + 0.4) * 0.75 / 1.9, (1 - 0.4) / 2.9]
    expected = math.log(math.prod(tables) * math.prod(drawn))
    assert core.log_likelihood() + below.log_likelihood() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("tables", [1, 2, 25, 26, 3_000, 60_000])
@pytest.mark.parametrize(("d", "theta"), PARAMETERS + TINY_DISCOUNTS)
def test_large_counts(tables: int, d: float, theta: float) -> None:
    customers = 100_000 + tables
    likelihood = restaurant_of(customers, tables)
    terms = direct_terms(customers, tables, d, theta)
    # Sums of a million nearly cancel, so what is left is exact to the last digits of a million.
    rounding = 1e-15 * math.fsum(map(abs, terms))
    assert likelihood(d, theta) == pytest.approx(math.fsum(terms), rel=1e-12, abs=rounding)


def test_outside_the_domain_the_likelihood_is_zero() -> None:
    likelihood = restaurant_of(30, 4)
    for d, theta in [
        (-0.1, 1.0),
        (1.0, 1.0),
        (0.5, -0.5),
        (0.5, -0.6),
        (0.0, 0.0),
        (math.nan, 1.0),
    ]:
        assert likelihood(d, theta) == -math.inf


def by_differences(
    likelihood: _core.LevelLikelihood, d: float, theta: float
) -> tuple[float, float]:
    """Central differences of the fourth order."""

    def slope(f: npt.NDArray[np.float64], h: float) -> float:
        return float(f @ np.array([1, -8, 8, -1])) / (12 * h)

    h_d, h_theta = 1e-4 * min(d, 1 - d, d + theta), 1e-4 * (d + theta)
    at = np.array([-2, -1, 1, 2])
    return (
        slope(np.array([likelihood(d + k * h_d, theta) for k in at]), h_d),
        slope(np.array([likelihood(d, theta + k * h_theta) for k in at]), h_theta),
    )


@pytest.mark.parametrize(("d", "theta"), [p for p in PARAMETERS if p[0] > 0] + [(0.02, 50.0)])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_gradient_against_differences(level: int, d: float, theta: float) -> None:
    likelihood = seated_twins("gibbs").core.level_likelihoods()[level]
    value, by_discount, by_strength = likelihood.gradient(d, theta)
    assert value == likelihood(d, theta)
    expected = by_differences(likelihood, d, theta)
    assert by_discount == pytest.approx(expected[0], rel=1e-6, abs=1e-6)
    assert by_strength == pytest.approx(expected[1], rel=1e-6, abs=1e-6)


def direct_gradient(customers: int, tables: int, d: float, theta: float) -> tuple[float, float]:
    by_discount = [i / (theta + i * d) for i in range(1, tables)]
    by_discount += [-1 / (i - d) for i in range(1, customers - tables + 1)]
    by_strength = [1 / (theta + i * d) for i in range(1, tables)]
    by_strength += [-1 / (theta + i) for i in range(1, customers)]
    return math.fsum(by_discount), math.fsum(by_strength)


@pytest.mark.parametrize(("d", "theta"), PARAMETERS + TINY_DISCOUNTS + [(0.0, 1e-9), (1e-5, 9.0)])
@pytest.mark.parametrize("tables", [1, 20, 40, 5_000])
def test_gradient_of_large_counts(tables: int, d: float, theta: float) -> None:
    customers = 50_000 + tables
    _, by_discount, by_strength = restaurant_of(customers, tables).gradient(d, theta)
    expected = direct_gradient(customers, tables, d, theta)
    assert by_discount == pytest.approx(expected[0], rel=1e-7)
    assert by_strength == pytest.approx(expected[1], rel=1e-7)


def test_special_functions_against_scipy() -> None:
    """1e-13 of the value; near a zero of the function, of 1."""
    x = np.unique(np.concatenate([np.geomspace(1e-3, 1e8, 4_001), np.linspace(0.5, 12, 2_001)]))
    for core, scipy in [(_core.log_gamma, special.gammaln), (_core.digamma, special.digamma)]:
        expected = scipy(x)
        actual = np.array([core(float(value)) for value in x])
        assert (np.abs(actual - expected) / np.maximum(1, np.abs(expected))).max() < 1e-13


@pytest.mark.parametrize("start", [(0.4, 1.0), (0.5, -0.3), (0.0, 2.0)])
def test_slice_move_equals_its_twin(start: tuple[float, float]) -> None:
    twins = seated_twins("gibbs", 80)
    for level in range(3):
        twins.core.set_parameters(level, *start)
        twins.reference.discount[level], twins.reference.strength[level] = start
    prior = hyper.HyperPrior(2.0, 3.0, 1.5, 0.7)
    core_prior = _core.HyperPrior(discount=(2.0, 3.0), strength=(1.5, 0.7))
    core_rng, plain_rng = stream(7), plain_stream(7)
    for _ in range(5):
        twins.core.slice_hyperparameters(core_prior, dirichlet=False, rng=core_rng)
        hyper.slice_hyperparameters(twins.reference, prior, plain_rng)
        for level, (discount, strength) in enumerate(twins.core.parameters()):
            assert discount == pytest.approx(twins.reference.discount[level], rel=1e-9)
            assert strength == pytest.approx(twins.reference.strength[level], rel=1e-9)
    assert core_rng.uniform() == plain_rng.uniform()


@pytest.mark.parametrize("strength", [0.0, -0.3])
def test_slice_move_enters_the_prior_from_outside(strength: float) -> None:
    """The Gamma prior has no mass at θ <= 0; a chain that was started there must get away."""
    core = _core.Franchise(_core.UniformBase(5), 2)
    core.set_parameters(0, 0.5, strength)
    core.set_parameters(1, 0.5, strength)
    core.add(core.resolve(contexts([(0,)] * 9), dishes([0, 1, 2] * 3)), stream())
    core.slice_hyperparameters(FLAT, dirichlet=False, rng=stream(1))
    assert all(theta > 0 for _, theta in core.parameters())


@pytest.mark.parametrize("dirichlet", [False, True])
def test_slice_move_on_an_empty_franchise_stays_in_the_domain(dirichlet: bool) -> None:
    core = _core.Franchise(_core.UniformBase(5), 3)
    rng = stream()
    for _ in range(2_000):
        core.slice_hyperparameters(FLAT, dirichlet=dirichlet, rng=rng)
        for d, theta in core.parameters():
            assert d == 0 if dirichlet else 0 < d < 1
            assert 0 < theta < 100


@pytest.mark.parametrize("seating", ["minimal", "maximal"])
@pytest.mark.parametrize(("d", "theta"), [(0.0, 1.0), (0.4, 2.0), (0.8, 0.1)])
def test_events_in_a_row_are_predicted_from_those_before(
    seating: Seating, d: float, theta: float
) -> None:
    events = zipf_events(120, 5)
    rows, outcomes = contexts([context for context, _ in events]), dishes([x for _, x in events])
    core = _core.Franchise(_core.UniformBase(6), 3, seating)
    ids = core.resolve(rows, outcomes)
    discount, strength = [d, d / 2, d], [theta, 2 * theta, theta]
    found = _core.SequentialLikelihood(core, ids, stream())(discount, strength)
    reference = Franchise(lambda _: 1 / 6, 3, seating)
    reference.discount, reference.strength = discount, strength
    rng, expected = plain_stream(), 0.0
    for i in shuffled(len(events)):
        expected += math.log(reference.probability(*events[i]))
        reference.add(*events[i], rng)
    assert found == pytest.approx(expected, rel=1e-12)


def shuffled(n: int) -> list[int]:
    """The order in which the core takes n events."""
    rng, order = plain_stream(), list(range(n))
    for i in range(n, 1, -1):
        j = rng.below(i)
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def test_strength_follows_the_events_and_not_their_tables() -> None:
    """Contexts that tell much: still the tables of maximal seating want discounts of 1."""
    events = [
        (u, (u[0] + 3 * u[1]) if i % 5 else x) for i, (u, x) in enumerate(zipf_events(400, 6))
    ]
    rows, outcomes = contexts([context for context, _ in events]), dishes([x for _, x in events])
    settled = {}
    for name in ("slice_hyperparameters", "slice_sequentially"):
        core = _core.Franchise(_core.UniformBase(6), 3, "maximal")
        ids = core.resolve(rows, outcomes)
        core.add(ids, stream())
        given = [_core.SequentialLikelihood(core, ids, stream())] if "seq" in name else []
        for sweep in range(30):
            getattr(core, name)(*given, FLAT, dirichlet=False, rng=stream(sweep))
        settled[name] = core.parameters()[2][0]
    assert settled["slice_hyperparameters"] > 0.95
    assert settled["slice_sequentially"] < 0.9


def test_events_in_a_row_need_a_rule_of_seating() -> None:
    core = _core.Franchise(_core.UniformBase(6), 1, "gibbs")
    with pytest.raises(ValueError, match="minimal or maximal"):
        _core.SequentialLikelihood(core, np.zeros(0, np.uint32), stream())
    other = _core.Franchise(_core.UniformBase(6), 1, "minimal")
    with pytest.raises(ValueError, match="no such event"):
        _core.SequentialLikelihood(other, np.zeros(1, np.uint32), stream())
