"""Workers are killed, the scheduler ends, nobody comes: same results, or a clear error."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from worker_tasks import fail_at, parse, parse_and_note, pieces, process, small_model

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
        with pytest.raises(ClusterError, match="tcp://there:1: has had no workers for"):
            list(workers.run(fail_at, -1, range(3)))


def test_a_scheduler_lost_while_the_model_is_sent_out(
    bare: Any, monkeypatch: pytest.MonkeyPatch
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


def test_a_lost_scheduler_is_an_error(bare: Any) -> None:
    bare.scale(1)
    with workers_for(bare.scheduler_address, threads=0) as workers:
        results = workers.run(process, None, range(1000))
        next(results)
        bare.close()
        with pytest.raises(ClusterError, match="the scheduler is gone: start the cluster again"):
            list(results)
