"""Members of a committee that learn elsewhere, and a cluster that is lost in the middle."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.inference.chains import Session
from bistro.inference.checkpoint import Checkpoint
from bistro.inference.cluster import ClusterError
from bistro.inference.workers import LocalWorkers
from bistro.modelfile import read_model

TREEBANK = bistro.builtin(sentences=40, seed=1)
SETTINGS: dict[str, Any] = {
    "members": ["left", "isbn", "eisner"],
    "sampler": {"sweeps": 3, "samples": 1},
    "calibrate": False,
}


class Elsewhere:
    """Workers that are lost after some results."""

    def __init__(self, results: int) -> None:
        self.results = results

    def run(self, task: Any, shared: Any, items: Iterable[Any]) -> Generator[Any, None, None]:
        """Yield some results."""
        listed = list(items)
        yield from islice(LocalWorkers(1).run(task, shared, listed), self.results)
        if len(listed) > self.results:
            raise ClusterError("the scheduler is gone")


def train(session: Session) -> bytes:
    return bistro.train("committee", TREEBANK, seed=1, session=session, **SETTINGS).to_bytes()


@pytest.mark.parametrize("lost_after", [0, 1, 2])
@pytest.mark.parametrize("then", ["elsewhere", "here"])
def test_what_has_learned_outlives_the_cluster(lost_after: int, then: str, tmp_path: Path) -> None:
    expected = train(Session())
    checkpoint = Checkpoint(tmp_path / "m.checkpoint", 0.0)
    with pytest.raises(ClusterError):
        train(Session(checkpoint, workers=Elsewhere(lost_after)))
    if lost_after:
        assert len(read_model(checkpoint.path).arrays) == lost_after
    workers = Elsewhere(9) if then == "elsewhere" else None
    assert train(Session(checkpoint, resume=True, workers=workers)) == expected


def test_the_checkpoint_of_one_process_serves_elsewhere(tmp_path: Path) -> None:
    """A latent-variable member that was learned here is not learned again there."""
    expected = train(Session())
    checkpoint = Checkpoint(tmp_path / "m.checkpoint", 0.0)
    asked: list[int] = []

    def in_the_second_phase() -> bool:
        asked.append(1)
        return checkpoint.path.exists() and read_model(checkpoint.path).header["phase"] == 1

    with pytest.raises(bistro.BistroError, match="stopped"):
        train(Session(checkpoint, stop_requested=in_the_second_phase))
    assert train(Session(checkpoint, resume=True, workers=Elsewhere(9))) == expected
