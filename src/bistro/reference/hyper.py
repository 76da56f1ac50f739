"""Slice sampling of the discount and strength of each level, in plain Python.

The likelihood of a seating is computed by seating its customers one by one. A customer who enters a
restaurant with c other customers at t tables either opens a new table or joins an existing table.

    opens a table            with probability  (θ + d t) / (c + θ)      (1 where c = 0)
    joins a table of size s  with probability  (s - d) / (c + θ)

Every table of depth 0 draws its dish from the base. The core computes the same likelihood from
counts of counts, without visiting individual customers.

>>> from bistro.rng import Stream
>>> x, rng = 1.0, Stream(seed=1, purpose="example")
>>> x = slice_step(x, lambda y: -y, width=1.0, low=0.0, high=math.inf, rng=rng)  # Exponential(1)
>>> x > 0
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bistro.reference.hpyp import Franchise, Restaurant
from bistro.rng import Stream


def restaurant_log_likelihood(restaurant: Restaurant, discount: float, strength: float) -> float:
    """Compute the log-probability of a seating arrangement, customer by customer."""
    steps = []
    customers = tables = 0
    for sizes in restaurant.tables.values():
        for size in sizes.elements():
            opens = (strength + discount * tables) / (customers + strength) if customers else 1.0
            steps.append(math.log(opens))
            joins = ((s - discount) / (customers + s + strength) for s in range(1, size))
            steps.extend(math.log(probability) for probability in joins)
            customers += size
            tables += 1
    return math.fsum(steps)


def level_log_likelihood(
    restaurants: Iterable[Restaurant], discount: float, strength: float
) -> float:
    """Return the log-probability of the seatings in all restaurants at one depth."""
    if not (0 <= discount < 1 and strength > -discount):
        return -math.inf
    return math.fsum(restaurant_log_likelihood(r, discount, strength) for r in restaurants)


def log_likelihood(franchise: Franchise) -> float:
    """Return log p(seating, dishes) for a whole franchise."""
    levels = [
        level_log_likelihood(restaurants_of_depth(franchise, depth), discount, strength)
        for depth, (discount, strength) in enumerate(
            zip(franchise.discount, franchise.strength, strict=True)
        )
    ]
    root = franchise.restaurant(())
    served = [dish for dish in root.tables if root.num_tables(dish)]
    return math.fsum(levels) + math.fsum(
        root.num_tables(dish) * math.log(franchise.base(dish)) for dish in served
    )


def restaurants_of_depth(franchise: Franchise, depth: int) -> list[Restaurant]:
    """Return the restaurants at one level."""
    return [r for context, r in franchise.restaurants.items() if len(context) == depth]


def slice_step(
    x: float,
    log_density: Callable[[float], float],
    width: float,
    low: float,
    high: float,
    rng: Stream,
) -> float:
    """Return a new point by stepping out and shrinking (Neal 2003, figures 3 and 5)."""
    level = log_density(x) + math.log(1.0 - rng.uniform())
    left = x - width * rng.uniform()
    right = left + width
    while left > low and log_density(left) > level:
        left -= width
    while right < high and log_density(right) > level:
        right += width
    left, right = max(left, low), min(right, high)
    while True:
        candidate = left + rng.uniform() * (right - left)
        if low < candidate < high and log_density(candidate) > level:
            return candidate
        if candidate < x:
            left = candidate
        else:
            right = candidate
        # Only x itself is representable inside the slice.
        if not right - left > 1e-14 * (1.0 + abs(x)):
            return x


@dataclass(frozen=True)
class HyperPrior:
    """The prior for every level, with d ~ Beta(a, b) and θ ~ Gamma(shape, rate)."""

    discount_a: float = 1.0
    discount_b: float = 1.0
    strength_shape: float = 1.0
    strength_rate: float = 1.0

    def log_discount(self, d: float) -> float:
        """Return the log density of a discount, up to a constant."""
        return (self.discount_a - 1) * math.log(d) + (self.discount_b - 1) * math.log1p(-d)

    def log_strength(self, theta: float) -> float:
        """Return the log density of a strength, up to a constant."""
        return (self.strength_shape - 1) * math.log(theta) - self.strength_rate * theta


def move_discount(
    restaurants: list[Restaurant], d: float, theta: float, prior: HyperPrior, rng: Stream
) -> float:
    """Return a new discount for one level, after one slice-sampling step."""

    def log_density(x: float) -> float:
        if not 0 < x < 1:
            return -math.inf
        return level_log_likelihood(restaurants, x, theta) + prior.log_discount(x)

    return slice_step(d, log_density, 0.1, 0.0, 1.0, rng)


def move_strength(
    restaurants: list[Restaurant], d: float, theta: float, prior: HyperPrior, rng: Stream
) -> float:
    """Return a new strength for one level, after one slice-sampling step in x = log θ."""

    def log_density(x: float) -> float:
        # The last x is the Jacobian of θ = exp(x).
        likelihood = level_log_likelihood(restaurants, d, math.exp(x))
        return likelihood + prior.log_strength(math.exp(x)) + x

    return math.exp(slice_step(math.log(theta), log_density, 1.0, -30.0, 30.0, rng))


def slice_hyperparameters(franchise: Franchise, prior: HyperPrior, rng: Stream) -> None:
    """Update the discount and then the strength of every level."""
    for depth in range(len(franchise.discount)):
        restaurants = restaurants_of_depth(franchise, depth)
        d, theta = franchise.discount[depth], franchise.strength[depth]
        # The prior has no mass at or below 0; a chain that started there enters from the edge.
        theta = theta if theta > 0 else 1e-3
        d = move_discount(restaurants, d, theta, prior, rng)
        franchise.discount[depth] = d
        franchise.strength[depth] = move_strength(restaurants, d, theta, prior, rng)
