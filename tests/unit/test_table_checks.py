"""Signs of tables that are not read as their author meant them, and of harmless tables."""

from __future__ import annotations

import io
import random

import pytest

from bistro.tasks.stimuli import parse_table
from bistro.tasks.table_checks import (
    JoiningColumn,
    ends_sentence,
    is_bracketed,
    joining_column,
    sentence_break,
)


@pytest.mark.parametrize("word", ["fell.", ".", "fell!", 'fell."', "fell.)", "1990.", "…", "so?!"])
def test_ends_of_sentences(word: str) -> None:
    assert ends_sentence(word)


@pytest.mark.parametrize("word", ["fell", "J.", "U.S.", "fell,", '"', "3.5", "a.b"])
def test_words_inside_sentences(word: str) -> None:
    assert not ends_sentence(word)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("He fell. She ran.", "fell. She"),
        ('He fell. "She ran."', 'fell. "She'),
        ("He fell . She ran .", ". She"),
        ("He fell.", None),
        ("He met Mr. Smith and J. Smith in the U.S. Senate.", None),
        ("What? he said.", None),
    ],
)
def test_sentences_in_one_text(text: str, words: str | None) -> None:
    assert sentence_break(text, {"Mr.", "."}.__contains__) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The [old dog] [sleeps] .", True),
        ("[Dogs] bark", True),
        ("Dogs bark", False),
        ("Dogs [] bark", False),
        ("Dogs [bark", False),
        ("Dogs ] bark [", False),
        ("a [b [c] d]", False),
    ],
)
def test_balanced_brackets(text: str, expected: bool) -> None:
    assert is_bracketed(text) is expected


def found(rows: list[str], *sentence: str) -> JoiningColumn | None:
    header = "subject,item,cond,position,word,region,rt,correct"
    table = parse_table(io.StringIO("\n".join([header, *rows])), "words.csv")
    return joining_column(table, "word", sentence)


def word_rows(texts: dict[str, str], *, subjects: int = 4, items: int = 6) -> list[str]:
    """Return one row per word, by item, version and subject, with random times."""
    rng = random.Random(1)
    return [
        f"s{subject},{item},{version},{place},{word},{'abc'[min(place // 3, 2)]},"
        f"{rng.randint(200, 500)},{int(rng.random() < 0.9)}"
        for item in range(items)
        for version, text in texts.items()
        for subject in range(subjects)
        for place, word in enumerate(text.split())
    ]


STOPS = {"x": "The old dog that the cat saw sleeps.", "y": "A cat and the dog run away."}
NO_STOPS = {"x": "The old dog that the cat saw sleeps", "y": "The dog and the cat run away"}


@pytest.mark.parametrize("texts", [STOPS, NO_STOPS], ids=["stops", "repeated first words"])
def test_the_column_that_joins_is_found(texts: dict[str, str]) -> None:
    rows = word_rows(texts)
    assert found(rows, "item", "cond") == JoiningColumn("subject", 12, 12)
    rows = word_rows(texts, subjects=1)
    assert found(rows, "item") == JoiningColumn("cond", 6, 6)


@pytest.mark.parametrize("texts", [STOPS, NO_STOPS], ids=["stops", "no stops"])
def test_columns_of_single_sentences_are_harmless(texts: dict[str, str]) -> None:
    assert found(word_rows(texts), "item", "cond", "subject") is None


def test_an_odd_sentence_does_not_hide_the_column() -> None:
    rows = word_rows(STOPS, subjects=1, items=30)
    rows = [row.replace("sleeps.", "sleeps") if ",7,x," in row else row for row in rows]
    assert found(rows, "item") == JoiningColumn("cond", 30, 30)
