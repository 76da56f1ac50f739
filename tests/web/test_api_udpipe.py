"""UDPipe's REST protocol, spoken as its clients speak it."""

from __future__ import annotations

import email.mime.multipart
import email.mime.nonmultipart
import email.policy
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from httpx import Response
from starlette.testclient import TestClient

import bistro
from bistro.cli.main import run
from bistro.models.abilities import PARSE
from bistro.models.base import Model
from bistro.treebank.treebank import read, write

TEXT = "The dog sleeps. It rains!\nThe cat (a small one) sees the old dog."
ALL = {"tokenizer": "", "tagger": "", "parser": ""}
FULL = """\
# sent_id = rare
# note = stays
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVBP\tMood=Ind\t3\taux\t_\tA=1
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
3.1\tdeeply\t_\tADV\t_\t_\t_\t_\t3:advmod\t_
4\t.\t.\tSYM\t.\t_\t3\tpunct\t_\t_

"""


def result(answer: Response) -> Any:
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert set(found) == {"model", "acknowledgements", "result"}
    return found["result"]


def columns(text: str, *numbers: int) -> list[list[str]]:
    rows = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]
    return [[row[number] for number in numbers] for row in rows]


def multipart(fields: Mapping[str, str]) -> dict[str, Any]:
    """Make a form with the standard library, as UDPipe's own client does."""
    message = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in fields.items():
        part = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    body = message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]
    return {"content": body, "headers": {"Content-Type": message["Content-Type"]}}


def test_models(client: TestClient) -> None:
    assert client.get("/models").json() == {
        "models": {
            "parser": ["tokenizer", "tagger", "parser"],
            "ngram": ["tokenizer"],
            "order": ["tokenizer"],
        },
        "default_model": "parser",
    }


def test_every_way_to_ask_gives_the_same(client: TestClient) -> None:
    fields = {"data": TEXT + " Café, 犬!", **ALL}
    asked = result(client.get("/process", params=fields))
    assert asked == result(client.post("/process", data=fields))
    assert asked == result(client.post("/process", **multipart(fields)))
    assert asked == result(client.post(f"/process?{urlencode(fields)}"))
    file = {"data": ("text.txt", fields["data"].encode())}
    assert asked == result(client.post("/process", files=file, data=ALL))
    assert asked == result(client.post("/process?model=parser", data={**fields, "model": ""}))


def test_text_is_split_tagged_and_parsed(client: TestClient, models: dict[str, Model]) -> None:
    found = result(client.post("/process", data={"data": TEXT, **ALL}))
    sentences = [block for block in found.split("\n\n") if block]
    assert len(sentences) == 3
    assert "# text = The cat (a small one) sees the old dog." in sentences[2]
    for sentence in sentences:
        rows = columns(sentence, 1, 3, 6, 7)
        parse = PARSE.of(models["parser"]).parse([form for form, *_ in rows])
        assert [tag for _, tag, _, _ in rows] == parse.tags
        assert [int(head) for _, _, head, _ in rows] == parse.heads
        assert [label for *_, label in rows] == parse.labels


def test_it_is_what_the_command_writes(
    client: TestClient, models: dict[str, Model], tmp_path: Path
) -> None:
    treebank = bistro.builtin(sentences=20, seed=9)
    write(treebank, tmp_path / "in.conllu")
    models["parser"].save(tmp_path / "parser.bistro")
    paths = [str(tmp_path / name) for name in ("parser.bistro", "in.conllu", "out.conllu")]
    assert run(["parse", *paths[:2], "-o", paths[2]]) == 0
    data = (tmp_path / "in.conllu").read_text()
    asked = {"data": data, "tagger": "", "parser": ""}
    assert result(client.post("/process", data=asked)) == (tmp_path / "out.conllu").read_text()


def test_what_was_not_asked_for_stays(client: TestClient) -> None:
    untouched = result(client.post("/process", data={"data": FULL}))
    assert untouched == FULL
    parsed = result(client.post("/process", data={"data": FULL, "parser": ""}))
    assert columns(parsed, 0, 1, 2, 3, 4, 5, 8, 9) == columns(FULL, 0, 1, 2, 3, 4, 5, 8, 9)
    assert "# note = stays" in parsed
    tagged = result(client.post("/process", data={"data": FULL, "tagger": ""}))
    assert columns(tagged, 0, 1, 2, 4, 5, 6, 7, 8, 9) == columns(FULL, 0, 1, 2, 4, 5, 6, 7, 8, 9)
    assert columns(tagged, 3) != columns(FULL, 3)


def test_a_parser_alone_leaves_missing_tags_missing(client: TestClient) -> None:
    words = {"data": "The dog sleeps .", "input": "horizontal", "parser": ""}
    assert columns(result(client.post("/process", data=words)), 3) == [["_"]] * 4


def test_other_formats(client: TestClient) -> None:
    words = "The dog sleeps .\nIt rains .\n"
    upright = words.replace("\n", "\n\n").replace(" ", "\n")
    for name, data in (("horizontal", words), ("vertical", upright)):
        assert result(client.post("/process", data={"data": data, "input": name})).count("\t") == 63
        asked = {"data": words, "input": "horizontal", "output": name}
        assert result(client.post("/process", data=asked)) == data
    plain = {"data": "It  rains. It\npours!", "tokenizer": "", "output": "plaintext"}
    assert result(client.post("/process", data=plain)) == "It rains.\nIt\npours!\n"
    generic = {"data": TEXT, "input": "generic_tokenizer"}
    assert result(client.post("/process", data=generic)) == result(
        client.post("/process", data={"data": TEXT, "tokenizer": ""})
    )


def test_options_of_the_tokenizer(client: TestClient) -> None:
    asked = {"data": "Yes. No.\nIt rains.", "tokenizer": "presegmented;ranges"}
    found = result(client.post("/process", data=asked))
    assert found.count("# sent_id") == 2
    assert "TokenRange=0:3" in found
    assert "SpaceAfter=No|TokenRange=12:17" in found
    answer = client.post("/process", data={**asked, "tokenizer": "rangers"})
    assert answer.status_code == 422
    assert "did you mean 'ranges'" in answer.json()["error"]


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"tagger": ""}, 422, "'data' is missing"),
        ({"data": "x", "output": "matxin"}, 422, "output"),
        ({"data": "x", "input": "pdf"}, 422, "input"),
        ({"data": "x", "model": "../../etc/passwd"}, 404, "no such model"),
        (
            {"data": "x", "model": "ngram", "tokenizer": "", "parser": ""},
            422,
            "does not have the ability 'parse'",
        ),
        ({"data": "1\tx\n"}, 422, "1: "),
        ({"data": "1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n"}, 422, "1: "),
        ({"data": "a\0b", "tokenizer": ""}, 422, "NUL"),
    ],
)
def test_errors(client: TestClient, fields: dict[str, Any], status: int, told: str) -> None:
    answer = client.post("/process", data=fields)
    assert answer.status_code == status
    assert told in answer.json()["error"]


def test_nothing_in_nothing_out(client: TestClient) -> None:
    assert result(client.post("/process", data={"data": "", **ALL})) == ""
    assert result(client.post("/process", data={"data": "\n", "parser": ""})) == ""


def test_bodies_that_are_no_form(client: TestClient) -> None:
    answer = client.post("/process", json={"data": "x"})
    assert answer.status_code == 400
    headers = {"content-type": "multipart/form-data"}
    assert client.post("/process", content=b"x", headers=headers).status_code == 400
    bad = client.post("/process", files={"data": ("x", b"\xff\xfe")}, data=ALL)
    assert bad.status_code == 400
    assert "UTF-8" in bad.json()["error"]


def test_the_result_is_a_valid_treebank(client: TestClient, tmp_path: Path) -> None:
    found = result(client.post("/process", data={"data": TEXT, **ALL}))
    (tmp_path / "found.conllu").write_text(found)
    assert len(read(tmp_path / "found.conllu")) == 3
