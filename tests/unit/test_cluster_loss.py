"""Workers are killed, the scheduler ends, nobody comes: same results, or a clear error."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cut_wire import wire_to
from worker_tasks import fail_at, parse, parse_and_note, pieces, process, small_model

from bistro.inference import cluster
from bistro.inference.cluster import ClusterError, ClusterWorkers, workers_for
from bistro.inference.workers import LocalWorkers
from bistro.models.shared import SharedModel

distributed = pytest.importorskip("distributed")


@pytest.fixture
def bare() -> Iterator[Any]:
    """A scheduler without workers."""
    with distributed.LocalCluster(
        n_workers=0, dashboard_address=":0", silence_logs=50
    ) as scheduler:
        yield scheduler


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "SECONDS_WITHOUT_SCHEDULER", 0.5)
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 0.5)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_killed_worker_does_not_show(
    processes: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model, items = small_model(), pieces(24)
    expected = list(LocalWorkers(1).run(parse, SharedModel(model), items))
    found = []
    with workers_for(f"local:{processes}", threads=0) as workers:
        shared = SharedModel(model), tmp_path
        for result, pid in workers.run(parse_and_note, shared, enumerate(items)):
            found.append(result)
            if len(found) == 3:
                victim = pid
                # It must die over an item: between two of them nothing would be lost.
                time.sleep(0.02)
                os.kill(victim, signal.SIGKILL)
    begun = [(tmp_path / str(number)).read_text().split() for number in range(len(items))]
    twice = [who for who in begun if len(who) > 1]
    assert twice and all(who[0] == str(victim) != who[1] for who in twice), "nothing was lost"
    assert found == expected
    assert capfd.readouterr().err == ""


def test_a_cluster_without_workers_is_an_error(bare: Any) -> None:
    with distributed.Client(bare.scheduler_address, set_as_default=False) as client:
        workers = ClusterWorkers(client, "tcp://there:1", patience=0.5)
        with pytest.raises(ClusterError, match="tcp://there:1: there have been no workers for"):
            list(workers.run(fail_at, -1, range(3)))


def test_a_scheduler_lost_while_the_model_is_sent_out(
    bare: Any, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare.scale(1)
    with workers_for(bare.scheduler_address, threads=0) as workers:
        replicate = workers._client.replicate  # type: ignore[attr-defined]

        def lost(futures: Any) -> None:
            bare.close()
            replicate(futures)

        monkeypatch.setattr(workers._client, "replicate", lost)  # type: ignore[attr-defined]
        with pytest.raises(ClusterError, match="the scheduler is gone: start the cluster again"):
            list(workers.run(process, None, range(10)))


def test_a_lost_scheduler_is_an_error(bare: Any, impatient: None) -> None:
    bare.scale(1)
    with workers_for(bare.scheduler_address, threads=0) as workers:
        results = workers.run(process, None, range(1000))
        next(results)
        bare.close()
        with pytest.raises(ClusterError, match="the scheduler is gone: start the cluster again"):
            list(results)


@pytest.mark.parametrize("moment", [1, 5, 11])
def test_a_network_that_fails_for_a_while_does_not_show(moment: int, bare: Any) -> None:
    """Connections end in the middle, none can be made for some seconds, then they can again."""
    bare.scale(1)
    with (
        wire_to(int(bare.scheduler_address.rpartition(":")[2])) as wire,
        workers_for(f"tcp://127.0.0.1:{wire.port}", threads=0) as workers,
    ):
        found = []
        for result in workers.run(fail_at, -1, range(40)):
            found.append(result)
            if len(found) == moment:
                wire.cut()
                threading.Timer(2.0, wire.mend).start()
    assert found == list(range(40))


def test_a_scheduler_that_is_started_again_goes_on(tmp_path: Path) -> None:
    """Another scheduler at the same address, with other workers, knows nothing of what was sent."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = {"n_workers": 1, "dashboard_address": ":0", "silence_logs": 50}
    first = distributed.LocalCluster(**options, scheduler_port=port)
    with workers_for(f"tcp://127.0.0.1:{port}", threads=0) as workers:
        found = []
        for result in workers.run(process, None, range(30)):
            found.append(result)
            if len(found) == 5:
                first.close()
                second = distributed.LocalCluster(**options, scheduler_port=port)
    second.close()
    assert len(found) == 30
    assert len(set(found)) == 2
