"""The program as the tests of the command line start it, and how it ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bistro

from .pausing import PAUSED

PROGRAM = (sys.executable, "-m", "bistro")
# The package under test, wherever the process is started.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bistro.__file__).resolve().parents[1])}

# A sentence with all that CoNLL-U has.
RARE = """\
# sent_id = rare
# text = Ddon't sleep.
1-2\tDdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVBP\t_\t_\t_\t_\tA=1
2\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_
3\tsleep\tsleep\tVERB\tVB\t_\t_\t_\t_\tSpaceAfter=No
3.1\tdeeply\t_\tADV\t_\t_\t_\t_\t3:advmod\t_
4\t.\t.\tPUNCT\t.\t_\t_\t_\t_\t_

"""


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


def paused(
    moment: str, number: int, arguments: list[str], *, own_session: bool = False
) -> subprocess.Popen[bytes]:
    """Start the program and return when it stands still at a moment of `pausing`."""
    script = Path(__file__).with_name("pausing.py")
    process = subprocess.Popen(
        [sys.executable, str(script), moment, str(number), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=own_session,
    )
    assert process.stdout is not None and process.stderr is not None
    if process.stdout.readline() != PAUSED:
        raise AssertionError(f"it ended before it could be interrupted: {process.stderr.read()!r}")
    return process
