"""Counter-based random streams, each determined by a seed, a purpose and an index.

Bistro has no global random state. A `Stream` is a Philox 4x64-10 generator (Salmon et al. 2011)
that is keyed by the seed and a hash of its purpose, and starts at the given index. The compiled
core implements the same streams, so a run produces the same result on every machine and for any
number of threads.

>>> stream = Stream(seed=1, purpose="example", index=0)
>>> 0.0 <= stream.uniform() < 1.0
True
>>> Stream(1, "example", 0).below(6) == Stream(1, "example", 0).below(6)
True
"""

from __future__ import annotations

import hashlib
from functools import cache
from numbers import Integral

from bistro.errors import ConfigError

_MASK = (1 << 64) - 1
_MULTIPLIER_0, _MULTIPLIER_1 = 0xD2E7470EE14C6C93, 0xCA5A826395121157
_WEYL_0, _WEYL_1 = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B


def check_seed(seed: int) -> None:
    """Raise an error if a seed is negative or has more than 64 bits."""
    value: object = seed  # the seed may come from a file
    if not isinstance(value, Integral) or not 0 <= seed <= _MASK:
        raise ConfigError(f"seed is {seed}, but must be a whole number from 0 to 2^64 - 1")


@cache
def purpose_key(purpose: str) -> int:
    """Return the 64-bit key for a purpose, which is the same as in the compiled core."""
    return int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:8], "little")


class Stream:
    """A reproducible stream of random numbers that is identical to the core's stream."""

    __slots__ = ("_block", "_counter", "_index", "_key")

    def __init__(self, seed: int, purpose: str, index: int = 0) -> None:
        self._key = (seed & _MASK, purpose_key(purpose))
        self._index = index & _MASK
        self._counter = 0
        self._block: list[int] = []

    def next(self) -> int:
        """Return 64 random bits."""
        if not self._block:
            self._refill()
        return self._block.pop()

    def uniform(self) -> float:
        """Return a float in [0, 1) with 53 random bits."""
        return (self.next() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        """Return an integer in [0, n), without bias (Lemire 2019)."""
        threshold = ((1 << 64) - n) % n
        while True:
            product = self.next() * n
            if product & _MASK >= threshold:
                return product >> 64

    def _refill(self) -> None:
        x0, x1, x2, x3 = self._counter, self._index, 0, 0
        k0, k1 = self._key
        for _ in range(10):
            a, b = _MULTIPLIER_0 * x0, _MULTIPLIER_1 * x2
            x0, x1, x2, x3 = (b >> 64) ^ x1 ^ k0, b & _MASK, (a >> 64) ^ x3 ^ k1, a & _MASK
            k0, k1 = (k0 + _WEYL_0) & _MASK, (k1 + _WEYL_1) & _MASK
        self._block = [x3, x2, x1, x0]
        self._counter = (self._counter + 1) & _MASK
