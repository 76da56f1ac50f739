"""One chain of a process, with its hyper-parameters and a seating of all observations."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bistro._core import Base, Franchise, FranchiseBase, Memoizer, OnlineFranchise, Stream
from bistro.errors import BistroError
from bistro.inference.hyper import update_hyperparameters
from bistro.pitman_yor.events import Events
from bistro.pitman_yor.numbering import Ids
from bistro.pitman_yor.settings import Settings

Floats = NDArray[np.float64]
State = dict[str, NDArray[Any]]


class Chain(Protocol):
    """The methods that a process needs from each of its chains."""

    base: Base
    letters: Franchise | None

    def observe(self, events: Events, stream: Stream) -> Floats:
        """Seat events, and return the probability of each event just before it is seated."""

    def forget(self, events: Events, stream: Stream) -> None:
        """Remove events."""

    def probabilities(self, events: Events) -> Floats:
        """Return the probability of each event."""

    def distribution(self, context: Ids) -> Floats:
        """Return the probability of every outcome in a context."""

    def base_weight(self, context: Ids) -> float:
        """Return the weight of the base distribution in the prediction for a context."""

    def tables(self, context: Ids) -> NDArray[np.int32]:
        """Return the tables of a context as rows of (outcome, table size, number of tables)."""

    def sweep(self, stream: Stream) -> None:
        """Reseat every event."""

    def empty(self, stream: Stream) -> None:
        """Remove all events."""

    def update(self, stream: Stream) -> None:
        """Update the hyper-parameters."""

    def log_likelihood(self) -> float:
        """Return log p(seating, outcomes)."""

    def parameters(self) -> tuple[list[float], list[float]]:
        """Return the discounts and strengths, starting with the empty context."""

    def set_parameters(self, discounts: Sequence[float], strengths: Sequence[float]) -> None:
        """Set the discounts and strengths."""

    def counts(self) -> list[tuple[int, int, int]]:
        """Return the numbers of restaurants, customers and tables at every level."""

    def as_base(self, context: Ids) -> Base:
        """Return the restaurant of a context as the base distribution of another chain."""

    def state(self) -> State:
        """Return everything that is needed to restore the chain."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a saved state."""

    @property
    def bytes(self) -> int:
        """Memory used by the chain, in bytes."""


@contextlib.contextmanager
def _consistent() -> Iterator[None]:
    """Raise an error if the seatings of a process and its base are inconsistent.

    Only a damaged file can cause this error.
    """
    try:
        yield
    except ValueError as error:
        raise BistroError(f"the process and its base do not match: {error}") from None


_LETTERS = "letters."
Core = TypeVar("Core", bound=OnlineFranchise | Memoizer)


class CoreChain(Generic[Core]):
    """The base class of bounded and unbounded chains. It passes events to the core."""

    base: Base
    letters: Franchise | None

    def __init__(self, core: Core) -> None:
        self.core: Core = core

    def observe(self, events: Events, stream: Stream) -> Floats:
        """Seat events, and return the probability of each event just before it is seated."""
        return self.core.observe(
            events.elements,
            events.offsets,
            last_only=events.last_only,
            given=events.num_context,
            rng=stream,
        )

    def forget(self, events: Events, stream: Stream) -> None:
        """Remove events."""
        try:
            self.core.forget(
                events.elements,
                events.offsets,
                last_only=events.last_only,
                given=events.num_context,
                rng=stream,
            )
        except ValueError:
            raise BistroError(
                "an outcome can be forgotten only in a context in which it was observed"
            ) from None

    def probabilities(self, events: Events) -> Floats:
        """Return the probability of each event."""
        return self.core.probabilities(
            events.elements, events.offsets, last_only=events.last_only, given=events.num_context
        )

    def distribution(self, context: Ids) -> Floats:
        """Return the probability of every outcome in a context."""
        return self.core.distribution(context)

    def base_weight(self, context: Ids) -> float:
        """Return the weight of the base distribution in the prediction for a context."""
        return self.core.base_weight(context)

    def tables(self, context: Ids) -> NDArray[np.int32]:
        """Return the tables of a context as rows of (outcome, table size, number of tables)."""
        return self.core.tables(context).reshape(-1, 3)

    def sweep(self, stream: Stream) -> None:
        """Reseat every event."""
        with _consistent():
            self.core.sweep(stream)

    def empty(self, stream: Stream) -> None:
        """Remove all events."""
        with _consistent():
            self.core.empty(stream)

    def letters_state(self) -> State:
        """Return the state of the process over characters, or an empty dict if there is none."""
        state = franchise_state(self.letters) if self.letters is not None else {}
        return {_LETTERS + name: array for name, array in state.items()}

    def restore_letters(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a saved state of the process over characters, if there is one."""
        if self.letters is not None:
            starts = {k: v for k, v in state.items() if k.startswith(_LETTERS)}
            own = {name.removeprefix(_LETTERS): array for name, array in starts.items()}
            restore_franchise(self.letters, own)


class FixedChain(CoreChain[OnlineFranchise]):
    """A chain whose contexts have a limited number of elements."""

    def __init__(self, base: Base, letters: Franchise | None, settings: Settings) -> None:
        assert settings.depth is not None
        self.base = base
        self.letters = letters
        self._sampler = settings.sampler()
        self.franchise = Franchise(base, settings.depth + 1, settings.seating)
        self.set_parameters(settings.discount, settings.strength)
        super().__init__(OnlineFranchise(self.franchise))

    def update(self, stream: Stream) -> None:
        """Update the hyper-parameters."""
        for franchise in (self.franchise, self.letters):
            if franchise is not None:
                update_hyperparameters(franchise, self._sampler, stream)

    def log_likelihood(self) -> float:
        """Return log p(seating, outcomes), including the characters if words are spelled."""
        letters = self.letters.log_likelihood() if self.letters else 0.0
        return self.franchise.log_likelihood() + letters

    def parameters(self) -> tuple[list[float], list[float]]:
        """Return the discounts and strengths, starting with the empty context."""
        pairs = self.franchise.parameters()
        return [d for d, _ in pairs], [theta for _, theta in pairs]

    def set_parameters(self, discounts: Sequence[float], strengths: Sequence[float]) -> None:
        """Set the discounts and strengths."""
        for level, (d, theta) in enumerate(zip(discounts, strengths, strict=True)):
            self.franchise.set_parameters(level, d, theta)

    def counts(self) -> list[tuple[int, int, int]]:
        """Return the numbers of restaurants, customers and tables at every level."""
        return [(r, c, t) for r, c, t in self.franchise.counts_by_level()]

    def as_base(self, context: Ids) -> Base:
        """Return the restaurant of a context as the base distribution of another chain."""
        return FranchiseBase(self.franchise, context[::-1].tolist())

    def state(self) -> State:
        """Return everything that is needed to restore the chain."""
        own = franchise_state(self.franchise)
        return {"observed": self.core.observed(), **own, **self.letters_state()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a saved state."""
        self.restore_letters(state)
        restore_franchise(self.franchise, state)
        self.core.restore_observed(state["observed"])

    @property
    def bytes(self) -> int:
        """Memory used by the chain, in bytes."""
        return self.franchise.bytes + (self.letters.bytes if self.letters else 0)


_PARTS = ("restaurants", "entries", "customers", "tables", "sizes")


def franchise_state(franchise: Franchise) -> State:
    """Return the arrays that are needed to restore a franchise, by name."""
    arrays = (*franchise.structure(), *franchise.state())
    parameters = np.array(franchise.parameters())
    return {**dict(zip(_PARTS, arrays, strict=True)), "parameters": parameters}


def restore_franchise(franchise: Franchise, state: Mapping[str, NDArray[Any]]) -> None:
    """Load a saved state into a franchise that has no customers yet."""
    arrays = [state[name] for name in _PARTS]
    if len(state["parameters"]) != franchise.levels:
        raise ValueError("the number of parameters does not match the number of levels")
    franchise.rebuild(*arrays[:2])
    franchise.restore(*arrays[2:])
    for level, (d, theta) in enumerate(state["parameters"].tolist()):
        franchise.set_parameters(level, d, theta)
