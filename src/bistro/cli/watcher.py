"""Who sits beside a training run: shows progress on stderr and passes on the wish to stop."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from bistro.cli.common import say

if TYPE_CHECKING:
    from bistro.inference.chains import Sweep

LOG_EVERY_SECONDS = 10.0
_STOPPING = (signal.SIGINT, signal.SIGTERM)


class Watcher:
    """Shows progress; inside ``with``, notes a signal so that training can stop cleanly.

    The first Ctrl-C (or SIGTERM, as batch systems send it) is a wish to stop after the sweep; a
    second Ctrl-C stops at once.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._live = sys.stderr.isatty()
        self._begin = self._last = time.monotonic()
        self._done_before = 0
        self._words_before: int | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._handlers = {number: signal.signal(number, self._note) for number in _STOPPING}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def on_start(self, done: int, total: int) -> None:
        """Begin to measure time, and say what a checkpoint has spared."""
        self._begin = self._last = time.monotonic()
        self._done_before = done
        if done:
            say(f"going on after sweep {done} of {total}")

    def on_sweep(self, sweep: Sweep) -> None:
        """Print a line: always the same one on a terminal, one every ten seconds in a log."""
        is_last = sweep.number == sweep.total
        if not self._is_due(is_last):
            return
        pace = (self._last - self._begin) / (sweep.number - self._done_before)
        self._show(
            f"sweep {sweep.number}/{sweep.total}  "
            f"log-likelihood {sweep.log_likelihood:,.0f}  "
            f"{pace * (sweep.total - sweep.number):.0f} s left",
            is_last,
        )

    def on_words(self, done: int, total: int) -> None:
        """Print how much of the raw text is parsed, how fast, and how long the rest will take."""
        if self._words_before is None or done < self._words_before:
            self._begin = self._last = time.monotonic()
            self._words_before = done
            if done:
                say(f"going on after {done:,} of {total:,} words of raw text")
            return
        is_last = done == total
        if not self._is_due(is_last):
            return
        pace = (done - self._words_before) / max(self._last - self._begin, 1e-9)
        left = (total - done) / max(pace, 1e-9)
        self._show(
            f"raw text {done:,}/{total:,} words  {pace:,.0f} words/s  {left:.0f} s left", is_last
        )
        if is_last:
            self._words_before = None

    def _is_due(self, is_last: bool) -> bool:
        """Tell whether a line is to be printed, and note when."""
        now = time.monotonic()
        due = self._live or is_last or now - self._last >= LOG_EVERY_SECONDS
        self._last = now if due else self._last
        return due

    def _show(self, line: str, is_last: bool) -> None:
        end = "\n" if is_last or self.stopped or not self._live else ""
        print(f"\r{line:<70}" if self._live else line, end=end, file=sys.stderr, flush=True)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.stopped = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
