"""Limits and errors: what is too large, too slow, too many, or not meant for this server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

import bistro
from bistro.serve import answers
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog
from bistro.serve.limits import Limits

SMALL = Limits(
    words=10, characters=100, analyses=3, sentences=2, prefix=4, document=20, body=2000, seconds=5
)


Asked = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def small(catalog: Catalog) -> Iterator[TestClient]:
    with TestClient(create_app(catalog, SMALL), base_url="http://localhost") as found:
        yield found


def read(**more: Any) -> Asked:
    return "/api/read", {"model": "parser", "text": "It rains.", **more}


def parse(**more: Any) -> Asked:
    return "/api/parse", {"model": "parser", "text": "It rains.", **more}


def generate(**more: Any) -> Asked:
    return "/api/generate", {"model": "parser", **more}


def order(**more: Any) -> Asked:
    return "/api/linearize", {"model": "order", "words": ["a", "b"], "heads": [0, 1], **more}


WIDE = {
    "words": ["a"] * 12,
    "heads": [0] + [1] * 11,
    "labels": ["x"] * 12,
    "tags": ["X"] * 12,
}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (read(text="a " * 11), "11 words"),
        (read(text="a" * 101), "101 characters"),
        (read(text=None, words=["a" * 60, "b" * 60]), "120 characters"),
        (read(text=None, words=["a"] * 11), "11 words"),
        (read(analyses=4), "4 analyses"),
        (parse(kbest=4), "4 analyses"),
        (parse(kbest=1, samples=4), "4 analyses"),
        (generate(n=3), "3 sentences"),
        (generate(prefix="a b c d e"), "5 words"),
        (order(n=4), "4 analyses"),
        (order(words=["a"] * 11, heads=[0] * 11), "11 words"),
        (("/api/words", {"text": "a" * 101}), "101 characters"),
        (("/api/words", {"text": "a" * 3000}), "larger than 2,000 bytes"),
    ],
)
def test_too_large(small: TestClient, asked: tuple[object, ...], told: str) -> None:
    answer = small.post(asked[0], json=asked[1])
    assert answer.status_code == 413
    assert told in answer.json()["error"]


def test_a_head_with_many_dependents_is_refused(client: TestClient) -> None:
    answer = client.post("/api/linearize", json={"model": "order", **WIDE})
    assert answer.status_code == 413
    assert "11 dependents" in answer.json()["error"]


def test_a_grammar_reads_sentences_up_to_a_limit_of_its_own() -> None:
    grammar = bistro.train("grammar", bistro.builtin_trees(sentences=50, seed=1), seed=1)
    answers = []
    for limits, length in ((Limits(), 100), (Limits(chart_words=3), 3), (Limits(chart_words=3), 4)):
        app = create_app(Catalog.of([("grammar", grammar)]), limits)
        with TestClient(app, base_url="http://localhost") as client:
            body = {"model": "grammar", "words": ["dog"] * length}
            answers.append(client.post("/api/read", json=body))
    assert [answer.status_code for answer in answers] == [200, 200, 413]
    assert "at most 3 with a treebank grammar" in answers[-1].json()["error"]


def test_documents_are_limited(small: TestClient) -> None:
    text = "One two three four five. " * 4
    answer = small.post("/process", data={"data": text, "tokenizer": "", "parser": ""})
    assert answer.status_code == 413
    assert "more than 20 words" in answer.json()["error"]


def test_a_body_without_a_length_is_limited_too(small: TestClient) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"text": "'
        for _ in range(100):
            yield b"a" * 100

    answer = small.post(
        "/api/words", content=pieces(), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        (read(model="absent"), 404, "parser, ngram, order"),
        (read(model="parser.bistro"), 404, "no such model"),
        (read(model="../parser"), 404, "no such model"),
        (parse(model="ngram"), 422, "does not have the ability 'parse'"),
        (read(model="order"), 422, "does not have the ability 'read'"),
        (read(text=None), 422, "either 'text' or 'words'"),
        (read(words=["a"]), 422, "either 'text' or 'words'"),
        (read(text=" "), 422, "at least one word"),
        (read(text=None, words=[]), 422, "words: "),
        (read(text=None, words=["a", ""]), 422, "words.1: "),
        (read(text=None, words=["a\tb"]), 422, "tab"),
        (read(text="a\0b"), 422, "NUL"),
        (read(text=5), 422, "text: "),
        (read(analyses=0), 422, "analyses: "),
        (read(analyses="3"), 422, "analyses: "),
        (read(analyses=True), 422, "analyses: "),
        (read(analyze=3), 422, "analyze: "),
        (read(split="letters"), 422, "split: "),
        (generate(temperature=0), 422, "temperature: "),
        (generate(seed=-1), 422, "seed: "),
        (generate(seed=1 << 64), 422, "seed: "),
        (generate(model="order"), 422, "does not have the ability 'generate'"),
        (order(heads=[0]), 422, "there are 1 heads for 2 words"),
        (order(heads=[2, 1]), 422, "head"),
        (order(heads=[0, 3]), 422, "outside the sentence"),
        (order(heads=[0, 0], labels=["x", "x"], tags=["X", "X"]), 422, "both have head 0"),
        (order(), 422, "word 1 has no"),
        (order(labels=["root"]), 422, "entries for 2 words"),
    ],
)
def test_errors_are_one_sentence(
    client: TestClient, asked: tuple[object, ...], status: int, told: str
) -> None:
    answer = client.post(asked[0], json=asked[1])
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    assert told in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b'{"text": NaN}', 422),
        (b'{"text": "\\ud800"}', 422),
        (b'{"text": "\xff"}', 400),
        (b'{"text": ' + b"9" * 5000 + b"}", 400),
        (b'{"text": "a", "text": "b"}', 200),
        (b"null", 422),
    ],
)
def test_bodies_that_are_no_json(client: TestClient, body: bytes, status: int) -> None:
    answer = client.post("/api/words", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("kind", "body", "status", "told"),
    [
        ("application/x-www-form-urlencoded", b"hello", 400, "Content-Type: application/json"),
        ("text/plain", b'{"text": "a"}', 400, "Content-Type: application/json"),
        ("application/json", b"[]", 422, "a JSON object"),
    ],
)
def test_bodies_of_another_kind_hear_what_is_wanted(
    client: TestClient, kind: str, body: bytes, status: int, told: str
) -> None:
    answer = client.post("/api/words", content=body, headers={"content-type": kind})
    assert answer.status_code == status
    assert told in answer.json()["error"]


def test_addresses_and_methods_that_do_not_exist(client: TestClient) -> None:
    for method, path, status in (
        ("GET", "/absent", 404),
        ("GET", "/static/../answers.py", 404),
        ("GET", "/static/%2e%2e/answers.py", 404),
        ("GET", "/static/%00", 404),
        ("GET", "/static//etc/passwd", 404),
        ("GET", "/redoc", 404),
        ("GET", "/api/read", 405),
        ("DELETE", "/api/models", 405),
    ):
        answer = client.request(method, path)
        assert answer.status_code == status, path
        assert answer.json()["error"]


# ---- too many, too slow --------------------------------------------------------------------------
def test_when_all_places_are_taken_others_are_sent_away(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = threading.Event()
    started = threading.Semaphore(0)
    plain = answers.read

    def slow(*arguments: Any) -> Any:
        started.release()
        assert hold.wait(30)
        return plain(*arguments)

    monkeypatch.setattr(answers, "read", slow)
    app = create_app(catalog, Limits(at_once=2, waiting=1, seconds=60, per_client=9))

    async def ask() -> tuple[list[httpx.Response], httpx.Response, httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            path, body = read()
            tasks = [asyncio.create_task(client.post(path, json=body)) for _ in range(3)]
            await asyncio.to_thread(started.acquire)
            await asyncio.to_thread(started.acquire)
            refused = await client.post(path, json=body)
            free = await client.post("/api/words", json={"text": "It rains."})
            hold.set()
            return await asyncio.gather(*tasks), refused, free

    answered, refused, free = asyncio.run(ask())
    assert [answer.status_code for answer in answered] == [200, 200, 200]
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) > 0
    assert free.status_code == 200


def test_a_computation_that_takes_too_long(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = threading.Event()
    monkeypatch.setattr(answers, "read", lambda *arguments: hold.wait(30))
    app = create_app(catalog, Limits(at_once=1, seconds=1))
    with TestClient(app, base_url="http://localhost") as client:
        path, body = read()
        late = client.post(path, json=body)
        assert late.status_code == 503
        assert "longer than 1 s" in late.json()["error"]
        hold.set()
        monkeypatch.undo()
        assert client.post(path, json=body).status_code == 200


def test_a_slow_body(catalog: Catalog) -> None:
    app = create_app(catalog, Limits(body_seconds=0.1))
    sent: list[Any] = []

    async def ask() -> None:
        async def receive() -> dict[str, Any]:
            await asyncio.sleep(10)
            return {}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", b"localhost")]
        scope = {"type": "http", "method": "POST", "path": "/api/words", "headers": headers}
        await app({**scope, "query_string": b"", "http_version": "1.1"}, receive, send)

    asyncio.run(ask())
    assert sent[0]["status"] == 408
