"""One sample of syntactic topics: counts of states by parent, and of words by state.

    theta[k | v] = (n[v, k] + strength weight[k]) / (n[v] + strength)
    phi[w | k]   = (n[k, w] + smoothing) / (n[k] + V smoothing)

n[v] includes the stops of the parent. In a model with stops, theta therefore sums to less than 1,
and the remainder is the probability that the parent stops.

Counts are stored as rows of (parent or word, state, count), without zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bistro.models.checks import Expected, check_arrays

Floats = NDArray[np.float64]
Counts = NDArray[np.int32]
"""An array with rows of (parent or word, state, count)."""


MOST = 1e12
"""Maximum value of a weight or hyper-parameter."""


@dataclass(frozen=True)
class TopicSample:
    """Counts, weights and hyper-parameters of a model after one sweep."""

    parents: Counts
    words: Counts
    weights: Floats
    strength: float
    smoothing: float
    unseen: float
    """The weight of all unseen states together, or 0 if the number of states is fixed."""
    stop_weight: float = 0.0
    """The weight of the stop, or 0 in a model without stops."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the sample as arrays, for a model file."""
        numbers = [self.strength, self.smoothing, self.unseen]
        numbers += [self.stop_weight] if self.stop_weight > 0 else []
        return {
            "parents": self.parents,
            "words": self.words,
            "weights": self.weights,
            "numbers": np.array(numbers),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Restore a sample from arrays that the method `arrays` returned."""
        check_arrays(
            arrays,
            {
                "parents": Expected("i", (None, 3), 0),
                "words": Expected("i", (None, 3), 0),
                "weights": Expected("f", (None,), 0, MOST),
                "numbers": Expected("f", (None,), 0, MOST),
            },
        )
        sample = cls(
            arrays["parents"], arrays["words"], arrays["weights"], *arrays["numbers"].tolist()
        )
        if not (sample.strength > 0 and sample.smoothing > 0 and sample.weights.sum() > 0):
            raise ValueError("the weights of a sample are all 0")
        for counts in (sample.parents, sample.words):
            if counts.size and counts[:, 1].max() >= sample.weights.size:
                raise ValueError("a sample contains a state that has no weight")
        return sample

    @property
    def states(self) -> int:
        """The number of states, including empty states."""
        return self.weights.size

    @property
    def live(self) -> NDArray[np.int64]:
        """The non-empty states, most frequent first."""
        sizes = self.sizes()
        return np.array([k for k in np.argsort(-sizes, kind="stable") if sizes[k] > 0], np.int64)

    def sizes(self) -> Floats:
        """Return the number of word tokens in each state."""
        sizes = np.bincount(self.words[:, 1], self.words[:, 2], minlength=self.states)
        return sizes.astype(np.float64)

    def theta(self, stops: NDArray[np.int32]) -> Floats:
        """Return p(state | parent), one row per parent, given the number of stops of each parent.

        The last column contains the probability of all unseen states.
        """
        table = dense(self.parents, stops.size, self.states + 1)
        table += self.strength * np.append(self.weights, self.unseen)
        return np.asarray(table / self.totals(stops)[:, None])

    def stopping(self, stops: NDArray[np.int32]) -> Floats:
        """Return p(stop | parent), given the number of stops of each parent."""
        return np.asarray((stops + self.strength * self.stop_weight) / self.totals(stops))

    def totals(self, stops: NDArray[np.int32]) -> Floats:
        """Return n[v] + strength, the denominator of theta, for each parent."""
        counts = np.bincount(self.parents[:, 0], self.parents[:, 2], minlength=stops.size)
        return np.asarray(counts + stops + self.strength)

    def phi(self, num_words: int) -> Floats:
        """Return p(word | state), one row per word.

        In an unseen state, all words are equally likely.
        """
        table = dense(self.words, num_words, self.states + 1) + self.smoothing
        return np.asarray(table / table.sum(axis=0))


def triples(rows: NDArray[np.int32], states: NDArray[np.int32]) -> Counts:
    """Count how often each row (parent or word) occurs with each state, omitting zeros."""
    pairs, counts = np.unique(np.stack((rows, states), axis=1), axis=0, return_counts=True)
    return np.concatenate((pairs, counts[:, None]), axis=1).astype(np.int32)


def dense(counts: Counts, rows: int, states: int) -> Floats:
    """Convert rows of counts to a table of shape (parents or words, states)."""
    table = np.zeros((rows, states))
    table[counts[:, 0], counts[:, 1]] = counts[:, 2]
    return table
