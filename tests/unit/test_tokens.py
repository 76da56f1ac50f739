"""The splitter of running text: what it cuts, what it leaves, and that nothing is lost."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.errors import TreebankError
from bistro.treebank.tokens import joined, split_lines, split_sentences, split_text
from bistro.treebank.treebank import read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It rains.", "It rains ."),
        ("Well, (he said) stop!!", "Well , ( he said ) stop !!"),
        ("dog(s) and [s]he", "dog(s) and [ s]he"),
        ("the U.S. economy, e.g. J. Smith", "the U.S. economy , e.g. J. Smith"),
        ("don't re-do it's", "don't re-do it's"),
        ("@you #now a_ http://x.org/", "@you #now a_ http://x.org/"),
        ("$5, 7% and 3.14.", "$ 5 , 7 % and 3.14 ."),
        ("«Oui», dit-il…", "« Oui » , dit-il …"),
        ("-- no --", "-- no --"),
        ("«(...)»", "« ( ... ) »"),
        ("مرحبا، كيف حالك؟", "مرحبا ، كيف حالك ؟"),
        ("a\u00a0b", "a b"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert split_text(text).forms == words.split(" ")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rains. It pours.", ["It rains.", "It pours."]),
        ('"Stop!" he said. Yes.', ['"Stop!" he said.', "Yes."]),
        ("He left (at 5.) She did not", ["He left (at 5.)", "She did not"]),
        ("one\ntwo\n\n three", ["one", "two", "three"]),
        ("wait... what? No", ["wait... what?", "No"]),
        (" \n ", []),
    ],
)
def test_sentences(text: str, sentences: list[Any]) -> None:
    assert [joined(s.forms, s.spaces) for s in split_sentences(text)] == sentences


def test_lines_are_sentences_if_asked() -> None:
    assert [s.forms for s in split_lines("a. B.\n\nc")] == [["a.", "B."], ["c"]]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.text(" .!?()aA\n-"))
def test_nothing_is_lost(text: str) -> None:
    sentences = list(split_sentences(text))
    for sentence in sentences:
        assert sentence.forms
        for form, start in zip(sentence.forms, sentence.starts, strict=True):
            assert text[start : start + len(form)] == form
    told = " ".join(joined(s.forms, s.spaces) for s in sentences)
    assert told.split() == text.split()


def test_long_rows_of_marks_take_no_long_time() -> None:
    for text in ("a" + "." * 20_000, "a" + ".!" * 10_000, "(" * 10_000 + ")" * 10_000):
        assert "".join(split_text(text).forms) == text


def test_raw_text_is_a_format_to_read() -> None:
    found = read(io.BytesIO(b'He said: "No!"\nIt rains. \r\n'), "raw", roots="any")
    assert [s.forms for s in found] == [
        ["He", "said", ":", '"', "No", "!", '"'],
        ["It", "rains", "."],
    ]
    assert found.format == found[0].format == "conllu"
    assert found[0].text == 'He said: "No!"'
    assert found[0].misc[1:4] == ["SpaceAfter=No", "_", "SpaceAfter=No"]
    assert [s.sent_id for s in found] == ["1", "2"]
    assert found[1].line == 2
    with pytest.raises(TreebankError, match="empty"):
        read(io.BytesIO(b" \n"), "raw")
    with pytest.raises(TreebankError, match="2: "):
        read(io.BytesIO(b"a\nb\0c\n"), "raw")
