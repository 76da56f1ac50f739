"""Workers on a Dask cluster, which distributes work over many machines.

The option ``--cluster tcp://host:port`` names the scheduler of a running cluster. ``--cluster
local:N`` starts N worker processes on this machine and stops them afterwards. Without a cluster,
threads do the work. Shared data are sent once and kept by the workers. The number of unfinished
items is limited, and results are returned in the order of the items. A task has no side effects.
When a worker is lost, its tasks run again on other workers, and the result does not change.

>>> def times(shared, item):
...     return shared * item
>>> with workers_for(None, threads=2) as workers:
...     list(workers.run(times, 3, [1, 2, 4]))
[3, 6, 12]
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import re
import secrets
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from bistro.errors import BistroError
from bistro.inference.workers import Item, LocalWorkers, Result, Shared, Workers
from bistro.scratch import scratch_folder
from bistro.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future, Security

AHEAD_PER_WORKER = 6
"""Maximum number of unfinished items per worker.

Results are collected in order, so all workers eventually wait for the item of a slow worker. With a
value of 2, five slow workers out of a hundred halve the speed.
"""
SECONDS_TO_CONNECT = 5.0
SECONDS_WITHOUT_SCHEDULER = 60.0
"""Seconds to wait for a failed network to recover, or for a scheduler to be restarted."""
SECONDS_WITHOUT_WORKERS = 60.0
"""Seconds without workers after which a cluster counts as empty. Dask restarts a lost worker in
less time than this."""
SECONDS_BETWEEN_LOOKS = 1.0
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Dask settings for a local cluster. Process monitoring is turned off to save time."""
ATTEMPTS = 20
"""Maximum number of attempts to retrieve the result of a task. A lost worker causes one or two
failed attempts."""


class ClusterError(BistroError):
    """A cluster cannot be used because of a problem with its address, scheduler or workers."""


class SchedulerLostError(ClusterError):
    """The scheduler no longer answers, and the tasks sent to it are lost."""


@contextmanager
def workers_for(cluster: str | None, threads: int) -> Iterator[Workers]:
    """Yield workers on a cluster, or threads if `cluster` is None, for use inside the context.

    `cluster` is ``tcp://host:port``, ``tls://host:port``, ``local:N`` or None. Without a cluster,
    `threads` is the number of threads, and 0 uses all cores.
    """
    if cluster is None:
        yield LocalWorkers(threads or os.cpu_count() or 1)
        return
    processes = _check_address(cluster)
    _check_installed()
    with _quiet(), ExitStack() as stack:
        address, security = cluster, None
        if processes:
            address, security = stack.enter_context(_local_cluster(processes))

        def connect() -> Client:
            return stack.enter_context(_connected(address, security))

        yield ClusterWorkers(connect(), cluster, connect=connect)


class ClusterWorkers:
    """Workers of a Dask cluster."""

    def __init__(
        self,
        client: Client,
        name: str,
        *,
        connect: Callable[[], Client] | None = None,
        patience: float = SECONDS_WITHOUT_WORKERS,
    ) -> None:
        """Initialise the workers.

        `connect` creates a new client after the connection is lost.
        """
        self._client = client
        self._connect = connect
        self._name = name
        self._patience = patience
        self._threads = 0
        self._looked = self._seen = time.monotonic()

    def run(
        self, task: Callable[[Shared, Item], Result], shared: Shared, items: Iterable[Item]
    ) -> Generator[Result, None, None]:
        """Yield task(shared, item) for every item, in the order of the items."""
        # As bytes, since Dask would search every word of a nested list for futures.
        packed = (pickle.dumps(item, pickle.HIGHEST_PROTOCOL) for item in items)
        unanswered: deque[bytes] = deque()
        while True:
            try:
                yield from self._run(task, shared, packed, unanswered)
            except SchedulerLostError as error:
                self._connect_again(error)
            else:
                return

    def _run(
        self,
        task: Callable[[Shared, Item], Result],
        shared: Shared,
        packed: Iterator[bytes],
        unanswered: deque[bytes],
    ) -> Generator[Result, None, None]:
        """Run tasks and yield their results until the scheduler stops responding.

        `unanswered` contains the items that were sent earlier and have no result yet.
        """
        name = f"bistro-{secrets.token_hex(8)}"
        ahead: deque[Future] = deque()
        numbered = enumerate(chain(tuple(unanswered), _noted(packed, unanswered)))
        held = self._broadcast(shared, name)
        try:
            while True:
                for number, item in islice(numbered, self._room(len(ahead))):
                    # Keys of one group, so that the scheduler keeps waiting tasks and gives them to
                    # any free worker, including workers that joined later.
                    place = {"key": (name, number), "priority": -number}
                    ahead.append(
                        self._client.submit(_attempt, __version__, task, held, item, **place)
                    )
                if not ahead:
                    return
                result = self._result(ahead[0])
                ahead.popleft().release()
                unanswered.popleft()
                yield result
        finally:
            if self._client.status == "running":
                self._client.cancel([*ahead, held])

    def _connect_again(self, error: SchedulerLostError) -> None:
        """Reconnect to the scheduler or its replacement within a minute, or raise an error."""
        begin = time.monotonic()
        while self._connect is not None and time.monotonic() - begin < SECONDS_WITHOUT_SCHEDULER:
            try:
                self._client = self._connect()
            except ClusterError:
                time.sleep(SECONDS_BETWEEN_LOOKS / 2)
            else:
                self._threads, self._seen = 0, time.monotonic()
                return
        raise error

    def _broadcast(self, shared: object, name: str) -> Future:
        """Copy the shared data to every worker.

        The data are sent with a task instead of being scattered. The result of a task can be
        computed again if all workers that had it are lost.
        """
        try:
            held = self._client.submit(_hold, shared, key=f"{name}-shared")
            self._await(held)
            self._client.replicate([held])
        except (OSError, TimeoutError, CancelledError):
            raise self._scheduler_lost() from None
        return held

    def _room(self, under_way: int) -> int:
        """Return how many more items may be sent to the workers now."""
        self._look()
        return max(AHEAD_PER_WORKER * self._threads - under_way, 0 if under_way else 1)

    def _result(self, future: Future) -> Any:
        for _ in range(ATTEMPTS):
            self._await(future)
            try:
                return pickle.loads(future.result(timeout=self._patience))
            except (TimeoutError, CancelledError, OSError):
                # Its worker was lost before it passed the result on: wait for a new result.
                self._look()
                time.sleep(SECONDS_BETWEEN_LOOKS / 10)
        # A scheduler forgets its tasks if the connection was lost for a while.
        raise self._scheduler_lost()

    def _await(self, future: Future) -> None:
        """Wait until the task has succeeded, or raise its error if it failed."""
        while True:
            try:
                error = future.exception(timeout=SECONDS_BETWEEN_LOOKS)
            except TimeoutError:
                self._look()
            except CancelledError:
                raise self._scheduler_lost() from None
            else:
                if error is None:
                    return
                raise self._explained(error) from None

    def _explained(self, error: BaseException) -> BaseException:
        """Return the error that a task raised, or an error about the cluster if it caused the
        failure."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return ClusterError(
                f"--cluster {self._name}: a piece of work ended {error.allowed_failures + 1} "
                "workers one after the other, most likely because memory ran out: give each worker "
                "more memory"
            )
        # The scheduler unpacks the tasks that it passes on, and wraps errors that occur there.
        reason = error.__cause__ if isinstance(error, RuntimeError) else error
        if isinstance(reason, ImportError):
            return ClusterError(
                f"--cluster {self._name}: the scheduler or a worker cannot import a module "
                f"({reason}): install Bistro {__version__} there too"
            )
        return error

    def _look(self) -> None:
        """Update the number of worker threads. Raise an error if the cluster has had no workers
        for too long."""
        if self._client.status != "running":
            raise self._scheduler_lost()
        now = time.monotonic()
        if self._threads and now - self._looked < SECONDS_BETWEEN_LOOKS:
            return
        try:
            self._threads = sum(self._client.nthreads().values())
        except (OSError, TimeoutError, CancelledError):
            raise self._scheduler_lost() from None
        self._looked = now
        if self._threads:
            self._seen = now
        elif now - self._seen > self._patience:
            raise ClusterError(
                f"--cluster {self._name}: there have been no workers for {self._patience:.0f} "
                "seconds: start workers with 'dask worker' and the address of the scheduler, on "
                "machines where Bistro is installed"
            )

    def _scheduler_lost(self) -> SchedulerLostError:
        return SchedulerLostError(
            f"--cluster {self._name}: the scheduler is gone: start the cluster again, then resume"
        )


def _hold(shared: Shared) -> Shared:
    return shared


def _noted(items: Iterator[bytes], notes: deque[bytes]) -> Iterator[bytes]:
    """Yield the items, and append each item to `notes` before it is yielded."""
    for item in items:
        notes.append(item)
        yield item


def _attempt(
    version: str, task: Callable[[Shared, Item], Result], shared: Shared, packed: bytes
) -> bytes:
    """Run a task and return its result as bytes.

    The worker must have the given version of Bistro.
    """
    if version != __version__:
        raise ClusterError(
            f"the worker on {platform.node()} has Bistro {__version__}, but {version} is needed: "
            "install the same version everywhere"
        )
    return pickle.dumps(task(shared, pickle.loads(packed)), pickle.HIGHEST_PROTOCOL)


def _check_address(cluster: str) -> int:
    """Return the requested number of local processes, or 0 for a running cluster."""
    if match := re.fullmatch(r"local:([1-9]\d{0,3})", cluster):
        return int(match[1])
    if re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]]+):\d{1,5}", cluster):
        return 0
    raise ClusterError(
        f"--cluster {cluster}: give the address of a Dask scheduler as tcp://host:port, or local:N "
        "for N processes on this machine"
    )


def _check_installed() -> None:
    try:
        import cryptography  # noqa: F401
        import distributed  # noqa: F401
    except ImportError:
        raise ClusterError(
            "--cluster needs Dask: pip install distributed cryptography, here and on the cluster, "
            "or leave the option out"
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress Dask's log, since Bistro's own errors report the relevant part of it."""
    import dask
    from distributed.utils import silence_logging_cmgr

    with (
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}),
        silence_logging_cmgr(logging.CRITICAL),
    ):
        yield


@contextmanager
def _local_cluster(processes: int) -> Iterator[tuple[str, Security]]:
    """Run worker processes on this machine, and yield their scheduler's address and keys.

    Anyone who can connect to a scheduler can run code as the user who started it. All users of a
    machine can connect to its ports, so every connection requires a certificate that is created for
    this run.
    """
    import dask
    from distributed import LocalCluster, Security

    security = Security.temporary()
    with (
        scratch_folder("bistro-cluster-") as folder,
        dask.config.set({"temporary-directory": str(folder), **UNWATCHED}),
        LocalCluster(
            n_workers=processes,
            security=security,
            protocol="tls",
            threads_per_worker=1,
            # Dask always serves a page of its state: keep it on this machine, on any free port.
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
            memory_limit=0,
            preload=[__name__],
        ) as cluster,
    ):
        yield cluster.scheduler_address, security


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C, which a terminal sends to all processes, since the main process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _connected(address: str, security: Security | None) -> Iterator[Client]:
    """Yield a client that is connected to the scheduler.

    Raise an error after a short time if there is no scheduler.
    """
    from distributed import Client

    try:
        client = Client(
            address, timeout=SECONDS_TO_CONNECT, set_as_default=False, security=security
        )
    except (OSError, TimeoutError):
        raise ClusterError(
            f"--cluster {address}: no scheduler answered within {SECONDS_TO_CONNECT:.0f} seconds: "
            "check that 'dask scheduler' is running at this address and that the port is open, or "
            "use local:N"
        ) from None
    with client:
        yield client
