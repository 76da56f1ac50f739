"""Training on much raw text from end to end: time of the phases, and memory of all processes.

    python -m benchmarks.raw_text_scale [MILLIONS] [CLUSTER] [SWEEPS]

The text consists of lines drawn with replacement from the English text of the data folder, with a
new seed for every 2.5 million words. A parser of EWT (preset `ud`) parses it on the cluster
(default: local:2), and its word distribution is then trained on the parses. Memory is the
proportional set size of all processes of the program, measured ten times per second. It is printed
with and without the pages of mapped files, which the system may reclaim at any time.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bistro
from benchmarks.data import data_dir

EVERY_SECONDS = 0.1
PROGRAM = (sys.executable, "-m", "bistro.cli.main")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bistro.__file__).resolve().parents[1])}


def write_text(path: Path, words: int) -> int:
    """Write lines drawn from the English text, and return the number of words."""
    files = sorted((data_dir() / "text_en").glob("*.txt"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line.strip()]
    written = seed = 0
    with path.open("w", encoding="utf-8") as stream:
        while written < words:
            seed += 1
            for line in random.Random(seed).choices(lines, k=len(lines)):
                print(line, file=stream)
                written += len(line.split())
                if written >= words:
                    break
    return written


def family_of(pid: int) -> list[int]:
    """Return the ids of a process and of all its descendants."""
    family = [pid]
    for one in family:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                family += map(int, (task / "children").read_text().split())
    return family


def memory_of(pids: list[int]) -> tuple[int, int]:
    """Return the proportional memory of processes in bytes, and how much of it is mapped files."""
    whole = mapped = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            whole += 1024 * int(re.search(r"^Pss:\s+(\d+)", text, re.M)[1])  # type: ignore[index]
            match = re.search(r"^Pss_File:\s+(\d+)", text, re.M)
            mapped += 1024 * int(match[1]) if match else 0
    return whole, mapped


def main() -> None:
    """Write the text, train, and print the time and the memory."""
    millions = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    cluster = sys.argv[2] if len(sys.argv) > 2 else "local:2"
    sweeps = sys.argv[3] if len(sys.argv) > 3 else "5"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = write_text(folder / "text.txt", round(millions * 1e6))
        print(f"{words:,} words, {(folder / 'text.txt').stat().st_size / 1e6:.0f} MB", flush=True)
        treebank = data_dir() / "en_ewt" / "en_ewt-ud-train.conllu"
        settings = ("--config", "ud", "--set", f"sampler.sweeps={sweeps}", "--set")
        command = [*PROGRAM, "train", "transition", str(treebank), "--text", "text.txt"]
        command += ["-o", "m.bistro", *settings, "sampler.samples=2", "--cluster", cluster]
        begin = time.monotonic()
        process = subprocess.Popen(
            command, cwd=folder, env=ENVIRONMENT, stderr=(folder / "log").open("w")
        )
        most, most_own, first_most = 0, 0, 0
        while process.poll() is None:
            pids = family_of(process.pid)
            whole, mapped = memory_of(pids)
            first_most = max(first_most, memory_of(pids[:1])[0])
            most, most_own = max(most, whole), max(most_own, whole - mapped)
            time.sleep(EVERY_SECONDS)
        used = os.times()
        print((folder / "log").read_text()[-1500:])
        print(
            f"exit {process.returncode}, {time.monotonic() - begin:.0f} s by the clock, "
            f"{used.children_user + used.children_system:.0f} s of CPU time; at most "
            f"{most / 1e9:.2f} GB in all processes ({most_own / 1e9:.2f} GB without mapped files), "
            f"{first_most / 1e9:.2f} GB in the first"
        )
        sys.exit(process.returncode)


if __name__ == "__main__":
    main()
