"""Files of segmented words: what is read, what is refused, and that nothing is lost."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from bistro.errors import TreebankError
from bistro.treebank.morphology import Morpheme, format_morphemes, parse_morphemes
from bistro.treebank.morphology_files import (
    iter_paragraphs,
    iter_words,
    read_segmented,
    write_segmented,
)

ZULU = (
    b"<LINE# 0934>\r\n"
    b"Ukwengeza\tu[NPrePre15]-kw[BPre15]-engez[VRoot]-a[VerbTerm]\tengeza\tV\r\n"
    b".\t.[Punc]\t.\tPUNC\r\n"
    b"<LINE# 12>\r\n"
    b"lezi\tlezi[Dem10][Pos1]\tlezi\tCDEM10\r\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u[A]-kw[B]", [("u", "A"), ("kw", "B")]),
        ("lezi[Dem10][Pos1]", [("lezi", "Dem10][Pos1")]),
        ("s[PreLoc-s]-e[LocPre]", [("s", "PreLoc-s"), ("e", "LocPre")]),
        ("futhi-ke[Adv]", [("futhi-ke", "Adv")]),
        ("-[Punc]", [("-", "Punc")]),
        ("[[Punc]", [("[", "Punc")]),
        ("][Punc]", [("]", "Punc")]),
        ("e[Loc]-[Pre]-zwe[Stem]", [("e", "Loc"), ("", "Pre"), ("zwe", "Stem")]),
        ("un-break-able", [("un", ""), ("break", ""), ("able", "")]),
        ("well-be ing", [("well-be", ""), ("ing", "")]),
        ("-", [("-", "")]),
        ("--[Punc]", [("--", "Punc")]),
    ],
)
def test_notation_is_read_and_written_back(text: str, expected: list[tuple[str, str]]) -> None:
    morphemes = parse_morphemes(text)
    assert [(m.form, m.label) for m in morphemes] == expected
    assert format_morphemes(morphemes) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("bu[BPre14]B-sebenzisa[NStem]", "follows a label"),
        ("u[A]-kw", "has no label"),
        ("u[A]-", "is missing after"),
        ("u[]-kw[B]", "a label is empty"),
        ("u[A", "are not form"),
        ("un--do", "is empty"),
        ("-ing", "is empty"),
        ("  ", "no morphemes"),
    ],
)
def test_impossible_annotations_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(TreebankError, match=reason):
        parse_morphemes(text)


def test_paragraphs_columns_and_lines() -> None:
    first, second = iter_paragraphs(io.BytesIO(ZULU))
    assert [word.form for word in first] == ["Ukwengeza", "."]
    assert first[0].more == ("engeza", "V")
    assert (first[0].line, second[0].line) == (2, 5)
    assert second[0].morphemes == (Morpheme("lezi", "Dem10][Pos1"),)


@pytest.mark.parametrize(
    "content",
    [
        ZULU,
        b"\xef\xbb\xbfun-do\nre-do\n\n\n\nun-break-able",
        b"\n\nundo\tun-do\n<LINE# 1>\n<LINE# 2>\nredo\tre-do\tdo\n",
    ],
)
def test_files_come_back_byte_for_byte(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_bytes(content)
    write_segmented(read_segmented(path), tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == content


def test_a_changed_word_changes_its_line_alone() -> None:
    paragraphs = list(iter_paragraphs(io.BytesIO(ZULU)))
    changed = paragraphs[0][0].with_morphemes(parse_morphemes("ukw[X]-engeza[Y]"))
    assert changed.text == "Ukwengeza\tukw[X]-engeza[Y]\tengeza\tV\r\n"
    assert paragraphs[0][1].with_morphemes(paragraphs[0][1].morphemes) is paragraphs[0][1]


def test_errors_name_file_line_and_reason(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(b"undo\tun-do\nredo\tre[A]-do\n")
    with pytest.raises(TreebankError, match=r"bad\.tsv:2: the morpheme 'do' has no label"):
        read_segmented(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file has no words"),
        (b"<LINE# 1>\n", "the file has no words"),
        (b"a\ta\tb\tc\td\n", "5 columns"),
        (b"\ta\n", "the word is empty"),
        (b"a\t\n", "no morphemes"),
        (b"[X]\n", "have no letters"),
        (b"a\xff\n", "UTF-8"),
    ],
)
def test_files_that_cannot_be_read(content: bytes, reason: str) -> None:
    with pytest.raises(TreebankError, match=reason):
        read_segmented(io.BytesIO(content))


def test_a_few_bad_words_may_be_left_out_and_are_kept_in_the_file(tmp_path: Path) -> None:
    good = b"undo\tun[A]-do[B]\n" * 99
    path = tmp_path / "words.tsv"
    path.write_bytes(good + b"redo\tre[A]do\n" + good)
    with pytest.raises(TreebankError, match=":100:"):
        read_segmented(path, tolerance=0.001)
    found = read_segmented(path, tolerance=0.01)
    assert sum(map(len, found)) == 198
    assert [problem.line for problem in found.problems] == [100]
    write_segmented(found, tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == path.read_bytes()


def test_words_of_text_lists_and_annotations() -> None:
    assert list(iter_words(io.BytesIO(b"Ngiyabonga kakhulu .\nfuthi\n"))) == [
        "Ngiyabonga",
        "kakhulu",
        ".",
        "futhi",
    ]
    assert list(iter_words(io.BytesIO(ZULU))) == ["Ukwengeza", ".", "lezi"]
    with pytest.raises(TreebankError, match="empty"):
        list(iter_words(io.BytesIO(b"")))


@pytest.mark.data
@pytest.mark.parametrize(("name", "words", "bad"), [("train", 44141, 1), ("test", 4955, 0)])
def test_the_zulu_corpus(data_dir: Path, name: str, words: int, bad: int) -> None:
    path = data_dir / "zu_morph" / f"zu-{name}.tsv"
    found = read_segmented(path, tolerance=0.001)
    assert sum(map(len, found)) == words
    assert len(found.problems) == bad
    assert "".join(map(str, found)).encode() == path.read_bytes()
    again = [format_morphemes(word.morphemes) for paragraph in found for word in paragraph]
    written = [word.text.split("\t")[1] for paragraph in found for word in paragraph]
    assert again == written
