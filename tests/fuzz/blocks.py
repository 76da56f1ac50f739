"""The largest block of memory that is asked for while a hostile file is opened.

    LD_PRELOAD=largest_block.so PYTHONPATH=tests python -m fuzz.blocks [--from 0] [--most 500]

Prints each case in which it is more than twice the file, and more than 1 MB (buffers of a fixed
size) and than what the file takes as it was made. The last line tells the number of cases.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import warnings

import numpy as np

from bistro.errors import BistroError
from bistro.models.base import from_bytes

from .cases import content_of, finished, hostile, names
from .made import use_process
from .run import cases

FIXED = 1 << 20


def opened(name: str, content: bytes) -> None:
    """Open a file, and do no more; a checkpoint is opened by the training that it belongs to.

    A model is not asked anything: what a search takes depends on how flat its probabilities are,
    not on the size of its file.
    """
    with contextlib.suppress(BistroError):
        if name.startswith("process"):
            use_process(content)
        elif name.endswith(".bistro"):
            from_bytes(content, name)
        else:
            finished(name, content)


def main() -> None:
    """Open hostile files, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", type=int, default=0, dest="start")
    parser.add_argument("--most", type=int, default=500)
    options = parser.parse_args()
    shim = ctypes.CDLL(None)
    shim.bistro_largest_block.restype = ctypes.c_size_t
    warnings.simplefilter("ignore")
    np.zeros(1 << 26, dtype=np.uint8)
    assert shim.bistro_largest_block() >= 1 << 26, "the shim sees nothing"
    sound = {}
    for name in names():
        opened(name, content_of(name))  # What is imported is imported now.
        shim.bistro_largest_block()
        opened(name, content_of(name))
        sound[name] = shim.bistro_largest_block()
    for _, (name, number) in zip(range(options.most), cases(names(), options.start), strict=False):
        content = hostile(name, number)
        shim.bistro_largest_block()
        opened(name, content)
        found = shim.bistro_largest_block()
        if found > max(2 * len(content), FIXED, sound[name]):
            print(f"{name} {number}: {found:,} bytes for a file of {len(content):,}", flush=True)
    print(f"{options.most} cases")


if __name__ == "__main__":
    main()
