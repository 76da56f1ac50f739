"""Computations beside the event loop: a bounded number at a time, a bounded number waiting.

The core releases the interpreter while it computes, so threads are enough. A computation that takes
too long cannot be stopped from outside: its request is answered, and its place is free again when
it ends, which the limits on lengths make soon.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from bistro.errors import BistroError
from bistro.serve.limits import Limits

T = TypeVar("T")


class BusyError(BistroError):
    """The server cannot answer now."""


class Deadline:
    """When an answer is due. Work in several pieces looks at it between them."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until then."""
        return self._end - time.monotonic()

    def check(self) -> None:
        """Stop if it has passed."""
        if self.left <= 0:
            raise BusyError(f"this took longer than {self.seconds:g} s: send less, or try later")


class Work:
    """The places for computations, and the queue before them."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.unfinished = 0
        """Computations that run or wait; counted on the event loop only."""
        self._pool: ThreadPoolExecutor | None = None

    async def run(self, compute: Callable[[Deadline], T]) -> T:
        """Return what `compute` returns, or raise `BusyError`: the queue is full, or it is late."""
        if self.unfinished >= self.limits.at_once + self.limits.waiting:
            raise BusyError(f"{self.unfinished} requests are being answered: try again in a moment")
        loop = asyncio.get_running_loop()
        deadline = Deadline(self.limits.seconds)

        def begin() -> T:
            deadline.check()
            return compute(deadline)

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.limits.at_once, thread_name_prefix="bistro")
        self.unfinished += 1
        future = self._pool.submit(begin)
        future.add_done_callback(lambda _: _tell(loop, self._count_down))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), max(deadline.left, 0))
        except TimeoutError:
            raise BusyError(
                f"this took longer than {deadline.seconds:g} s: send less, or try later"
            ) from None

    def _count_down(self) -> None:
        self.unfinished -= 1

    def close(self) -> None:
        """Let nothing that waits begin any more."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(what)
