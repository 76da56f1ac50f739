"""Altered journals, of the desk and of a search: refused in one sentence, or used as they are."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from bistro.errors import BistroError
from bistro.inference.journal import Journal
from bistro.tasks.desk.decisions import Join, SetFields, Split
from bistro.tasks.desk.document import SHOWN_OF_A_HASH, Document
from bistro.tasks.desk.patches import digest

from .cases import altered

CASES = 1500
SENTENCE = "1\tThe\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
ODD_LINES = ["", "{}", "[]", "null", "[" * 100_000, '{"seq":1' + "0" * 5000 + "}", "\x00", "\ufeff"]
SEARCH = {"kind": "transition", "seed": 1}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a journal of decisions of every kind."""
    found = tmp_path / "mine.conllu"
    found.write_text(SENTENCE * 3)
    document = Document.open(found)
    document.decide(0, 0, SetFields({1: {"upos": "DET", "lemmas": "the"}}), done=True)
    document.decide(1, 0, Split(2, ("d", "og")), notes={"offered": 3, "kept": 2})
    document.save()
    document.decide(2, 0, Join(1, 2))
    document.decide(0, 1, SetFields({2: {"heads": -1}}), done=False)
    document.undo(document.last)
    document.redo(document.last)
    document.undo(document.last)
    document.close()
    return found


def hostile(lines: list[str], rng: random.Random) -> list[str]:
    """Return a journal with a few changes, among them lines moved, lost or made up."""
    lines = list(lines)
    for _ in range(rng.choice([1, 1, 2])):
        i = rng.randrange(len(lines))
        how = rng.randrange(6)
        if how == 0:
            del lines[i]
        elif how == 1:
            lines.insert(i, rng.choice(lines))
        elif how == 2 or lines[i] in ODD_LINES:
            lines[i] = rng.choice(ODD_LINES)
        else:
            lines[i] = json.dumps(altered(json.loads(lines[i]), rng))
        if not lines:
            return [""]
    return lines


def use(path: Path) -> None:
    """Do with a file and its journal what the desk does."""
    document = Document.open(path)
    try:
        for act in (document.undo, document.redo):
            act(document.last)
        [str(document.sentence(place)) for place in range(len(document))]
    finally:
        document.close()


def tried(path: Path, content: str) -> str:
    path.with_name(path.name + ".journal").write_text(content, errors="surrogatepass")
    try:
        use(path)
    except BistroError as error:
        message = str(error)
        assert message and "\n" not in message and len(message) < 2000
        return "refused"
    return "used"


def test_journals_of_the_desk(path: Path) -> None:
    journal = path.with_name(path.name + ".journal")
    sound = journal.read_text().splitlines()
    files = (path.read_bytes(), (SENTENCE * 3).encode())
    ends = dict.fromkeys(("refused", "used"), 0)
    for number in range(CASES):
        rng = random.Random(f"journal {number}")
        path.write_bytes(rng.choice(files))
        ends[tried(path, "".join(f"{line}\n" for line in hostile(sound, rng)))] += 1
    assert min(ends.values()) > CASES / 20, ends


@pytest.mark.parametrize(
    "new", ["\ud800", "1\tx", "1\ta\t_\t_\t_\t_\t7\t_\t_\t_", "\n\n", "1\ta\n\n1\tb"]
)
def test_a_hash_that_fits_does_not_help(path: Path, new: str) -> None:
    path.write_bytes((SENTENCE * 3).encode())
    document_hash = digest(path.read_bytes())
    changed = "\n".join([new, *SENTENCE.split("\n")[1:]])
    event: dict[str, Any] = {"seq": 1, "sentence": 0, "do": {}, "at": 0}
    event |= {"old": SENTENCE.split("\n")[:1], "new": [new], "done": [False, False]}
    event["hash"] = digest(changed.encode(errors="surrogatepass"))[:SHOWN_OF_A_HASH]
    lines = [{"opened": document_hash, "journal": 1}, event]
    assert tried(path, "".join(json.dumps(line) + "\n" for line in lines)) == "refused"


def test_journals_of_a_search(tmp_path: Path) -> None:
    path = tmp_path / "best.toml.journal"
    journal = Journal(path, SEARCH)
    for order in range(4):
        journal.add({"order": order}, {"score": order / 7, "perplexity": 100.0 - order})
    sound = path.read_text().splitlines()
    ends = dict.fromkeys(("refused", "used"), 0)
    for number in range(CASES // 5):
        lines = hostile(sound, random.Random(f"search {number}"))
        path.write_text("".join(f"{line}\n" for line in lines), errors="surrogatepass")
        try:
            again = Journal(path, SEARCH)
        except BistroError as error:
            assert "\n" not in str(error) and str(error)
            ends["refused"] += 1
            continue
        trials = filter(None, (again.find({"order": order}) for order in range(4)))
        assert all(isinstance(trial["score"], float) for trial in trials)
        ends["used"] += 1
    assert min(ends.values()) > CASES / 100, ends
