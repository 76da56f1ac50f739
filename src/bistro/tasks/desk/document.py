"""A CoNLL-U file on the desk, whose decisions can be undone, redone and saved.

The text of every sentence is kept as it was read. A decision replaces the changed lines in memory
and is recorded in the journal. The file itself changes only when it is saved. Saving either
replaces the whole file or leaves it unchanged.

>>> import bistro, tempfile
>>> from pathlib import Path
>>> from bistro.tasks.desk.decisions import SetFields
>>> from bistro.treebank.treebank import write
>>> path = Path(tempfile.mkdtemp()) / "mine.conllu"
>>> write(list(bistro.builtin(sentences=3, seed=1)), path)
>>> document = Document.open(path)
>>> document.decide(1, 0, SetFields({1: {"upos": "X"}}))
>>> document.sentence(1).upos[0], document.versions[1], document.unsaved
('X', 1, 1)
>>> document.undo(document.last), document.unsaved, document.sentence(1).upos[0] == "X"
(1, 2, False)
>>> document.close()
"""

from __future__ import annotations

import datetime
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bistro.errors import BistroError, TreebankError
from bistro.files import InputError, explain, writing
from bistro.tasks.desk.decisions import Decision
from bistro.tasks.desk.events import Event
from bistro.tasks.desk.journal import VERSION, Journal
from bistro.tasks.desk.patches import Patch, StaleError, digest
from bistro.treebank.column_file import ColumnReader
from bistro.treebank.conllu import CONLLU
from bistro.treebank.detect import PeekedStream
from bistro.treebank.keeping import memory_of_sentence, read_all
from bistro.treebank.resegment import sentence_of
from bistro.treebank.sentence import Sentence

SHOWN_OF_A_HASH = 16
PLAIN_SUFFIXES = (".conllu", ".conll", ".txt")


class ConflictError(BistroError):
    """The sentence or the file has been changed in another window or by another program."""


class Document:
    """A file on the desk. The methods of this class must not be called concurrently.

    Parameters
    ----------
    path
        The file.
    content
        The content of the file.
    journal
        The journal of the file.
    """

    def __init__(self, path: Path, content: bytes, journal: Journal) -> None:
        self.path = path
        self.journal = journal
        self.sentences = _read(path, content)
        """The sentences, which are never changed in place, so that each sentence matches its text
        in `as_read`."""
        self.versions = [0] * len(self.sentences)
        """Number of changes to each sentence, including undo and redo."""
        self.done: set[int] = set()
        """The sentences that the annotator has confirmed."""
        self.disk = digest(content)
        """The digest of the file's content when this desk last read or wrote the file."""
        self.past: list[Event] = []
        """The decisions that can be undone, with the most recent decision at the end."""
        self.future: list[Event] = []
        """The undone decisions that can be redone, with the next one to redo at the end."""
        self.last = 0
        """The number of the last event."""
        self.unsaved = 0
        """Number of events that are not yet saved in the file."""
        self._recover()

    @classmethod
    def open(cls, path: Path) -> Document:
        """Open a file, and apply the decisions in its journal that are not yet in the file."""
        content = _content(path)
        journal = Journal.beside(path)
        try:
            return cls(path, content, journal)
        except BaseException:
            journal.close()
            raise

    def __len__(self) -> int:
        return len(self.sentences)

    def sentence(self, place: int) -> Sentence:
        """Return a sentence by its position, counted from 0."""
        if not 0 <= place < len(self.sentences):
            raise BistroError(
                f"there is no sentence {place + 1}: the sentences are numbered from 1 to "
                f"{len(self)}"
            )
        return self.sentences[place]

    def content(self) -> bytes:
        """Return the content of the file with all decisions applied."""
        return "".join(sentence.as_read for sentence in self.sentences).encode()

    def decide(
        self,
        place: int,
        version: int,
        decision: Decision,
        *,
        done: bool | None = None,
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a decision.

        Parameters
        ----------
        place
            The sentence, from 0.
        version
            The version of the sentence that the decision was made for.
        decision
            What to change.
        done
            Whether the sentence becomes confirmed; None leaves its status unchanged.
        notes
            Additional entries for the journal.
        """
        before = self.sentence(place)
        self._check_version(place, version)
        after = decision.applied(before)
        old, new = str(before), str(after)
        was = place in self.done
        state = was if done is None else done
        if new == old and state == was:
            return
        patch = Patch.between(old, new)
        event: Event = {
            "seq": self.last + 1,
            "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "sentence": place,
            "do": decision.noted(),
            **vars(patch),
            "done": [was, state],
            "hash": digest(new)[:SHOWN_OF_A_HASH],
            **(notes or {}),
        }
        self.journal.append(event)
        self._put(place, sentence_of(new), is_done=state)
        self.past.append(event)
        self.future.clear()
        self._count()

    def undo(self, last: int) -> int:
        """Undo the last decision, and return the index of its sentence.

        `last` is the number of the last event that the caller has received.
        """
        self._check_last(last)
        if not self.past:
            raise BistroError("there is nothing to undo")
        return self._turn(self.past[-1], forward=False, is_new=True)

    def redo(self, last: int) -> int:
        """Redo the decision that was undone last, and return the index of its sentence."""
        self._check_last(last)
        if not self.future:
            raise BistroError("there is nothing to redo")
        return self._turn(self.future[-1], forward=True, is_new=True)

    def save(self, *, overwrite: bool = False) -> None:
        """Write the whole file. If writing fails, the old file is kept.

        With `overwrite`, the file is written even if another program has changed it.
        """
        content = self.content()
        if not overwrite and self.changed_on_disk():
            raise ConflictError(
                f"{self.path.name} has been changed by another program since it was opened: saving "
                "would overwrite the changes"
            )
        new = digest(content)
        self.journal.append({"saving": new, "seq": self.last})
        with writing(self.path) as stream:
            stream.write(content)
        self.disk = new
        self.unsaved = 0

    def changed_on_disk(self) -> bool:
        """Return whether the file has changed on disk since this desk last read or wrote it."""
        try:
            return digest(self.path.read_bytes()) != self.disk
        except OSError:
            return True

    def close(self) -> None:
        """Release the file for other processes."""
        self.journal.close()

    def _check_version(self, place: int, version: int) -> None:
        if version != self.versions[place]:
            raise ConflictError(
                f"sentence {place + 1} was changed in another window: the new version is shown, "
                "and your decision was not applied"
            )

    def _check_last(self, last: int) -> None:
        if last != self.last:
            raise ConflictError(
                "there are newer decisions from another window: they are shown now, and "
                "nothing was undone or redone"
            )

    def _put(self, place: int, sentence: Sentence, *, is_done: bool) -> None:
        self.sentences[place] = sentence
        self.versions[place] += 1
        (self.done.add if is_done else self.done.discard)(place)

    def _count(self) -> None:
        self.last += 1
        self.unsaved += 1

    def _turn(self, event: Event, *, forward: bool, is_new: bool, text: bool = True) -> int:
        """Undo or redo a decision.

        If `text` is false, the sentence stays unchanged, and only the lists of decisions are
        updated.
        """
        place: int = event["sentence"]
        sentence = self.sentences[place]
        if text:
            patch = _patch(event) if forward else _patch(event).inverse
            sentence = sentence_of(patch.applied(str(sentence)))
        if is_new:
            self.journal.append(
                {"seq": self.last + 1, ("redo" if forward else "undo"): event["seq"]}
            )
        self._put(place, sentence, is_done=event["done"][forward])
        source, target = (self.future, self.past) if forward else (self.past, self.future)
        source.pop()
        target.append(event)
        self._count()
        return place

    def _recover(self) -> None:
        """Apply the decisions in the journal that are not yet in the file."""
        events = self.journal.events
        marks = [i for i, event in enumerate(events) if _mark(event)]
        known = [i for i in marks if _mark(events[i]) == self.disk]
        if not known:
            if marks and any("seq" in event for event in events[marks[-1] + 1 :]):
                number = len(events) - marks[-1] - 1
                raise ConflictError(
                    f"{self.path} has been changed by another program, and "
                    f"{self.journal.path.name} has {number} decisions that are not in the file: "
                    "restore the file, or discard the decisions by moving the journal to "
                    "another folder"
                )
            self.journal.append({"opened": self.disk, "journal": VERSION})
            return
        # Decisions made before the file was replaced cannot be undone in the new one.
        start = max((i for i in marks if i <= known[-1] and "opened" in events[i]), default=0)
        for i, event in enumerate(events[start:], start=start):
            self._do_again(event, text=i > known[-1])
            if i == known[-1]:
                self.unsaved = 0

    def _do_again(self, event: Event, *, text: bool) -> None:
        if _mark(event):
            return
        if "undo" in event or "redo" in event:
            forward = "redo" in event
            pile = self.future if forward else self.past
            if not pile or pile[-1]["seq"] != event["redo" if forward else "undo"]:
                raise self._misfit(event)
            self._turn(pile[-1], forward=forward, is_new=False, text=text)
            return
        place = event["sentence"]
        sentence = self.sentence(place)
        if text:
            changed = _patch(event).applied(str(sentence))
            if digest(changed)[:SHOWN_OF_A_HASH] != event["hash"]:
                raise self._misfit(event)
            sentence = sentence_of(changed)
        self._put(place, sentence, is_done=event["done"][1])
        self.past.append(event)
        self.future.clear()
        self._count()

    def _misfit(self, event: Event) -> StaleError:
        return StaleError(
            f"{self.journal.path}: decision {event['seq']} does not match the file; move the "
            "journal to another folder to begin a new journal"
        )


def _mark(event: Event) -> str | None:
    """Return the digest of the file's content from an event, or None if the event has none."""
    mark: str | None = event.get("opened") or event.get("saving")
    return mark


def _patch(event: Event) -> Patch:
    return Patch(event["at"], event["old"], event["new"])


def _content(path: Path) -> bytes:
    if path.suffix not in PLAIN_SUFFIXES:
        raise BistroError(f"{path}: the desk opens only uncompressed CoNLL-U files (.conllu)")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {explain(error)}") from None


def _read(path: Path, content: bytes) -> list[Sentence]:
    reader = ColumnReader(CONLLU, str(path), roots="any", partial=True)
    stream = PeekedStream(io.BytesIO(content))
    sentences = read_all(stream, lambda: reader.iter_sentences(stream), memory_of_sentence)
    if not sentences:
        raise TreebankError("the file has no sentences", path=str(path))
    return sentences
