"""The line on stderr that shows the progress of a command.

On a terminal, the line appears when a command has written nothing for half a second. The line is
redrawn twice per second. The line is removed when the command ends and before other output is
written. As a result, no command is silent for more than two seconds. No progress line is written to
a file or a pipe, unless ``--progress`` requests one every ten seconds. The option ``--quiet`` also
suppresses the line on a terminal. Summaries and warnings are always written.

    sampling: 7/20 sweeps, log-likelihood -1,204,331; about 12 s left

The text comes from the phases of `bistro.progress`. A separate thread draws the progress line,
since the main thread may be busy in the compiled core. The core releases the interpreter lock while
it computes.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, TextIO, get_type_hints

import typer

from bistro.errors import printable
from bistro.progress import Phase, Work, observing, phase

EVERY_SECONDS = 0.5
SILENT_SECONDS = 0.5
"""The number of seconds without output after which the progress line appears."""
LOG_EVERY_SECONDS = 10.0


ENDLESS = frozenset({"serve"})
"""Commands that run until they are stopped. These commands show progress only while they start up.
"""
PROGRESS = typer.Option(
    None,
    "--progress/--quiet",
    help="Always or never show progress on stderr; default: only on a terminal. Summaries and "
    "warnings are shown in either case.",
    show_default=False,
)


def shown(name: str, command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that shows its progress and accepts ``--progress`` and ``--quiet``."""
    signature, hints = inspect.signature(command), get_type_hints(command)
    parameters = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in signature.parameters.values()
    ]

    @functools.wraps(command)
    def run(*, progress: bool | None, **values: Any) -> Any:
        with displayed("" if name in ENDLESS else name, progress):
            return command(**values)

    own = inspect.Parameter(
        "progress", inspect.Parameter.KEYWORD_ONLY, default=PROGRESS, annotation=bool | None
    )
    run.__signature__ = inspect.Signature([*parameters, own])  # type: ignore[attr-defined]
    run.__annotations__ = {**hints, "progress": bool | None}
    return run


@contextlib.contextmanager
def displayed(command: str, progress: bool | None) -> Iterator[None]:
    """Show a command's progress: always, never, or (if None) only on a terminal."""
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    if sys.stderr is None or progress is False or not (progress or on_terminal):
        yield
        return
    with observing() as work, phase(command):
        display = Display(work, sys.stderr, on_terminal=on_terminal)
        with display.guarded_streams(), _ticking(display):
            yield


@contextlib.contextmanager
def _ticking(display: Display) -> Iterator[None]:
    """Call `Display.tick` at regular intervals, in a thread."""
    over = threading.Event()

    def run() -> None:
        while not over.wait(EVERY_SECONDS):
            display.tick()

    ticker = threading.Thread(target=run, daemon=True, name="progress")
    with contextlib.suppress(RuntimeError):  # The system allows no further thread.
        ticker.start()
    try:
        yield
    finally:
        over.set()
        if ticker.is_alive():
            ticker.join()
        display.hide()


class Display:
    """A progress line that is removed before anything else is written to the terminal.

    Parameters
    ----------
    work
        The phases to show.
    stream
        The stream to draw on.
    on_terminal
        Whether a line can be drawn over the previous one; if not, each line is written separately.
    """

    def __init__(self, work: Work, stream: TextIO, *, on_terminal: bool) -> None:
        self._work = work
        self._stream = stream
        self._on_terminal = on_terminal
        self._lock = threading.RLock()
        self._shown = 0
        """The length of the progress line that is currently on the terminal."""
        self._wrote = work.clock()
        """The time of the last output other than the progress line."""
        self._at_margin = True

    def tick(self) -> None:
        """Draw the progress line if it is due."""
        with self._lock:
            silent = self._work.clock() - self._wrote
            line = line_of(self._work)
            if not line:
                self.hide()
            elif not self._on_terminal:
                if silent >= LOG_EVERY_SECONDS:
                    self._wrote = self._work.clock()
                    self._write(line + "\n")
            elif self._at_margin and silent >= SILENT_SECONDS:
                line = line[: _columns(self._stream) - 1]
                self._write(f"\r{line:<{self._shown}}")
                self._shown = len(line)

    def hide(self) -> None:
        """Remove the line."""
        with self._lock:
            if self._shown:
                self._write(f"\r{'':<{self._shown}}\r")
                self._shown = 0

    def written(self, text: str | bytes) -> None:
        """Record that other output was written to the terminal."""
        with self._lock:
            self._wrote = self._work.clock()
            if text:
                self._at_margin = text[-1:] in ("\n", "\r", b"\n", b"\r")

    def _write(self, text: str) -> None:
        # A terminal that is closed, or cannot show a character, must not end the work.
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()

    @contextlib.contextmanager
    def guarded_streams(self) -> Iterator[None]:
        """Remove the progress line before the program writes to stdout or stderr on a terminal."""
        before = sys.stdout, sys.stderr
        guarded = [self._guarded(stream) for stream in before]
        sys.stdout, sys.stderr = guarded
        try:
            yield
        finally:
            for name, own, old in zip(("stdout", "stderr"), guarded, before, strict=True):
                if getattr(sys, name) is own:
                    setattr(sys, name, old)

    def _guarded(self, stream: Any) -> Any:
        shares_terminal = self._on_terminal and stream is not None and stream.isatty()
        return _Guarded(stream, self) if shares_terminal else stream

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Hide the progress line while other output is written."""
        with self._lock:
            self.hide()
            yield


class _Guarded:
    """A terminal stream that also shows the progress line."""

    def __init__(self, stream: Any, display: Display) -> None:
        self._stream = stream
        self._display = display

    def write(self, text: Any) -> Any:
        with self._display.writing():
            written = self._stream.write(text)
            # Buffered text would otherwise appear after the line, or in the middle of it.
            self._stream.flush()
            self._display.written(text)
            return written

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    @property
    def buffer(self) -> Any:
        return _Guarded(self._stream.buffer, self._display)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _columns(stream: TextIO) -> int:
    """Return the width of the terminal that a stream writes to."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return columns or shutil.get_terminal_size().columns  # some terminals report no width


def line_of(work: Work) -> str:
    """Return the progress of a computation as one line."""
    phases = list(work.phases)
    names = [printable(own.name) for own in phases if own.name]
    if not names or work.pauses:
        return ""
    words = ": ".join(name for name, _ in groupby(names[1:] or names))
    if details := list(_details(phases[-1])):
        words += f": {', '.join(details)}"
    left = work.seconds_left()
    if left is None:
        return f"{words}; {duration(work.clock() - phases[0].began)} so far"
    return f"{words}; about {duration(left)} left"


def _details(own: Phase) -> Iterator[str]:
    """Yield descriptions of a phase: its progress in items or steps, its rate, and its note."""
    if own.counted:
        yield f"{own.counted:,} {own.unit}"
        seconds = own.moved - own.began
        if seconds > 0:
            yield f"{own.counted / seconds:,.0f} {own.unit}/s"
    elif own.unit and own.total:
        yield f"{own.done:,.0f}/{own.total:,.0f} {own.unit}"
    elif own.unit and own.done:
        yield f"{own.done:,.0f} {own.unit}"
    if own.note:
        yield own.note


def duration(seconds: float) -> str:
    """Format a duration in a suitable unit.

    >>> duration(0.3), duration(59.7), duration(600), duration(9000)
    ('1 s', '60 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
