"""Choose an outcome using a product of experts, which are Pitman-Yor processes over the outcomes.

    p(outcome) ∝ p_0(outcome)^-b Π p_e(outcome | context of e)^(1/experts)

A process drops its context elements in a fixed order. Experts with different orders use different
information and make different errors. Every expert includes the marginal frequencies p_0 of the
outcomes, so the product is divided by a power of p_0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import Frozen, UniformBase, product_scores
from bistro.encoding.events import Events
from bistro.errors import ModelFileError
from bistro.inference.choices import Names
from bistro.inference.gibbs import Chain
from bistro.inference.settings import SamplerSettings
from bistro.modelfile import Arrays

Columns = Sequence[Sequence[str]]
"""One list per context element, with one string per position."""


@dataclass(frozen=True)
class Candidates:
    """The possible outcomes at each position, with their scores."""

    starts: NDArray[np.int64]
    """The index of the first candidate for each position."""
    outcomes: NDArray[np.int32]
    scores: NDArray[np.float64]

    @property
    def places(self) -> NDArray[np.int64]:
        """The position of each candidate."""
        sizes = np.diff(self.starts, append=len(self.outcomes))
        return np.repeat(np.arange(len(self.starts)), sizes)

    def probabilities(self) -> NDArray[np.float64]:
        """Return the probability of each candidate at its position."""
        weights = np.exp(self.scores - np.maximum.reduceat(self.scores, self.starts)[self.places])
        return np.asarray(weights / np.add.reduceat(weights, self.starts)[self.places])

    def best(self) -> NDArray[np.int64]:
        """Return the index of the best candidate for each position.

        If several candidates are equally good, the first is returned.
        """
        best = np.maximum.reduceat(self.scores, self.starts)[self.places]
        numbers = np.where(self.scores == best, np.arange(len(best)), len(best))
        return np.minimum.reduceat(numbers, self.starts)


class ProductLearner:
    """The training chains of the experts."""

    def __init__(
        self,
        contexts: Mapping[str, Columns],
        outcomes: Sequence[str],
        settings: SamplerSettings,
        seed: int,
    ) -> None:
        values = (value for columns in contexts.values() for column in columns for value in column)
        self.elements = Names(list(dict.fromkeys(values)))
        self.outcomes = Names.of(sorted(set(outcomes)))
        encoded = self.outcomes.encode([outcomes])[0]
        base = UniformBase(len(self.outcomes))
        self.chains, self.digests = [], []
        for name, columns in contexts.items():
            events = Events(_matrix(self.elements, columns), encoded)
            self.chains.append(Chain(name, events, base, settings, seed))
            self.digests.append(events.digest())

    def product(self) -> Product:
        """Return the trained experts, each of which is the mean of its kept samples."""
        parts = {chain.name: chain.frozen() for chain in self.chains}
        return Product(self.elements, self.outcomes, parts)


class Product:
    """A trained product of experts."""

    def __init__(self, elements: Names, outcomes: Names, parts: Mapping[str, Arrays]) -> None:
        if not parts:
            raise ModelFileError("a choice without experts")
        self.elements, self.outcomes, self.parts = elements, outcomes, dict(parts)
        self._experts = [Frozen(**arrays, dishes=len(outcomes)) for arrays in self.parts.values()]
        shares = self._experts[0].distribution(np.zeros(0, np.int32))
        self._log_shares = np.log(np.maximum(shares, 1e-300))

    def candidates(
        self,
        contexts: Mapping[str, Columns],
        allowed: Sequence[Sequence[int]],
        *,
        prior: float,
        most: int,
    ) -> Candidates:
        """Return the candidate outcomes for every position, with their scores.

        The candidates for a position are the outcomes in `allowed`. If `allowed` is empty for a
        position, its candidates are the most probable outcomes of each expert, up to `most` per
        expert.
        """
        group, begin, members = _groups(allowed)
        matrices = [_matrix(self.elements, contexts[name]) for name in self.parts]
        starts, outcomes, scores = product_scores(
            self._experts, matrices, group=group, begin=begin, members=members, most=most
        )
        scores = scores / len(self._experts) - prior * self._log_shares[outcomes]
        return Candidates(starts, outcomes, scores)

    def header(self) -> dict[str, Any]:
        """Return all data except the arrays, as values that JSON can store."""
        return {"elements": self.elements.names, "outcomes": self.outcomes.names}

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], parts: Mapping[str, Arrays]) -> Product:
        """Rebuild the experts from the values of `header` and `parts`."""
        return cls(Names(header["elements"]), Names(header["outcomes"]), parts)


def _matrix(names: Names, columns: Columns) -> NDArray[np.int32]:
    """Return the ids of the context elements, with one row per position."""
    return np.stack([names.encode([column])[0] for column in columns], axis=1)


def _groups(
    allowed: Sequence[Sequence[int]],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Number the distinct lists of allowed outcomes, so that each list is stored once."""
    numbers: dict[int, int] = {}
    lists: list[Sequence[int]] = []
    group = np.full(len(allowed), -1, dtype=np.int32)
    for place, outcomes in enumerate(allowed):
        if not outcomes:
            continue
        if id(outcomes) not in numbers:
            numbers[id(outcomes)] = len(lists)
            lists.append(outcomes)
        group[place] = numbers[id(outcomes)]
    begin = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    members = np.array([number for one in lists for number in one], dtype=np.int32)
    return group, begin, members
