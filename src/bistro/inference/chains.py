"""Run chains to their last sweep, with support for progress reports, interruption and resumption.

A training run consists of a few chains that sweep in parallel. Everything that determines the
result is hashed into a fingerprint, so that only the run that wrote a checkpoint can continue from
it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from numpy.typing import NDArray

from bistro import config as configuration
from bistro.errors import ModelFileError
from bistro.inference.checkpoint import Checkpoint, PhaseCheckpoint, StoppedError, phase_entry
from bistro.inference.settings import SamplerSettings
from bistro.inference.trace import Trace
from bistro.inference.workers import Workers
from bistro.progress import phase
from bistro.sums import added
from bistro.version import __version__

Figures: TypeAlias = dict[str, float | list[float]]
"""Named statistics of a chain's state. Each statistic is one number, or one number per depth. The
statistics do not depend on how the parts of a state are named."""


def short(value: float) -> float:
    """Round a number to the precision used in a trace.

    >>> short(0.123456789), short(70000.0)
    (0.123457, 70000.0)
    """
    return float(f"{value:.6g}")


FAILURES = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Exceptions that a checkpoint can cause if it contains a state that cannot occur in training."""


@dataclass(frozen=True)
class Sweep:
    """The data that an observer of training receives after each sweep."""

    number: int
    total: int
    log_likelihood: float


@dataclass
class Session:
    """The checkpoint, callbacks and workers through which a caller controls a training run."""

    checkpoint: Checkpoint | None = None
    resume: bool = False
    on_start: Callable[[int, int], None] = lambda done, total: None
    """Called once, with the number of completed sweeps in the checkpoint and the total number of
    sweeps."""
    on_sweep: Callable[[Sweep], None] = lambda sweep: None
    on_words: Callable[[int, int], None] = lambda done, total: None
    """Called after each piece of raw text, with the number of words parsed so far and the total
    number of words."""
    on_note: Callable[[str], None] = lambda note: None
    """Called with a note about unexpected properties of the data."""
    stop_requested: Callable[[], bool] = lambda: False
    threads: int = 1
    """Number of chains that sweep at the same time. The result does not depend on it."""
    workers: Workers | None = None
    """The workers that parse raw text. By default, they are threads of this process."""
    share: float = 0.0
    """The share of training in the caller's total work, used to estimate the remaining time."""

    def saved(self, fingerprint: str) -> tuple[dict[str, Any], Mapping[str, NDArray[Any]]] | None:
        """Return the content of the checkpoint if this run resumes from one, otherwise None."""
        checkpoint = self.checkpoint if self.resume else None
        return checkpoint.load(fingerprint) if checkpoint else None

    def saved_phase(self, fingerprint: str) -> tuple[int, Mapping[str, NDArray[Any]]] | None:
        """Return the phase and the arrays of the checkpoint if this run resumes within a phase."""
        saved = self.saved(fingerprint)
        phase = saved[0].get(phase_entry(self.checkpoint)) if saved and self.checkpoint else None
        return (int(phase), saved[1]) if saved and phase is not None else None

    @contextmanager
    def reading_checkpoint(self) -> Iterator[None]:
        """Report the checkpoint as damaged if its content cannot be used."""
        try:
            yield
        except (IndexError, KeyError, TypeError, ValueError):
            assert self.checkpoint is not None
            raise ModelFileError(
                f"{self.checkpoint.path}: the file is damaged: delete it and start from the "
                "beginning"
            ) from None

    @contextmanager
    def continuing(self) -> Iterator[None]:
        """Raise an error that names the checkpoint if training fails after resuming from it."""
        try:
            yield
        except FAILURES as error:
            if not (self.resume and self.checkpoint and self.checkpoint.path.exists()):
                raise
            raise ModelFileError(
                f"{self.checkpoint.path}: training cannot be resumed from this file: delete it and "
                "start from the beginning"
            ) from error

    def for_phase(
        self, fingerprint: str, phase: int, carried: Mapping[str, NDArray[Any]]
    ) -> Session:
        """Return a session for one phase of a training run. All phases share one checkpoint."""
        if self.checkpoint is None:
            return self
        own = PhaseCheckpoint(self.checkpoint, fingerprint, phase, carried)
        return replace(self, checkpoint=own)


class Sweeping(Protocol):
    """The methods that every chain must have."""

    @property
    def is_deterministic(self) -> bool:
        """True if a second sweep cannot change anything."""

    def seat(self) -> None:
        """Initialise the state."""

    def step(self, sweep: int, *, keep: bool) -> None:
        """Perform one sweep, and keep the sample if `keep` is true."""

    def log_likelihood(self) -> float:
        """Return the log-likelihood of the current state."""

    def figures(self) -> Figures:
        """Return the values that the trace shows for the current state, by name."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that change from sweep to sweep, by name."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Return to a saved state."""


@dataclass(frozen=True)
class Stage:
    """A stage of training, in which chains sweep in parallel and the last samples are kept."""

    chains: Sequence[Sweeping]
    sweeps: int
    samples: int
    owners: Sequence[str] = ()
    """For each chain, a prefix for the names of its values in the trace. With only one model, the
    prefix is empty."""

    def _owned(self) -> Iterator[tuple[str, Sweeping]]:
        return zip(self.owners or [""] * len(self.chains), self.chains, strict=True)

    def figures(self) -> Figures:
        """Return the values that the trace shows for all chains."""
        return {o + name: one for o, c in self._owned() for name, one in c.figures().items()}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that change from sweep to sweep, by name."""
        return {o + name: array for o, c in self._owned() for name, array in c.state().items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore all chains from a saved state."""
        for owner, chain in self._owned():
            own = {n.removeprefix(owner): a for n, a in state.items() if n.startswith(owner)}
            chain.restore(own)


def run_chains(
    chains: Sequence[Sweeping],
    settings: SamplerSettings,
    fingerprint: str,
    session: Session,
    owners: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Run chains in parallel up to their last sweep, and return the trace of the likelihood."""
    total = 1 if all(chain.is_deterministic for chain in chains) else settings.sweeps
    return run_stages([Stage(chains, total, settings.samples, owners)], fingerprint, session)


def run_stages(stages: Sequence[Stage], fingerprint: str, session: Session) -> list[dict[str, Any]]:
    """Run stages one after another.

    Chains in a later stage start from the final states of earlier chains.
    """
    total = sum(stage.sweeps for stage in stages)
    trace = _begin(stages, fingerprint, session)
    session.on_start(len(trace), total)
    with phase("sampling", total=total, unit="sweeps", share=1.0) as work:
        work.skip(len(trace))
        for number in range(len(trace), total):
            stage = _sweep(stages, number, session.threads)
            log_likelihood = added(chain.log_likelihood() for chain in stage.chains)
            trace.append({"sweep": number + 1, "log_likelihood": log_likelihood, **stage.figures()})
            session.on_sweep(Sweep(number + 1, total, log_likelihood))
            work.advance(note=f"log-likelihood {log_likelihood:,.0f}")
            stopping = session.stop_requested() and number + 1 < total
            if session.checkpoint and (stopping or session.checkpoint.is_due()):
                session.checkpoint.save(fingerprint, {"trace": trace.rows()}, stage.state())
            if stopping:
                raise StoppedError(f"stopped after sweep {number + 1} of {total}")
    return trace.rows()


def _sweep(stages: Sequence[Stage], number: int, threads: int) -> Stage:
    """Perform the sweep with a given index, and return its stage."""
    stage, first = _stage_of(stages, number)
    if number == first:
        for chain in stage.chains:
            chain.seat()
    keep = number >= first + stage.sweeps - stage.samples
    _step(stage.chains, number, keep=keep, threads=threads)
    return stage


def _stage_of(stages: Sequence[Stage], sweep: int) -> tuple[Stage, int]:
    """Return the stage that contains a sweep, and the index of the first sweep of that stage."""
    first = 0
    for stage in stages:
        if sweep < first + stage.sweeps:
            return stage, first
        first += stage.sweeps
    raise IndexError(f"there is no sweep {sweep}")


def _step(chains: Sequence[Sweeping], sweep: int, *, keep: bool, threads: int) -> None:
    """Perform one sweep of every chain.

    Chains share no data, so several chains can sweep at the same time.
    """
    if threads == 1 or len(chains) == 1:
        for chain in chains:
            chain.step(sweep, keep=keep)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(chain.step, sweep, keep=keep) for chain in chains]:
            done.result()


def _begin(stages: Sequence[Stage], fingerprint: str, session: Session) -> Trace:
    """Restore the chains from the checkpoint, if there is one, and return its trace."""
    saved = session.saved(fingerprint)
    if not saved:
        return Trace()
    header, arrays = saved
    with session.reading_checkpoint():
        trace = Trace(header["trace"])
        stage, first = _stage_of(stages, len(trace) - 1)
        _check_kept(arrays, max(0, len(trace) - first - stage.sweeps + stage.samples))
        stage.restore(arrays)
        return trace


def _check_kept(arrays: Mapping[str, NDArray[Any]], expected: int) -> None:
    """Raise an error if a chain claims more or fewer samples than its sweeps have kept."""
    for name, array in arrays.items():
        if name.endswith(".kept_samples") and array.tolist() != [expected]:
            raise ValueError(f"{name} is {array.tolist()}, but must be [{expected}]")


def fingerprint_of(kind: str, config: Any, seed: int, digests: Sequence[str]) -> str:
    """Return a hash of everything that determines the result of a training run."""
    parts = [__version__, kind, configuration.to_dict(config), seed, list(digests)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
