"""What those who run the server see: documentation, health, figures, the access log."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bistro.errors import BistroError
from bistro.serve.access_log import Served, open_log
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog

KEYS = {"0123456789abcdef": "ann"}
KEY = {"authorization": "Bearer 0123456789abcdef"}
SAMPLE = re.compile(r'([a-z_]+)(\{(?:[a-z0-9_]+="[^"\\\n]*",?)+\})? (-?[0-9.e+-]+)')
LINE = re.compile(
    r'(\S+) - (\S+) \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] "([A-Z]+) (\S+) HTTP/1\.1" '
    r"(\d{3}) (\d+) (\d+\.\d{3})"
)


@pytest.fixture
def fresh(catalog: Catalog) -> TestClient:
    """A client of an application that nobody has asked yet."""
    return TestClient(create_app(catalog), base_url="http://localhost")


# ---- documentation -----------------------------------------------------------------------------
class Links(HTMLParser):
    """Collects what a page refers to, and checks that its tags are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_documentation_has_every_address(fresh: TestClient) -> None:
    answer = fresh.get("/docs")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    page = Links()
    page.feed(answer.text)
    assert page.open == []
    description = fresh.get("/openapi.json").json()
    for path, methods in description["paths"].items():
        for method in methods:
            assert f"<h2><code>{method.upper()} {path}</code></h2>" in answer.text
    assert "/metrics" in description["paths"] and "/health" in description["paths"]
    assert len(page.ids) == len(set(page.ids))


def test_the_documentation_needs_no_script_and_no_other_host(fresh: TestClient) -> None:
    page = Links()
    page.feed(fresh.get("/docs").text)
    assert not page.tags & {"script", "style", "iframe", "img"}
    for link in page.found:
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert not re.match(r"[a-z]+:|//", link)
            assert fresh.get(f"/{link.removeprefix('./')}").status_code == 200


def test_the_documentation_names_fields_types_and_limits(fresh: TestClient) -> None:
    text = fresh.get("/docs").text
    assert (
        "<code>kbest</code>" in text and "at most 20" in text and "default: <code>5</code>" in text
    )
    assert "<code>parser</code>" in text


def test_the_examples_of_the_documentation_are_answered(fresh: TestClient) -> None:
    examples = re.findall(r"<pre><code>(.*?)</code></pre>", fresh.get("/docs").text)
    assert len(examples) == 7
    for example in examples:
        program, _, address, option, body = shlex.split(unescape(example))
        assert (program, option) == ("curl", "--json")
        path = address.removeprefix("http://127.0.0.1:8000")
        answer = fresh.post(path, json=json.loads(body))
        if path in ("/api/phrases", "/api/states"):  # No model here has these abilities.
            assert answer.status_code == 422 and "does not have the ability" in answer.text
            continue
        assert answer.status_code == 200, answer.text


def test_the_documentation_shows_no_models_where_keys_are_needed(catalog: Catalog) -> None:
    client = TestClient(create_app(catalog, keys=KEYS), base_url="http://localhost")
    answer = client.get("/docs")
    assert answer.status_code == 200
    assert "<code>ngram</code>" not in answer.text and '"ngram"' not in answer.text
    assert "MODEL" in answer.text


# ---- health ------------------------------------------------------------------------------------
def test_health_needs_no_key(catalog: Catalog) -> None:
    client = TestClient(create_app(catalog, keys=KEYS), base_url="http://localhost")
    answer = client.get("/health")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok" and answer.json()["models"] == len(catalog)
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers=KEY).status_code == 200


# ---- metrics -----------------------------------------------------------------------------------
def samples(client: TestClient) -> dict[str, float]:
    """Return the figures by name and labels, after a look at the format."""
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.text.endswith("\n")
    found, typed = {}, set()
    for line in answer.text.splitlines():
        if line.startswith("# TYPE "):
            typed.add(line.split()[2])
        elif not line.startswith("# HELP "):
            sample = SAMPLE.fullmatch(line)
            assert sample, line
            plain = re.sub("_(bucket|sum|count)$", "", sample[1])
            assert sample[1] in typed or plain in typed
            found[f"{sample[1]}{sample[2] or ''}"] = float(sample[3])
    return found


def test_requests_are_counted_by_route_and_status(fresh: TestClient) -> None:
    for _ in range(2):
        assert fresh.post("/api/words", json={"text": "It rains."}).status_code == 200
    assert fresh.post("/api/words", json={}).status_code == 422
    assert fresh.get("/no/such/address").status_code == 404
    assert fresh.get("/static/docs.css").status_code == 200
    assert fresh.request("BREW", "/api/words").status_code == 405
    assert fresh.get("/models", headers={"host": "evil.example"}).status_code == 400
    found = samples(fresh)
    counted = {k: v for k, v in found.items() if k.startswith("bistro_http_requests_total")}
    assert counted == {
        f'bistro_http_requests_total{{route="{route}",method="{method}",status="{status}"}}': count
        for route, method, status, count in (
            ("/api/words", "POST", 200, 2),
            ("/api/words", "POST", 422, 1),
            ("/api/words", "other", 405, 1),
            ("/models", "GET", 400, 1),
            ("/static/", "GET", 200, 1),
            ("other", "GET", 404, 1),
        )
    }
    assert found['bistro_http_request_seconds_count{route="/api/words"}'] == 4
    buckets = [v for k, v in found.items() if 'bucket{route="/api/words"' in k]
    assert buckets == sorted(buckets) and buckets[-1] == 4
    assert found['bistro_http_request_seconds_sum{route="/api/words"}'] > 0


def test_queue_memory_and_models(fresh: TestClient, catalog: Catalog) -> None:
    found = samples(fresh)
    assert found["bistro_requests_waiting"] == 0
    assert found["bistro_requests_in_flight"] == 1  # this one
    assert found['bistro_computations_running{length="long"}'] == 0
    assert found["process_resident_memory_bytes"] > 1e6
    assert found["process_cpu_seconds_total"] > 0
    models = [name for name in found if name.startswith("bistro_model_info")]
    assert len(models) == len(catalog)


# ---- the access log ----------------------------------------------------------------------------
def test_the_access_log(catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    app = create_app(catalog, keys=KEYS, log=open_log(str(path)))
    client = TestClient(app, base_url="http://localhost")
    client.get("/process?data=secret+text&tokenizer=", headers=KEY)
    client.get("/api/models")
    client.get("/" + "x" * 1000)
    client.get("/%22%0a\\é", headers=KEY)
    lines = path.read_text().splitlines()
    found = [LINE.fullmatch(line) for line in lines]
    assert all(found), lines
    assert [(one[2], one[3], one[5]) for one in found if one] == [
        ("ann", "GET", "200"),
        ("-", "GET", "401"),
        ("-", "GET", "401"),
        ("ann", "GET", "404"),
    ]
    assert found[0] and found[0][4] == "/process" and int(found[0][6]) > 0
    assert "secret" not in path.read_text()
    assert max(map(len, lines)) < 400


def test_a_log_that_was_moved_away_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    write = open_log(str(path))
    served = Served("GET", "/", "127.0.0.1", None, "1.1", 200, 5, 0.25)
    write(served)
    path.rename(tmp_path / "access.log.1")
    write(served)
    assert path.read_text().count("\n") == 1
    open_log(str(path))(served)
    assert path.read_text().count("\n") == 2


def test_a_log_does_not_spoil_other_files(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    with pytest.raises(BistroError, match="is not an access log"):
        open_log(str(path))
    assert path.read_text() == "my notes\n"
    with pytest.raises(BistroError, match="cannot be written: is a directory"):
        open_log(str(tmp_path))
