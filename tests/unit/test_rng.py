"""The random streams against NumPy's independent Philox, and against each other."""

from __future__ import annotations

import numpy as np
import pytest

from bistro import _core
from bistro.rng import Stream, purpose_key


@pytest.mark.parametrize(("seed", "index"), [(0, 1), (1, 7), (2**63 + 5, 2**40)])
def test_same_bits_as_numpy(seed: int, index: int) -> None:
    # NumPy advances its counter before the first block, so it starts one below ours.
    key = np.array([seed, purpose_key("test")], dtype=np.uint64)
    philox = np.random.Philox(key=key, counter=(index << 64) - 1)
    expected = [int(bits) for bits in philox.random_raw(41)]
    stream = Stream(seed, "test", index)
    assert [stream.next() for _ in range(41)] == expected
    assert _core.random_bits(seed, purpose_key("test"), index, 41).tolist() == expected


def test_below_is_uniform_and_in_range() -> None:
    stream = Stream(3, "below", 0)
    counts = np.bincount([stream.below(6) for _ in range(60_000)], minlength=6)
    chi_square = float(((counts - 10_000) ** 2 / 10_000).sum())
    assert counts.size == 6
    assert chi_square < 20.5  # 5 degrees of freedom, p = 0.001


def test_streams_of_other_names_differ() -> None:
    names = [(1, "a", 0), (2, "a", 0), (1, "b", 0), (1, "a", 1)]
    assert len({Stream(*name).next() for name in names}) == len(names)
