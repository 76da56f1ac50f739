"""Every malformed file gives one sentence with file, line and reason."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from bistro.errors import BistroError, TreebankError
from bistro.treebank.treebank import iter_sentences, read


def row(word: object, head: object, form: str = "w") -> str:
    return f"{word}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n"


GOOD = row(1, 0) + row(2, 1) + "\n"
NINE = "2\tw\t_\tX\t_\t_\t1\tdep\t_\n"
TOKEN = "{}\tww" + "\t_" * 8 + "\n"

# Name: the bad sentence (after a good one, so its first line is line 4), the line, the reason.
FAULTS = {
    "nine columns": (row(1, 0) + NINE, 5, "9 columns found, 10 expected"),
    "eleven columns": (row(1, 0) + row(2, 1)[:-1] + "\t_\n", 5, "11 columns found"),
    "nine and eleven": ("1\tw\t_\tX\t_\t_\t0\tdep\t_\n2\t" + row(2, 1), 4, "9 columns found"),
    "spaces": ("1 w _ X _ _ 0 dep _ _\n", 4, "1 column found, 10 expected: separate them by tabs"),
    "plain text": ("Hello\n", 4, "separate them by tabs (for plain text, use the suffix .txt)"),
    "a line of spaces": (row(1, 0) + "  \n" + row(2, 1), 5, "not blank: empty it"),
    "ids from 2": (row(2, 0), 4, "the id is 2, expected 1"),
    "a gap": (row(1, 0) + row(3, 1), 5, "the id is 3, expected 2"),
    "an id twice": (row(1, 0) + row(1, 1), 5, "the id is 1, expected 2"),
    "an id that is none": (row(1, 0) + row("x", 1), 5, "'x' is not a word number"),
    "an Arabic digit": (row("١", 0), 4, "not a word number"),
    "a superscript": (row("²", 0), 4, "not a word number"),
    "head outside": (row(1, 0) + row(2, 3), 5, "head 3 of word 2 is outside the sentence (0 to 2)"),
    "a huge head": (row(1, 0) + row(2, "9" * 5000), 5, "must be a number or _"),
    "a negative head": (row(1, 0) + row(2, -1), 5, "HEAD is '-1': it must be a number or _"),
    "a signed head": (row(1, 0) + row(2, "+1"), 5, "HEAD is '+1'"),
    "an underscored head": (row(1, 0) + row(2, "1_0"), 5, "HEAD is '1_0'"),
    "own head": (row(1, 0) + row(2, 2), 5, "word 2 is its own head"),
    "a cycle": (row(1, 0) + row(2, 3) + row(3, 2), 5, "words 2 → 3 → 2 are heads of each other"),
    "no root": (row(1, 2) + row(2, 1), 4, "no word has head 0"),
    "two roots": (row(1, 0) + row(2, 1) + row(3, 0), 6, "words 1 and 3 both have head 0"),
    "some heads missing": (row(1, 0) + row(2, "_"), 5, "1 of 2 words have no head"),
    "an empty form": (row(1, 0) + row(2, 1, ""), 5, "word 2 has an empty FORM"),
    "no words": ("# a comment\n# alone\n", 4, "a sentence without words"),
    "only a multiword token": (TOKEN.format("1-2"), 4, "a sentence without words"),
    "a range backwards": (TOKEN.format("2-1") + row(1, 0), 4, "'2-1' is not a range of words"),
    "a range of words": (TOKEN.format("a-b") + row(1, 0), 4, "'a-b' is not a range of words"),
    "a range too late": (row(1, 0) + TOKEN.format("1-2") + row(2, 1), 5, "just before its first"),
    "a range too long": (TOKEN.format("1-3") + row(1, 0) + row(2, 1), 4, "ends at word 3"),
    "ranges that overlap": (
        TOKEN.format("1-2") + row(1, 0) + TOKEN.format("2-3") + row(2, 1) + row(3, 1),
        6,
        "overlaps the one before",
    ),
    "a range without form": ("1-1\t" + "\t_" * 8 + "\n" + row(1, 0), 4, "has an empty FORM"),
    "a range of nine columns": ("1-1\tw" + "\t_" * 7 + "\n" + row(1, 0), 4, "9 columns found"),
    "an empty node elsewhere": (row(1, 0) + row("2.1", "_"), 5, "is '2.1', expected 1.1 here"),
    "empty nodes out of order": (row(1, 0) + row("1.2", "_"), 5, "is '1.2', expected 1.1 here"),
    "an empty node twice": (row(1, 0) + row("1.1", "_") * 2, 6, "is '1.1', expected 1.2 here"),
    "an odd empty node": (row(1, 0) + row("1.1.1", "_"), 5, "is '1.1.1', expected 1.1"),
    "an empty node before": (row("1.1", "_") + row(1, 0), 4, "is '1.1', expected 0.1 here"),
    "a NUL": (row(1, 0, "a\0b"), 4, "a NUL character"),
    "a mark inside": ("\ufeff" + row(1, 0), 4, "is not a word number"),
}


def error_of(data: bytes, format: str = "conllu", **options: object) -> TreebankError:
    stream = io.BytesIO(data)
    stream.name = "bad.conllu"
    with pytest.raises(TreebankError) as caught:
        list(iter_sentences(stream, format, **options))  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str, line_end: str) -> None:
    text, line, reason = FAULTS[name]
    error = error_of((GOOD + text + "\n" + GOOD).replace("\n", line_end).encode())
    assert (error.line, error.path) == (line, "bad.conllu")
    assert reason in error.reason
    assert str(error).startswith(f"bad.conllu:{line}: ")
    assert "\n" not in str(error)


@pytest.mark.parametrize("name", FAULTS)
def test_fault_in_the_last_line_without_a_line_end(name: str) -> None:
    text, line, reason = FAULTS[name]
    error = error_of((GOOD + text).rstrip("\n").encode())
    assert error.line == line
    assert reason in error.reason


def test_bad_utf8_names_its_line() -> None:
    error = error_of(GOOD.encode() + row(1, 0).encode() + row(2, 1).encode().replace(b"w", b"\xe9"))
    assert error.line == 5
    assert "byte 0xe9 is not valid UTF-8" in error.reason


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\r\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
@pytest.mark.parametrize("format", ["conllu", "conllx", "text"])
def test_empty_file(data: bytes, format: str) -> None:
    assert "the file is empty" in error_of(data, format).reason


def test_conllx_allows_several_roots_and_conllu_does_by_choice() -> None:
    data = (row(1, 0) + row(2, 0)).encode()
    assert next(iter_sentences(io.BytesIO(data), "conllx")).heads == [0, 0]
    assert next(iter_sentences(io.BytesIO(data), "conllu", roots="any")).heads == [0, 0]
    assert "both have head 0" in error_of(data, "conllx", roots="one").reason


def test_several_roots_are_still_no_cycle() -> None:
    data = (row(1, 0) + row(2, 0) + row(3, 4) + row(4, 3)).encode()
    assert "3 → 4 → 3" in error_of(data, "conllx").reason


def test_conllx_has_no_special_rows() -> None:
    for text in (TOKEN.format("1-1") + row(1, 0), row(1, 0) + row("1.1", "_")):
        assert "read the file as CoNLL-U" in error_of(text.encode(), "conllx").reason


def test_partial_trees_by_choice() -> None:
    data = (row(1, 0) + row(2, "_") + row(3, 1)).encode()
    sentence = next(iter_sentences(io.BytesIO(data), "conllu", partial=True))
    assert sentence.heads == [0, -1, 1]
    looping = (row(1, "_") + row(2, 3) + row(3, 2)).encode()
    assert "circle" in error_of(looping, partial=True).reason
    two = (row(1, 0) + row(2, "_") + row(3, 0)).encode()
    assert "both have head 0" in error_of(two, partial=True).reason


def test_the_sentences_before_a_fault_in_a_later_piece_arrive() -> None:
    data = (GOOD * 50_000 + row(1, 1)).encode()
    arrived = 0
    with pytest.raises(TreebankError, match=r"^150001: word 1 is its own head"):
        for _ in iter_sentences(io.BytesIO(data), "conllu"):
            arrived += 1
    assert arrived == 50_000


def test_missing_file_and_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(BistroError, match="cannot be read: no such file"):
        read(tmp_path / "none.conllu")
    with pytest.raises(BistroError, match=r"unknown format 'conlu' \(did you mean 'conllu'\?\)"):
        read(io.BytesIO(GOOD.encode()), "conlu")
