"""Raw text: several files, read again and again, with nothing lost silently."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from bistro.errors import BistroError, TreebankError
from bistro.treebank.raw_text import RawText


def test_files_in_a_row_compressed_or_not(tmp_path: Path) -> None:
    content = b"to be\n\n \t\nor\tnot  to be\n"
    (tmp_path / "a.txt").write_bytes(content)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"\n\nlast line"))
    text = RawText([tmp_path / "a.txt", tmp_path / "b.txt.gz"])
    assert text.facts == []
    expected = [["to", "be"], ["or", "not", "to", "be"], ["last", "line"]]
    assert list(text) == expected
    assert list(text) == expected
    first, second = text.facts
    assert (first.name, first.sentences, first.words, first.blank_lines) == ("a.txt", 2, 6, 2)
    assert first.sha256 == hashlib.sha256(content).hexdigest()
    assert (second.sentences, second.words, second.blank_lines) == (1, 2, 2)
    assert text.words == 8
    assert list(text.notes()) == [
        f"{tmp_path / 'a.txt'}: 2 blank lines are skipped",
        f"{tmp_path / 'b.txt.gz'}: 2 blank lines are skipped",
    ]


def test_what_cannot_be_seen_is_kept_and_counted(tmp_path: Path) -> None:
    line = "a zero\u200bwidth no\u00a0break soft\u00adhyphen ideographic\u3000space naïve café\n"
    (tmp_path / "a.txt").write_text(line, encoding="utf-8")
    text = RawText([tmp_path / "a.txt"])
    assert list(text) == [line.rstrip("\n").split(" ")]
    assert text.facts[0].unseen_characters == 4
    (note,) = text.notes()
    assert note.startswith(f"{tmp_path / 'a.txt'}: 4 words contain zero-width characters")
    assert "which are left out, or special spaces, which are kept" in note


def test_one_file_may_stand_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("to be\n")
    assert list(RawText(tmp_path / "a.txt")) == list(RawText(str(tmp_path / "a.txt")))


def test_a_treebank_is_not_raw_text() -> None:
    with pytest.raises(BistroError, match=r"t\.conllu\.gz: this is the name of a conllu file"):
        RawText(["a.txt", "t.conllu.gz"])


def test_a_line_of_any_length_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("word " * 100_000 + "\n")
    assert [len(words) for words in RawText([tmp_path / "a.txt"])] == [100_000]


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one two\n")
    text = RawText([tmp_path / "a.txt"])
    list(text)
    (tmp_path / "a.txt").write_text("one two three\n")
    with pytest.raises(BistroError, match=r"a\.txt: the file changed while it was in use"):
        list(text)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"", "the file is empty"), (b"\n \n", "the file is empty"), (b"ok\n\xff\n", ":2: ")],
)
def test_bad_files(tmp_path: Path, content: bytes, complaint: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises((BistroError, TreebankError), match=complaint):
        list(RawText([tmp_path / "a.txt"]))


def test_stdin_cannot_be_read_twice() -> None:
    with pytest.raises(BistroError, match="give files instead of stdin"):
        RawText(["a.txt", "-"])
