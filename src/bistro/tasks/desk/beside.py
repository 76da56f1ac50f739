"""Background threads of a desk parse sentences and learn from confirmed sentences."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from bistro import system
from bistro._core import ComputationStopped, StopFlag
from bistro.errors import BistroError
from bistro.tasks.complete import lacking
from bistro.tasks.desk import learning
from bistro.tasks.desk.desk import Desk, Snapshot
from bistro.tasks.desk.suggest import doubts_of

PATIENCE = 0.5
"""Seconds between a change to the file and the next check."""
LOWER_PRIORITY = 10
"""The nice value of the background threads. Requests have priority over background threads."""


class Beside:
    """The background threads of one desk, which run until the desk is closed.

    Parameters
    ----------
    desk
        The desk.
    most_words
        Longer sentences are not parsed.
    """

    def __init__(self, desk: Desk, most_words: int) -> None:
        self.desk = desk
        self.most_words = most_words
        self.is_learning = False
        self._learned = 0
        """Number of confirmed sentences when the last model was trained."""
        self._stopping = threading.Event()
        self._news = threading.Condition()
        self._threads = [
            threading.Thread(target=self._run, args=(work,), daemon=True)
            for work in (self._read_all, self._learn_always)
        ]
        self._flags = [StopFlag(), StopFlag()]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Notify the background threads that the file has changed."""
        with self._news:
            self._news.notify_all()

    def close(self) -> None:
        """Stop the background threads, and wait until they have ended."""
        self._stopping.set()
        for flag in self._flags:
            flag.set()
        self.wake()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=10)

    def _run(self, work: Callable[[], None]) -> None:
        system.lower_priority(threading.get_native_id(), LOWER_PRIORITY)
        flag = self._flags[0 if work == self._read_all else 1]
        try:
            with flag:
                work()
        except ComputationStopped:
            pass

    def _wait(self) -> None:
        with self._news:
            if not self._stopping.is_set():
                self._news.wait(timeout=1.0)

    def _read_all(self) -> None:
        """Compute the model's uncertainty about every sentence, and update it after any change."""
        desk = self.desk
        counted = set[int]()
        read_at = -1
        while not self._stopping.is_set():
            if read_at == desk.revision:
                self._wait()
                continue
            # The answer to a decision already has the doubts of its sentence: wait for it.
            self._stopping.wait(PATIENCE if counted else 0.0)
            read_at = desk.revision
            for place in range(len(desk.document)):
                shot = desk.snapshot(place)
                if place not in counted:
                    desk.seen.add(shot.sentence)
                    counted.add(place)
                if desk.doubts_of.get(place) != (shot.version, desk.suggester.number):
                    self._note_doubt(shot)
                if self._stopping.is_set():
                    return

    def _note_doubt(self, shot: Snapshot) -> None:
        suggester = self.desk.suggester
        doubts: tuple[float, ...] | None = ()
        if not shot.is_done:
            try:
                is_short = len(shot.sentence) <= self.most_words
                doubts = doubts_of(shot.sentence, suggester.parser) if is_short else None
            except BistroError:
                doubts = None
        self.desk.note_doubts(shot, suggester.number, doubts)

    def _learn_always(self) -> None:
        while not self._stopping.is_set():
            confirmed = confirmed_in_order(self.desk)
            self._learned = min(self._learned, len(confirmed))
            every = self.desk.every
            if every and len(confirmed) - self._learned >= every:
                self.is_learning = True
                try:
                    self._learn(confirmed)
                finally:
                    self.is_learning = False
                    self.desk.touch(confirmed[-1])
            else:
                self._wait()

    def _learn(self, confirmed: Sequence[int]) -> None:
        desk = self.desk
        newest = confirmed[-max(desk.every, min(len(confirmed) - self._learned, 4 * desk.every)) :]
        self._learned = len(confirmed)
        with desk.lock:
            sentences = list(desk.document.sentences)
            model, parser = desk.suggester.model, desk.suggester.parser
        own = set(newest)
        whole = [i for i, s in enumerate(sentences) if len(s) and not lacking(s, parser)]
        known = [*desk.beside, *(sentences[i] for i in whole if i not in own)]
        judged = [sentences[i] for i in newest if not lacking(sentences[i], parser)]
        try:
            outcome = learning.learn(
                model, known, judged, stop_requested=lambda: self._stopping.is_set()
            )
        except BistroError as error:
            desk.problem = str(error)
            return
        desk.problem = ""
        desk.lessons.append(outcome.lesson)
        if outcome.model is not None:
            desk.swap(outcome.model)


def confirmed_in_order(desk: Desk) -> list[int]:
    """Return the confirmed sentences, in the order in which they were confirmed."""
    with desk.lock:
        events = [e["sentence"] for e in desk.document.past if e["done"] == [False, True]]
        order = list(dict.fromkeys(reversed(events)))[::-1]
        return [place for place in order if place in desk.document.done]
