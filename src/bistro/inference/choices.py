"""A classifier that maps lists of strings to names, used to predict annotation columns.

The context is a list of strings, with the most informative string first, and the outcomes are
names. The context is cut before the first string that did not occur at its position in training, so
the prediction depends on the longest known prefix of the context.

>>> data = [(("dog", "NOUN"), "-s+"), (("cat", "NOUN"), "-s+"), (("run", "VERB"), "same")] * 4
>>> learner = ChoiceLearner("rules", [c for c, _ in data], [o for _, o in data], settings, seed=1)
...                                                                             # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bistro._core import Frozen, UniformBase
from bistro.encoding.events import Events
from bistro.errors import ModelFileError
from bistro.inference.gibbs import Chain
from bistro.inference.settings import SamplerSettings
from bistro.modelfile import Arrays

Contexts = Sequence[Sequence[str]]
_UNSEEN = 2**31 - 1


class Names:
    """A list of distinct strings that maps each string to its index."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
            raise ModelFileError(
                "the names of the outcomes are damaged: they must be distinct strings"
            )
        self.names = list(names)
        self.numbers = {name: number for number, name in enumerate(self.names)}

    @classmethod
    def of(cls, values: Sequence[str]) -> Names:
        """Number the values."""
        return cls(list(dict.fromkeys(values)))

    def __len__(self) -> int:
        return len(self.names)

    def encode(self, rows: Contexts) -> NDArray[np.int32]:
        """Encode rows of strings as a matrix. All unseen strings share one special id."""
        get = self.numbers.get
        flat = [get(value, _UNSEEN) for row in rows for value in row]
        return np.array(flat, dtype=np.int32).reshape(len(rows), -1)


class ChoiceLearner(Chain):
    """A chain that trains the Pitman-Yor process of one classifier."""

    def __init__(
        self,
        name: str,
        contexts: Contexts,
        outcomes: Sequence[str],
        settings: SamplerSettings,
        seed: int,
    ) -> None:
        self.elements = Names.of([value for row in contexts for value in row])
        self.outcomes = Names.of(sorted(set(outcomes)))
        encoded = self.outcomes.encode([outcomes])[0]
        events = Events(self.elements.encode(contexts), encoded)
        super().__init__(name, events, UniformBase(len(self.outcomes)), settings, seed)
        self.digest = events.digest()

    def choice(self) -> Choice:
        """Return the mean of the kept samples."""
        return Choice(self.elements, self.outcomes, self.frozen())


class Choice:
    """A learned choice."""

    def __init__(self, elements: Names, outcomes: Names, arrays: Arrays) -> None:
        self.elements, self.outcomes, self.arrays = elements, outcomes, arrays
        self._frozen = Frozen(**arrays, dishes=len(outcomes))

    def ranked(
        self, contexts: Contexts, most: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the ids and probabilities of the best outcomes in each context, best first.

        Rows are padded with -1 and 0.
        """
        if not contexts:
            return np.zeros((0, most), np.int32), np.zeros((0, most))
        numbers, probabilities = self._frozen.most_probable(self.elements.encode(contexts), most)
        return numbers.reshape(-1, most), probabilities.reshape(-1, most)

    def known_endings(self, length: int) -> set[tuple[str, str]]:
        """Return the last two elements of each training context of a given length.

        The last element of a context has no effect if no training context ends in the same two
        elements.
        """
        begins, elements = self.arrays["child_begin"], self.arrays["element"]
        parents = np.zeros(len(elements), np.int64)
        parents[begins[0] : begins[-1]] = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
        depths = np.zeros(len(elements), np.int64)
        for _ in range(length + 1):
            depths[1:] = depths[parents[1:]] + 1
        last = np.flatnonzero((depths == length) & (elements < len(self.elements)))
        names = self.elements.names
        pairs = zip(elements[parents[last]].tolist(), elements[last].tolist(), strict=True)
        return {(names[a], names[b]) for a, b in pairs}

    def log_probabilities(self, contexts: Contexts, outcomes: Sequence[str]) -> NDArray[np.float64]:
        """Return log p(outcome | context), in nats; -inf for an unknown outcome."""
        numbers = self.outcomes.encode([outcomes])[0]
        known = numbers != _UNSEEN
        logs = np.full(len(outcomes), -np.inf)
        if known.any():
            rows = np.ascontiguousarray(self.elements.encode(contexts)[known])
            logs[known] = self._frozen.log_probabilities(rows, np.ascontiguousarray(numbers[known]))
        return logs

    def header(self) -> dict[str, Any]:
        """Return all data except the arrays, as values that JSON can store."""
        return {"elements": self.elements.names, "outcomes": self.outcomes.names}

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Arrays) -> Choice:
        """Rebuild the classifier from the values of `header` and `arrays`."""
        return cls(Names(header["elements"]), Names(header["outcomes"]), arrays)
