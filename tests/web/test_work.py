"""Computations of requests: they end when nobody waits for them, and clients take turns."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from bistro._core import ComputationStopped, StopFlag, pause
from bistro.serve.fair import BusyError, FairQueue, TooManyError
from bistro.serve.limits import Limits
from bistro.serve.work import QUICK, Work

Hold = Callable[[], None]


def until_stopped() -> None:
    """Compute for ever, as a loop of the core does."""
    while True:
        pause()


def busy(seconds: float) -> str:
    """Use a processor for a while."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pause()
    return "done"


def with_work(limits: Limits, ask: Callable[[Work], Awaitable[None]]) -> None:
    """Ask, and then end everything."""

    async def run() -> None:
        work = Work(limits)
        try:
            async with asyncio.timeout(60):
                await ask(work)
        finally:
            work.close()
        assert not work.queue.waiting

    asyncio.run(run())


async def no_longer(is_so: Callable[[], object]) -> float:
    """Return after how many seconds something ends."""
    begun = time.monotonic()
    while is_so():
        await asyncio.sleep(0.001)
    return time.monotonic() - begun


# ---- stop flags ----------------------------------------------------------------------------------
def test_a_stop_flag_stops_its_own_thread_only() -> None:
    flag, other = StopFlag(), StopFlag()
    other.set()
    with flag:
        pause()
        flag.set()
        with pytest.raises(ComputationStopped):
            pause()
    pause()  # the flag is not watched any more
    assert flag.is_set


def test_a_stop_flag_serves_one_computation() -> None:
    flag = StopFlag()
    with flag, pytest.raises(ValueError, match="one computation"), flag:
        pass


def test_flags_may_be_nested() -> None:
    outer, inner = StopFlag(), StopFlag()
    outer.set()
    with outer:
        with inner:
            pause()
        with pytest.raises(ComputationStopped):
            pause()


# ---- late, cancelled -----------------------------------------------------------------------------
def test_a_late_computation_is_stopped() -> None:
    async def ask(work: Work) -> None:
        with pytest.raises(BusyError, match=r"longer than 0\.1 s"):
            await work.run(until_stopped)
        assert await no_longer(lambda: work.running) < 0.2
        assert await work.run(lambda: "next") == "next"

    with_work(Limits(at_once=1, seconds=0.1), ask)


def test_a_cancelled_computation_is_stopped() -> None:
    async def ask(work: Work) -> None:
        task = asyncio.create_task(work.run(until_stopped))
        assert await no_longer(lambda: not work.running) < 5
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await no_longer(lambda: work.running) < 0.2

    with_work(Limits(at_once=1), ask)


def test_who_waits_too_long_is_never_begun() -> None:
    begun: list[int] = []

    async def ask(work: Work) -> None:
        started, hold = threading.Event(), threading.Event()

        def begin(number: int) -> None:
            begun.append(number)
            started.set()
            hold.wait(30)

        first = asyncio.create_task(work.run(partial(begin, 0)))
        assert await asyncio.to_thread(started.wait, 10)
        second = asyncio.create_task(work.run(partial(begin, 1)))
        await asyncio.gather(first, second, return_exceptions=True)
        hold.set()
        assert await work.run(lambda: "next") == "next"

    with_work(Limits(at_once=1, waiting=2, seconds=1), ask)
    assert begun == [0]


def test_errors_of_computations_are_passed_on() -> None:
    async def ask(work: Work) -> None:
        with pytest.raises(ZeroDivisionError):
            await work.run(lambda: 1 // 0)
        assert await work.run(lambda: 1) == 1

    with_work(Limits(at_once=1), ask)


def test_closing_stops_everything() -> None:
    async def run() -> None:
        work = Work(Limits(at_once=1))
        tasks = [asyncio.create_task(work.run(until_stopped)) for _ in range(3)]
        await no_longer(lambda: not work.running)
        before = threading.active_count()
        work.close()
        assert threading.active_count() < before
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, BusyError) for end in ends)

    asyncio.run(run())


# ---- short and long ------------------------------------------------------------------------------
def test_short_ones_do_not_wait_for_long_ones() -> None:
    async def ask(work: Work) -> None:
        long = [asyncio.create_task(work.run(until_stopped, sort="long")) for _ in range(6)]
        await asyncio.sleep(0)
        assert await work.run(lambda: "short", sort="short") == "short"
        assert not any(task.done() for task in long)
        assert list(work.running.values()).count(True) == 1
        assert await no_longer(lambda: len(work.running) > 1) < 5
        for task in long:
            task.cancel()

    with_work(Limits(at_once=1), ask)


def test_how_long_is_learned() -> None:
    async def ask(work: Work) -> None:
        await work.run(partial(busy, 2 * QUICK), sort="long")
        await work.run(partial(busy, QUICK / 10), sort="short")
        hold = threading.Event()
        tasks = [
            asyncio.create_task(work.run(hold.wait, sort=sort)) for sort in ("long", "short", "new")
        ]
        await no_longer(lambda: len(work.running) < 2)
        places = {job.sort: is_long for job, is_long in work.running.items()}
        assert places == {"long": True, "short": False}
        hold.set()
        await asyncio.gather(*tasks)

    with_work(Limits(at_once=1), ask)


# ---- turns ---------------------------------------------------------------------------------------
def test_clients_take_turns() -> None:
    order: list[str] = []

    async def ask(work: Work) -> None:
        hold = threading.Event()
        first = asyncio.create_task(work.run(hold.wait))
        await no_longer(lambda: not work.running)
        tasks = [
            asyncio.create_task(work.run(partial(order.append, name), client=name))
            for name in "aaaabbc"
        ]
        await no_longer(lambda: work.queue.waiting < 7)
        hold.set()
        await asyncio.gather(first, *tasks)

    with_work(Limits(at_once=1), ask)
    assert "".join(order) == "abcabaa"


def test_one_client_may_have_so_many() -> None:
    async def ask(work: Work) -> None:
        hold = threading.Event()
        tasks = [asyncio.create_task(work.run(hold.wait, client="ann")) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyError, match="3 of your requests"):
            await work.run(hold.wait, client="ann")
        other = asyncio.create_task(work.run(hold.wait, client="bob"))
        hold.set()
        await asyncio.gather(*tasks, other)
        assert await work.run(lambda: "again", client="ann") == "again"
        assert not work.queue.unfinished

    with_work(Limits(at_once=1, per_client=3), ask)


def test_a_queue_forgets_who_withdraws() -> None:
    queue = FairQueue[str](2, 2)
    queue.add("ann", "1")
    queue.add("ann", "2")
    with pytest.raises(TooManyError):
        queue.add("ann", "3")
    with pytest.raises(BusyError):
        queue.add("bob", "3")
    assert queue.withdraw("ann", "1")
    assert not queue.withdraw("ann", "1")
    assert not queue.withdraw("bob", "1")
    assert queue.take(lambda _: False) is None
    assert queue.take(lambda _: True) == "2"
    assert queue.take(lambda _: True) is None
    queue.finish("ann")
    assert (queue.waiting, dict(queue.unfinished)) == (0, {})
