"""Dense inputs with an error at their end are refused before what they hold fills the memory."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bistro.errors import TreebankError
from bistro.evaluate.reading.data import read_reading_data
from bistro.tasks.desk.journal import Journal
from bistro.tasks.stimuli import one_row_each, one_word_a_row, read_table
from bistro.tasks.suite import read_suite
from bistro.treebank import blocks, brackets, keeping, raw_text
from bistro.treebank.brackets import iter_trees, read_trees
from bistro.treebank.fields import MOST_WORDS
from bistro.treebank.morphology_files import read_segmented
from bistro.treebank.raw_text import RawText
from bistro.treebank.tree_files import read_examples
from bistro.treebank.treebank import iter_sentences, read, write

SIZE = 200_000
MOST_TIMES = 20
ROW = b"1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n\n"
PAIR = b'{"sentence_good":"aa","sentence_bad":"bb"}\n'
Reader = Callable[[Path], Any]


def stimuli(path: Path) -> Any:
    return list(one_row_each(read_table(path), "aa"))


def one_word_sentences(path: Path) -> Any:
    return list(one_word_a_row(read_table(path), "b", ["a"]))


def running_text(path: Path) -> Any:
    return read(path, format="raw")


def words_of_raw_text(path: Path) -> Any:
    return list(RawText(path))


def names(size: int) -> bytes:
    return b"a,b\n" + b"".join(b"%d,c\n" % i for i in range(size // 9)) + b"0,c\n"


def repeated(item: bytes, error: bytes, first: bytes = b"") -> Callable[[int], bytes]:
    return lambda size: first + item * (size // len(item)) + error


# Name: the suffix, the content, the reader, the message.
LATE: dict[str, tuple[str, Callable[[int], bytes], Reader, str]] = {
    "text": (".txt", repeated(b"a b\n", b"c \xff\n"), read, "byte 0xff is not valid UTF-8"),
    "NUL": (".txt", repeated(b"a b\n", b"\0\n"), read, "NUL character"),
    "running text": (".txt", repeated(b"a b\n", b"\xff\n"), running_text, "not valid UTF-8"),
    "raw text": (".txt", repeated(b"a b\n", b"\xff\n"), words_of_raw_text, "not valid UTF-8"),
    "CoNLL-U": (".conllu", repeated(ROW, b"x\n"), read, "1 column found, 10 expected"),
    "CoNLL-X": (".conll", repeated(ROW, b"x\n"), read, "1 column found, 10 expected"),
    "trees": (".mrg", repeated(b"(A b)\n", b"(A (B c)"), read_trees, "lacks 1 closing"),
    "training trees": (".mrg", repeated(b"(A b)\n", b"(A (B c)"), read_examples, "lacks 1 closing"),
    "one tree": (".mrg", repeated(b"(A b)\n", b"", b"(A"), read_trees, "lacks 1 closing"),
    "morphemes": (".tsv", repeated(b"aa\n", b"a--b\n"), read_segmented, "in 'a--b' is empty"),
    "bad morphemes": (".tsv", repeated(b"a--b\n", b""), read_segmented, "in 'a--b' is empty"),
    "table": (".csv", repeated(b"aa\n", b"a,b\n"), read_table, "the row has 2 cells"),
    "stimuli": (".csv", repeated(b"aa\n", b"\xe2\x80\x8b\n"), stimuli, "a word is invisible"),
    "sentences": (".csv", names, one_word_sentences, "sentence 0 continues here"),
    "times": (
        ".csv",
        repeated(b"w,1,2\n", b"w\n", b"word,item,time\n"),
        read_reading_data,
        "the row has 1 cells",
    ),
    "pairs": (".jsonl", repeated(PAIR, PAIR.replace(b"aa", b" ")), read_suite, "has no words"),
}


@pytest.fixture(autouse=True)
def _small_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make what does not depend on the size of an input small, as in large inputs."""
    monkeypatch.setattr(keeping, "ALWAYS_ALLOWED", 1 << 16)
    monkeypatch.setattr(blocks, "PIECE_BYTES", 1 << 14)
    monkeypatch.setattr(brackets, "MOST_BRACKETS", 10_000)
    monkeypatch.setattr(raw_text, "PIECE_BYTES", 1 << 14)


@pytest.mark.parametrize("kind", list(LATE))
def test_memory_before_the_error(kind: str, tmp_path: Path) -> None:
    suffix, make, reader, reason = LATE[kind]
    path = tmp_path / f"late{suffix}"
    content = make(SIZE)
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(TreebankError, match=reason) as caught:
            reader(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= MOST_TIMES * len(content)
    assert caught.value.path == str(path)


def test_a_journal_of_the_desk(tmp_path: Path) -> None:
    path = tmp_path / "late.journal"
    path.write_bytes(b'{"opened":"0"}\n' * 3 + b"x\n")
    with pytest.raises(Exception, match=r"late\.journal:4: this is not a valid journal line"):
        Journal(path)


@pytest.mark.parametrize("kind", ["text", "NUL", "CoNLL-U", "CoNLL-X"])
def test_the_error_is_that_of_a_single_reading(kind: str, tmp_path: Path) -> None:
    suffix, make, reader, _ = LATE[kind]
    path = tmp_path / f"late{suffix}"
    path.write_bytes(make(100_000))
    with pytest.raises(TreebankError) as once:
        for _ in iter_sentences(path):
            pass
    with pytest.raises(TreebankError) as twice:
        reader(path)
    assert str(twice.value) == str(once.value)
    assert twice.value.line == path.read_bytes().count(b"\n")


def test_the_error_of_trees_is_that_of_a_single_reading(tmp_path: Path) -> None:
    path = tmp_path / "late.mrg"
    path.write_bytes(b"(A b)\n" * 20_000 + b"(A (B c)")
    with pytest.raises(TreebankError) as once:
        for _ in iter_trees(path):
            pass
    with pytest.raises(TreebankError) as twice:
        read_trees(path)
    assert (str(twice.value), twice.value.line) == (str(once.value), 20_001)


class Pipe(io.RawIOBase):
    """A stream that cannot be read again."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self._content.readinto(buffer)


def from_gzip(content: bytes, folder: Path, suffix: str) -> Any:
    path = folder / f"whole{suffix}.gz"
    path.write_bytes(gzip.compress(content))
    return path


def from_path(content: bytes, folder: Path, suffix: str) -> Any:
    path = folder / f"whole{suffix}"
    path.write_bytes(content)
    return path


def from_memory(content: bytes, folder: Path, suffix: str) -> Any:
    return io.BytesIO(content)


def from_pipe(content: bytes, folder: Path, suffix: str) -> Any:
    return Pipe(content)


def from_stdin(content: bytes, folder: Path, suffix: str) -> Any:
    sys.stdin = io.TextIOWrapper(io.BufferedReader(Pipe(content)))
    return "-"


SOURCES = (from_path, from_gzip, from_memory, from_pipe, from_stdin)
WHOLE = {
    ".conllu": b"\xef\xbb\xbf\n# text = e\n" + ROW * 5000,
    ".conll": ROW * 5000,
    ".txt": b"\n \na b\n\nc\n" * 5000,
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("suffix", list(WHOLE))
def test_two_readings_give_the_same_sentences(
    source: Callable[[bytes, Path, str], Any],
    suffix: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = WHOLE[suffix]
    monkeypatch.setattr(sys, "stdin", sys.stdin)
    format = {".conllu": "conllu", ".conll": "conllx", ".txt": "text"}[suffix]
    once = list(iter_sentences(io.BytesIO(content), format))
    twice = read(source(content, tmp_path, suffix), format)
    assert [s.forms for s in twice] == [s.forms for s in once]
    assert [s.line for s in twice] == [s.line for s in once]
    assert twice.sha256 == hashlib.sha256(content).hexdigest()
    write(twice, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == content


def test_a_stream_is_read_from_its_position() -> None:
    stream = io.BytesIO(b"first line\n" + ROW * 5000)
    stream.readline()
    assert len(read(stream)) == 5000


def test_normal_sentences_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise AssertionError

    monkeypatch.setattr("bistro.treebank.detect.PeekedStream.rewind", refuse)
    word = "\t".join(["{}", "houses", "house", "NOUN", "NNS", "Number=Plur", "{}", "nmod:poss"])
    rows = "".join(word.format(i, i - 1) + "\t_\t_\n" for i in range(1, 17))
    assert len(read(io.BytesIO((rows + "\n").encode() * 2000))) == 2000


def test_the_longest_sentence() -> None:
    words = "".join(f"{i}\ta\t\t\t\t\t{i - 1}\t\t\t\n" for i in range(1, MOST_WORDS + 2))
    with pytest.raises(TreebankError) as caught:
        read(io.BytesIO(b"\n" + words.encode()), "conllu")
    assert str(caught.value) == (
        "2: the sentence has 100,001 words, but at most 100,000 are allowed: end every sentence "
        "with a blank line"
    )
    shorter = words[: words.rstrip("\n").rindex("\n") + 1]
    assert len(read(io.BytesIO(shorter.encode()), "conllu")[0]) == MOST_WORDS


def test_the_longest_comments() -> None:
    with pytest.raises(TreebankError, match=r"^1: the sentence has 200,001 lines, but at most"):
        read(io.BytesIO(b"#\n" * (2 * MOST_WORDS) + b"x\n"), "conllu")


def test_the_largest_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brackets, "MOST_BRACKETS", 4)
    assert len(list(iter_trees(io.BytesIO(b"(A (B c) (B c) (B c))")))) == 1
    with pytest.raises(TreebankError, match=r"^2: the tree has 5 opening brackets, but at most 4"):
        list(iter_trees(io.BytesIO(b"(A b)\n(A (B c) (B c) (B c) (B c))")))
    with pytest.raises(TreebankError, match="a bracket inside a tree has no label"):
        list(iter_trees(io.BytesIO(b"(A (B c) (B c) (B c) ((B c))")))


def test_lines_of_text_may_be_longer() -> None:
    assert len(read(io.BytesIO(b"a " * (MOST_WORDS + 1)), "text")[0]) == MOST_WORDS + 1
