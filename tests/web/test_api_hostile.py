"""A thousand bodies that mean no good, and requests made from the server's own description.

Whatever comes, the answer is JSON with a sentence, never a 500. The bodies are drawn from a fixed
seed: mutated good ones, random JSON, wrong types, huge numbers, deep nesting, damaged encodings.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog
from bistro.serve.limits import Limits

BODIES = 1000
GOOD: dict[str, dict[str, Any]] = {
    "/api/words": {"text": "It rains.", "split": "marks"},
    "/api/read": {"model": "parser", "text": "It rains.", "analyses": 2},
    "/api/parse": {"model": "parser", "words": ["It", "rains"], "kbest": 2, "samples": 1},
    "/api/generate": {"model": "ngram", "n": 1, "seed": 1, "temperature": 1.0, "prefix": "It"},
    "/api/linearize": {
        "model": "order",
        "words": ["rains", "it"],
        "heads": [0, 1],
        "labels": ["root", "nsubj"],
        "tags": ["VERB", "PRON"],
    },
}
FORM = {"data": "It rains.", "tokenizer": "", "tagger": "", "parser": "", "output": "conllu"}
TEXTS = [
    "",
    " ",
    "\x00",
    "\x01\x1b[2J\x7f",
    "\ud800",
    "\udfff\ud800",
    "\u202e\u2066",
    "\ufeff",
    "\u2028\u0085",
    "e\u0301" * 40,
    "🏳️‍🌈",
    "a" * 3000,
    "a " * 500,
    "." * 500,
    "../../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "C:\\windows\\win.ini",
    "parser.bistro",
    "parser\x00",
    "<script>alert(1)</script>",
    "'; DROP TABLE models; --",
    "${jndi:ldap://x}",
    "%s%n%x{0}{self}",
    "1\tIt\t_\t_\t_\t_\t9\t_\t_\t_",
    "<unk>",
    "</s>",
    "<s>",
]
NUMBERS = [
    *(0, -1, 1, 2, 5, 1 << 31, 1 << 63, (1 << 64) - 1, 1 << 64, -(1 << 63), 10**400),
    *(0.0, -0.0, 1e308, 5e-324, 1.5, -1e-9, float("nan"), float("inf"), float("-inf")),
]


def hostile_value(rng: random.Random, depth: int = 0) -> Any:
    """Return a value of any kind that JSON, or Python's idea of it, can have."""
    kinds = 5 if depth > 3 else 8
    match rng.randrange(kinds):
        case 0:
            return rng.choice(TEXTS)
        case 1:
            return rng.choice(NUMBERS)
        case 2:
            return rng.choice([None, True, False])
        case 3:
            return "".join(chr(rng.randrange(0x11_0000)) for _ in range(rng.randrange(20)))
        case 4:
            return rng.choice(["parser", "ngram", "order", "spaces", "conllu"])
        case 5:
            return [hostile_value(rng, depth + 1) for _ in range(rng.randrange(6))]
        case 6:
            return [rng.choice(["a", 0, 1, "", -1])] * rng.randrange(200)
        case _:
            names = [*GOOD["/api/read"], "heads", "words", "__proto__", "", "\ud800"]
            keys = rng.sample(names, 3)
            return {key: hostile_value(rng, depth + 1) for key in keys}


def changed(rng: random.Random, good: dict[str, Any]) -> dict[str, Any]:
    """Return a good body with one to three entries replaced, removed or added."""
    body = dict(good)
    for _ in range(rng.randrange(1, 4)):
        key = rng.choice([*good, "extra", "model", "words", "heads"])
        if rng.random() < 0.15:
            body.pop(key, None)
        elif isinstance(body.get(key), list) and body[key] and rng.random() < 0.6:
            entries = list(body[key])
            entries[rng.randrange(len(entries))] = hostile_value(rng, 3)
            body[key] = entries * rng.choice([1, 1, 1, 60])
        else:
            body[key] = hostile_value(rng)
    return body


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Return bytes with some of them lost, changed or doubled."""
    at = rng.randrange(len(content) + 1)
    match rng.randrange(6):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + rng.randbytes(rng.randrange(1, 9)) + content[at:]
        case 2:
            return content.replace(b'"', b"'")
        case 3:
            return content.decode("utf-8", "replace").encode(rng.choice(["utf-16", "utf-32"]))
        case 4:
            return rng.choice([b"[", b'{"a":', b'{"text":[']) * rng.choice([50, 5000, 90_000])
        case _:
            return rng.randbytes(rng.randrange(300))


def json_bytes(body: Any) -> bytes:
    return json.dumps(body).encode()


def hostile_request(rng: random.Random) -> tuple[str, bytes, str]:
    """Return an address, a body and its type."""
    path = rng.choice([*GOOD, "/process"])
    kind = "application/json"
    if path == "/process":
        fields = {**FORM, rng.choice(list(FORM)): rng.choice(TEXTS)}
        fields["input"] = rng.choice(["conllu", "vertical", "horizontal", *TEXTS])
        kind = rng.choice(["multipart/form-data; boundary=x", "application/x-www-form-urlencoded"])
        content = form_bytes(fields, multipart=kind.startswith("m"))
    else:
        content = json_bytes(changed(rng, GOOD[path]))
        if rng.random() < 0.2:
            content = json_bytes(hostile_value(rng))
    if rng.random() < 0.25:
        content = damaged(rng, content)
    if rng.random() < 0.05:
        kind = rng.choice(
            ["text/plain", "", "application/json; charset=utf-7", "multipart/form-data"]
        )
    return path, content, kind


def form_bytes(fields: dict[str, str], *, multipart: bool) -> bytes:
    if not multipart:
        return "&".join(f"{k}={v}" for k, v in fields.items()).encode("utf-8", "surrogatepass")
    parts = (
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    return ("".join(parts) + "--x--\r\n").encode("utf-8", "surrogatepass")


@pytest.fixture(scope="module")
def strict(catalog: Catalog) -> Iterator[TestClient]:
    """A client of small limits, which shows a bug as the server would, as a 500."""
    app = create_app(catalog, Limits(words=60, characters=2000, body=200_000))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def test_a_thousand_hostile_bodies(strict: TestClient, capfd: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(20)
    counts: dict[int, int] = {}
    for number in range(BODIES):
        path, content, kind = hostile_request(rng)
        answer = strict.post(path, content=content, headers={"content-type": kind})
        seen = f"{number}: {path} {kind} {content[:300]!r} -> {answer.status_code} {answer.text}"
        assert answer.status_code in (200, 400, 404, 413, 422), seen
        found = json.loads(answer.content, parse_constant=_no_constant)
        if answer.status_code != 200:
            assert list(found) == ["error"], seen
            assert "Traceback" not in found["error"]
            assert len(found["error"]) < 1000, seen
        counts[answer.status_code] = counts.get(answer.status_code, 0) + 1
    assert "Traceback" not in "".join(capfd.readouterr())
    # The bodies are of all kinds, so that each kind of answer was seen.
    assert all(counts.get(status, 0) >= 10 for status in (200, 400, 404, 413, 422)), counts
    assert strict.post("/api/words", json=GOOD["/api/words"]).status_code == 200


def _no_constant(name: str) -> float:
    raise AssertionError(f"{name} is not JSON")


def test_the_fuzzer_finds_a_planted_bug(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("bistro.serve.answers.read", broken)
    app = create_app(catalog)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        answer = client.post("/api/read", json=GOOD["/api/read"])
    assert answer.status_code == 500
    assert answer.json() == {"error": "the server has a bug; its log has the details"}


# ---- from the description ------------------------------------------------------------------------
CHECKS: list[Callable[..., Any]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def described(catalog: Catalog) -> BaseSchema:
    app = create_app(catalog, Limits(words=60, characters=2000, body=200_000))
    return schemathesis.openapi.from_asgi("/openapi.json", app, headers={"host": "localhost"})


OPERATIONS = [
    *((path, "POST") for path in [*GOOD, "/process"]),
    *((f"/inception/{{model}}/{verb}", "POST") for verb in ("predict", "train")),
    *((path, "GET") for path in ("/api/models", "/models", "/process", "/health", "/metrics")),
]
UNANSWERED = [("/api/phrases", "POST"), ("/api/states", "POST")]
"""No model here has these abilities."""
WITHOUT_PARAMETERS = ("/api/models", "/models", "/health", "/metrics")


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_the_description_is_true(
    described: BaseSchema, path: str, method: str, mode: GenerationMode
) -> None:
    operation = described[path][method]
    if mode.is_negative and path in WITHOUT_PARAMETERS:
        return  # nothing can be wrong with a request without parameters
    seen = []

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    def ask(case: Case[Any]) -> None:
        answer = case.call(headers={"host": "localhost"})
        case.validate_response(answer, checks=CHECKS)
        seen.append(answer.status_code)

    ask()
    # A tree, or a file in a format, is not found by chance.
    by_chance = path != "/api/linearize" and (path, method) != ("/process", "POST")
    by_chance = by_chance and not path.startswith("/inception/")
    assert 200 in seen or mode.is_negative or not by_chance


def test_the_description_names_every_operation(described: BaseSchema) -> None:
    operations = [one.ok() for one in described.get_all_operations() if isinstance(one, Ok)]
    found = {(operation.path, operation.method.upper()) for operation in operations}
    assert found == {*OPERATIONS, *UNANSWERED}
