"""The hierarchical Pitman-Yor process in plain Python: a Chinese restaurant franchise of dicts.

It says the same as the compiled core, slowly: given the same random stream it seats every customer
at the same table. The restaurant of context u[0..k) has the restaurant of u[0..k-1) as its base:

    p_k(x) = (c_x - d t_x)/(c + θ) + (θ + d t)/(c + θ) · p_{k-1}(x)

>>> from bistro.rng import Stream
>>> franchise = Franchise(base=lambda dish: 1 / 3, levels=2)
>>> rng = Stream(seed=1, purpose="example")
>>> for context, dish in [((0,), 1), ((0,), 1), ((1,), 2)]:
...     franchise.add(context, dish, rng)
>>> round(sum(franchise.probability((0,), dish) for dish in range(3)), 12)
1.0
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bistro.rng import Stream

Context: TypeAlias = tuple[int, ...]
Seating: TypeAlias = Literal["gibbs", "minimal", "maximal"]


@dataclass
class Restaurant:
    """One context: for each dish, how many tables there are of each size."""

    tables: dict[int, Counter[int]] = field(default_factory=dict)

    def num_customers(self, dish: int | None = None) -> int:
        """Customers eating `dish`, or all of them."""
        return sum(size * count for size, count in self._sizes(dish))

    def num_tables(self, dish: int | None = None) -> int:
        """Tables serving `dish`, or all of them."""
        return sum(count for _, count in self._sizes(dish))

    def move(self, dish: int, size: int, new_size: int) -> None:
        """Change the size of one table of `dish`; size 0 stands for no table."""
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
    """A tree of restaurants that share their dishes through their parents."""

    def __init__(
        self, base: Callable[[int], float], levels: int, seating: Seating = "gibbs"
    ) -> None:
        self.base = base
        self.seating = seating
        self.discount = [0.5] * levels
        self.strength = [1.0] * levels
        self.restaurants: dict[Context, Restaurant] = {}

    def restaurant(self, context: Context) -> Restaurant:
        """Return the restaurant of a context, made where it does not exist."""
        return self.restaurants.setdefault(context, Restaurant())

    def probability(self, context: Context, dish: int) -> float:
        """Return the predictive probability of `dish`."""
        parent = self.parent_probability(context, dish)
        restaurant = self.restaurants.get(context)
        if restaurant is None or restaurant.num_customers() == 0:
            return parent
        d, theta = self.discount[len(context)], self.strength[len(context)]
        own = restaurant.num_customers(dish) - d * restaurant.num_tables(dish)
        weight = theta + d * restaurant.num_tables()
        return (own + weight * parent) / (restaurant.num_customers() + theta)

    def parent_probability(self, context: Context, dish: int) -> float:
        """Return what the restaurant of `context` backs off to."""
        return self.probability(context[:-1], dish) if context else self.base(dish)

    def add(self, context: Context, dish: int, rng: Stream) -> None:
        """Seat one customer, and one in the parent if that opened a table."""
        restaurant = self.restaurant(context)
        size = self._choose_table(context, dish, rng)
        restaurant.move(dish, size, size + 1)
        if size == 0 and context:
            self.add(context[:-1], dish, rng)

    def remove(self, context: Context, dish: int, rng: Stream) -> None:
        """Remove a customer drawn uniformly, and one from the parent if a table was closed."""
        restaurant = self.restaurants[context]
        sizes = sorted(restaurant.tables[dish].items())
        size = sizes[0][0]
        if self.seating == "gibbs" and restaurant.num_tables(dish) > 1:
            size = table_of_customer(sizes, rng.below(restaurant.num_customers(dish)))
        restaurant.move(dish, size, size - 1)
        if size == 1 and context:
            self.remove(context[:-1], dish, rng)

    def _choose_table(self, context: Context, dish: int, rng: Stream) -> int:
        """Return the size of the table a new customer joins, 0 for a new table."""
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


def table_at_weight(sizes: list[tuple[int, int]], discount: float, x: float) -> int:
    """Return the table size at which `x` falls when every table weighs its size less `discount`."""
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
    raise ValueError("there are not that many customers")
