"""A fair queue, in which a client with many requests does not delay other clients.

Clients take turns. The next request comes from the client that was served least recently. Requests
from one client are served in order, but a request that cannot begin yet is skipped. The number of
waiting requests is limited. The number of waiting and running requests from each client is also
limited.

>>> queue = FairQueue[str](most=4, most_per_client=3)
>>> for client, request in [("ann", "a1"), ("ann", "a2"), ("ann", "a3"), ("bob", "b1")]:
...     queue.add(client, request)
>>> [queue.take(lambda request: True) for _ in range(4)]
['a1', 'b1', 'a2', 'a3']
"""

from __future__ import annotations

import itertools
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from bistro.errors import BistroError

T = TypeVar("T")


class BusyError(BistroError):
    """The server is too busy to answer."""


class TooManyError(BistroError):
    """One client has too many requests in progress."""


class FairQueue(Generic[T]):
    """A queue for requests from several clients, which take turns."""

    def __init__(self, most: int, most_per_client: int) -> None:
        self.most = most
        self.most_per_client = most_per_client
        self.waiting = 0
        self.unfinished = Counter[str]()
        """Number of waiting and running requests from each client."""
        self._turns: OrderedDict[str, list[T]] = OrderedDict()
        """The waiting requests from each client. The first client is the next to be served."""

    def add(self, client: str, request: T, is_alike: Callable[[T], bool] | None = None) -> None:
        """Add a request to the queue, or raise an error that explains why this is impossible.

        With `is_alike`, only waiting requests for which it returns true count towards the limit.
        """
        if self.unfinished[client] >= self.most_per_client:
            raise TooManyError(
                f"{self.unfinished[client]} of your requests are already being processed: wait "
                "until one of them has finished"
            )
        waiting = itertools.chain.from_iterable(self._turns.values())
        number = sum(1 for one in waiting if is_alike is None or is_alike(one))
        if number >= self.most:
            raise BusyError(f"{number} requests are already waiting: try again in a moment")
        self.unfinished[client] += 1
        self._turns.setdefault(client, []).append(request)
        self.waiting += 1

    def put_back(self, client: str, request: T) -> None:
        """Put a request back into the queue, ahead of the other requests from its client."""
        self._turns.setdefault(client, []).insert(0, request)
        self.waiting += 1

    def take(self, can_begin: Callable[[T], bool]) -> T | None:
        """Remove the next request that can begin.

        The request counts towards its client's limit until `finish` is called.
        """
        for client, requests in self._turns.items():
            request = next(filter(can_begin, requests), None)
            if request is not None:
                self._remove(client, request)
                if client in self._turns:
                    self._turns.move_to_end(client)
                return request
        return None

    def withdraw(self, client: str, request: T) -> bool:
        """Remove a waiting request, and return whether it was still in the queue."""
        if request not in self._turns.get(client, ()):
            return False
        self._remove(client, request)
        self.finish(client)
        return True

    def _remove(self, client: str, request: T) -> None:
        requests = self._turns[client]
        requests.remove(request)
        if not requests:
            del self._turns[client]
        self.waiting -= 1

    def finish(self, client: str) -> None:
        """Remove a finished request from its client's count."""
        self.unfinished[client] -= 1
        if not self.unfinished[client]:
            del self.unfinished[client]
