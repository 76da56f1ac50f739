"""What is read and not changed is written back byte for byte; a change changes nothing else."""

from __future__ import annotations

import copy
import hashlib
import io
import pickle
from pathlib import Path
from unittest import mock

import pytest
from conllu_documents import HAND_MADE, documents
from hypothesis import given, settings
from hypothesis import strategies as st

from bistro.treebank import blocks
from bistro.treebank.fields import COLUMNS
from bistro.treebank.sentence import Sentence
from bistro.treebank.treebank import encoded, iter_sentences, read, write

PATTERNS = ("*/*.conllu", "*/*.conll", "text_en/news.txt")


def round_trip(data: bytes, format: str | None = "conllu") -> bytes:
    return b"".join(encoded(iter_sentences(io.BytesIO(data), format)))


def test_hand_made_file() -> None:
    assert round_trip(HAND_MADE.encode()) == HAND_MADE.encode()


@settings(max_examples=200, deadline=None)
@given(documents())
def test_any_valid_file(data: bytes) -> None:
    assert round_trip(data) == data


@settings(max_examples=100, deadline=None)
@given(documents(), st.integers(1, 60))
def test_any_piece_size(data: bytes, size: int) -> None:
    with mock.patch.object(blocks, "PIECE_BYTES", size):
        found = list(iter_sentences(io.BytesIO(data), "conllu"))
    expected = list(iter_sentences(io.BytesIO(data), "conllu"))
    assert [(s.line, s.forms, str(s)) for s in found] == [
        (s.line, s.forms, str(s)) for s in expected
    ]


@settings(max_examples=100, deadline=None)
@given(documents())
def test_looking_at_columns_changes_nothing(data: bytes) -> None:
    sentences = list(iter_sentences(io.BytesIO(data), "conllu"))
    for sentence in sentences:
        for name in (*COLUMNS[1:], "comments"):
            assert len(getattr(sentence, name)) == len(sentence) or name == "comments"
    assert b"".join(encoded(sentences)) == data
    assert b"".join(encoded(pickle.loads(pickle.dumps(sentences)))) == data
    assert b"".join(encoded(copy.deepcopy(sentences))) == data
    assert b"".join(encoded(sentence.replace() for sentence in sentences)) == data


@settings(max_examples=100, deadline=None)
@given(documents(), st.sampled_from([c for c in COLUMNS[1:] if c != "heads"]), st.data())
def test_a_changed_field_changes_no_other_byte(
    data: bytes, name: str, choices: st.DataObject
) -> None:
    sentences = list(iter_sentences(io.BytesIO(data), "conllu"))
    place = choices.draw(st.integers(0, len(sentences) - 1))
    word = choices.draw(st.integers(0, len(sentences[place]) - 1))
    values = list(getattr(sentences[place], name))
    values[word] = "changed"
    changed = [
        *sentences[:place],
        sentences[place].replace(**{name: values}),
        *sentences[place + 1 :],
    ]

    column = COLUMNS.index(name)
    lines = data.split(b"\n")
    first = sentences[place].line - 1
    number = next(
        number
        for number in range(first, len(lines))
        if (identifier := lines[number].split(b"\t")[0].removeprefix(b"\xef\xbb\xbf")).isdigit()
        and int(identifier) == word + 1
    )
    returned = b"\r" * lines[number].endswith(b"\r")
    fields = lines[number].removesuffix(b"\r").split(b"\t")
    fields[column] = b"changed"
    lines[number] = b"\t".join(fields) + returned
    assert b"".join(encoded(changed)) == b"\n".join(lines)


def test_only_changed_heads_are_rewritten() -> None:
    sentence = next(iter_sentences(io.BytesIO(HAND_MADE.encode()), "conllu"))
    changed = str(sentence.replace(heads=[2, 3, 0, 3]))
    assert changed == str(sentence).replace("Tense=Pres\t3\t", "Tense=Pres\t2\t")
    assert "\t03\tadvmod" in changed  # this one was not changed, and stays as it was


def test_columns_changed_in_place_are_written() -> None:
    sentence = next(iter_sentences(io.BytesIO(HAND_MADE.encode()), "conllu"))
    before = str(sentence)
    sentence.heads[3] = -1
    sentence.lemmas[0] = "DO"
    expected = before.replace("\t3\tadvmod\t_\t_\n", "\t_\tadvmod\t_\t_\n").replace(
        "do\tdo", "do\tDO"
    )
    assert str(sentence) == expected


def test_new_comments_stand_before_the_words() -> None:
    first, second, _ = iter_sentences(io.BytesIO(HAND_MADE.encode()), "conllu")
    text = str(first.replace(comments=["# only this"]))
    assert text.startswith("\ufeff\n\n# only this\n0.1\tit")
    assert text.count("#") == 1
    assert text.endswith("3\tadvmod\t_\t_\n\n\n\r\n")
    assert str(second.replace(comments=["# crlf"])).startswith("# crlf\r\n1\t#\t#\tSYM")
    assert str(first.replace(comments=[])).startswith("\ufeff\n\n0.1\tit")


def test_sentences_of_several_files_in_one() -> None:
    files = [
        "1\ta\t_\t_\t_\t_\t0\t_\t_\t_",
        "\ufeff1\tb\t_\t_\t_\t_\t0\t_\t_\t_\n",
        "1\tc" + "\t_" * 8,
    ]
    sentences = [s for text in files for s in iter_sentences(io.BytesIO(text.encode()), "conllu")]
    data = b"".join(encoded(sentences))
    assert [s.forms for s in iter_sentences(io.BytesIO(data), "conllu")] == [["a"], ["b"], ["c"]]
    assert "\ufeff" not in data.decode()
    assert data.count(b"\n\n") == 2


@pytest.mark.data
def test_every_treebank_file(data_dir: Path) -> None:
    paths = sorted(path for pattern in PATTERNS for path in data_dir.glob(pattern))
    assert len(paths) >= 10
    for path in paths:
        data = path.read_bytes()
        treebank = read(path)
        assert b"".join(encoded(treebank)) == data, path
        assert treebank.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.data
def test_every_treebank_word_can_be_replaced_by_itself(data_dir: Path) -> None:
    path = data_dir / "en_ewt" / "en_ewt-ud-dev.conllu"
    again = []
    for sentence in iter_sentences(path):
        same = {name: list(getattr(sentence, name)) for name in COLUMNS[1:]}
        again.append(sentence.replace(**same))
    assert b"".join(encoded(again)) == path.read_bytes()


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
def test_compressed_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"file.conllu{suffix}"
    sentences = list(iter_sentences(io.BytesIO(HAND_MADE.encode()), "conllu"))
    write(sentences, path)
    treebank = read(path)
    assert treebank.format == "conllu"
    assert b"".join(encoded(treebank)) == HAND_MADE.encode()
    assert treebank.sha256 == hashlib.sha256(HAND_MADE.encode()).hexdigest()
    assert (path.read_bytes() == HAND_MADE.encode()) == (not suffix)


def test_from_columns_reads_back_as_itself() -> None:
    sentence = Sentence.from_columns(
        ["do", "n't", "go"],
        heads=[3, 3, 0],
        lemmas=["do", "not", "go"],
        misc=["_", "a=b", "_"],
        comments=["# sent_id = 1"],
        multiword=[(1, 2, "don't")],
    )
    again = next(iter_sentences(io.BytesIO(str(sentence).encode()), "conllu"))
    assert again == sentence
    assert again.multiword == [(1, 2, "don't")]
    assert (again.lemmas, again.misc) == (["do", "not", "go"], ["_", "a=b", "_"])
