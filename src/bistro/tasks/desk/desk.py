"""An annotation desk with one file and the model that makes suggestions for it.

Decisions are made one at a time. Two background threads run at the same time. One thread computes
the model's uncertainty about each sentence, and the other learns from confirmed sentences. A new
model replaces the old model between two requests.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bistro.errors import BistroError
from bistro.models.abilities import PARSE, Parser
from bistro.models.base import Model
from bistro.models.committee.model import CommitteeModel
from bistro.tasks.desk import suggest as suggesting
from bistro.tasks.desk.decisions import Decision, SetFields
from bistro.tasks.desk.document import Document
from bistro.tasks.desk.learning import Lesson
from bistro.tasks.desk.suggest import Finding, Suggestion
from bistro.treebank.fields import EMPTY
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import MISSING

KEPT_SUGGESTIONS = 300
EVERY = 25
"""Default number of confirmed sentences after which a new model is trained."""


@dataclass(frozen=True)
class Suggester:
    """A model that makes suggestions, and its number, which is 0 for the first model."""

    model: Model
    number: int
    parser: Parser
    committee: CommitteeModel | None
    """The model as a committee, if it can score annotated values."""

    @classmethod
    def of(cls, model: Model, number: int = 0) -> Suggester:
        """Prepare a model for the desk."""
        parser = PARSE.of(model)
        committee: CommitteeModel | None
        try:
            committee = CommitteeModel.of([parser])  # type: ignore[list-item]
        except BistroError:
            committee = None
        return cls(model, number, parser, committee)


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a sentence."""

    place: int
    version: int
    sentence: Sentence
    is_done: bool


@dataclass
class Seen:
    """The lemmas and features of each form in the file, starting with the most frequent."""

    lemmas: dict[str, Counter[str]] = field(default_factory=dict)
    feats: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, sentence: Sentence) -> None:
        """Count the lemmas and features in a sentence."""
        rows = zip(sentence.forms, sentence.lemmas, sentence.feats, strict=True)
        for form, lemma, feats in rows:
            key = form.lower()
            if lemma != EMPTY:
                self.lemmas.setdefault(key, Counter())[lemma] += 1
            if feats != EMPTY:
                self.feats.setdefault(key, Counter())[feats] += 1

    def of(self, form: str) -> dict[str, list[str]]:
        """Return the lemmas and features of a form, by column."""
        key = form.lower()
        most = suggesting.MOST_SHOWN
        return {
            "lemmas": [v for v, _ in self.lemmas.get(key, Counter()).most_common(most)],
            "feats": [v for v, _ in self.feats.get(key, Counter()).most_common(most)],
        }


class Desk:
    """A desk with one file, the decisions about it, and the model that makes suggestions.

    Parameters
    ----------
    document
        The file.
    model
        A parser.
    every
        Number of confirmed sentences between two training runs; 0 disables training.
    beside
        Further sentences to learn from.
    """

    def __init__(
        self,
        document: Document,
        model: Model,
        *,
        every: int = EVERY,
        beside: Sequence[Sentence] = (),
    ) -> None:
        self.document = document
        self.suggester = Suggester.of(model)
        self.every = every
        self.beside = list(beside)
        self.lock = threading.RLock()
        self.seen = Seen()
        self.doubts: list[tuple[float, ...] | None] = [None] * len(document)
        self.doubts_of: dict[int, tuple[int, int]] = {}
        """The sentence version and the model number for which each uncertainty was computed."""
        self.lessons: list[Lesson] = []
        self.problem = ""
        """The reason why the last training run failed, or an empty string."""
        self.revision = 0
        """Number of changes made to the list of sentences so far."""
        self.touched: dict[int, int] = {}
        """The revision at which each sentence last changed."""
        self._suggestions: OrderedDict[tuple[int, int, int], Suggestion] = OrderedDict()

    def snapshot(self, place: int) -> Snapshot:
        """Return the current state of a sentence."""
        with self.lock:
            sentence = self.document.sentence(place)
            is_done = place in self.document.done
            return Snapshot(place, self.document.versions[place], sentence, is_done)

    def suggestion(self, shot: Snapshot) -> Suggestion:
        """Return the model's suggestions for a sentence."""
        suggester = self.suggester
        key = (shot.place, shot.version, suggester.number)
        with self.lock:
            if key in self._suggestions:
                return self._suggestions[key]
        suggestion = suggesting.suggest(shot.sentence, suggester.parser)
        with self.lock:
            self._suggestions[key] = suggestion
            if len(self._suggestions) > KEPT_SUGGESTIONS:
                self._suggestions.popitem(last=False)
        if suggestion.doubts:
            self.note_doubts(shot, suggester.number, suggestion.doubts)
        return suggestion

    def note_doubts(self, shot: Snapshot, model: int, doubts: tuple[float, ...] | None) -> None:
        """Store a model's uncertainty about a sentence, unless the sentence has since changed."""
        with self.lock:
            if shot.version != self.document.versions[shot.place]:
                return
            self.doubts_of[shot.place] = (shot.version, model)
            if self.doubts[shot.place] != doubts:
                self.doubts[shot.place] = doubts
                self.touch(shot.place)

    def ask_word(self, shot: Snapshot, word: int) -> dict[str, Any]:
        """Return alternatives for a word, and the lemmas and features of its form in the file."""
        if not 1 <= word <= len(shot.sentence):
            raise BistroError(
                f"there is no word {word}: the words are numbered from 1 to {len(shot.sentence)}"
            )
        alternatives = suggesting.ask_word(shot.sentence, word, self.suggester.parser)
        return {**alternatives, **self.seen.of(shot.sentence.forms[word - 1])}

    def findings(self, shot: Snapshot) -> list[Finding]:
        """Return the values that the model considers suspicious in a fully annotated sentence."""
        committee = self.suggester.committee
        return suggesting.findings(shot.sentence, committee) if committee else []

    def decide(
        self, place: int, version: int, decision: Decision, done: bool | None = None
    ) -> None:
        """Make a decision, and record how many of the suggestions were kept."""
        with self.lock:
            notes = self._kept(place, version, decision)
            self.document.decide(place, version, decision, done=done, notes=notes)
            self.touch(place)

    def undo(self, last: int) -> int:
        """Undo the last decision, and return the index of its sentence."""
        with self.lock:
            place = self.document.undo(last)
            self.touch(place)
            return place

    def redo(self, last: int) -> int:
        """Redo a decision, and return the index of its sentence."""
        with self.lock:
            place = self.document.redo(last)
            self.touch(place)
            return place

    def save(self, *, overwrite: bool) -> None:
        """Write the file."""
        with self.lock:
            self.document.save(overwrite=overwrite)
            self.revision += 1

    def touch(self, place: int) -> None:
        """Record that the list entry for a sentence has changed."""
        with self.lock:
            self.revision += 1
            self.touched[place] = self.revision

    def swap(self, model: Model) -> None:
        """Replace the model that makes suggestions."""
        with self.lock:
            self.suggester = Suggester.of(model, self.suggester.number + 1)
            self._suggestions.clear()
            self.revision += 1

    def _kept(self, place: int, version: int, decision: Decision) -> dict[str, int]:
        """Count the open fields that a decision fills in, and those filled as suggested."""
        key = (place, version, self.suggester.number)
        suggestion = self._suggestions.get(key)
        if suggestion is None or not isinstance(decision, SetFields):
            return {}
        offered = kept = 0
        for word, fields in decision.values.items():
            if not 1 <= word <= len(suggestion.heads):
                continue
            own = suggestion.values(word - 1)
            for name, value in fields.items():
                if name in own and value not in (MISSING, EMPTY):
                    offered += 1
                    kept += own[name] == value
        return {"offered": offered, "kept": kept} if offered else {}

    def curve(self) -> list[tuple[int, int]]:
        """Return how many suggestions were made and kept for each confirmed sentence."""
        with self.lock:
            open_counts: dict[int, list[int]] = {}
            rows = []
            for event in self.document.past:
                counts = open_counts.setdefault(event["sentence"], [0, 0])
                counts[0] += event.get("offered", 0)
                counts[1] += event.get("kept", 0)
                if event["done"] == [False, True]:
                    rows.append((counts[0], counts[1]))
                    open_counts.pop(event["sentence"])
            return rows
