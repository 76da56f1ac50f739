"""The exact distribution over the states of a few words, computed by enumeration.

All continuous variables in the topics model are integrated out, which leaves a distribution over
states s given words w. Each parent is a Chinese restaurant whose tables are customers of one
restaurant shared by all parents. Parent v has n[v, k] tokens of state k at t[v, k] tables.

    p(s) = sum over t of  prod_v  prod_k |S(n[v,k], t[v,k])| strength^t[v,k] / (strength)_n[v]
                          x  share(t[., k] over all states),

Here S are the unsigned Stirling numbers of the first kind, and (x)_n = x (x+1) ... (x+n-1). The
last factor depends on the number of states. If the number of states is unlimited, the names of the
states do not matter.

    share = prod_k (gamma/K)_t[k] / (gamma)_T            for K states
    share = gamma^live prod_k (t[k]-1)! / (gamma)_T      for an unlimited number of states

In a model with stops, the stops of a parent are tokens of an additional outcome, `STOP`, which has
no word and is always observed. In a model with stops and K states, there are therefore K + 1
outcomes. With an unlimited number of states, half of gamma belongs to the stop and half to all
states together. In the formulas, gamma/2 therefore replaces gamma/K for the stop. For the states,
gamma/2 replaces gamma in gamma^live.

>>> law = state_law([0, 0], [0, 1], num_words=2, states=2, strength=1, smoothing=1, gamma=1)
>>> round(sum(law.values()), 12)
1.0
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

States = tuple[int, ...]
STOP = -1


def state_law(
    parents: Sequence[int],
    words: Sequence[int],
    *,
    num_words: int,
    states: int | None,
    strength: float,
    smoothing: float,
    gamma: float,
    stops: Sequence[int] = (),
) -> dict[States, float]:
    """Return p(states | words) of all assignments, or of all partitions if `states` is None.

    `stops` contains the parent of each stop, and is empty for a model without stops.
    """
    weights = {
        assignment: state_prior(parents, assignment, states, strength, gamma, stops)
        * word_likelihood(words, assignment, num_words, smoothing)
        for assignment in assignments(len(words), states)
    }
    total = sum(weights.values())
    return {assignment: weight / total for assignment, weight in weights.items()}


def assignments(length: int, states: int | None) -> Iterator[States]:
    """Yield all assignments of states to words, or all partitions if `states` is None."""
    if states is not None:
        yield from product(range(states), repeat=length)
        return
    partial: list[States] = [()]
    for _ in range(length):
        partial = [(*p, k) for p in partial for k in range(max(p, default=-1) + 2)]
    yield from partial


def state_prior(
    parents: Sequence[int],
    assignment: States,
    states: int | None,
    strength: float,
    gamma: float,
    stops: Sequence[int] = (),
) -> float:
    """Return p(states, stops), with the parents' distributions integrated out."""
    pairs = Counter(zip(parents, assignment, strict=True)) + Counter((v, STOP) for v in stops)
    outcomes = (1 if states is None else states) + bool(stops)
    names = list(pairs)
    total = 0.0
    for tables in product(*(range(1, pairs[name] + 1) for name in names)):
        seated = math.prod(
            stirling(pairs[name], t) * strength**t for name, t in zip(names, tables, strict=True)
        )
        by_state = Counter[int]()
        for (_, k), t in zip(names, tables, strict=True):
            by_state[k] += t
        total += seated * _share(by_state, gamma / outcomes, gamma, is_open=states is None)
    sizes = Counter(parents) + Counter(stops)
    return total / math.prod(rising(strength, n) for n in sizes.values())


def word_likelihood(
    words: Sequence[int], assignment: States, num_words: int, smoothing: float
) -> float:
    """Return p(words | states), with the distributions of the states integrated out."""
    pairs = Counter(zip(assignment, words, strict=True))
    above = math.prod(rising(smoothing, n) for n in pairs.values())
    return above / math.prod(rising(num_words * smoothing, n) for n in Counter(assignment).values())


def _share(tables: Counter[int], share: float, gamma: float, *, is_open: bool) -> float:
    """Return p(tables of all outcomes), where every outcome has the same share of gamma."""
    above = math.prod(
        share * math.factorial(t - 1) if is_open and k != STOP else rising(share, t)
        for k, t in tables.items()
    )
    return above / rising(gamma, sum(tables.values()))


def rising(x: float, n: int) -> float:
    """Return x (x+1) ... (x+n-1)."""
    return math.prod(x + i for i in range(n))


@cache
def stirling(n: int, k: int) -> int:
    """Return the unsigned Stirling number of the first kind."""
    if n == 0 or k == 0:
        return int(n == k)
    return stirling(n - 1, k - 1) + (n - 1) * stirling(n - 1, k)
