"""The interface with a pipeline: text goes through the words that the model has learned."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from bistro.models.abilities import SCORE
from bistro.models.pipeline.model import PipelineModel
from bistro.serve.app import create_app
from bistro.serve.catalog import Catalog

TEXT = "She's sure they don't. The dog sleeps."


@pytest.fixture(scope="module")
def client(contracted: PipelineModel) -> Iterator[TestClient]:
    app = create_app(Catalog.of([("english", contracted)]))
    with TestClient(app, base_url="http://localhost") as found:
        yield found


def test_a_pipeline_does_what_its_layers_do(client: TestClient) -> None:
    (facts,) = client.get("/api/models").json()["models"]
    assert {"read", "follow", "parse", "tag", "generate"} <= set(facts["abilities"])
    assert facts["kind"] == "pipeline" and facts["tag_column"] == "upos" and facts["labelled"]


def test_text_becomes_sentences_and_words_of_the_model(client: TestClient) -> None:
    found = client.post("/api/words", json={"text": TEXT, "model": "english"}).json()
    first, second = found["sentences"]
    assert first == ["She", "'s", "sure", "they", "do", "n't", "."]
    assert second == ["The", "dog", "sleeps", "."]
    spaced = client.post("/api/words", json={"text": " ".join(first), "model": "english"}).json()
    assert spaced["sentences"] == [first]
    assert client.post("/api/words", json={"text": " ", "model": "english"}).json()["words"] == []
    plain = client.post("/api/words", json={"text": TEXT}).json()
    assert "don't" in plain["words"]
    assert client.post("/api/words", json={"text": TEXT, "model": "no"}).status_code == 404


def test_text_is_read_and_parsed_by_the_words_of_the_model(
    client: TestClient, contracted: PipelineModel
) -> None:
    text = "She's sure they don't."
    read = client.post("/api/read", json={"model": "english", "text": text}).json()
    words = ["She", "'s", "sure", "they", "do", "n't", "."]
    assert read["words"] == words
    expected = [row.surprisal for row in SCORE.of(contracted).surprisal(words)]
    assert [row["surprisal"] for row in read["rows"]] == pytest.approx(expected)
    assert len(read["steps"]) == len(read["rows"])
    parse = client.post("/api/parse", json={"model": "english", "text": text}).json()
    assert parse["words"] == words
    assert "1-2\tShe's" in parse["conllu"] and "5-6\tdon't" in parse["conllu"]
    drawn = {"model": "english", "prefix": "She's sure", "n": 1}
    sentence = client.post("/api/generate", json=drawn).json()["sentences"][0]
    assert sentence["words"][:3] == words[:3]


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\ufeff"])
def test_text_without_words_is_no_error_of_ours(client: TestClient, text: str) -> None:
    for name in ("words", "read", "parse"):
        body = {"model": "english", "text": text}
        assert client.post(f"/api/{name}", json=body).status_code < 500


def test_udpipe_gets_words_sentences_and_columns(client: TestClient) -> None:
    form = {"data": TEXT, "tokenizer": "ranges", "tagger": "", "parser": ""}
    result = client.post("/process", data=form).json()["result"]
    assert "1-2\tShe's\t_" in result and result.count("# sent_id") == 2
    assert "TokenRange=0:5" in result and "\n4\t.\t.\tPUNCT\t" in result
    lines = {"data": "The dog. It\nsleeps.\n", "tokenizer": "presegmented;ranges"}
    result = client.post("/process", data=lines).json()["result"]
    assert result.count("# sent_id") == 2 and "# text = The dog. It\n" in result
    assert "TokenRange=12:18" in result
