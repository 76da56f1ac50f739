"""Interruptions at a chosen moment, for tests of training that is stopped and resumed."""

from __future__ import annotations


class Nth:
    """Return True at the n-th call only, and count the calls."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.asked = 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked == self.n
