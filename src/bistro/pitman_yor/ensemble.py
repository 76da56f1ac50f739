"""The chains of a process, and methods that create, run, inspect and restore them."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import Base, SpelledBase, Stream
from bistro.errors import BistroError, ConfigError
from bistro.pitman_yor.bases import BaseLike, BaseMaker, spelling
from bistro.pitman_yor.chains import Chain, FixedChain, Floats
from bistro.pitman_yor.contexts import Arranged
from bistro.pitman_yor.estimator import Estimator
from bistro.pitman_yor.events import END, Events, context_events, listed, sequence_events
from bistro.pitman_yor.numbering import Ids, Numbering
from bistro.pitman_yor.settings import Hyper, PerLevel, Seating, checked
from bistro.pitman_yor.unbounded import UnboundedChain
from bistro.rng import check_seed, purpose_key

Context = Sequence[Hashable]
Result = TypeVar("Result")
PARALLEL = 1000
"""Minimum number of events for which the chains run in parallel."""


class Ensemble(Estimator):
    """All chains of a process, and the ids of its outcomes."""

    depth: int | None
    outcomes: Sequence[Hashable] | range | None
    base: BaseLike
    backoff: str | Sequence[int]
    ends: bool
    discount: PerLevel
    strength: PerLevel
    seating: Seating
    hyper: Hyper
    discount_prior: tuple[float, float]
    strength_prior: tuple[float, float]
    sweeps: int
    chains: int
    seed: int
    _numbers: Numbering
    _maker: BaseMaker
    _chains: Sequence[Chain] = ()

    # --- contents --------------------------------------------------------------------------------

    @property
    def outcomes_(self) -> tuple[Any, ...]:
        """All outcomes, in the order of the columns of `predict_proba`."""
        self._begin()
        return self._numbers.outcomes

    @property
    def discounts(self) -> Floats:
        """Discounts, with one row per chain and one column per level."""
        self._begin()
        return np.array([chain.parameters()[0] for chain in self._chains])

    @property
    def strengths(self) -> Floats:
        """Strengths, with one row per chain and one column per level."""
        self._begin()
        return np.array([chain.parameters()[1] for chain in self._chains])

    def set_hyperparameters(self, discount: PerLevel, strength: PerLevel) -> None:
        """Set the discounts and strengths of all chains.

        Each argument is a single number for all levels, or one number per level.
        """
        self._begin()
        ready = checked(self.depth, discount, strength, self.seating, self.hyper, (1, 1), (1, 1))
        for chain in self._chains:
            chain.set_parameters(ready.discount, ready.strength)

    def log_likelihood(self) -> Floats:
        """Return log p(seating, outcomes) for every chain."""
        self._begin()
        return np.array([chain.log_likelihood() for chain in self._chains])

    def tables(self, context: Context = (), *, chain: int = 0) -> dict[Any, list[int]]:
        """Return the table sizes in the restaurant for a context, by outcome."""
        sizes: dict[Any, list[int]] = {}
        for number, size, tables in (
            self._chains_of()[chain].tables(self._context(context)).tolist()
        ):
            sizes.setdefault(self._numbers.outcome(number), []).extend([size] * tables)
        return sizes

    def counts(self, *, chain: int = 0) -> list[tuple[int, int, int]]:
        """Return the numbers of restaurants, customers and tables at each level."""
        return self._chains_of()[chain].counts()

    @property
    def bytes(self) -> int:
        """Memory used by the seatings, in bytes."""
        return sum(chain.bytes for chain in self._chains_of())

    @property
    def numbering(self) -> Numbering:
        """The ids of the outcomes and context elements."""
        self._begin()
        return self._numbers

    @property
    def calls(self) -> int:
        """The number of calls that have drawn random numbers. Later draws depend on this number."""
        return self._calls

    def states(self) -> list[dict[str, NDArray[Any]]]:
        """Return the state of every chain as arrays."""
        return [chain.state() for chain in self._chains_of()]

    def restore(
        self,
        states: Sequence[Mapping[str, NDArray[Any]]],
        features: Sequence[Hashable],
        calls: int,
    ) -> None:
        """Restore the saved states of all chains."""
        self._begin()
        self._numbers.add_features(features)
        for chain, state in zip(self._chains, states, strict=True):
            chain.restore(state)
        self._calls = calls

    # --- inside ----------------------------------------------------------------------------------

    def _clear(self) -> None:
        """Check the parameters and discard everything that was learned."""
        check_seed(self.seed)
        for name in ("chains", "sweeps"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be at least 1")
        self._settings = checked(
            self.depth,
            self.discount,
            self.strength,
            self.seating,
            self.hyper,
            self.discount_prior,
            self.strength_prior,
        )
        if self._chains and self._maker.process is not None:
            # Customers of the base process that represent tables of this process are removed.
            self._each(lambda chain, stream: chain.empty(stream))
        self._arranged = Arranged(self.depth, self.backoff)
        self._maker = BaseMaker(self.base, self._settings)
        self._chains = []
        self._calls = 0
        self._is_numbered = False

    def _seen(self, X: Any, y: Any) -> list[Any]:  # noqa: N803
        """Return the outcomes in the data, in the order of their first occurrence."""
        values = y if y is not None else (x for sequence in listed(X) for x in sequence)
        if isinstance(values, np.ndarray):
            values = values.tolist()
        return list(dict.fromkeys(values))

    def _begin(self, seen: list[Any] | None = None) -> None:
        """Assign ids to the outcomes and create the chains, unless the chains already exist."""
        if self._is_numbered:
            return
        outcomes = self._maker.outcomes() if self.outcomes is None else list(self.outcomes)
        if outcomes is None:
            outcomes = seen if not self._maker.is_open else []
        if outcomes is None:
            raise BistroError("the outcomes are unknown: give outcomes=..., or call fit first")
        if self.ends and END not in outcomes:
            outcomes = [*outcomes, END]
        if not outcomes and not self._maker.is_open:
            raise BistroError("a process needs at least one outcome")
        self._numbers = Numbering(outcomes)
        self._is_numbered = True
        self._chains = [self._chain(i) for i in range(self.chains)]

    def _chain(self, i: int) -> Chain:
        base, letters = self._maker.make(self._numbers, i)
        if self.depth is None:
            return UnboundedChain(base, letters, self._settings)
        return FixedChain(base, letters, self._settings)

    def _chains_of(self) -> Sequence[Chain]:
        self._begin()
        return self._chains

    def as_base(self, numbering: Numbering, chain: int) -> Base:
        """Return the empty context of one chain as the base of a process over the same outcomes."""
        self._begin()
        if numbering.outcomes != self._numbers.outcomes:
            raise ConfigError("a process and its base process must have the same outcomes")
        if chain >= len(self._chains):
            raise ConfigError("a process can have at most as many chains as its base process")
        return self._chains[chain].as_base(np.zeros(0, dtype=np.int32))

    def _context(self, context: Context, *, add: bool = False) -> Ids:
        self._begin()
        numbers = self._numbers.encode_context(self._arranged.one(context), add=add)
        return np.array(numbers, dtype=np.int32)

    def _events(self, X: Any, y: Any, *, add: bool) -> Events:  # noqa: N803
        if y is None:
            self._arranged.check_sequences()
            sequences = listed(X)
            if add:
                self._admit(x for sequence in sequences for x in sequence)
            self._begin()
            return sequence_events(self._numbers, sequences, ends=self.ends)
        if add:
            self._admit(y)
        self._begin()
        outcomes = self._numbers.encode_outcomes(y)
        return context_events(self._numbers, self._arranged.all(X), outcomes, add=add)

    def _admit(self, outcomes: Iterable[Hashable]) -> None:
        """Assign ids to new outcomes, if the base allows new outcomes."""
        self._begin()
        if not self._maker.is_open:
            return
        for outcome in outcomes:
            if outcome not in self._numbers:
                word = spelling(outcome)
                if self.ends and not word.size:
                    raise BistroError("the empty string cannot be an outcome with ends=True")
                self._numbers.append(outcome)
                for chain in self._chains:
                    spelled_base(chain).append(word)

    def _distribution(self, context: Ids) -> Floats:
        """Return the mean distribution over chains, indexed by the ids of the outcomes."""
        rows = self._each(lambda chain, _: chain.distribution(context), size=1)
        mean: Floats = np.mean(rows, axis=0)
        return mean

    def _each(
        self, work: Callable[[Chain, Stream], Result], *, size: int = PARALLEL
    ) -> list[Result]:
        """Call `work` for every chain, in parallel and with a separate random stream per chain.

        `size` is the number of events. If there are few events, one thread is faster than several
        threads.
        """
        self._begin()
        streams = [self._stream("chain", i) for i in range(len(self._chains))]
        self._calls += 1
        if len(self._chains) == 1 or size < PARALLEL:
            return [work(chain, s) for chain, s in zip(self._chains, streams, strict=True)]
        with ThreadPoolExecutor(min(len(self._chains), os.cpu_count() or 1)) as pool:
            return list(pool.map(work, self._chains, streams))

    def _stream(self, purpose: str, chain: int) -> Stream:
        return Stream(self.seed, purpose_key(f"pitman_yor.{purpose}.{chain}"), self._calls)

    def _seeded(self, purpose: str, seed: int) -> Stream:
        check_seed(seed)
        return Stream(seed, purpose_key(f"pitman_yor.{purpose}"), 0)


def spelled_base(chain: Chain) -> SpelledBase:
    """Return the base of a chain, which must be a distribution over all strings."""
    assert isinstance(chain.base, SpelledBase)
    return chain.base


def log_mean(rows: Sequence[Floats]) -> Floats:
    """Return the logarithm of the mean probability over chains."""
    mean = rows[0] if len(rows) == 1 else np.mean(rows, axis=0)
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(mean)
    return logs
