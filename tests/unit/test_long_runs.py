"""Long runs in small: what nobody uses any more is freed, and nothing else changes."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.inference.chains import Session, Sweep
from bistro.models.transition import derivations
from bistro.models.transition.derivations import DerivationChain
from bistro.models.transition.model import TransitionModel

TREES = bistro.builtin(sentences=25, seed=1)
SECOND = {"latent": "both", "particles": 4, "samples": 1}


def train(sweeps: int, session: Session | None = None) -> TransitionModel:
    model = bistro.train(
        "transition",
        TREES,
        seed=1,
        sampler={"sweeps": 2, "samples": 1},
        unsupervised={**SECOND, "sweeps": sweeps},
        session=session or Session(),
    )
    assert isinstance(model, TransitionModel)
    return model


class Keeping:
    """A sampler that frees nothing."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._sampler = _Sampler(*arguments, **named)

    def __getattr__(self, name: str) -> object:
        return (lambda: None) if name == "drop_empty" else getattr(self._sampler, name)


_Sampler: Any = vars(derivations)["DerivationSampler"]


def test_freeing_changes_memory_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same draws, sweep by sweep, and the same probabilities; the model has less to store."""
    freed = train(40)
    monkeypatch.setattr(derivations, "DerivationSampler", Keeping)
    kept = train(40)
    assert freed.origin.trace == kept.origin.trace
    sentences = bistro.builtin(sentences=10, seed=2)
    for one, other in zip(freed.parse_all(sentences), kept.parse_all(sentences), strict=True):
        assert one.heads == other.heads
        assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)
    sizes = [sum(a.nbytes for a in model.arrays().values()) for model in (freed, kept)]
    assert sizes[0] < 0.8 * sizes[1]


def test_restaurants_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    step = DerivationChain.step

    def counted(self: DerivationChain, sweep: int, *, keep: bool) -> None:
        step(self, sweep, keep=keep)
        counts.append(sum(part.franchise.num_entries for part in self.learned.values()))

    monkeypatch.setattr(DerivationChain, "step", counted)
    train(120)
    assert max(counts[60:]) < 1.1 * max(counts[5:60])


def memory() -> float:
    """Return the megabytes of memory that this process has."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def can_measure() -> bool:
    """Tell whether there is memory to look at; a sanitizer keeps what was freed."""
    maps = Path("/proc/self/maps")
    return maps.exists() and "libasan" not in maps.read_text()


@pytest.mark.skipif(not can_measure(), reason="needs /proc, and no sanitizer")
@pytest.mark.parametrize("work", ["train", "parse", "latent"])
def test_memory_is_flat(work: str) -> None:
    seen: list[float] = []

    def look(sweep: Sweep) -> None:
        if sweep.number in (60, 300):
            seen.append(memory())

    if work == "train":
        settings = {"sweeps": 300, "samples": 1}
        bistro.train("ngram", TREES, seed=1, sampler=settings, session=Session(on_sweep=look))
    elif work == "latent":
        train(300, Session(on_sweep=look))
    else:
        model = train(2)
        for number in range(300):
            list(model.parse_all(TREES[:3], threads=1, marginals=True))
            look(Sweep(number + 1, 300, 0.0))
    assert len(seen) == 2
    assert seen[1] < seen[0] + 4, seen
    assert np.isfinite(seen).all()
