"""The JSON interface: each address, its answers and its refusals."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

import bistro
from bistro.models.abilities import GENERATE, PARSE, SCORE
from bistro.models.base import Model
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog

SENTENCE = "The dog sleeps."


def test_models_are_listed(client: TestClient) -> None:
    found = client.get("/api/models").json()
    assert set(found["limits"]) == {"words", "characters", "analyses", "sentences"}
    by_id = {model["id"]: model for model in found["models"]}
    assert list(by_id) == ["parser", "ngram", "order"]
    assert {"read", "parse", "generate", "tag"} <= set(by_id["parser"]["abilities"])
    assert set(by_id["ngram"]["abilities"]) == {"read", "surprisal", "generate"}
    assert by_id["order"]["abilities"] == ["linearize"]
    assert by_id["parser"]["tag_column"] == "upos"
    assert by_id["ngram"]["tag_column"] is None
    assert by_id["parser"]["seed"] == 1


def test_a_text_is_split(client: TestClient) -> None:
    text = '"Stop!" he said. It rains.'
    assert client.post("/api/words", json={"text": text}).json() == {
        "words": ['"', "Stop", "!", '"', "he", "said", ".", "It", "rains", "."],
        "sentences": [['"', "Stop", "!", '"', "he", "said", "."], ["It", "rains", "."]],
    }
    spaced = client.post("/api/words", json={"text": text, "split": "spaces"}).json()
    assert spaced["words"] == text.split()
    assert client.post("/api/words", json={"text": " \n"}).json()["words"] == []


@pytest.mark.parametrize("model", ["parser", "ngram"])
def test_rows_are_the_surprisals_of_the_model(
    client: TestClient, models: dict[str, Model], model: str
) -> None:
    found = client.post("/api/read", json={"model": model, "text": SENTENCE}).json()
    assert found["words"] == ["The", "dog", "sleeps", "."]
    assert [row["token"] for row in found["rows"]] == ["The", "dog", "sleeps", ".", "</s>"]
    table = SCORE.of(models[model]).surprisal(found["words"])
    for row, expected in zip(found["rows"], table, strict=True):
        assert row["surprisal"] == pytest.approx(expected.surprisal)
    if hasattr(models[model], "follow"):
        assert len(found["steps"]) == 5
    else:
        assert found["steps"] == []


def test_a_parse_begins_with_the_tree_of_least_risk(
    client: TestClient, models: dict[str, Model]
) -> None:
    body = {"model": "parser", "text": SENTENCE, "kbest": 4, "samples": 3}
    found = client.post("/api/parse", json=body).json()
    best = PARSE.of(models["parser"]).parse(found["words"], marginals=True)
    assert found["analyses"][0]["heads"] == best.heads
    assert found["analyses"][0]["labels"] == best.labels
    assert len(found["analyses"]) <= 4
    assert len(found["samples"]) == 3
    contents = [(t["heads"], t["labels"], t["tags"]) for t in found["analyses"]]
    assert all(contents.count(content) == 1 for content in contents)
    for row in found["marginals"]["heads"]:
        assert math.isclose(sum(p for _, p in row), 1, abs_tol=1e-3)
    assert "# text = The dog sleeps.\n" in found["conllu"]
    assert "SpaceAfter=No" in found["conllu"]


def test_words_and_spaces_are_taken_as_they_are(client: TestClient) -> None:
    words = client.post("/api/parse", json={"model": "parser", "words": ["The", "dog."]}).json()
    spaces = {"model": "parser", "text": "The dog.", "split": "spaces"}
    assert words["words"] == client.post("/api/parse", json=spaces).json()["words"]


@pytest.mark.parametrize("model", ["parser", "ngram"])
def test_sentences_are_drawn(client: TestClient, models: dict[str, Model], model: str) -> None:
    body = {"model": model, "n": 3, "seed": 4, "temperature": 0.8, "prefix": "The dog"}
    found = client.post("/api/generate", json=body).json()["sentences"]
    drawn = GENERATE.of(models[model]).generate(3, 4, temperature=0.8, prefix=["The", "dog"])
    assert [sentence["words"] for sentence in found] == list(map(list, drawn))
    has_tree = [sentence["heads"] is not None for sentence in found]
    assert any(has_tree) == (model == "parser")


def test_orders_of_a_tree(client: TestClient) -> None:
    tree = {"words": ["sleeps", "the", "dog"], "heads": [0, 3, 1]}
    labels = {"labels": ["root", "det", "nsubj"], "tags": ["VERB", "DET", "NOUN"]}
    body = {"model": "order", **tree, **labels, "n": 4}
    found = client.post("/api/linearize", json=body).json()
    assert found["orders"][0]["words"] == ["the", "dog", "sleeps"]
    assert found["orders"][0]["order"] == [2, 3, 1]
    assert found["given_log_prob"] <= found["orders"][0]["log_prob"] <= 0
    drawn = client.post("/api/linearize", json={**body, "samples": True, "n": 7}).json()
    assert len(drawn["orders"]) == 7


def test_openapi_describes_every_address(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for name in ("models", "words", "read", "parse", "generate", "linearize"):
        operation = next(iter(paths[f"/api/{name}"].values()))
        assert operation["responses"]["200"]["content"]["application/json"]["schema"]
        assert "413" in operation["responses"]


def test_openapi_tells_which_models_can_do_it_and_what_a_sentence_is(client: TestClient) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    able = {
        name: schemas[f"{name}Body"]["properties"]["model"]["enum"]
        for name in ("Read", "Parse", "Generate", "Linearize")
    }
    assert able["Parse"] == ["parser"]
    assert able["Linearize"] == ["order"]
    assert able["Read"] == able["Generate"] == ["parser", "ngram"]
    for name in ("Read", "Parse"):
        assert [one["required"] for one in schemas[f"{name}Body"]["oneOf"]] == [["text"], ["words"]]


def test_openapi_tells_what_process_takes(client: TestClient) -> None:
    parameters = client.get("/openapi.json").json()["paths"]["/process"]["get"]["parameters"]
    schemas = {parameter["name"]: parameter["schema"] for parameter in parameters}
    assert schemas["model"]["anyOf"][0]["enum"] == ["parser", "ngram", "order"]
    assert set(schemas["output"]["enum"]) == {"conllu", "horizontal", "plaintext", "vertical"}
    pattern = schemas["tokenizer"]["pattern"]
    for options in ("", "ranges", "presegmented;ranges", "normalized_spaces"):
        assert re.search(pattern, options)
        asked = {"data": "It rains.", "tokenizer": options}
        assert client.get("/process", params=asked).status_code == 200
    assert not re.search(pattern, "rangers")


def test_a_beam_bounds_probability_from_below(models: dict[str, Model]) -> None:
    told = SCORE.of(models["parser"]).score_protocol(method="search", particles=100)
    assert "a beam of 100, which bounds the sentence's probability from below" in told
    assert "its surprisal from above" in told


def test_the_page_and_its_headers(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"
    again = client.get("/", headers={"if-none-match": page.headers["etag"]})
    assert again.status_code == 304
    assert client.get("/static/index.html").content == page.content


KINDS = {
    "backwards": ("transition", {"direction": "right-to-left"}, {"parse", "generate", "tag"}),
    "bare": (
        "transition",
        {"labels": "none"},
        {"read", "surprisal", "follow", "parse", "generate", "tag"},
    ),
    "eisner": ("eisner", {}, {"parse", "tag"}),
    "committee": ("committee", {}, {"parse", "tag"}),
    "topics": ("topics", {}, {"parse", "states"}),
    "tagger": ("tags", {}, {"tag"}),
}


@pytest.fixture(scope="module")
def every_kind() -> Iterator[TestClient]:
    treebank = bistro.builtin(sentences=100, seed=1)
    models = [
        (name, bistro.train(kind, treebank, seed=1, **settings))
        for name, (kind, settings, _) in KINDS.items()
    ]
    with TestClient(create_app(Catalog.of(models)), base_url="http://localhost") as found:
        yield found


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_does_what_it_says(every_kind: TestClient, name: str) -> None:
    listed = every_kind.get("/api/models").json()["models"]
    able = next(set(model["abilities"]) for model in listed if model["id"] == name)
    assert able == KINDS[name][2]
    for ability in ("read", "parse", "generate"):
        body = {"model": name} if ability == "generate" else {"model": name, "text": SENTENCE}
        answer = every_kind.post(f"/api/{ability}", json=body)
        assert answer.status_code == (200 if ability in able else 422)
    for asked in ({"tagger"}, {"parser"}, {"tagger", "parser"}):
        needed = {{"tagger": "tag", "parser": "parse"}[one] for one in asked}
        form = {"model": name, "data": SENTENCE, "tokenizer": "", **dict.fromkeys(asked, "")}
        answer = every_kind.post("/process", data=form)
        assert answer.status_code == (200 if needed <= able else 422)


def test_a_committee_has_no_joint_probability(every_kind: TestClient) -> None:
    found = every_kind.post("/api/parse", json={"model": "committee", "text": SENTENCE}).json()
    assert found["analyses"][0]["log_prob"] is None
    assert 0 < found["analyses"][0]["expected_uas"] <= 1
