"""The simulation of a cluster against times that are known."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

# The experiments are no part of the package: they are found from here.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from experiments.scale_simulation import Cluster, simulate


@pytest.mark.parametrize("pieces", [1, 7, 12, 100])
@pytest.mark.parametrize("workers", [1, 3, 12])
def test_equal_workers_that_never_fail(workers: int, pieces: int) -> None:
    outcome = simulate(Cluster(workers, piece=2.5, broadcast=4.0), pieces)
    assert outcome.seconds == pytest.approx(4.0 + math.ceil(pieces / workers) * 2.5)
    assert outcome.busy == pytest.approx(pieces * 2.5 / workers / outcome.seconds)


def test_merging_bounds_the_time() -> None:
    """All but the first piece are parsed while others are merged."""
    outcome = simulate(Cluster(workers=50, piece=1.0, merge=0.5), 400)
    assert outcome.seconds == pytest.approx(1.0 + 400 * 0.5)
    assert outcome.merging == pytest.approx(200 / 201)


def test_below_the_bound_merging_hides_behind_parsing() -> None:
    outcome = simulate(Cluster(workers=4, piece=1.0, merge=0.01), 400)
    assert 100.0 < outcome.seconds < 103.0


def test_workers_share_by_speed() -> None:
    """Half at a quarter of the speed are 5/8 of the capacity, if no piece must be waited for."""
    cluster = Cluster(8, piece=1.0, slow_share=0.5, slow_factor=4.0, window=20)
    assert simulate(cluster, 4000).seconds == pytest.approx(4000 / 5, rel=0.01)


def test_a_narrow_window_waits_for_the_slow() -> None:
    """With one piece a worker all wait for the slowest at every round."""
    cluster = Cluster(8, piece=1.0, slow_share=0.125, slow_factor=4.0, window=1)
    narrow, wide = (
        simulate(c, 2000).seconds for c in (cluster, Cluster(8, 1.0, slow_share=0.125, window=20))
    )
    assert wide < 0.8 * narrow


def test_failures_cost_what_renewal_theory_says() -> None:
    """One worker, rate λ, restart r: a piece takes (e^{λt} - 1)(1/λ + r) on average."""
    cluster = Cluster(1, piece=60.0, hours_between_failures=0.05, restart=30.0)
    rate = 1 / (0.05 * 3600)
    expected = math.expm1(rate * 60) * (1 / rate + 30)
    outcome = simulate(cluster, 4000)
    assert outcome.seconds / 4000 == pytest.approx(expected, rel=0.04)
    assert outcome.failures / 4000 == pytest.approx(math.expm1(rate * 60), rel=0.08)


def test_the_spread_keeps_the_mean() -> None:
    assert simulate(Cluster(1, piece=1.0, spread=0.5), 20_000).seconds == pytest.approx(
        20_000, rel=0.02
    )


def test_a_seed_decides_the_run() -> None:
    cluster = Cluster(5, piece=10.0, spread=0.3, hours_between_failures=0.5)
    assert simulate(cluster, 300, seed=2) == simulate(cluster, 300, seed=2)
    assert simulate(cluster, 300, seed=2) != simulate(cluster, 300, seed=3)
