"""Progress of long computations, with named phases, step counts and the estimated remaining time.

Code that may take several seconds reports its progress, and the command line shows it.

    with phase("sampling", total=20, unit="sweeps") as work:
        for _ in range(20):
            ...
            work.advance()

Phases can be nested. The `share` of a phase is the fraction of the enclosing phase that it
represents. While an inner phase runs, the progress of the outer phase increases by at most the
inner phase's share. The progress of work whose parts differ in length can therefore be shown on a
single scale.

    with phase("training"):
        with phase("first member", share=0.7, total=passes) as work: ...
        with phase("second member", share=0.3, total=sweeps) as work: ...

The remaining time is estimated for the outermost phase with known progress. The estimate is the
time taken so far, divided by the finished fraction, times the remaining fraction. Steps that a
checkpoint already contains (`Phase.skip`) took no time and do not count as done. The estimate is
shown only after two percent of the work is done.

Phases have no effect without an observer or in threads other than the observed thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")
LEAST_FRACTION = 0.02
"""The fraction of the work that must be done before the remaining time is estimated."""


@dataclass(eq=False)
class Phase:
    """A phase of a long computation, with its progress.

    Parameters
    ----------
    name
        Description of the work, as in "reading train.conllu".
    total
        Number of steps; None if it is not known, or if inner phases measure the progress.
    unit
        Name of the steps, in the plural; shown if it is given.
    share
        The part of the enclosing phase that this one represents, or the number of steps if the
        enclosing phase counts steps.
    """

    name: str
    total: float | None = None
    unit: str = ""
    share: float = 0.0
    note: str = ""
    done: float = 0.0
    skipped: float = 0.0
    """Number of steps that were completed before this run began."""
    counted: int = 0
    """Number of processed items, if items are counted separately from steps."""
    began: float = 0.0
    scaled: float | None = None
    """Time at which the first inner phase with a share began. Earlier work is ignored in the
    estimate."""
    moved: float = 0.0
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def advance(self, steps: float = 1.0, note: str | None = None) -> None:
        """Add to the number of finished steps, and optionally change the note."""
        self.reach(self.done + steps, note)

    def reach(self, done: float, note: str | None = None) -> None:
        """Set the total number of finished steps."""
        self.done = done
        self.moved = self.clock()
        if note is not None:
            self.note = note

    def skip(self, steps: float) -> None:
        """Count the steps of an earlier run as finished."""
        self.done += steps
        self.skipped += steps

    def count(self, items: int, unit: str = "") -> None:
        """Count processed items, in addition to the steps of the phase."""
        self.counted += items
        self.unit = unit or self.unit
        self.moved = self.clock()


class _Reached(NamedTuple):
    """The fraction of a phase that is done, and the fraction that was done before this run."""

    done: float
    skipped: float


class Work:
    """The running phases of an observed thread, outermost first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.thread = threading.get_ident()
        self.phases: list[Phase] = []
        self.pauses = 0
        """Number of nested pauses. Progress is hidden while this number is above 0."""

    def begin(self, phase: Phase) -> None:
        """Enter a phase."""
        phase.clock = self.clock
        phase.began = phase.moved = self.clock()
        if phase.share and self.phases and self.phases[-1].scaled is None:
            self.phases[-1].scaled = phase.began
        self.phases.append(phase)

    def end(self, phase: Phase) -> None:
        """End a phase, and advance the enclosing phase by its share."""
        place = self.phases.index(phase)
        if place and phase.share:
            outer, before = self.phases[place - 1], self._reached(place).skipped
            outer.skipped += phase.share * before
            outer.reach(outer.done + phase.share)
        self.phases.remove(phase)

    def _reached(self, place: int) -> _Reached:
        """Return the progress of a phase, including its inner phases."""
        phase = self.phases[place]
        size = phase.total or 1.0
        done, skipped = phase.done / size, phase.skipped / size
        if place + 1 < len(self.phases):
            inner = self.phases[place + 1]
            if inner.share:
                reached = self._reached(place + 1)
                done += inner.share / size * reached.done
                skipped += inner.share / size * reached.skipped
        return _Reached(min(done, 1.0), min(skipped, 1.0))

    def fraction(self) -> float | None:
        """Return the completed fraction of the outermost phase with known progress, or None."""
        place = self._measured()
        return None if place is None else self._reached(place).done

    def _measured(self) -> int | None:
        for place, phase in enumerate(self.phases):
            inside = self.phases[place + 1 : place + 2]
            if phase.total or phase.done or any(inner.share for inner in inside):
                return place
        return None

    def seconds_left(self) -> float | None:
        """Return the estimated seconds remaining in the outermost phase with known progress."""
        place = self._measured()
        if place is None:
            return None
        phases = self.phases[place:]
        reached = self._reached(place)
        gained = reached.done - reached.skipped
        if gained < LEAST_FRACTION or reached.done >= 1.0:
            return None
        # Steps may come in bursts; between two steps, only the elapsed time is known.
        moved = max(phase.moved for phase in phases)
        taken = moved - (phases[0].began if phases[0].scaled is None else phases[0].scaled)
        left = taken * (1.0 - reached.done) / gained
        waited = self.clock() - moved
        # If no step comes for longer than expected, the estimate was too short.
        return max(left - waited, waited / 2)


_observed: Work | None = None


@contextmanager
def observing(clock: Callable[[], float] = time.monotonic) -> Iterator[Work]:
    """Observe the phases of the current thread while the context is active."""
    global _observed
    before, work = _observed, Work(clock)
    _observed = work
    try:
        yield work
    finally:
        _observed = before


def observed() -> Work | None:
    """Return the phases of the current thread, or None if the thread is not observed."""
    work = _observed
    return work if work is not None and work.thread == threading.get_ident() else None


@contextmanager
def phase(
    name: str, *, total: float | None = None, unit: str = "", share: float = 0.0
) -> Iterator[Phase]:
    """Begin a phase of work, which ends when the context exits (see `Phase`)."""
    own, work = Phase(name, total, unit, share), observed()
    if work is None:
        yield own
        return
    work.begin(own)
    try:
        yield own
    finally:
        work.end(own)


def spared(share: float) -> None:
    """Mark a fraction of the current phase as done in an earlier run."""
    with phase("", share=share) as own:
        own.skip(1.0)


@contextmanager
def paused() -> Iterator[None]:
    """Suspend the display of progress, for example while the user types."""
    work = observed()
    if work is None:
        yield
        return
    work.pauses += 1
    try:
        yield
    finally:
        work.pauses -= 1


def each(
    items: Iterable[Item], name: str, total: float | None = None, unit: str = "", share: float = 0.0
) -> Iterator[Item]:
    """Yield the items, and count each item as one step of a phase.

    A step is complete when the next item is requested.
    """
    with phase(name, total=total, unit=unit, share=share) as work:
        for number, item in enumerate(items, start=1):
            yield item
            work.reach(number)  # Inner phases may have advanced it within the step.


def pace(sentences: int, words: int, *, seconds: float) -> str:
    """Return the numbers of processed sentences and words, and the speed, as text for a report.

    >>> pace(1, 8, seconds=0.5)
    '1 sentence, 8 words, 16 words/s'
    """
    parts = [number_of(sentences, "sentence"), number_of(words, "word")]
    return ", ".join([*parts, f"{words / max(seconds, 1e-9):,.0f} words/s"])


def number_of(number: int, noun: str) -> str:
    """Return a number with a noun in the singular or plural.

    >>> number_of(1, "word"), number_of(1200, "word")
    ('1 word', '1,200 words')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
