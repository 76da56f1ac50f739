"""Computations outside the event loop, with limits on how many can run or wait.

The core releases the interpreter lock while it computes, so threads are sufficient. Each
computation has a stop flag, which the loops of the core check about every millisecond. If a request
takes too long or its client disconnects, the stop flag is set, and the thread becomes free at once.

Short requests do not wait for long requests. Each kind of request has its own threads, and the
threads for long requests run at low priority. A computation counts as long if earlier computations
with the same path, the same model and a similar size have used more than `QUICK` seconds of CPU
time. If a computation turns out to be long on a thread for short computations, it is stopped there
and restarted on a thread for long computations.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from bistro._core import ComputationStopped, StopFlag
from bistro.serve.fair import BusyError, FairQueue
from bistro.serve.limits import Limits
from bistro.system import lower_priority

T = TypeVar("T")

QUICK = 0.1
"""Seconds of CPU time above which a computation counts as long."""
LOWER_PRIORITY = 10
"""The nice value of threads that run long computations."""


class Job:
    """A computation, its client, and the future that receives its result."""

    def __init__(self, compute: Callable[[], Any], client: str, sort: Hashable) -> None:
        self.compute = compute
        self.client = client
        self.sort = sort
        self.is_long = False
        self.stop = StopFlag()
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.seconds = 0.0
        """CPU time in seconds that the computation had used at the last check."""
        self._thread: int | None = None
        self._clock_at_start = 0.0

    def fail(self, error: Exception) -> None:
        """Stop the computation, and end the job with an error if there is no answer yet."""
        self.stop.set()
        if not self.answer.done():
            self.answer.set_exception(error)

    def run(self) -> Any:
        """Run the computation in a worker thread."""
        self._clock_at_start = time.thread_time()
        self._thread = threading.get_ident()
        try:
            with self.stop:
                return self.compute()
        finally:
            self._thread = None
            self.seconds = time.thread_time() - self._clock_at_start

    def look_at_clock(self) -> float:
        """Return the CPU time in seconds that the computation has used so far."""
        if (thread := self._thread) is not None and hasattr(time, "pthread_getcpuclockid"):
            clock = time.clock_gettime(time.pthread_getcpuclockid(thread))
            self.seconds = clock - self._clock_at_start
        return self.seconds


class Work:
    """The threads for computations, and the queue of computations.

    All methods of this class run on the event loop.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.queue = FairQueue[Job](limits.waiting, limits.per_client)
        self.running: dict[Job, bool] = {}
        """The running computations, and whether each uses a thread for long computations."""
        self._threads: dict[bool, ThreadPoolExecutor] = {}
        """The threads for short and for long computations.

        A pool is started when its first computation is submitted.
        """
        self._expected: dict[Hashable, float] = {}
        """The recent CPU time, in seconds, of each type of request."""

    async def run(self, compute: Callable[[], T], *, client: str = "", sort: Hashable = None) -> T:
        """Run `compute` and return its result.

        Raises `BusyError` if the queue is full or the answer takes too long, and `TooManyError` if
        this client has too many requests. Cancelling the call stops the computation.
        """
        job = Job(compute, client, sort)
        job.is_long = self._is_expected_long(job)
        # Waiting long requests must not keep short ones out.
        self.queue.add(client, job, lambda other: other.is_long == job.is_long)
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
        job.is_long = self._is_expected_long(job)
        return self._has_place(is_long=job.is_long)

    def _is_expected_long(self, job: Job) -> bool:
        return job.is_long or self._expected.get(job.sort, 0.0) > QUICK

    def _has_place(self, *, is_long: bool) -> bool:
        return sum(place == is_long for place in self.running.values()) < self.limits.at_once

    def _begin(self) -> None:
        """Start the waiting computations for which a thread is free."""
        loop = asyncio.get_running_loop()
        while (job := self.queue.take(self._can_begin)) is not None:
            self.running[job] = job.is_long
            future = self._pool(is_long=job.is_long).submit(job.run)
            future.add_done_callback(partial(_tell, loop, self._end, job))
            if not job.is_long:
                loop.call_later(QUICK, self._look_at_clock, job)

    def _pool(self, *, is_long: bool) -> ThreadPoolExecutor:
        if is_long not in self._threads:
            prepare = _lower_priority if is_long else None
            self._threads[is_long] = ThreadPoolExecutor(
                self.limits.at_once, "bistro", initializer=prepare
            )
        return self._threads[is_long]

    def _look_at_clock(self, job: Job) -> None:
        """Stop a computation that turns out to be long, and restart it as a long computation."""
        if self.running.get(job) is not False:
            return  # it has ended, or is among the long ones already
        left = QUICK - job.look_at_clock()
        if left > 0:
            later = max(left, QUICK / 4)
            asyncio.get_running_loop().call_later(later, self._look_at_clock, job)
        else:
            self._expect(job)
            job.is_long = True
            job.stop.set()

    def _end(self, job: Job, future: Future[Any]) -> None:
        del self.running[job]
        error = future.exception()
        if isinstance(error, ComputationStopped) and not job.answer.done():
            job.stop = StopFlag()
            self.queue.put_back(job.client, job)
        else:
            self.queue.finish(job.client)
            if error is None:
                self._expect(job)
            if not job.answer.done():
                _settle(job.answer, future)
        self._begin()

    def _expect(self, job: Job) -> None:
        """Update the expected CPU time for computations of the same type."""
        before = self._expected.get(job.sort, job.seconds)
        self._expected[job.sort] = max(job.seconds, 0.8 * before + 0.2 * job.seconds)

    def close(self) -> None:
        """Stop all computations, and wait for the threads to end."""
        stopping = BusyError("the server is stopping")
        while (job := self.queue.take(lambda _: True)) is not None:
            job.fail(stopping)
        for job in self.running:
            job.fail(stopping)
        for pool in self._threads.values():
            pool.shutdown(cancel_futures=True)
        self._threads.clear()


def _lower_priority() -> None:
    """Lower the priority of this thread, so that threads for short requests run first."""
    lower_priority(threading.get_native_id(), LOWER_PRIORITY)


def _settle(answer: asyncio.Future[Any], future: Future[Any]) -> None:
    """Pass the result of a computation to its future."""
    if error := future.exception():
        answer.set_exception(error)
    else:
        answer.set_result(future.result())


def _tell(
    loop: asyncio.AbstractEventLoop,
    end: Callable[[Job, Future[Any]], None],
    job: Job,
    future: Future[Any],
) -> None:
    """Notify the event loop, if it is still running."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(end, job, future)
