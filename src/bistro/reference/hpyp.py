"""The hierarchical Pitman-Yor process in plain Python, as a Chinese restaurant franchise.

`Franchise` computes the same results as the compiled core, but slowly. Given the same random
stream, `Franchise` seats every customer at the same table as the core. The base of the restaurant
of context u[0..k) is the restaurant of u[0..k-1).

    p_k(x) = (c_x - d t_x)/(c + θ) + (θ + d t)/(c + θ) · p_{k-1}(x)

>>> from bistro.rng import Stream
>>> franchise = Franchise(base=lambda dish: 1 / 3, levels=2)
>>> rng = Stream(seed=1, purpose="example")
>>> for context, dish in [((0,), 1), ((0,), 1), ((1,), 2)]:
...     franchise.add(context, dish, rng)
>>> round(sum(franchise.probability((0,), dish) for dish in range(3)), 12)
1.0

Without data, draws come from the prior. A low strength and a low discount lead to few tables.

>>> house = Franchise(base=[0.25] * 4, levels=1, discount=0.1, strength=0.5)
>>> dishes = [house.draw((), rng) for _ in range(20)]
>>> len(dishes), house.restaurant(()).num_customers(), house.restaurant(()).num_tables() < 10
(20, 20, True)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from bistro.errors import ConfigError, nearest
from bistro.rng import Stream

Context: TypeAlias = tuple[int, ...]
Seating: TypeAlias = Literal["gibbs", "minimal", "maximal"]


@dataclass
class Restaurant:
    """The restaurant of one context, with the number of tables of each size for each dish."""

    tables: dict[int, Counter[int]] = field(default_factory=dict)

    def num_customers(self, dish: int | None = None) -> int:
        """Return the number of customers who eat `dish`, or the total number of customers."""
        return sum(size * count for size, count in self._sizes(dish))

    def num_tables(self, dish: int | None = None) -> int:
        """Return the number of tables that serve `dish`, or the total number of tables."""
        return sum(count for _, count in self._sizes(dish))

    def move(self, dish: int, size: int, new_size: int) -> None:
        """Change the size of one table serving `dish`. A size of 0 means that there is no table."""
        sizes = self.tables.setdefault(dish, Counter())
        if size:
            sizes[size] -= 1
            if not sizes[size]:
                del sizes[size]
        if new_size:
            sizes[new_size] += 1

    def _sizes(self, dish: int | None) -> list[tuple[int, int]]:
        dishes = self.tables if dish is None else (dish,)
        return [item for each in dishes for item in self.tables.get(each, Counter()).items()]


class Franchise:
    """A tree of restaurants, in which each restaurant shares dishes with its parent."""

    def __init__(
        self,
        base: Callable[[int], float] | Sequence[float],
        levels: int,
        seating: Seating = "gibbs",
        *,
        discount: float | Sequence[float] = 0.5,
        strength: float | Sequence[float] = 1.0,
    ) -> None:
        """Create a franchise without customers.

        Parameters
        ----------
        base
            The probability of every dish 0, 1, 2, …, as a list or a function of the dish.
        levels
            Number of context lengths: 1 is one restaurant, 2 has contexts of one element, etc.
        seating
            "gibbs" draws tables, "minimal" has one for each dish, "maximal" one for each customer.
        discount, strength
            One number for all levels, or one for each, starting with the empty context.
        """
        if levels < 1:
            raise ConfigError(f"levels is {levels}, but must be at least 1")
        if seating not in get_args(Seating):
            hint = nearest(str(seating), get_args(Seating))
            raise ConfigError(
                f"seating = {seating!r} is not valid{hint}: choose one of gibbs, minimal, maximal"
            )
        self.base: Callable[[int], float] = base if callable(base) else _function_of(base)
        self.seating = seating
        self.discount = _per_level("discount", discount, levels)
        self.strength = _per_level("strength", strength, levels)
        for d, theta in zip(self.discount, self.strength, strict=True):
            if not 0 <= d < 1:
                raise ConfigError(f"discount is {d}, but must lie in [0, 1)")
            if not -d < theta < math.inf:
                raise ConfigError(
                    f"strength is {theta}, but must be finite and greater than -discount"
                )
        self.restaurants: dict[Context, Restaurant] = {}

    def restaurant(self, context: Context) -> Restaurant:
        """Return the restaurant of a context, creating it if it does not exist."""
        return self.restaurants.setdefault(context, Restaurant())

    def probability(self, context: Context, dish: int) -> float:
        """Return the predictive probability of `dish` in `context`."""
        parent = self.parent_probability(context, dish)
        restaurant = self.restaurants.get(context)
        if restaurant is None or restaurant.num_customers() == 0:
            return parent
        d, theta = self.discount[len(context)], self.strength[len(context)]
        own = restaurant.num_customers(dish) - d * restaurant.num_tables(dish)
        weight = theta + d * restaurant.num_tables()
        return (own + weight * parent) / (restaurant.num_customers() + theta)

    def parent_probability(self, context: Context, dish: int) -> float:
        """Return the probability of `dish` in the next shorter context, or in the base."""
        return self.probability(context[:-1], dish) if context else self.base(dish)

    def add(self, context: Context, dish: int, rng: Stream) -> None:
        """Seat one customer, and seat another customer in the parent if a table was opened."""
        restaurant = self.restaurant(context)
        size = self._choose_table(context, dish, rng)
        restaurant.move(dish, size, size + 1)
        if size == 0 and context:
            self.add(context[:-1], dish, rng)

    def remove(self, context: Context, dish: int, rng: Stream) -> None:
        """Remove a random customer, and remove another from the parent if a table is closed."""
        restaurant = self.restaurants.get(context, Restaurant())
        sizes = sorted(restaurant.tables.get(dish, Counter()).items())
        if not sizes:
            raise ValueError(
                f"there is no customer with dish {dish} in the restaurant of context {context}"
            )
        size = sizes[0][0]
        if self.seating == "gibbs" and restaurant.num_tables(dish) > 1:
            size = table_of_customer(sizes, rng.below(restaurant.num_customers(dish)))
        restaurant.move(dish, size, size - 1)
        if size == 1 and context:
            self.remove(context[:-1], dish, rng)

    def draw(self, context: Context, rng: Stream) -> int:
        """Seat a customer with a random dish, and return the dish."""
        dish = self.sample(context, rng)
        self.add(context, dish, rng)
        return dish

    def sample(self, context: Context, rng: Stream) -> int:
        """Return the dish of the next customer, without seating the customer.

        The customer joins a table, whose weight is its size minus the discount, or backs off to the
        parent restaurant. In the restaurant of the empty context, the customer backs off to the
        base.
        """
        restaurant = self.restaurants.get(context, Restaurant())
        d, theta = self.discount[len(context)], self.strength[len(context)]
        x = rng.uniform() * (restaurant.num_customers() + theta)
        for dish in sorted(restaurant.tables):
            x -= restaurant.num_customers(dish) - d * restaurant.num_tables(dish)
            if restaurant.num_tables(dish) and x < 0:
                return dish
        return self.sample(context[:-1], rng) if context else self._from_base(rng)

    def _from_base(self, rng: Stream) -> int:
        x, total, dish = rng.uniform(), self.base(0), 0
        # Rounding may leave the sum of all dishes a little below 1.
        while x >= total and total < 1 - 1e-12:
            dish += 1
            total += self.base(dish)
        return dish

    def _choose_table(self, context: Context, dish: int, rng: Stream) -> int:
        """Return the size of the table that a new customer joins, or 0 for a new table."""
        restaurant = self.restaurant(context)
        sizes = sorted(restaurant.tables.get(dish, Counter()).items())
        if not sizes or self.seating == "maximal":
            return 0
        if self.seating == "minimal":
            return sizes[0][0]
        d, theta = self.discount[len(context)], self.strength[len(context)]
        old = restaurant.num_customers(dish) - d * restaurant.num_tables(dish)
        new = (theta + d * restaurant.num_tables()) * self.parent_probability(context, dish)
        x = rng.uniform() * (old + new) - new
        return 0 if x < 0 else table_at_weight(sizes, d, x)


def _function_of(base: Sequence[float]) -> Callable[[int], float]:
    if abs(math.fsum(base) - 1) > 1e-9 or min(base) < 0:
        raise ConfigError("the probabilities of the base must be at least 0 and sum to 1")
    return lambda dish: base[dish] if 0 <= dish < len(base) else 0.0


def _per_level(name: str, value: float | Sequence[float], levels: int) -> list[float]:
    if isinstance(value, int | float):
        return [float(value)] * levels
    if len(value) != levels:
        raise ConfigError(
            f"{name} has {len(value)} values: give a single number, or {levels} numbers"
        )
    return [float(x) for x in value]


def table_at_weight(sizes: list[tuple[int, int]], discount: float, x: float) -> int:
    """Return the size of the table that `x` selects by cumulative weight.

    The weight of a table is its size minus `discount`.
    """
    for size, count in sizes:
        x -= count * (size - discount)
        if x < 0:
            return size
    return sizes[-1][0]


def table_of_customer(sizes: list[tuple[int, int]], customer: int) -> int:
    """Return the size of the table at which customer number `customer` sits."""
    for size, count in sizes:
        customer -= size * count
        if customer < 0:
            return size
    raise ValueError("the index of a customer must be less than the number of customers")
