"""Workers run tasks in parallel and share a model.

Each unit of work is a call ``task(shared, item)``. Here `task` is a module-level function, `shared`
holds the data that all calls need, and `item` is the input to one call. A task has no side effects,
so its result does not depend on the worker. Results are returned in the order of the items, so
anything computed from them is also independent of the workers. On one machine, `LocalWorkers` runs
tasks in threads, since the core releases the GIL while it works. For several machines, see
`bistro.inference.cluster`.

>>> def add(shared, item):
...     return shared + item
>>> list(LocalWorkers(threads=2).run(add, 10, range(4)))
[10, 11, 12, 13]

A model is shared as a `bistro.models.shared.SharedModel`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Protocol, TypeVar

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")

WAITING_PER_WORKER = 2
"""Number of submitted items per worker. One item is running and one is queued, so that no worker
waits."""


class Workers(Protocol):
    """The interface of an object that runs tasks."""

    def run(
        self, task: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item]
    ) -> Generator[Result, None, None]:
        """Yield task(shared, item) for every item, in the order of the items.

        Items are read only as they are needed, so there may be more items than fit into memory. If
        a task fails, its error is raised in place of its result. When the caller stops reading
        results, tasks that have not begun are cancelled.
        """


class LocalWorkers:
    """Threads of this process."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def run(
        self, task: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item]
    ) -> Generator[Result, None, None]:
        """Yield task(shared, item) for every item, in the order of the items."""
        waiting = iter(items)
        with ThreadPoolExecutor(self.threads) as pool:
            ahead: deque[Future[Result]] = deque()

            def submit(number: int) -> None:
                ahead.extend(pool.submit(task, shared, item) for item in islice(waiting, number))

            try:
                submit(WAITING_PER_WORKER * self.threads)
                while ahead:
                    result = ahead.popleft().result()
                    submit(1)
                    yield result
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
