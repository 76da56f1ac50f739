"""The component of a spaCy pipeline."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import bistro

spacy = pytest.importorskip("spacy")
from bistro.integrations.spacy import BistroParser, make_bistro_parser  # noqa: E402

TEXT = "The old man saw the dog. The dog sleeps."


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    model = bistro.train("transition", bistro.builtin(sentences=1000, seed=1), seed=1)
    path = tmp_path_factory.mktemp("spacy") / "english.bistro"
    model.save(path)
    return str(path)


def pipeline(model_file: str, **config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("bistro_parser", config={"model": model_file, **config})
    return nlp


def test_the_tree_is_the_models(model_file: str) -> None:
    doc = pipeline(model_file)(TEXT)
    model: Any = bistro.load(model_file)
    for span, words in zip(doc.sents, (TEXT[:24], TEXT[25:]), strict=True):
        parse = model.parse(words.replace(".", " .").split(), marginals=True)
        heads = [0 if t.head == t else t.head.i - span.start + 1 for t in span]
        assert heads == parse.heads
        assert [t.pos_ for t in span] == parse.tags
        found = ["root" if t.dep_ == "ROOT" else t.dep_ for t in span]
        assert found == parse.labels
        assert [t._.head_probability for t in span] == list(parse.to_pandas().p_head)
    assert len(doc._.bistro) == 2


def test_white_space_is_not_parsed(model_file: str) -> None:
    doc = pipeline(model_file)("  The dog  sleeps.\n\nThe dog sleeps.")
    plain = pipeline(model_file)("The dog sleeps. The dog sleeps.")
    assert [t.dep_ for t in doc if not t.is_space] == [t.dep_ for t in plain]
    assert all(t.head != t for t in doc if t.is_space)
    assert len(list(doc.sents)) == 2


def test_surprisal_and_other_tags(model_file: str, tmp_path: Path) -> None:
    doc = pipeline(model_file, surprisal=True)("The dog sleeps.")
    rows = bistro.load(model_file).surprisal(["The", "dog", "sleeps", "."], eos=False)
    assert [t._.surprisal for t in doc] == [row.surprisal for row in rows]
    penn = bistro.train("transition", bistro.builtin(sentences=300, seed=1), seed=1, tagset="xpos")
    nlp = spacy.blank("en")
    component = BistroParser(penn, {}, False)
    assert component(nlp("The dog sleeps."))[0].tag_ == "DT"


def test_many_documents_are_parsed_as_one_by_one(model_file: str) -> None:
    nlp = pipeline(model_file)
    texts = [TEXT, "", " ", "The dog.", TEXT] * 20
    one = [[(t.head.i, t.dep_) for t in nlp(text)] for text in texts]
    assert [[(t.head.i, t.dep_) for t in doc] for doc in nlp.pipe(texts)] == one


def test_a_saved_pipeline_has_its_model(model_file: str, tmp_path: Path) -> None:
    nlp = pipeline(model_file)
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    other = pipeline(model_file).from_bytes(nlp.to_bytes())
    for doc in (again(TEXT), other(TEXT)):
        assert [t.head.i for t in doc] == [t.head.i for t in nlp(TEXT)]


def test_a_model_that_cannot_parse_is_refused(tmp_path: Path) -> None:
    bistro.train("ngram", [["a"]], seed=1).save(tmp_path / "n.bistro")
    with pytest.raises(bistro.BistroError, match="cannot parse"):
        pipeline(str(tmp_path / "n.bistro"))
    with pytest.raises(bistro.BistroError, match="no model"):
        spacy.blank("en").add_pipe("bistro_parser")("A dog")


def test_the_entry_point_names_the_factory() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    entry = project["project"]["entry-points"]["spacy_factories"]["bistro_parser"]
    module, _, name = entry.partition(":")
    assert getattr(import_module(module), name) is make_bistro_parser
