"""The program, which stands still at a given moment until a signal comes.

    python pausing.py MOMENT NUMBER ARGUMENTS...

Tests of interruptions start it in place of the program and read the line ``paused``. What they do
then comes at this moment, however fast or slow the machine is.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from bistro.cli.main import run
from bistro.inference.checkpoint import Checkpoint, PhaseCheckpoint
from bistro.inference.journal import Journal

PAUSED = b"paused\n"


def stand_still() -> None:
    """Say so, and wait for a signal; its handler is run as ever."""
    incoming, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup)
    os.write(sys.stdout.fileno(), PAUSED)
    os.read(incoming, 1)
    signal.set_wakeup_fd(-1)


def at_call(
    owner: Any,
    name: str,
    number: int,
    *,
    before: bool = False,
    counts: Callable[..., bool] = lambda *_: True,
) -> None:
    """Stand still before or after the call with this number, of those that count."""
    plain, calls = getattr(owner, name), 0

    def called(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += counts(*arguments)
        is_moment = calls == number and counts(*arguments)
        if is_moment and before:
            stand_still()
        result = plain(*arguments, **options)
        if is_moment and not before:
            stand_still()
        return result

    setattr(owner, name, called)


def saved(number: int) -> None:
    """Stand still after this checkpoint is saved."""
    at_call(Checkpoint, "save", number)


def saving(number: int) -> None:
    """Stand still when this checkpoint is written, but does not have its name yet."""
    at_call(os, "fsync", number, before=True)


def phase(number: int) -> None:
    """Stand still after the first checkpoint of this phase."""
    at_call(PhaseCheckpoint, "save", 1, counts=lambda own, *_: own._phase == number)


def trial(number: int) -> None:
    """Stand still after so many trials of a search."""
    at_call(Journal, "add", number)


MOMENTS: dict[str, Callable[[int], None]] = {
    moment.__name__: moment for moment in (saved, saving, phase, trial)
}

if __name__ == "__main__":
    MOMENTS[sys.argv[1]](int(sys.argv[2]))
    sys.exit(run(sys.argv[3:]))
