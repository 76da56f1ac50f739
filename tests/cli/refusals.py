"""Refusals: one sentence on stderr, exit code 2, no traceback, nothing half-written.

A picture of the folder is taken before the command and compared afterwards: files that were there
keep their content, and no new one appears.
"""

from __future__ import annotations

from pathlib import Path

from .program import Command, Ended

QUICK = ("--set", "sampler.sweeps=3", "--set", "sampler.samples=1", "--set", "order=2")


def picture(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"a folder"
        for path in folder.rglob("*")
    }


def expect_refusal(done: Ended, told: str) -> None:
    assert done.code == 2, done.err
    complaint = done.err.split("\n")[-2]
    assert complaint.startswith("bistro: ")
    assert told in complaint
    assert "Traceback" not in done.err


def refuse(
    command: Command, folder: Path, *arguments: object, told: str, stdin: bytes = b""
) -> None:
    """Run a command that must fail with one sentence and leave the folder as it was."""
    before = picture(folder)
    done = command(*arguments, stdin=stdin)
    expect_refusal(done, told)
    assert done.err.count("\n") == 1
    assert done.out == ""
    assert picture(folder) == before
