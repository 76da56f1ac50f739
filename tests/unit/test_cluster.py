"""Work on a Dask cluster: the same results, whatever happens to a worker; clear errors."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from worker_tasks import fail_at, parse, pieces, process, small_model

import bistro
from bistro.inference import cluster
from bistro.inference.cluster import ClusterError, ClusterWorkers, workers_for
from bistro.inference.workers import LocalWorkers, Workers
from bistro.models.shared import SharedModel

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def two() -> Iterator[Workers]:
    with workers_for("local:2", threads=0) as workers:
        yield workers


def is_alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@pytest.mark.parametrize("name", ["local:1", "local:2"])
def test_a_cluster_parses_like_threads(name: str, two: Workers) -> None:
    model, items = small_model(), pieces(12)
    expected = list(LocalWorkers(2).run(parse, SharedModel(model), items))
    assert len({repr(found) for found in expected}) == len(items)
    with contextlib.nullcontext(two) if name == "local:2" else workers_for(name, 0) as workers:
        assert list(workers.run(parse, SharedModel(model), items)) == expected


def test_other_accounts_cannot_use_a_local_cluster(two: Workers) -> None:
    """Whoever reaches a scheduler can run code: a local one asks for a certificate of the run."""
    import distributed

    assert isinstance(two, ClusterWorkers)
    address = two._client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    workers = two._client.scheduler_info()["workers"]
    stranger = distributed.Security.temporary()
    for reached in (address, *workers):
        assert reached.startswith("tls://127.0.0.1:")
        for name, security in ((reached, stranger), (reached.replace("tls", "tcp"), None)):
            with pytest.raises(OSError):
                distributed.Client(name, timeout=2, security=security, set_as_default=False)


def test_both_workers_work(two: Workers) -> None:
    assert len(set(two.run(process, None, range(20)))) == 2


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ZeroDivisionError), workers_for("local:1", threads=0) as workers:
        pid = next(iter(workers.run(process, None, range(5))))
        assert is_alive(pid) and list(tmp_path.glob("bistro-cluster-*"))
        raise ZeroDivisionError
    assert not is_alive(pid)
    assert not list(tmp_path.iterdir())


def test_an_error_of_a_task_is_raised_at_its_place(two: Workers) -> None:
    results = two.run(fail_at, 3, range(10))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(bistro.BistroError, match="item 3"):
        next(results)


def test_items_are_taken_as_they_are_needed(two: Workers) -> None:
    taken = []

    def endless() -> Iterator[int]:
        for number in range(10**9):
            taken.append(number)
            yield number

    results = two.run(fail_at, -1, endless())
    for expected in range(10):
        assert next(results) == expected
        assert len(taken) <= expected + 1 + 2 * cluster.AHEAD_PER_WORKER
    results.close()
    assert list(two.run(fail_at, -1, range(3))) == [0, 1, 2]


def test_another_version_of_bistro_is_refused(
    two: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "__version__", "99.1")
    with pytest.raises(ClusterError, match=r"has Bistro .*, but 99\.1 is needed: install the same"):
        list(two.run(fail_at, -1, range(3)))


def test_an_unreachable_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 0.5)
    with socket.socket() as taken:  # bound, but it does not listen
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(ClusterError, match=f"{address}: no scheduler answered .* check that"),
            workers_for(address, threads=1),
        ):
            pass


@pytest.mark.parametrize(
    "address",
    [
        "local",
        "local:",
        "local:0",
        "local:-1",
        "local:two",
        "host:8786",
        "tcp://host",
        "http://host:8786",
        "tcp://:8786",
        "tcp://host:port",
        "tcp://host:8786/x",
        "",
    ],
)
def test_a_bad_address_is_an_error(address: str) -> None:
    with (
        pytest.raises(ClusterError, match=r"as tcp://host:port, or local:N"),
        workers_for(address, threads=1),
    ):
        pass


def test_without_dask_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ClusterError, match=r"pip install distributed cryptography"),
        workers_for("local:2", threads=1),
    ):
        pass


def test_a_worker_without_bistro_is_named_as_the_reason() -> None:
    wrapped = RuntimeError("Error during deserialization of the task graph.")
    wrapped.__cause__ = ModuleNotFoundError("No module named 'bistro'")
    workers = ClusterWorkers(None, "tcp://there:1")
    for error in (wrapped, wrapped.__cause__):
        explained = str(workers._explained(error))
        assert "No module named 'bistro'" in explained and "install Bistro" in explained
    assert workers._explained(own := RuntimeError("of the task")) is own


def test_threads_are_the_default() -> None:
    with workers_for(None, threads=3) as workers:
        assert isinstance(workers, LocalWorkers) and workers.threads == 3
    with workers_for(None, threads=0) as workers:
        assert isinstance(workers, LocalWorkers) and workers.threads == os.cpu_count()
