"""Events: outcomes in contexts, as integer arrays; what a Pitman-Yor model learns from.

>>> events = Events(np.array([[3, 1], [2, 1]], np.int32), np.array([5, 6], np.int32))
>>> events.sorted().contexts.tolist()
[[2, 1], [3, 1]]
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Events:
    """One row a training event: its context, most informative element first, and its outcome."""

    contexts: NDArray[np.int32]
    outcomes: NDArray[np.int32]

    def __len__(self) -> int:
        return self.outcomes.size

    def sorted(self) -> Events:
        """Return the events in the order of their contexts.

        Customers are exchangeable, so any order will do; in this one neighbours share their
        restaurants, and a sweep walks through memory instead of jumping about in it.
        """
        order = np.lexsort((self.outcomes, *self.contexts.T[::-1]))
        return Events(
            np.ascontiguousarray(self.contexts[order]), np.ascontiguousarray(self.outcomes[order])
        )

    def digest(self) -> str:
        """Return a hash of all events, to recognise them again."""
        shape = np.array(self.contexts.shape, dtype=np.int64)
        parts = (shape, np.ascontiguousarray(self.contexts), self.outcomes)
        return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
