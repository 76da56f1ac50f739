"""Who may ask: names of hosts, origins of pages, keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bistro.errors import BistroError
from bistro.serve.access import LOOPBACK, read_keys
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog

KEYS = {"0123456789abcdef": "ann", "fedcba9876543210": "bob"}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LocalHost:8000", 200),
        ("127.0.0.1:1", 200),
        ("127.0.0.7:1", 200),
        ("192.168.1.5", 200),
        ("[::1]:8000", 200),
        ("[::1]", 200),
        ("evil.example", 400),
        ("evil.example:8000", 400),
        ("localhost.evil.example", 400),
        ("127.0.0.1.evil.example", 400),
        ("localhost:evil", 400),
        ("", 400),
    ],
)
def test_only_names_of_this_machine(client: TestClient, host: str, status: int) -> None:
    answer = client.get("/api/models", headers={"host": host})
    assert answer.status_code == status
    assert status == 200 or "--allow-host" in answer.json()["error"]


def test_other_names_if_allowed(catalog: Catalog) -> None:
    allowed = TestClient(create_app(catalog, hosts={*LOOPBACK, "bistro.example"}))
    assert allowed.get("/models", headers={"host": "bistro.example"}).status_code == 200
    assert allowed.get("/models", headers={"host": "other.example"}).status_code == 400
    every = TestClient(create_app(catalog, hosts=None))
    assert every.get("/models", headers={"host": "other.example"}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://localhost"}, 200),
        ({"origin": "https://localhost:443"}, 200),
        ({"origin": "http://localhost:8000", "host": "localhost:8000"}, 200),
        ({"origin": "http://localhost:9000", "host": "localhost:8000"}, 403),
        ({"origin": "https://page.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost.page.example"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
    ],
)
def test_pages_of_other_sites_may_not_ask(
    client: TestClient, headers: dict[str, str], status: int
) -> None:
    form = {"data": "It rains.", "tokenizer": ""}
    answers = [
        client.post("/process", data=form, headers=headers),
        client.get("/process", params=form, headers=headers),
        client.post("/api/words", json={"text": "It rains."}, headers=headers),
    ]
    assert [answer.status_code for answer in answers] == [status] * 3
    assert status == 200 or "--allow-origin" in answers[0].json()["error"]


def test_links_of_other_sites_lead_to_the_page(client: TestClient) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200


def test_other_origins_if_allowed(catalog: Catalog) -> None:
    origin = {"origin": "https://page.example"}
    app = create_app(catalog, origins=["https://page.example"], keys=KEYS)
    client = TestClient(app, base_url="http://localhost")
    wanted = {"access-control-request-method": "POST"}
    wanted["access-control-request-headers"] = "authorization"
    before = client.options("/process", headers={**origin, **wanted})
    assert before.status_code == 200
    key = {"authorization": "Bearer 0123456789abcdef"}
    allowed = client.get("/models", headers={**origin, **key}).headers
    assert allowed["access-control-allow-origin"] == "https://page.example"
    assert allowed["x-content-type-options"] == "nosniff"
    other = client.get("/models", headers={"origin": "https://other.example", **key})
    assert other.status_code == 403
    assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        ("Bearer 0123456789abcde", 401),
        ("Bearer 0123456789abcdef0", 401),
        ("Basic 0123456789abcdef", 401),
        ("Bearer 0123456789abcdéf", 401),
        ("Bearer 0123456789abcdef", 200),
        ("bearer fedcba9876543210", 200),
    ],
)
def test_keys(catalog: Catalog, header: str | None, status: int) -> None:
    client = TestClient(create_app(catalog, keys=KEYS), base_url="http://localhost")
    headers = {} if header is None else {"authorization": header.encode()}
    for path in ("/api/models", "/models", "/openapi.json", "/nowhere"):
        answer = client.get(path, headers=headers)
        assert answer.status_code == (404 if (path, status) == ("/nowhere", 200) else status)
    if status == 401:
        assert "Bearer" in answer.json()["error"]
        assert answer.headers["www-authenticate"] == "Bearer"
    assert client.get("/", headers=headers).status_code == 200
    assert client.get("/static/main.js", headers=headers).status_code == 200


def test_a_file_of_keys(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("# for the lab\n\nann 0123456789abcdef\nfedcba9876543210\n")
    assert read_keys(str(path)) == {"0123456789abcdef": "ann", "fedcba9876543210": "in line 4"}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no key"),
        (b"# 0123456789abcdef", "no key"),
        (b"short", ":1: "),
        (b"ann 0123456789abcdef x", ":1: "),
        ("0123456789abcdefé".encode(), ":1: "),
        (b"\xff", "UTF-8"),
    ],
)
def test_a_file_without_keys(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "keys"
    path.write_bytes(content)
    with pytest.raises(BistroError, match=told):
        read_keys(str(path))


def test_no_file_of_keys(tmp_path: Path) -> None:
    with pytest.raises(BistroError, match="no such file"):
        read_keys(str(tmp_path / "absent"))


def test_the_policy_of_the_page_is_strict(client: TestClient) -> None:
    policy = client.get("/").headers["content-security-policy"]
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in policy
    assert "http" not in policy
