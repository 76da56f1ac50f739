"""The addresses of the desk, asked by programs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import bistro
from bistro.models.base import Model
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog
from bistro.serve.desks import Desks
from bistro.treebank.treebank import write

Ask = Callable[..., Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Twelve sentences: eight without trees, then four with."""
    whole = list(bistro.builtin(sentences=12, seed=7))
    bare = [s.replace(heads=[-1] * len(s), deprels=["_"] * len(s)) for s in whole[:8]]
    path = tmp_path / "mine.conllu"
    write([*bare, *whole[8:]], path)
    return path


@pytest.fixture
def desk(file: Path, catalog: Catalog) -> Iterator[TestClient]:
    """A server with the file on its desk."""
    desks = Desks(catalog, [file], folder=file.parent, every=3)
    app = create_app(catalog, desks=desks)
    with TestClient(app, base_url="http://localhost") as client:
        yield client


@pytest.fixture
def ask(desk: TestClient) -> Ask:
    """Ask the desk, and expect a status."""

    def asked(name: str, /, status: int = 200, **body: Any) -> Any:
        answer = desk.post(f"/api/desk/{name}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if name != "text" else answer.text

    return asked


def confirm(ask: Ask, place: int) -> Any:
    """Accept everything that is suggested for a sentence."""
    shown = ask("show", sentence=place)
    found, words = shown["suggestion"], range(len(shown["columns"]["forms"]))
    values = {
        str(word + 1): {
            name: found[name][word]
            for name in found["sure"]
            if found["sure"][name][word] is not None
        }
        for word in words
    }
    body = {"sentence": place, "version": shown["version"], "set": values, "done": True}
    return ask("decide", **body)


def test_a_sentence_from_open_to_done(ask: Ask, desk: TestClient, file: Path) -> None:
    before = file.read_bytes()
    assert desk.get("/api/desk").json()["files"] == ["mine.conllu"]
    rows = ask("list")["rows"]
    assert [row[3] for row in rows] == ["open"] * 8 + ["whole"] * 4
    shown = ask("show", sentence=0)
    words = len(shown["columns"]["forms"])
    found = shown["suggestion"]
    assert len(found["heads"]) == words
    assert all(0 <= p <= 1 for p in found["sure"]["heads"])
    head = found["heads"][0]
    other = next(h for h in range(1, words + 1) if h not in (head, 1))
    answer = ask("decide", sentence=0, version=0, set={"1": {"heads": other}})
    assert answer["shown"]["columns"]["heads"][0] == other
    assert answer["shown"]["suggestion"]["sure"]["heads"][0] is None
    assert (answer["status"]["undo"], answer["status"]["unsaved"]) == (1, 1)
    assert ask("undo", last=1)["shown"]["columns"]["heads"][0] == -1
    assert ask("redo", last=2)["shown"]["columns"]["heads"][0] == other
    ask("undo", last=3)
    done = confirm(ask, 0)
    assert done["shown"]["state"] == "done"
    assert done["status"]["learning"]["curve"] == [[2 * words, 2 * words]]
    assert file.read_bytes() == before
    saved = ask("save")
    assert saved["unsaved"] == 0
    assert file.read_text("utf-8") == ask("text") != before.decode()
    tree = bistro.read(file, partial=True)[0]
    assert tree.heads == done["shown"]["suggestion"]["heads"]


def test_conflicts_are_told(ask: Ask, file: Path) -> None:
    ask("decide", sentence=0, version=0, set={"1": {"upos": "X"}})
    refused = ask("decide", status=409, sentence=0, version=0, set={"1": {"upos": "ADV"}})
    assert "another window" in refused["error"]
    assert "newer decisions" in ask("undo", status=409, last=0)["error"]
    file.write_bytes(b"# other\n" + file.read_bytes())
    assert "another program" in ask("save", status=409)["error"]
    ask("save", overwrite=True)


def test_words_are_split_and_joined(ask: Ask) -> None:
    forms = ask("show", sentence=0)["columns"]["forms"]
    word = next(i for i, form in enumerate(forms) if len(form) > 1)
    form = forms[word]
    split = {"word": word + 1, "forms": [form[:1], form[1:]]}
    answer = ask("decide", sentence=0, version=0, split=split)
    assert len(answer["shown"]["columns"]["forms"]) == len(forms) + 1
    answer = ask("decide", sentence=0, version=1, join=[word + 1, word + 2])
    assert answer["shown"]["columns"]["forms"] == forms


def test_alternatives_and_findings(ask: Ask) -> None:
    whole = ask("show", sentence=8)
    heads = whole["columns"]["heads"]
    assert ask("findings", sentence=0)["findings"] == []
    word = heads.index(0) % len(heads) + 1
    wrong = whole["columns"]["upos"][word - 1]
    wrong = "VERB" if wrong != "VERB" else "DET"
    ask("decide", sentence=8, version=0, set={str(word): {"upos": wrong}})
    found = ask("findings", sentence=8)["findings"]
    mine = next(one for one in found if one["word"] == word and one["what"] == "tag")
    assert mine["annotated"] == wrong
    assert mine["alternative_probability"] > mine["probability"]
    asked = ask("word", sentence=8, word=word)
    assert asked["shares"]["upos"][0][0] == mine["alternative"]
    ask("decide", sentence=8, version=1, set={str(word): mine["values"]})


def test_it_learns_beside_the_work(ask: Ask, file: Path) -> None:
    for place in range(4):
        confirm(ask, place)
    until = time.monotonic() + 60
    while not (lessons := ask("changes", since=0)["learning"]["lessons"]):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert lessons[0]["judged_words"] > 0
    rows = ask("list")["rows"]
    assert all(row[4] is not None for row in rows[:4])


def test_orders(ask: Ask) -> None:
    until = time.monotonic() + 30
    while any(row[4] is None for row in ask("list")["rows"]):
        assert time.monotonic() < until
        time.sleep(0.05)
    doubts = [row[4] for row in ask("list")["rows"]]
    order = ask("order", by="doubt")["order"]
    assert sorted(order) == list(range(12))
    assert [doubts[i] for i in order] == sorted(doubts, reverse=True)
    assert ask("order", by="file")["order"] == list(range(12))


def test_a_file_is_brought_in_pieces(ask: Ask, desk: TestClient, file: Path) -> None:
    text = "1\tHé\t_\t_\t_\t_\t_\t_\t_\t_\r\n\r\n"
    name = "new.conllu"
    assert ask("open", name=name, text=text[:5], first=True, last=False)["file"] == ""
    assert ask("open", name=name, text=text[5:], first=False, last=True)["file"] == name
    assert (file.parent / name).read_bytes() == text.encode()
    assert ask("show", file=name, sentence=0)["columns"]["forms"] == ["Hé"]
    for wrong in ("../x.conllu", "x.exe", ".x.conllu", "a/b.conllu"):
        ask("open", status=422, name=wrong, text="", first=True, last=True)
    bad = ask("open", status=422, name="bad.conllu", text="1\tx\n\n", first=True, last=True)
    assert "bad.conllu:1" in bad["error"]
    assert not (file.parent / "bad.conllu").exists()
    assert "mine.conllu" in ask("show", status=422, file="other", sentence=0)["error"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"sentence": 99, "version": 0}, "no sentence 100"),
        ({"sentence": 0, "version": 0, "set": {"x": {"heads": 1}}}, "word numbers"),
        ({"sentence": 0, "version": 0, "set": {"1": {"misc": "a"}}}, "misc"),
        ({"sentence": 0, "version": 0, "set": {"1": {"heads": 1}}}, "its own head"),
        (
            {"sentence": 0, "version": 0, "set": {"1": {"heads": 2}}, "join": [1, 2]},
            "give only one",
        ),
    ],
)
def test_wrong_decisions_are_refused(ask: Ask, body: dict[str, Any], said: str) -> None:
    assert said in ask("decide", status=422, **body)["error"]


def test_without_a_file_there_is_no_desk(client: TestClient) -> None:
    assert client.get("/desk").status_code == 404
    assert client.get("/api/desk").status_code == 404
    assert client.post("/api/desk/list", json={}).status_code == 404


def test_a_desk_needs_a_parser(models: dict[str, Model], file: Path) -> None:
    with pytest.raises(bistro.BistroError, match="needs a parser"):
        Desks(Catalog.of([("ngram", models["ngram"])]), [file])
