"""Laws of training: the seed decides everything, threads nothing; a stopped run can go on."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np

from bistro.inference.chains import Session, Sweep
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.models.base import Model

from .law import expect

Train = Callable[..., Model]
"""Trains a model; takes ``seed`` and ``session``, as `bistro.train` does."""


def check_training(train: Train, *, draws: bool = True, stops: bool = True) -> None:
    """Check the laws of training.

    Parameters
    ----------
    train
        Trains a model of few sweeps on little data, as in
        ``functools.partial(bistro.train, "ngram", data)``.
    draws
        Whether another seed gives another model.
    stops
        Whether training has several sweeps, so that it can be stopped between them.
    """
    check_seed(train, draws=draws)
    check_threads(train)
    check_stops(train, stops=stops)


def check_seed(train: Train, *, draws: bool = True) -> None:
    """Check that the same seed gives the same bytes, and that another gives another model."""
    first, again, other = train(seed=1), train(seed=1), train(seed=2)
    expect(first.to_bytes() == again.to_bytes(), "two files from one seed")
    before, after = first.arrays(), other.arrays()
    alike = before.keys() == after.keys() and all(
        np.array_equal(array, after[name]) for name, array in before.items()
    )
    expect(alike != draws, "another model" if draws else "the same model", "from another seed")


def check_threads(train: Train) -> None:
    """Check that the number of threads does not matter."""
    one, two = (train(seed=1, session=Session(threads=n)).to_bytes() for n in (1, 2))
    expect(one == two, "another model with two threads")


def check_stops(train: Train, *, stops: bool = True) -> int:
    """Check that training that was stopped, after any sweep, goes on as if it had not been.

    Returns after how many different sweeps it was stopped.
    """
    unbroken = Counter()
    expected = train(seed=1, session=unbroken.session()).to_bytes()
    with tempfile.TemporaryDirectory() as folder:
        for sweeps in count(1):
            checkpoint = Checkpoint(Path(folder) / f"{sweeps}.checkpoint", every_seconds=3600)
            first, rest = Counter(sweeps), Counter()
            try:
                found = train(seed=1, session=first.session(checkpoint)).to_bytes()
            except StoppedError:
                resumed = train(seed=1, session=rest.session(checkpoint, resume=True))
                expect(resumed.to_bytes() == expected, "another model, stopped after", sweeps)
                together = first.sweeps + rest.sweeps
                expect(together == unbroken.sweeps, "sweeps", together, unbroken.sweeps)
            else:
                expect(found == expected, "another model with a checkpoint")
                break
    expect((sweeps > 1) == stops, f"training was stopped {sweeps - 1} times")
    return sweeps - 1


class Counter:
    """Counts the sweeps of a training, over all its phases, and asks to stop after some."""

    def __init__(self, most: float = math.inf) -> None:
        self.sweeps = 0
        self._most = most

    def session(self, checkpoint: Checkpoint | None = None, *, resume: bool = False) -> Session:
        """Return a session of training that is counted."""
        return Session(checkpoint, resume, on_sweep=self._on_sweep, stop_requested=self._is_over)

    def _on_sweep(self, sweep: Sweep) -> None:
        self.sweeps += 1

    def _is_over(self) -> bool:
        return self.sweeps >= self._most
