"""Raw text is parsed in pieces; here is who does it, and how a model gets there.

A piece of work is ``task(shared, item)``: `task` a function of a module, `shared` what all pieces
need, `item` one of them. A task is pure, so the result cannot depend on who runs it; results come
in the order of the items, so neither can anything that is made of them. On this machine
`LocalWorkers` runs tasks on threads (the core releases the GIL while it works); on several,
`bistro.inference.cluster`.

>>> def add(shared, item):
...     return shared + item
>>> list(LocalWorkers(threads=2).run(add, 10, range(4)))
[10, 11, 12, 13]

A model is shared as ``SharedModel(model)``, and a task begins with ``model = shared.open()``.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Protocol, TypeVar

from bistro.models.base import Model, from_bytes

Shared = TypeVar("Shared")
Item = TypeVar("Item")
Result = TypeVar("Result")

WAITING_PER_WORKER = 2
"""Items under way for each worker: one in work, one ready, so that nobody waits for the reader."""


class Workers(Protocol):
    """Whoever runs tasks."""

    def run(
        self, task: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yield task(shared, item) for every item, in the order of the items.

        Items are taken as they are needed: there may be more of them than fit into memory. An
        error of a task is raised where its result would have been; whoever stops asking for
        results cancels what has not begun.
        """


class LocalWorkers:
    """Threads of this process."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def run(
        self, task: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item]
    ) -> Iterator[Result]:
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


class SharedModel:
    """A model that tasks share: at home the model itself, elsewhere the content of its file.

    Only the content travels, never a pickled model; a process opens it once, and keeps it for all
    tasks until another model comes.
    """

    def __init__(self, model: Model) -> None:
        self._model: Model | None = model
        self._digest, self._content = "", b""

    def open(self) -> Model:
        """Return the model."""
        if self._model is None:
            return _opened(self._digest, self._content)
        return self._model

    def __getstate__(self) -> tuple[str, bytes]:
        if self._model is None:
            return self._digest, self._content
        content = self._model.to_bytes()
        return hashlib.sha256(content).hexdigest(), content

    def __setstate__(self, state: tuple[str, bytes]) -> None:
        self._model = None
        self._digest, self._content = state


_last_opened: tuple[str, Model] | None = None


def _opened(digest: str, content: bytes) -> Model:
    """Return the model of this content, which stays open until one with another digest comes."""
    global _last_opened
    # One name for digest and model: two threads may open the same content, never mix two of them.
    latest = _last_opened
    if latest is None or latest[0] != digest:
        latest = _last_opened = digest, from_bytes(content, "the shared model")
    return latest[1]
