"""Several training runs of one kind on the same data, which differ in their seed alone.

>>> import bistro
>>> sampler = {"sweeps": 4, "samples": 2}
>>> traces = several_traces("ngram", [["to", "be"]], [1, 2], sampler=sampler)
>>> [len(trace) for trace in traces]
[4, 4]
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bistro.errors import BistroError
from bistro.inference.chains import Session, Sweep
from bistro.models.grammar.model import GrammarModel
from bistro.models.isbn.model import IsbnModel
from bistro.models.unbounded.model import InfiniteModel
from bistro.tasks.train import train

Trace = list[dict[str, Any]]


def several_traces(
    kind: str,
    data: Any,
    seeds: Sequence[int],
    *,
    threads: int = 1,
    on_sweep: Callable[[int, int], None] = lambda done, total: None,
    stop_asked: Callable[[], bool] = lambda: False,
    **settings: Any,
) -> list[Trace]:
    """Train once a seed, several at a time, and return the traces; the models are let go.

    `on_sweep` is told how many sweeps of all chains are done, and how many there will be.
    """
    _require_draws(kind, settings.get("config"))
    lock, done = threading.Lock(), [0]

    def note(sweep: Sweep) -> None:
        with lock:
            done[0] += 1
            on_sweep(done[0], sweep.total * len(seeds))

    def run(seed: int) -> Trace:
        session = Session(on_sweep=note, stop_asked=stop_asked)
        return train(kind, data, seed=seed, session=session, **settings).origin.trace

    if threads == 1:
        return [run(seed) for seed in seeds]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, seeds))


def _require_draws(kind: str, config: Any) -> None:
    """Refuse kinds that come to the same place from every seed, or to a maximum."""
    told = f"a model of kind '{kind}' climbs to a maximum and draws nothing"
    seating = getattr(getattr(config, "sampler", None), "seating", None)
    if kind in (IsbnModel.kind, GrammarModel.kind):
        raise BistroError(f"{told}: there are no chains to compare")
    if kind == InfiniteModel.kind and seating == "minimal":
        raise BistroError(
            f"{told}, unless it is sampled (sampler.seating=gibbs): there are no chains to compare"
        )
