"""The cost of checking a model file: opening it with checks, and mapped without a checksum.

    python -m benchmarks.loading MODEL [--repeats 15] [--former SOURCE]

Both methods alternate in one process, with the file in the page cache, and both check the arrays in
the C++ core. The benchmark prints medians of the CPU time of all threads and of the clock time.

With `--former`, MODEL was trained by an earlier version of Bistro, whose folder `src` is SOURCE.
Each version opens it in its own processes; the current version first saves it in its own format.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import numpy as np

import bistro
from bistro import modelfile
from bistro.modelfile import ModelFile


def mapped(path: str) -> ModelFile:
    """Open a file as before checksums were added: mapped, and read on demand."""
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
    """Return the CPU time and the wall-clock time of opening a model."""
    way = modelfile.read_model if checked else mapped
    with mock.patch("bistro.models.base.read_model", way):
        cpu, clock = time.process_time(), time.perf_counter()
        bistro.load(path)
        return time.process_time() - cpu, time.perf_counter() - clock


CHILD = """
import statistics, sys, time
import bistro
times = []
for _ in range(int(sys.argv[2]) + 1):
    begin = time.process_time()
    bistro.load(sys.argv[1])
    times.append(time.process_time() - begin)
print(statistics.median(times[1:]))
"""


def in_a_process(source: str, model: str, repeats: int) -> float:
    """Return the median CPU time of opening a model with the version in `source`."""
    command = [sys.executable, "-c", CHILD, model, str(repeats)]
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def compare_with_former(source: str, model: str, repeats: int) -> None:
    """Open a model with both versions in turn, five times, and print the minimum times."""
    own = str(Path(bistro.__file__).parent.parent)
    with tempfile.TemporaryDirectory() as folder:
        newest = f"{folder}/newest.bistro"
        bistro.load(model).save(newest)
        pairs = [
            (in_a_process(own, newest, repeats), in_a_process(source, model, repeats))
            for _ in range(5)
        ]
    now, former = map(min, zip(*pairs, strict=True))
    print(f"CPU time: {now:.4f} s, former version {former:.4f} s, ratio {now / former:.2f}")


def main() -> None:
    """Open a model repeatedly with both methods, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--former")
    options = parser.parse_args()
    if options.former:
        compare_with_former(options.former, options.model, options.repeats)
        return
    times: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for repeat in range(options.repeats + 1):
        for checked in (True, False) if repeat % 2 else (False, True):
            pair = seconds(options.model, checked=checked)
            if repeat:  # The first repeat imports modules and reads pages.
                times[checked].append(pair)
    print(f"{options.model}: {Path(options.model).stat().st_size / 1e6:.0f} MB")
    for number, name in enumerate(("CPU time", "clock")):
        with_checks, without = (
            statistics.median(pair[number] for pair in times[checked]) for checked in (True, False)
        )
        ratio = with_checks / without
        print(f"{name}: {with_checks:.3f} s, mapped {without:.3f} s, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
