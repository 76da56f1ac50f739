"""Try altered files one after the other, in a process that may be ended by any of them.

    PYTHONPATH=tests .venv/bin/python -m fuzz.run --hostile --seconds 3600

Prints the cases that did not end in an answer or in one sentence. A case that ended the process is
printed too, and the cases after it are tried by a new process.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import itertools
import resource
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence

from bistro.errors import BistroError, ModelFileError

from .cases import content_of, damaged, hostile, names, use

MOST_SECONDS = 60
"""CPU time of one case: the clock would blame cases for what else the machine does."""
MORE_MEMORY = 1 << 30
"""Bytes that all cases of a process may take beside what it has at the beginning."""


def try_case(name: str, number: int, *, is_hostile: bool) -> str:
    """Return what became of a case: ``refused`` or ``answered``; all else is raised."""
    if not is_hostile:
        try:
            use(name, damaged(name, number))
        except ModelFileError as error:
            _check_sentence(str(error))
            return "refused"
        raise AssertionError("a damaged file was accepted")
    try:
        use(name, hostile(name, number))
    except BistroError as error:
        _check_sentence(str(error))
        return "refused"
    return "answered"


def _check_sentence(message: str) -> None:
    if "\n" in message or not message or len(message) > 2000:
        raise AssertionError(f"not one sentence: {message[:300]!r}")


def cases(chosen: Sequence[str], start: int) -> Iterator[tuple[str, int]]:
    """Yield the names of cases, file by file in turn, from a number on."""
    for number in itertools.count(start):
        yield chosen[number % len(chosen)], number


def child(chosen: Sequence[str], start: int, end: float, most: int, *, is_hostile: bool) -> None:
    """Try cases until the time is over; say which one is being tried before it is."""
    for name in chosen:
        content_of(name)
    warnings.simplefilter("ignore")
    _limit_memory()
    faulthandler.register(signal.SIGXCPU, chain=True)  # Says where it was; then the process ends.
    for name, number in itertools.islice(cases(chosen, start), most):
        if time.time() > end:
            break
        print(f"try {number}", flush=True)
        _limit_time()
        try:
            print(try_case(name, number, is_hostile=is_hostile), flush=True)
        except Exception:
            last = traceback.format_exc().strip().splitlines()
            print(f"failed {name} {number}: {last[-1]} ({' '.join(last[-3:-1]).strip()})")


def _limit_time() -> None:
    """End the process when it has computed for so long from now on, also within the core."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + MOST_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _limit_memory() -> None:
    if "libasan" in open("/proc/self/maps").read():  # noqa: SIM115, PTH123
        return  # The sanitizer reserves more than there is.
    now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with open("/proc/self/statm") as statm:  # noqa: PTH123
        now = max(now, int(statm.read().split()[0]) * resource.getpagesize())
    resource.setrlimit(resource.RLIMIT_AS, (now + MORE_MEMORY, now + MORE_MEMORY))


def run(
    chosen: Sequence[str], start: int, seconds: float, most: int, *, is_hostile: bool
) -> tuple[collections.Counter[str], list[str]]:
    """Try cases in child processes; return how they ended, and a line for each failure."""
    ends, failures = collections.Counter[str](), list[str]()
    end, number = time.time() + seconds, start
    while time.time() < end and number < start + most:
        options = ["--hostile"] if is_hostile else []
        command = [sys.executable, "-m", "fuzz.run", "--child", *options, *chosen]
        command += ["--from", str(number), "--most", str(start + most - number)]
        command += ["--seconds", str(end - time.time())]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        last = number
        for line in done.stdout.splitlines():
            if line.startswith("try "):
                last = int(line.split()[1])
            elif line.startswith("failed "):
                failures.append(line)
                print(line, flush=True)
            else:
                ends[line] += 1
        if done.returncode == 0:
            break
        failures.append(f"failed {chosen[last % len(chosen)]} {last}: exit {done.returncode}")
        print(failures[-1], flush=True)
        number = last + 1
    return ends, failures


def main() -> None:
    """Read the options of the command line, run, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="files to alter; default: all")
    parser.add_argument("--hostile", action="store_true", help="alter arrays and headers")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--from", type=int, default=0, dest="start", help="number of the first")
    parser.add_argument("--most", type=int, default=10**9, help="how many cases at most")
    parser.add_argument("--child", action="store_true", help="in this process")
    options = parser.parse_args()
    chosen = options.names or names()
    if options.child:
        end = time.time() + options.seconds
        child(chosen, options.start, end, options.most, is_hostile=options.hostile)
        return
    ends, failures = run(
        chosen, options.start, options.seconds, options.most, is_hostile=options.hostile
    )
    print(dict(ends))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
