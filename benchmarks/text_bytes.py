"""Bits per byte of the unbounded process compared with compressors, and growth with the text.

    python -m benchmarks.text_bytes [--megabytes 0.1 1 14] [--seating gibbs] [--chains 1 4]

The texts are text_en, one file after the other, and sentences of the built-in grammar of the same
size. Every byte is predicted from all bytes before it and then observed; discounts are adapted to
the text. An arithmetic coder would write -log2 p bits per byte, and at most a few additional bits
for the whole text. The compressors write real files: xz -9, zstd -19 and bzip2 -9 with Python
modules, PPMd with the 7-zip program (7zz or 7z), with its default settings and with the best of
several orders and 1 GB of memory. Time is CPU time on one core, so that other programs affect it
less. Memory is the size of the process, and the growth of the whole program at its peak.
"""

from __future__ import annotations

import argparse
import bz2
import lzma
import multiprocessing
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import zstandard

import bistro
from benchmarks.data import data_dir
from bistro.pitman_yor import TEXT_DISCOUNTS, PitmanYor

ORDERS = (6, 8, 10, 12, 16)


def english(size: int) -> bytes:
    """Return the first bytes of the English text."""
    data = b""
    for path in sorted((data_dir() / "text_en").glob("*.txt")):
        with path.open("rb") as stream:
            data += stream.read(size - len(data))
    return data


def generated(size: int) -> bytes:
    """Return sentences of the built-in grammar, one per line."""
    sentences = bistro.builtin(sentences=size // 30, seed=1)
    return "".join(" ".join(s.forms) + "\n" for s in sentences).encode()[:size]


TEXTS = {"text_en": english, "grammar": generated}


def measure(
    text: str, size: int, seating: str, chains: int
) -> tuple[str, int, float, float, float, float]:
    """Return bits, microseconds and bytes of memory per byte of text."""
    data = TEXTS[text](size)
    process = PitmanYor(
        None,
        outcomes=range(256),
        seating=seating,  # type: ignore[arg-type]
        hyper="online",
        discount=TEXT_DISCOUNTS,
        strength=0.5,
        chains=chains,
    )
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    before = pages * resource.getpagesize() // 1024
    start = time.process_time()
    logs = process.observe_all(data)
    seconds = time.process_time() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    count = len(data)
    bits = -float(np.sum(logs)) / np.log(2) / count
    return text, count, bits, seconds / count * 1e6, process.bytes / count, grown / count


def compressors(data: bytes) -> Iterator[tuple[str, int]]:
    """Yield the name of each compressor and the size of the compressed text."""
    yield "xz -9", len(lzma.compress(data, preset=9))
    yield "bzip2 -9", len(bz2.compress(data, 9))
    yield "zstd -19", len(zstandard.ZstdCompressor(level=19).compress(data))
    program = shutil.which("7zz") or shutil.which("7z")
    if program is None:
        print("7-zip is not installed: no PPMd")
        return
    yield "PPMd, default", sevenzip(program, data, "PPMd")
    sizes = {order: sevenzip(program, data, f"PPMd:o={order}:mem=1g") for order in ORDERS}
    best = min(sizes, key=sizes.__getitem__)
    yield f"PPMd, order {best}, 1 GB", sizes[best]


def sevenzip(program: str, data: bytes, method: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "text", Path(folder) / "text.7z"
        source.write_bytes(data)
        command = [program, "a", f"-m0={method}", str(target), str(source)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return target.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[0.1, 0.3, 1, 3, 14])
    parser.add_argument("--seating", nargs="+", default=["gibbs", "minimal"])
    parser.add_argument("--chains", type=int, nargs="+", default=[1])
    parser.add_argument("--texts", nargs="+", default=list(TEXTS), choices=TEXTS)
    options = parser.parse_args()
    rows = [
        (text, int(size * 1e6), seating, chains)
        for text in options.texts
        for seating in options.seating
        for chains in options.chains
        for size in options.megabytes
    ]
    print(
        f"{'text':>8} {'seating':>8} {'chains':>6} {'bytes':>10} {'bits/B':>7} {'us/B':>6} "
        f"{'mem/B':>6} {'peak/B':>7}"
    )
    # Each row has its own process, because the peak of one row would hide that of the next.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for row, figures in zip(rows, pool.imap(_measure, rows, chunksize=1), strict=True):
            text, count, bits, micro, held, peak = figures
            print(
                f"{text:>8} {row[2]:>8} {row[3]:>6} {count:>10,} {bits:>7.4f} {micro:>6.2f} "
                f"{held:>6.1f} {peak:>7.1f}",
                flush=True,
            )
    for text in options.texts:
        for megabytes in options.megabytes:
            data = TEXTS[text](int(megabytes * 1e6))
            for name, size in compressors(data):
                bits = 8 * size / len(data)
                print(f"{text:>8} {name:<24} {len(data):>10,} {bits:>7.4f}", flush=True)


def _measure(row: tuple[str, int, str, int]) -> tuple[str, int, float, float, float, float]:
    return measure(*row)


if __name__ == "__main__":
    main()
