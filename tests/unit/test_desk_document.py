"""A file on the desk: bytes, the journal, undo and redo, conflicts, faults of the disk."""

from __future__ import annotations

import errno
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from bistro.errors import BistroError, OutputError
from bistro.tasks.desk.decisions import Join, SetFields, Split
from bistro.tasks.desk.document import ConflictError, Document
from bistro.tasks.desk.journal import Journal
from bistro.tasks.desk.patches import Patch, StaleError

RICH = (
    "\ufeff\n# newdoc id = d\n# sent_id = 1\n# text = I can't.\n"
    "1\tI\tI\tPRON\tPRP\tCase=Nom\t_\t_\t2:nsubj|2.1:x\t_\n"
    "2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    "2\tca\tcan\tAUX\tMD\t_\t_\t_\t_\tA=b\n"
    "2.1\tgo\tgo\tVERB\t_\t_\t_\t_\t0:root\t_\n"
    "3\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_\n"
    "4\t.\t.\tPUNCT\t.\t_\t_\t_\t_\t_\n\n\n"
    "# sent_id = 2\r\n1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\r\n2\ton\t_\t_\t_\t_\t01\tx\t_\t_\r\n\r\n"
    "1\tlast\t_\t_\t_\t_\t_\t_\t_\t_"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with everything that a file can have."""
    found = tmp_path / "mine.conllu"
    found.write_bytes(RICH.encode())
    return found


def set_head(document: Document, place: int, word: int, head: int) -> None:
    document.decide(place, document.versions[place], SetFields({word: {"heads": head}}))


def reopened(document: Document) -> Document:
    """Return the file as a new process finds it after this one was killed."""
    document.close()
    return Document.open(document.path)


def test_only_what_was_decided_changes(path: Path) -> None:
    document = Document.open(path)
    assert document.content() == RICH.encode()
    fields: dict[str, int | str] = {"heads": 0, "deprels": "root", "upos": "VERB"}
    fields |= {"lemmas": "ca n", "feats": "A=b|C=d"}
    document.decide(0, 0, SetFields({2: fields}))
    set_head(document, 1, 2, 1)
    document.decide(2, 0, SetFields({1: {"xpos": "JJ"}}))
    document.save()
    expected = RICH.replace(
        "2\tca\tcan\tAUX\tMD\t_\t_\t_\t_\tA=b", "2\tca\tca n\tVERB\tMD\tA=b|C=d\t0\troot\t_\tA=b"
    ).replace("last\t_\t_\t_", "last\t_\t_\tJJ")
    assert path.read_bytes() == expected.encode()  # "01" is the head that it is, and stays


def test_undo_and_redo_go_all_the_way(path: Path) -> None:
    document = Document.open(path)
    states = [document.content()]
    steps: list[tuple[int, Any]] = [
        (0, SetFields({1: {"heads": 2}})),
        (0, Split(4, [".", "."], multiword=True)),
        (1, Join(1, 2)),
        (0, Join(2, 3)),
        (2, SetFields({1: {"heads": 0, "deprels": "root"}})),
    ]
    for place, decision in steps:
        document.decide(place, document.versions[place], decision)
        states.append(document.content())
    assert len(set(states)) == len(steps) + 1
    for expected in reversed(states[:-1]):
        document.undo(document.last)
        document = reopened(document)
        assert document.content() == expected
    with pytest.raises(BistroError, match="nothing to undo"):
        document.undo(document.last)
    for expected in states[1:]:
        document.redo(document.last)
        document = reopened(document)
        assert document.content() == expected
    with pytest.raises(BistroError, match="nothing to redo"):
        document.redo(document.last)
    document.undo(document.last)
    set_head(document, 2, 1, 0)
    with pytest.raises(BistroError, match="nothing to redo"):
        document.redo(document.last)
    assert document.versions[2] == 5


def test_nothing_is_lost_at_any_byte_of_the_journal(path: Path, tmp_path: Path) -> None:
    document = Document.open(path)
    set_head(document, 0, 1, 2)
    document.decide(1, 0, SetFields({}), done=True)
    document.save()
    set_head(document, 0, 3, 2)
    document.undo(document.last)
    document.close()
    journal = document.journal.path.read_bytes()
    saved = path.read_bytes()
    lines = journal.splitlines(keepends=True)
    ends = [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]
    other = tmp_path / "other.conllu"
    for cut in {
        *ends[1:],
        *(e + d for e in ends[1:-1] for d in (1, 40)),
        *(e - 1 for e in ends[2:]),
    }:
        whole = max(end for end in ends if end <= cut)
        events = [json.loads(line) for line in journal[:whole].splitlines()]
        other.write_bytes(saved if any("saving" in event for event in events) else RICH.encode())
        Path(f"{other}.journal").write_bytes(journal[:cut])
        found = Document.open(other)
        assert found.last == sum("sentence" in e or "undo" in e for e in events)
        assert Path(f"{other}.journal").stat().st_size == whole
        found.close()


def test_killed_between_the_note_of_saving_and_the_file(path: Path) -> None:
    document = Document.open(path)
    set_head(document, 0, 1, 2)
    before = document.content()
    document.journal.append({"saving": "0" * 64, "seq": document.last})
    document = reopened(document)
    assert (document.content(), document.unsaved) == (before, 1)
    document.save()
    document = reopened(document)
    assert (document.content(), document.unsaved) == (before, 0)
    document.undo(document.last)
    assert document.content() == RICH.encode()


def test_saving_and_going_on_keeps_undo(path: Path) -> None:
    document = Document.open(path)
    set_head(document, 0, 1, 2)
    document.save()
    set_head(document, 0, 3, 2)
    document = reopened(document)
    assert document.unsaved == 1
    document.undo(document.last)
    document.undo(document.last)
    assert document.content() == RICH.encode()
    document.save()
    assert path.read_bytes() == RICH.encode()


def test_a_second_window_is_told(path: Path) -> None:
    document = Document.open(path)
    set_head(document, 0, 1, 2)
    with pytest.raises(ConflictError, match="another window"):
        document.decide(0, 0, SetFields({1: {"heads": 3}}))
    document.decide(1, 0, SetFields({1: {"upos": "X"}}))  # another sentence is no conflict
    with pytest.raises(ConflictError, match="newer decisions"):
        document.undo(1)
    with pytest.raises(ConflictError, match="newer decisions"):
        document.redo(1)
    with pytest.raises(BistroError, match="another process"):
        Document.open(path)


def test_another_program_is_not_overwritten(path: Path) -> None:
    document = Document.open(path)
    set_head(document, 0, 1, 2)
    path.write_bytes(b"1\tother\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    with pytest.raises(ConflictError, match="changed by another program"):
        document.save()
    document.close()
    with pytest.raises(ConflictError, match="1 decisions that are not in the file"):
        Document.open(path)
    path.write_bytes(RICH.encode())
    document = Document.open(path)
    assert document.unsaved == 1
    path.write_bytes(b"?")
    document.save(overwrite=True)
    assert path.read_bytes() == document.content()
    document.close()
    path.write_bytes(RICH.encode().replace(b"last", b"lost"))
    other = Document.open(path)  # nothing was open: the file is taken as it is
    assert (other.unsaved, other.past) == (0, [])


def test_a_full_disk_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document.open(path)
    set_head(document, 0, 1, 2)
    before = document.journal.path.read_bytes()
    content = document.content()

    def full(descriptor: int, data: Any) -> int:
        if len(data) > 10:
            return real(descriptor, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    real = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OutputError, match="no space left on device"):
            set_head(document, 0, 3, 2)
        with pytest.raises(OutputError, match="no space left"):
            document.save()
    assert document.journal.path.read_bytes() == before
    assert document.content() == content
    assert document.versions[0] == 1
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", lambda descriptor: full(descriptor, b""))
        with pytest.raises(OutputError):
            set_head(document, 0, 3, 2)
    assert path.read_bytes() == RICH.encode()
    set_head(document, 0, 3, 2)
    document.save()
    assert path.read_bytes() == document.content() != content


def test_a_failed_save_leaves_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document.open(path)
    set_head(document, 0, 1, 2)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("bistro.system.rename_open", fail)
        with pytest.raises(OutputError):
            document.save()
    assert path.read_bytes() == RICH.encode()
    assert document.unsaved == 1
    document = reopened(document)
    assert document.unsaved == 1
    document.save()


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (SetFields({9: {"heads": 1}}), "no word 9"),
        (SetFields({1: {"heads": 9}}), "outside"),
        (SetFields({1: {"heads": 1}}), "its own head"),
        (SetFields({1: {"heads": 2}, 2: {"heads": 1}}), "circle"),
        (SetFields({1: {"misc": "x"}}), "cannot be changed"),
        (SetFields({1: {"upos": "a\tb"}}), "tab"),
        (SetFields({1: {"upos": ""}}), "spaces around it"),
        (SetFields({1: {"deprels": "a b"}}), "cannot contain spaces"),
        (SetFields({1: {"heads": "2"}}), "number of a word"),
        (Split(1, ["I", ""]), "spaces around it"),
    ],
)
def test_what_cannot_be_decided_is_said(path: Path, decision: Any, said: str) -> None:
    document = Document.open(path)
    with pytest.raises(BistroError, match=said):
        document.decide(0, 0, decision)
    assert (document.last, document.content()) == (0, RICH.encode())


def test_a_damaged_journal_is_refused(path: Path) -> None:
    Document.open(path).close()
    journal = Path(f"{path}.journal")
    journal.write_bytes(journal.read_bytes() + b"[]\n")
    with pytest.raises(BistroError, match=":2: this is not a valid journal line"):
        Journal.beside(path)
    journal.write_bytes(b'{"opened":"x","journal":99}\n')
    with pytest.raises(BistroError, match="another version"):
        Document.open(path)
    with pytest.raises(StaleError):
        Patch(0, ["x"], ["y"]).applied("a\nb")


def test_random_decisions_are_found_again(path: Path) -> None:
    rng = random.Random(1)
    document = Document.open(path)
    for _ in range(60):
        act = rng.choice(["set", "set", "undo", "redo", "save", "reopen", "done"])
        place = rng.randrange(3)
        try:
            if act == "set":
                word = rng.randint(1, len(document.sentence(place)))
                set_head(document, place, word, rng.randint(-1, len(document.sentence(place))))
            elif act == "done":
                is_done = rng.random() < 0.5
                document.decide(place, document.versions[place], SetFields({}), done=is_done)
            elif act in ("undo", "redo"):
                getattr(document, act)(document.last)
            elif act == "save":
                document.save()
        except BistroError:
            pass
        seen = (document.content(), document.versions, document.done, document.last)
        counted = (len(document.past), len(document.future), document.unsaved)
        document = reopened(document)
        assert (document.content(), document.versions, document.done, document.last) == seen
        assert (len(document.past), len(document.future), document.unsaved) == counted
