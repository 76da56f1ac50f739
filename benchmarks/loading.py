"""What the checks of a model file cost: opening it with them, and mapped without a checksum.

    python -m benchmarks.loading MODEL [--repeats 15]

Both ways alternate in one process, with the file in the page cache, and both check the arrays in
the core. CPU time is compared, of all threads, and the time on the clock; medians are printed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from unittest import mock

import numpy as np

import bistro
from bistro import modelfile
from bistro.modelfile import ModelFile


def mapped(path: str) -> ModelFile:
    """Open a file as it was done before it had a checksum: mapped, and read when it is needed."""
    data = np.memmap(path, dtype=np.uint8, mode="r")
    length = modelfile._header_length(path, data[:8].tobytes(), data.size)
    parts = modelfile._parts(path, data[: 8 + length].tobytes(), data.size)
    header = modelfile._own_entry(path, parts.metadata)
    arrays = {
        key: data[begin:end].view(dtype).reshape(shape)
        for begin, end, dtype, shape, key in parts.layout
    }
    return ModelFile(header, arrays)


def seconds(path: str, *, checked: bool) -> tuple[float, float]:
    """Return CPU time and time on the clock of opening a model."""
    way = modelfile.read_model if checked else mapped
    with mock.patch("bistro.models.base.read_model", way):
        cpu, clock = time.process_time(), time.perf_counter()
        bistro.load(path)
        return time.process_time() - cpu, time.perf_counter() - clock


def main() -> None:
    """Open a model again and again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    times: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for repeat in range(options.repeats + 1):
        for checked in (True, False) if repeat % 2 else (False, True):
            found = seconds(options.model, checked=checked)
            if repeat:  # The first time, modules are imported and pages are read.
                times[checked].append(found)
    print(f"{options.model}: {Path(options.model).stat().st_size / 1e6:.0f} MB")
    for number, name in enumerate(("CPU time", "clock")):
        with_checks, without = (
            statistics.median(pair[number] for pair in times[checked]) for checked in (True, False)
        )
        ratio = with_checks / without
        print(f"{name}: {with_checks:.3f} s, mapped {without:.3f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
