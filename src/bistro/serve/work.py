"""Computations beside the event loop: a bounded number at a time, a bounded number waiting.

The core releases the interpreter while it computes, so threads are enough. Each computation has a
stop flag, which the loops of the core look at about every millisecond: when a request is late, or
its client is gone, the flag is set, and the thread is free at once.

Short requests do not wait for long ones. A computation that has used more than `QUICK` seconds of a
processor counts as long from then on: it goes on in one of the places for long ones, with a lower
priority, or it is stopped and waits for such a place. How long a request will take is expected from
earlier ones of its sort (the same address, model and order of size), so that most long ones wait
for the right place from the start.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from bistro._core import ComputationStopped, StopFlag
from bistro.serve.fair import BusyError, FairQueue
from bistro.serve.limits import Limits

T = TypeVar("T")

QUICK = 0.1
"""Seconds of a processor; a computation that takes longer is a long one."""
LOWER_PRIORITY = 10
"""The nice value of threads with long computations."""


class Job:
    """One computation: what is computed, for whom, and where the result goes."""

    def __init__(self, compute: Callable[[], Any], client: str, sort: Hashable) -> None:
        self.compute = compute
        self.client = client
        self.sort = sort
        self.is_long = False
        self.begins_again = False
        """Whether it is being stopped only to wait for a place for long computations."""
        self.stop = StopFlag()
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.seconds = 0.0
        """Seconds of a processor that the computation has used, when it was last looked at."""
        self.thread: threading.Thread | None = None

    def fail(self, error: Exception) -> None:
        """End with an error, if there is no answer yet, and stop computing."""
        self.stop.set()
        if not self.answer.done():
            self.answer.set_exception(error)

    def look_at_clock(self) -> float:
        """Return the seconds of a processor that a running computation has used."""
        assert self.thread is not None and self.thread.ident is not None
        with contextlib.suppress(AttributeError, OSError):  # not everywhere, and not at its end
            self.seconds = time.clock_gettime(time.pthread_getcpuclockid(self.thread.ident))
        return self.seconds

    def lower_priority(self) -> None:
        """Let other threads go first, on systems where a thread has a priority of its own."""
        if self.thread is not None and self.thread.native_id is not None:
            with contextlib.suppress(AttributeError, OSError):
                os.setpriority(os.PRIO_PROCESS, self.thread.native_id, LOWER_PRIORITY)


class Work:
    """The places for computations, and the queue before them. All methods run on the event loop."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.queue = FairQueue[Job](limits.waiting, limits.per_client)
        self.running: set[Job] = set()
        self._expected: dict[Hashable, float] = {}
        """Seconds that requests of each sort took lately."""

    async def run(self, compute: Callable[[], T], *, client: str = "", sort: Hashable = None) -> T:
        """Return what `compute` returns.

        Raises `BusyError` if the queue is full or the answer is late, and `TooManyError` if this
        client has too many requests. Whoever cancels the call stops the computation.
        """
        job = Job(compute, client, sort)
        self.queue.add(client, job)
        seconds = self.limits.seconds
        late = BusyError(f"this took longer than {seconds:g} s: send less, or try later")
        timer = asyncio.get_running_loop().call_later(seconds, job.fail, late)
        try:
            self._begin()
            result: T = await job.answer
            return result
        finally:
            timer.cancel()
            job.stop.set()
            self.queue.withdraw(client, job)

    def _can_begin(self, job: Job) -> bool:
        job.is_long = job.is_long or self._expected.get(job.sort, 0.0) > QUICK
        return self._has_place(is_long=job.is_long)

    def _has_place(self, *, is_long: bool) -> bool:
        of_this_kind = sum(job.is_long == is_long for job in self.running)
        return of_this_kind < self.limits.at_once

    def _begin(self) -> None:
        """Start what has a place."""
        loop = asyncio.get_running_loop()
        while (job := self.queue.take(self._can_begin)) is not None:
            self.running.add(job)
            job.thread = threading.Thread(
                target=_compute, args=(job, loop, self._end), name="bistro", daemon=True
            )
            job.thread.start()
            if not job.is_long:
                loop.call_later(QUICK, self._call_long, job)

    def _call_long(self, job: Job) -> None:
        """Treat a computation as a long one as soon as it is one."""
        if job not in self.running:
            return
        left = QUICK - job.look_at_clock()
        if left > 0:
            asyncio.get_running_loop().call_later(max(left, QUICK / 4), self._call_long, job)
            return
        self._expect(job)
        if self._has_place(is_long=True):
            job.is_long = True
            job.lower_priority()
        else:
            job.begins_again = True
            job.stop.set()
        self._begin()

    def _end(self, job: Job, result: Any, error: BaseException | None) -> None:
        self.running.discard(job)
        if job.begins_again and isinstance(error, ComputationStopped) and not job.answer.done():
            job.begins_again, job.is_long, job.stop = False, True, StopFlag()
            self.queue.put_back(job.client, job)
            self._begin()
            return
        self.queue.finish(job.client)
        if not job.stop.is_set:
            self._expect(job)
        if not job.answer.done():
            if error is None:
                job.answer.set_result(result)
            else:
                job.answer.set_exception(error)
        self._begin()

    def _expect(self, job: Job) -> None:
        """Learn from a computation how long others of its sort will take."""
        before = self._expected.get(job.sort, job.seconds)
        self._expected[job.sort] = max(job.seconds, 0.8 * before + 0.2 * job.seconds)

    def close(self) -> None:
        """Stop everything, and wait a moment for the threads."""
        stopping = BusyError("the server is stopping")
        while (job := self.queue.take(lambda _: True)) is not None:
            job.fail(stopping)
        jobs = list(self.running)
        for job in jobs:
            job.fail(stopping)
        for job in jobs:
            if job.thread is not None:
                job.thread.join(1.0)


def _compute(
    job: Job,
    loop: asyncio.AbstractEventLoop,
    end: Callable[[Job, Any, BaseException | None], None],
) -> None:
    """Compute, on a thread of its own, and tell the event loop."""
    result: Any = None
    error: BaseException | None = None
    if job.is_long:
        job.lower_priority()
    try:
        with job.stop:
            result = job.compute()
    except BaseException as failure:
        error = failure
    job.seconds = time.thread_time()
    with contextlib.suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(end, job, result, error)
