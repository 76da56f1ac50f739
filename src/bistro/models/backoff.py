"""Inspection of a trained distribution: how each context contributes to a probability.

A model keeps its distributions in frozen form (docs/decisions/frozen-form.md). For every context,
the frozen form contains the total probability of each outcome seen in the context, and the weight
of the next shorter context. The share of each level follows from these numbers (see
`bistro.models.results.explanations`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bistro.encoding.events import Events
from bistro.errors import ModelFileError
from bistro.modelfile import Arrays
from bistro.models.base import Model, Origin
from bistro.models.results.explanations import BASE, Decision, Level
from bistro.sums import added

GAP = 2**32 - 1
SPELLED = "unknown word: multiplied by the probability of its spelling"
"""Note on a decision that generates an unknown word letter by letter."""


class Seen(NamedTuple):
    """One element of a context: its name, its value as text, and the index of the value."""

    element: str
    value: str
    number: int


@dataclass(frozen=True)
class Backoff:
    """One distribution, with its parameters and training counts if they are known."""

    arrays: Arrays
    outcomes: int
    parameters: Sequence[tuple[float, float]] = ()
    """The discount and the strength at each depth."""
    training: Events | None = None

    def chain(self, context: Sequence[Seen], outcome: int, scale: float = 1.0) -> list[Level]:
        """Return the levels of p(outcome | context) times `scale`, starting with the base."""
        places = self._places(context)
        weights = [self._weight(at) for at in places]
        reaches = [math.prod(weights[depth:]) for depth in range(len(weights) + 1)]
        p = self._base(outcome)
        part = scale * reaches[0] * p
        levels = [Level(BASE, "", "", True, self.outcomes, 0, p, 0.0, p, reaches[0], part)]
        counts = self._counts(context, outcome)
        for depth, at in enumerate(places):
            entry = self._entry(at, outcome)
            shared, reach = weights[depth] * p, reaches[depth + 1]
            p = shared if entry is None else entry
            seen = context[depth - 1] if depth else Seen("", "", 0)
            about = seen.element, seen.value, at is not None, *self._sizes(at, outcome)
            share = p, weights[depth], p - shared, reach, scale * reach * (p - shared)
            levels.append(Level(depth, *about, *share, *self._learned(depth), *counts[depth]))
        return levels

    def distribution_sum(self, context: Sequence[Seen], outcomes: Sequence[int]) -> float:
        """Return the sum of p(outcome | context) over several outcomes."""
        places = self._places(context)
        return added(self._probability(places, outcome) for outcome in outcomes)

    def _probability(self, places: Sequence[int | None], outcome: int) -> float:
        weight = 1.0
        for at in reversed(places):
            entry = self._entry(at, outcome)
            if entry is not None:
                return weight * entry
            weight *= self._weight(at)
        return weight * self._base(outcome)

    def _places(self, context: Sequence[Seen]) -> list[int | None]:
        """Return the node for the context at each depth, or None if the context did not occur."""
        places: list[int | None] = [0]
        for seen in context:
            span = self._span("child_begin", places[-1])
            hits = np.flatnonzero(self.arrays["element"][span] == seen.number)
            places.append(span.start + int(hits[0]) if hits.size else None)
        return places

    def _weight(self, at: int | None) -> float:
        return 1.0 if at is None else float(self.arrays["backoff"][at])

    def _entry(self, at: int | None, outcome: int) -> float | None:
        span = self._span("entry_begin", at)
        hits = np.flatnonzero(self.arrays["dish"][span] == outcome)
        return float(self.arrays["probability"][span][hits[0]]) if hits.size else None

    def _sizes(self, at: int | None, outcome: int) -> tuple[int, int]:
        """Count the outcomes in a context, and the longer contexts that contain it."""
        kinds = np.count_nonzero(self.arrays["dish"][self._span("entry_begin", at)] != GAP)
        longer = self._span("child_begin", at)
        # The entries of longer contexts are adjacent, and each context has an outcome only once.
        begin = self.arrays["entry_begin"]
        entries = self.arrays["dish"][int(begin[longer.start]) : int(begin[longer.stop])]
        return int(kinds), int(np.count_nonzero(entries == outcome))

    def _span(self, begin: str, at: int | None) -> slice:
        offsets = self.arrays[begin]
        if at is None or at + 1 >= len(offsets):
            return slice(0, 0)
        return slice(int(offsets[at]), int(offsets[at + 1]))

    def _base(self, outcome: int) -> float:
        base = self.arrays["base"]
        return float(base[0] if base.size == 1 else base[outcome])

    def _learned(self, depth: int) -> tuple[float, float] | tuple[None, None]:
        return self.parameters[depth] if depth < len(self.parameters) else (None, None)

    def _counts(
        self, context: Sequence[Seen], outcome: int
    ) -> list[tuple[int, int] | tuple[None, None]]:
        """Return the training counts of the outcome and of the context at each depth."""
        if self.training is None:
            return [(None, None)] * (len(context) + 1)
        rows: NDArray[np.int64] = np.arange(len(self.training))
        counts: list[tuple[int, int] | tuple[None, None]] = []
        for depth in range(len(context) + 1):
            if depth:
                column = self.training.contexts[rows, depth - 1]
                rows = rows[column == context[depth - 1].number]
            hits = np.count_nonzero(self.training.outcomes[rows] == outcome)
            counts.append((int(hits), rows.size))
        return counts


def opened(
    model: Model,
    distributions: Mapping[str, Arrays],
    outcomes: Mapping[str, int],
    training: Mapping[str, Events] | None,
) -> dict[str, Backoff]:
    """Return the distributions of a model by name, for inspection."""
    return {
        name: Backoff(
            arrays,
            outcomes[name],
            _mean_parameters(model.origin, name, model.config.sampler.samples),
            training[name] if training else None,
        )
        for name, arrays in distributions.items()
    }


def decided(
    about: tuple[int, int, str, str, str, str],
    levels: list[Level],
    scale: float = 1.0,
    reason: str = "",
) -> Decision:
    """Return a decision with the given levels, and with the values in `about` as its first fields.

    The probability of the decision is the sum of the contributions of its levels, or 1 if it has no
    levels.
    """
    p = added(level.contribution for level in levels) if levels else 1.0
    return Decision(*about, p, scale, reason, levels)


def _mean_parameters(origin: Origin, name: str, samples: int) -> list[tuple[float, float]]:
    """Return the discount and the strength at every depth, if the training trace contains them."""
    kept = [row for row in origin.trace[-samples:] if f"{name}.discount" in row]
    if not kept:
        return []
    rows = [[row.get(f"{name}.{part}", ()) for row in kept] for part in ("discount", "strength")]
    if {np.shape(value) for row in rows for value in row} != {np.shape(rows[0][0])} or np.ndim(
        rows[0][0]
    ) != 1:
        raise ModelFileError(f"the training trace does not match the levels of {name}")
    discounts, strengths = (np.mean(row, axis=0).tolist() for row in rows)
    return list(zip(discounts, strengths, strict=True))
