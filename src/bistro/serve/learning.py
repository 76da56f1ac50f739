"""Models that learn from annotators while the server runs.

One model is trained at a time, on a low-priority thread. Requests use the old model until the new
model is ready. Clients that send documents in the meantime are asked to try again later.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import replace

from bistro._core import ComputationStopped, StopFlag
from bistro.errors import BistroError
from bistro.serve.catalog import Entry
from bistro.serve.fair import TooManyError
from bistro.serve.work import LOWER_PRIORITY
from bistro.system import lower_priority
from bistro.tasks.train import train
from bistro.treebank.sentence import Sentence

MOST_MODELS = 16
"""Maximum number of trained models in memory. The least recently used model is dropped first."""


class Learner:
    """A trainer for models that learn from clients' sentences.

    The trainer keeps the latest model for each client.

    Parameters
    ----------
    least
        Minimum number of complete sentences for training. None disables training.
    """

    def __init__(self, least: int | None) -> None:
        self.least = least
        self._models: OrderedDict[Hashable, Entry] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._stop = StopFlag()

    def latest(self, entry: Entry, who: Hashable) -> Entry:
        """Return the latest model trained for a client, or the served model if none was trained."""
        key = (entry.id, who)
        if key in self._models:
            self._models.move_to_end(key)
        return self._models.get(key, entry)

    def check(self) -> None:
        """Raise an error if learning is switched off or a model is being trained."""
        if self.least is None:
            raise BistroError("learning is switched off: start the server with --learn-after N")
        if self._thread is not None and self._thread.is_alive():
            raise TooManyError("a model is being trained: try again later")

    def learn(self, entry: Entry, who: Hashable, sentences: Sequence[Sentence]) -> bool:
        """Start training a model with the settings of `entry`.

        Returns whether there are enough sentences for training.
        """
        self.check()
        assert self.least is not None
        if len(sentences) < self.least:
            return False
        self._thread = threading.Thread(
            target=self._train, args=(entry, who, sentences), name="bistro-learn", daemon=True
        )
        self._thread.start()
        return True

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the current training run has finished."""
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        """Stop learning."""
        self._stop.set()
        self.wait(5.0)

    def _train(self, entry: Entry, who: Hashable, sentences: Sequence[Sentence]) -> None:
        lower_priority(threading.get_native_id(), LOWER_PRIORITY)
        parser = entry.able("parse")
        try:
            with self._stop:
                model = train(parser.kind, list(sentences), config=parser.config, seed=1)
        except ComputationStopped:
            return
        except BistroError as error:
            print(f"no model was trained for {who}: {error}", file=sys.stderr, flush=True)
            return
        parts = dict.fromkeys(("parse", "tag"), model)
        self._models[entry.id, who] = replace(entry, parts={**entry.parts, **parts})
        while len(self._models) > MOST_MODELS:
            self._models.popitem(last=False)
