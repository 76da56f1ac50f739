"""Treebanks: collections, formats by name and content, streaming, plain text."""

from __future__ import annotations

import hashlib
import io
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bistro.treebank.detect as detect
from bistro.errors import OutputError, TreebankError
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import Treebank, encoded, iter_sentences, read, write

ROW = "1\t{}\t_\tNOUN\tN\t_\t0\troot\t_\t_\n\n"


def test_a_treebank_is_a_sequence(tmp_path: Path) -> None:
    path = tmp_path / "three.conllu"
    path.write_text("".join(map(ROW.format, "abc")))
    treebank = read(path)
    assert isinstance(treebank, Treebank)
    assert (len(treebank), treebank.words, treebank.format) == (3, 3, "conllu")
    assert treebank.path == str(path)
    assert treebank[-1].forms == ["c"]
    assert [s.forms for s in treebank[1:]] == [["b"], ["c"]]
    assert isinstance(treebank[1:], Treebank)
    assert treebank[:1].sha256 == hashlib.sha256(ROW.format("a").encode()).hexdigest()
    assert "3 sentences" in repr(treebank)


def test_a_treebank_made_in_memory() -> None:
    sentences = [Sentence.from_columns(["a", "b"], heads=[0, 1])]
    treebank = Treebank(sentences, name="toy", license="CC0")
    assert (treebank.path, treebank.name, treebank.license) == (None, "toy", "CC0")
    assert treebank.sha256 == hashlib.sha256(b"".join(encoded(treebank))).hexdigest()
    assert treebank[:1].name == "toy"


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.conllu", "conllu"),
        ("a.CONLLU.gz", "conllu"),
        ("x/a.b.conll.zst", "conllx"),
        ("a.conllx.xz", "conllx"),
        ("a.txt", "text"),
        ("a.mrg", "brackets"),
        ("a.gz", None),
        ("conllu", None),
    ],
)
def test_format_by_suffix(name: str, format: str | None) -> None:
    assert detect.format_of_suffix(name) == format


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("# text = a\n1\ta\t_\tNN\tNN\t_\t0\troot\t_\t_\n", "conllu"),
        ("1-2\tab" + "\t_" * 8 + "\n", "conllu"),
        ("0.1\tab" + "\t_" * 8 + "\n", "conllu"),
        ("\ufeff\n\n1\ta\t_\tNOUN\tNN\t_\t0\troot\t_\t_\n", "conllu"),
        ("1\ta\t_\tN\tNN\t_\t0\troot\t_\t_\r\n", "conllx"),
        ("to be or not\n", "text"),
        ("\n\n  ( (S (NN a)))", "brackets"),
    ],
)
def test_format_by_content(content: str, format: str) -> None:
    assert detect.format_of_content(content.encode()) == format


def test_brackets_are_no_sentences() -> None:
    with pytest.raises(TreebankError, match="looks like brackets"):
        read(io.BytesIO(b"(S (NN a))"))


def test_a_treebank_where_bracketed_trees_are_expected() -> None:
    stream = detect.PeekedStream(io.BytesIO(b"It rains .\n"))
    with pytest.raises(TreebankError, match="looks like text, but its format must be brackets:"):
        detect.choose_format(None, stream, None, ("brackets",))


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes at a time, as a pipe or a socket may."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, 7) if size > 0 else 7)


def test_a_slow_stream() -> None:
    data = (ROW.format("a") * 5).encode()
    treebank = read(Trickle(data))  # type: ignore[arg-type]
    assert len(treebank) == 5
    assert treebank.sha256 == hashlib.sha256(data).hexdigest()


class Long(io.RawIOBase):
    """Sixty-four megabytes of sentences, made as they are read."""

    def __init__(self) -> None:
        self._left = 64 << 20

    def read(self, size: int = -1) -> bytes:
        row = ROW.format("word" * 1000).encode()
        data = row * max(1, size // len(row)) if self._left > 0 else b""
        self._left -= len(data)
        return data


def test_streaming_holds_a_small_part_of_the_file() -> None:
    tracemalloc.start()
    sentences: Iterator[Sentence] = iter_sentences(Long(), "conllu")  # type: ignore[arg-type]
    words = sum(map(len, sentences))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert words > 16_000
    assert peak < 12 << 20


def test_a_faulty_sentence_leaves_no_file(tmp_path: Path) -> None:
    def sentences() -> Iterator[Sentence]:
        yield Sentence.from_columns(["a"])
        raise TreebankError("broken")

    with pytest.raises(TreebankError):
        write(sentences(), tmp_path / "out.conllu")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OutputError):
        write([Sentence.from_columns(["a"])], tmp_path / "nowhere" / "out.conllu")


def test_formats_are_not_mixed() -> None:
    with pytest.raises(
        TreebankError,
        match="has the format conllx, but the sentences before it have the format conllu",
    ):
        list(encoded([Sentence.from_columns(["a"], format=f) for f in ("conllu", "conllx")]))


TEXT = "\ufeff \n  to\tbe  \r\n\n \t\nor\u00a0not\u2028 to\x1cbe\n\n\r"


def test_plain_text() -> None:
    sentences = list(iter_sentences(io.BytesIO(TEXT.encode()), "text"))
    assert [s.forms for s in sentences] == [["to", "be"], ["or\u00a0not\u2028", "to\x1cbe"]]
    assert [s.line for s in sentences] == [2, 5]
    assert sentences[0].heads == [-1, -1]
    assert sentences[0].lemmas == ["_", "_"]
    assert b"".join(encoded(sentences)) == TEXT.encode()


def test_changed_text() -> None:
    first, _ = iter_sentences(io.BytesIO(TEXT.encode()), "text")
    assert str(first.replace(forms=["TO", "BE"])) == "\ufeff \n  TO BE\n\n \t\n"
    with pytest.raises(TreebankError, match="cannot contain heads"):
        str(first.replace(heads=[0, 1]))
    with pytest.raises(TreebankError, match="cannot contain lemmas"):
        str(first.replace(lemmas=["to", "be"]))


def test_texts_are_joined_by_lines() -> None:
    sentences = [s for t in (b"a b", b"c\n") for s in iter_sentences(io.BytesIO(t), "text")]
    assert b"".join(encoded(sentences)) == b"a b\nc\n"


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab \t\r\n\ufeff\u2028\x85\u00a0語")))
def test_any_text(text: str) -> None:
    data = text.encode()
    try:
        sentences = list(iter_sentences(io.BytesIO(data), "text"))
    except TreebankError:
        assert not text.removeprefix("\ufeff").strip(" \t\r\n")
        return
    assert b"".join(encoded(sentences)) == data
    assert [s.forms for s in sentences] == [
        [word for word in line.replace("\t", " ").replace("\r", " ").split(" ") if word]
        for line in text.removeprefix("\ufeff").split("\n")
        if line.strip(" \t\r")
    ]


def test_lines_is_another_name_for_text(tmp_path: Path) -> None:
    path = tmp_path / "sentences"
    path.write_text("1\tnot\tcolumns\nDogs bark .\n", encoding="utf-8")
    assert [s.forms for s in read(path, format="lines")] == [
        ["1", "not", "columns"],
        ["Dogs", "bark", "."],
    ]
