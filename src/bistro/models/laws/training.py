"""Laws of training: the seed decides everything, threads nothing; a stopped run can go on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bistro.inference.chains import Session, Sweep
from bistro.inference.checkpoint import Checkpoint, StoppedError
from bistro.models.base import Model
from bistro.models.laws.law import LawError, expect

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

    Returns how many sweeps it was stopped after.
    """
    unbroken = train(seed=1).to_bytes()
    with tempfile.TemporaryDirectory() as folder:
        sweeps = 0
        while True:
            checkpoint = Checkpoint(Path(folder) / f"{sweeps + 1}.checkpoint", every_seconds=3600)
            stopper = Stopper(sweeps + 1)
            session = Session(checkpoint, on_sweep=stopper.on_sweep, stop_asked=stopper.is_over)
            try:
                found = train(seed=1, session=session).to_bytes()
            except StoppedError:
                sweeps += 1
                resumed = train(seed=1, session=Session(checkpoint, resume=True))
                expect(resumed.to_bytes() == unbroken, "another model, stopped after", sweeps)
                continue
            expect(found == unbroken, "another model with a checkpoint")
            break
    if bool(sweeps) != stops:
        raise LawError(f"training was stopped after {sweeps} sweeps")
    return sweeps


class Stopper:
    """Asks training to stop after some sweeps, counted over all its phases."""

    def __init__(self, sweeps: int) -> None:
        self._left = sweeps

    def on_sweep(self, sweep: Sweep) -> None:
        """Count a sweep."""
        self._left -= 1

    def is_over(self) -> bool:
        """Tell whether training is to stop."""
        return self._left <= 0
