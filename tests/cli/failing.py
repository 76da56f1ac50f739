"""A command in which one start of a thread or one allocation of memory fails, each in its turn.

    LD_PRELOAD=failing.so python failing.py threads|memory MOST OUTPUT ARGUMENTS...

The command is run twice as it is, so that everything is imported. Then, for n = 1, 2, … up to MOST,
a child of this process runs it with the n-th operation failing, over an old output. A line of JSON
for each says how it ended. Without such an operation, it ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

from bistro.cli.main import run

OLD = b"1\told\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
LEAST_BYTES = 1 << 14
FIRED = 64
"""Added to the exit code of a child in which the operation failed."""


def child(what: str, number: int, arguments: list[str]) -> int:
    """Run the command with a failure, its complaints in a file; return the exit code."""
    os.dup2(os.open("complaints", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    shim = ctypes.CDLL(None)
    shim.bistro_fail.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_size_t]
    is_thread = what == "threads"
    shim.bistro_fail(number * is_thread, number * (not is_thread), LEAST_BYTES)
    code = run(arguments)
    sys.stderr.flush()
    return code + FIRED * int(shim.bistro_failed())


def main() -> None:
    """Run all children, one after the other."""
    what, most, output, *arguments = sys.argv[1:]
    old = OLD
    if Path(output).exists():
        old = Path(output).read_bytes()
    for _ in range(2):  # the second time over an older output, which is looked at first
        assert run(arguments) == 0
    new = Path(output).read_bytes()
    before = {path.name for path in Path().iterdir()}
    for number in range(1, int(most) + 1):
        Path(output).write_bytes(old)
        pid = os.fork()
        if pid == 0:
            code = 127
            try:
                code = child(what, number, arguments)
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        content = Path(output).read_bytes()
        state = {new: "new", old: "old"}.get(content, "other")
        left = sorted({path.name for path in Path().iterdir()} - before - {"complaints"})
        complaints = Path("complaints").read_text()
        print(json.dumps([number, code, state, left, complaints]), flush=True)
        if 0 <= code < FIRED:
            break


if __name__ == "__main__":
    main()
