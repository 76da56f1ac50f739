"""Counts in files: the same franchise as in memory, and no file is left."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bistro import _core
from bistro._core import Franchise, Stream, UniformBase
from bistro.errors import OutputError
from bistro.inference.counts_on_disk import counts_in

DISHES, LEVELS = 5000, 3
Arrays = tuple[NDArray[np.generic], ...]


def counted() -> tuple[Arrays, int]:
    """Return all of a franchise of several large arrays, and the bytes of it on disk."""
    rng = np.random.default_rng(1)
    contexts = rng.integers(0, 300, (600_000, LEVELS), dtype=np.int32)
    dishes = rng.integers(0, DISHES, len(contexts), dtype=np.int32)
    franchise = Franchise(UniformBase(DISHES), LEVELS + 1, "gibbs")
    events = franchise.resolve(contexts, dishes)
    franchise.add(events, Stream(7, 0, 0))
    on_disk = _core.bytes_of_counts_on_disk()
    return (*franchise.structure(), *franchise.state(), events), on_disk


def test_counts_on_disk_are_those_in_memory(tmp_path: Path) -> None:
    expected, nothing = counted()
    assert nothing == 0
    with counts_in(str(tmp_path)):
        found, on_disk = counted()
        assert on_disk > 16_000_000
        assert not list(tmp_path.iterdir())
    for one, other in zip(expected, found, strict=True):
        assert np.array_equal(one, other)
    del found
    assert _core.bytes_of_counts_on_disk() == 0


def test_a_folder_that_takes_no_file_is_named() -> None:
    expected = pytest.raises(OutputError, match="counts cannot be kept there: no such file")
    with expected, counts_in("/nowhere/at/all"):
        pass


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    expected = pytest.raises(OutputError, match=r"no space left.*--counts-on-disk")
    with expected, counts_in(str(tmp_path)):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_folder_that_vanishes_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "counts"
    folder.mkdir()
    expected = pytest.raises(OutputError, match="counts cannot be kept there: no such file")
    with expected, counts_in(str(folder)):
        folder.rmdir()
        counted()
    assert counted()[1] == 0
