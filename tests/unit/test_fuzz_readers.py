"""No input makes a reader crash, and what it accepts it gives back byte for byte."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from types import ModuleType

import pytest
from conllu_documents import HAND_MADE, documents
from hypothesis import given, settings
from hypothesis import strategies as st

from bistro.errors import BistroError
from bistro.treebank.brackets import iter_trees
from bistro.treebank.treebank import encoded, iter_sentences

FUZZER = Path(__file__).resolve().parents[2] / "benchmarks" / "fuzz_readers.py"
FORMATS = st.sampled_from(["conllu", "conllx", "text", None])
PIECES = st.sampled_from(
    ["1", "2", "3", "_", "0", "w", "#", "-", ".", "(", ")", " ", "1-2", "0.1", "\ufeff", "語"]
    + ["\t"] * 8
    + ["\n", "\n", "\r\n", "\r", "\0", "\u2028", "\x85", "\t_\t_\t_\t_\t", "\t_\t_\t0\t_\t_\t_\n"]
)


def check(data: bytes, format: str | None) -> None:
    try:
        sentences = list(iter_sentences(io.BytesIO(data), format))
    except BistroError as error:
        assert str(error).isprintable()
        assert len(str(error)) < 300
        return
    assert b"".join(encoded(sentences)) == data
    assert all(len(sentence) for sentence in sentences)


@settings(max_examples=2000, deadline=None)
@given(st.lists(PIECES, max_size=60).map("".join), FORMATS)
def test_pieces_of_files(text: str, format: str | None) -> None:
    check(text.encode(), format)


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=200), FORMATS)
def test_any_bytes(data: bytes, format: str | None) -> None:
    check(data, format)


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_damaged_files(choices: st.DataObject) -> None:
    data = choices.draw(st.one_of(documents(), st.just(HAND_MADE.encode())))
    begin = choices.draw(st.integers(0, len(data)))
    end = choices.draw(st.integers(begin, min(len(data), begin + 9)))
    put = choices.draw(st.one_of(PIECES.map(str.encode), st.binary(max_size=3)))
    check(data[:begin] + put + data[end:], choices.draw(FORMATS))


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.sampled_from(["(", "(", ")", ")", "S", " ", "\n", "語", "(NN a)"])).map("".join))
def test_brackets(text: str) -> None:
    try:
        trees = list(iter_trees(io.BytesIO(text.encode())))
    except BistroError:
        return
    assert "".join(map(str, trees)) == text


@pytest.fixture(scope="module")
def fuzzer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_readers", FUZZER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mutated_seeds(fuzzer: ModuleType) -> None:
    counts = fuzzer.run(inputs=4000, seed=20)
    for format in ("conllu", "conllx", "text", "brackets"):
        assert counts[format, "read"] > 100
        assert counts[format, "refused"] > 100
    assert fuzzer.run(inputs=500, seed=20) == fuzzer.run(inputs=500, seed=20)


def test_the_fuzzer_finds_a_reader_that_loses_bytes(
    fuzzer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzzer, "encoded", lambda s: (str(x).replace("\r", "").encode() for x in s))
    with pytest.raises(SystemExit, match="other bytes came back"):
        fuzzer.run(inputs=500, seed=20)
