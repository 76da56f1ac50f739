"""Signals that stop a training run, and messages about resumed runs."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, Self

from bistro.cli.common import say

_STOPPING = (signal.SIGINT, signal.SIGTERM)


class Watcher:
    """A context manager that records a signal so that training can stop cleanly.

    The first Ctrl-C (or SIGTERM, which batch systems send) requests a stop after the current sweep.
    A second Ctrl-C stops the program at once.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._words_before: int | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._handlers = {number: signal.signal(number, self._note) for number in _STOPPING}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def on_start(self, done: int, total: int) -> None:
        """Report how many sweeps were completed before the interruption."""
        if done:
            say(f"continuing after sweep {done} of {total}")

    def on_words(self, done: int, total: int) -> None:
        """Report how many words of raw text were parsed before the interruption."""
        if (self._words_before is None or done < self._words_before) and done:
            say(f"continuing after {done:,} of {total:,} words of raw text")
        self._words_before = done

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.stopped = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
