"""Several training runs that use the same kind of model and data, and differ only in their seeds.

>>> import bistro
>>> sampler = {"sweeps": 4, "samples": 2}
>>> traces = several_traces("ngram", [["to", "be"]], [1, 2], sampler=sampler)
>>> [len(trace) for trace in traces]
[4, 4]
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bistro import config as configuration
from bistro.errors import BistroError
from bistro.inference.chains import Session, Sweep
from bistro.inference.settings import SamplerSettings
from bistro.inference.workers import Workers
from bistro.models.kinds import Kind
from bistro.models.options import a_model
from bistro.models.settings import settled_settings
from bistro.tasks.train import train

Trace = list[dict[str, Any]]


def several_traces(
    kind: str,
    data: Any,
    seeds: Sequence[int],
    *,
    threads: int = 1,
    workers: Workers | None = None,
    on_sweep: Callable[[int, int], None] = lambda done, total: None,
    stop_requested: Callable[[], bool] = lambda: False,
    **settings: Any,
) -> list[Trace]:
    """Train one model per seed, several at a time, and return their traces without the models.

    `on_sweep` receives the number of finished sweeps across all chains, and the total number of
    sweeps. With `workers`, each run is performed by one worker, and `on_sweep` counts whole runs.
    """
    _require_draws(*settled_settings(kind, _all_settings(settings)))
    if workers is not None:
        traces: list[Trace] = []
        for trace in workers.run(_trace, (kind, data, settings), seeds):
            traces.append(trace)
            on_sweep(len(traces) * len(trace), len(seeds) * len(trace))
        return traces
    lock, done = threading.Lock(), [0]

    def note(sweep: Sweep) -> None:
        with lock:
            done[0] += 1
            on_sweep(done[0], sweep.total * len(seeds))

    def run(seed: int) -> Trace:
        session = Session(on_sweep=note, stop_requested=stop_requested)
        return train(kind, data, seed=seed, session=session, **settings).origin.trace

    if threads == 1:
        return [run(seed) for seed in seeds]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, seeds))


def _trace(shared: tuple[str, Any, dict[str, Any]], seed: int) -> Trace:
    kind, data, settings = shared
    return train(kind, data, seed=seed, **settings).origin.trace


def _all_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Combine a configuration and individual settings into the settings for `train`."""
    changes = {name: value for name, value in settings.items() if name != "config"}
    config = settings.get("config")
    return configuration.merged({} if config is None else configuration.to_dict(config), changes)


def _require_draws(family: Kind, config: Any) -> None:
    """Raise an error if training uses no sampling, since all seeds would give the same result."""
    problem = f"{a_model(family.name)} is trained without sampling"
    if not family.draws:
        raise BistroError(f"{problem}, so there are no chains to compare")
    sampler = getattr(config, "sampler", None)
    if isinstance(sampler, SamplerSettings) and sampler.is_deterministic:
        raise BistroError(
            f"{problem}, so there are no chains to compare: set sampler.seating=gibbs"
        )
