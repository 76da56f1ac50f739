"""One slice step against known laws, and the two well-known mistakes that the test must catch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pytest
from laws import SUSPICIOUS, Array, batch_means, p_value
from scipy import stats

from bistro import _core
from bistro.reference import hyper
from bistro.rng import Stream, purpose_key

LogDensity: TypeAlias = Callable[[float], float]
STEPS = 40_000


@dataclass(frozen=True)
class Known:
    """A law whose distribution function is known, as the sampler sees it and as it is."""

    log_density: LogDensity
    low: float
    high: float
    start: float
    cumulative: Callable[[Array], Array]
    second_moment: float
    mean: float


def known(
    law: Any,
    log_density: LogDensity,
    low: float,
    high: float,
    start: float,
) -> Known:
    mean, variance = (float(moment) for moment in law.stats("mv"))
    return Known(log_density, low, high, start, law.cdf, variance + mean * mean, mean)


def within(low: float, high: float, log_density: LogDensity) -> LogDensity:
    return lambda x: log_density(x) if low < x < high else -math.inf


def two_hills(x: float) -> float:
    return math.log(0.3 * math.exp(-0.5 * (x - 1) ** 2) + 0.7 * math.exp(-0.5 * (x - 5) ** 2))


def two_hills_cumulative(x: Array) -> Array:
    return 0.3 * stats.norm.cdf(x, 1) + 0.7 * stats.norm.cdf(x, 5)


GAMMA = known(stats.gamma(2), within(0, math.inf, lambda x: math.log(x) - x), 0.0, math.inf, 1.0)
TWO_HILLS = Known(
    two_hills, -math.inf, math.inf, 3.0, two_hills_cumulative, 1 + 0.3 * 1 + 0.7 * 25, 0.3 + 0.7 * 5
)
LAWS = {
    "Gamma(2, 1)": GAMMA,
    "Beta(2, 5)": known(
        stats.beta(2, 5),
        within(0, 1, lambda x: math.log(x) + 4 * math.log1p(-x)),
        0.0,
        1.0,
        0.5,
    ),
    "normal cut to (-1, 0.5)": known(
        stats.truncnorm(-1, 0.5), within(-1, 0.5, lambda x: -0.5 * x * x), -1.0, 0.5, 0.0
    ),
    "two hills": TWO_HILLS,
}
POINTS = np.array([0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98])


def law_p_value(law: Known, chain: Array) -> float:
    """Mean, second moment, and the distribution function at seven points of the chain's range."""
    points = np.quantile(chain, POINTS).round(2)  # rounded, so as not to follow the chain
    below = (chain[:, None] < points).astype(np.float64)
    quantities = np.column_stack([chain, chain**2, below])
    truth = np.concatenate([[law.mean, law.second_moment], law.cumulative(points)])
    return p_value(batch_means(quantities), truth)


def core_chain(law: Known, width: float, steps: int = STEPS) -> Array:
    rng = _core.Stream(1, purpose_key("slice"), 0)
    x, chain = law.start, np.empty(steps)
    for i in range(steps):
        x = _core.slice_step(x, law.log_density, width=width, low=law.low, high=law.high, rng=rng)
        chain[i] = x
    return chain


@pytest.mark.parametrize("width", [0.3, 3.0])
@pytest.mark.parametrize("name", LAWS)
def test_slice_step_keeps_the_law(name: str, width: float) -> None:
    assert law_p_value(LAWS[name], core_chain(LAWS[name], width)) > SUSPICIOUS


@pytest.mark.parametrize("name", LAWS)
def test_core_and_reference_make_the_same_step(name: str) -> None:
    law, core_rng, plain_rng = (
        LAWS[name],
        _core.Stream(2, purpose_key("slice"), 0),
        Stream(2, "slice"),
    )
    x = law.start
    for _ in range(300):
        y = hyper.slice_step(x, law.log_density, 0.7, law.low, law.high, plain_rng)
        x = _core.slice_step(
            x, law.log_density, width=0.7, low=law.low, high=law.high, rng=core_rng
        )
        assert x == pytest.approx(y, rel=1e-12, abs=1e-12)
    assert core_rng.uniform() == plain_rng.uniform()


def shrink(x: float, log_density: LogDensity, level: float, width: float, rng: Stream) -> float:
    """An interval of the given width around x, shrunk until a point of the slice is found."""
    left = x - width * rng.uniform()
    right = left + width
    while log_density(left) > level:
        left -= width
    while log_density(right) > level:
        right += width
    while right - left > 1e-12:
        y = left + rng.uniform() * (right - left)
        if log_density(y) > level:
            return y
        left, right = (y, right) if y < x else (left, y)
    return x


def stale_density_chain(law: Known) -> Array:
    """Wrong: two moves from one evaluation; the second has the density of a point left behind."""
    rng, x, chain = Stream(3, "slice"), law.start, np.empty(STEPS)
    for i in range(STEPS):
        if i % 2 == 0:
            remembered = law.log_density(x)
        x = shrink(x, law.log_density, remembered + math.log(1 - rng.uniform()), 1.0, rng)
        chain[i] = x
    return chain


def width_of_point_chain(law: Known, adaptive: bool) -> Array:
    """Wrong where adaptive: the width follows the chain, so the way back is not as wide."""
    rng, x, chain = Stream(4, "slice"), law.start, np.empty(STEPS)
    for i in range(STEPS):
        level = law.log_density(x) + math.log(1 - rng.uniform())
        x = shrink(x, law.log_density, level, abs(x) / 2 + 0.01 if adaptive else 1.0, rng)
        chain[i] = x
    return chain


def test_a_stale_density_is_rejected() -> None:
    chain = stale_density_chain(GAMMA)
    assert law_p_value(GAMMA, chain) < SUSPICIOUS
    assert chain.mean() > 2.2  # the mean of Gamma(2, 1) is 2


def test_a_width_that_follows_the_chain_is_rejected() -> None:
    """A law with one hill forgives it: the interval always covers the whole slice."""
    assert law_p_value(TWO_HILLS, width_of_point_chain(TWO_HILLS, adaptive=True)) < SUSPICIOUS
    assert law_p_value(TWO_HILLS, width_of_point_chain(TWO_HILLS, adaptive=False)) > SUSPICIOUS
