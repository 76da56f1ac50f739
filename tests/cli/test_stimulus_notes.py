"""Notes of `bistro surprisal` on input that is probably not read as its author meant it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .program import Command

VERSIONS = {"a": "The dog that was old sleeps.", "b": "The old dog sleeps."}
Notes = Callable[..., str]
"""From the content of a file and options to the notes on stderr."""


@pytest.fixture
def notes(bistro_here: Command, files: Path, here: Path) -> Notes:
    def call(content: str, *options: str, name: str = "items.csv") -> str:
        (here / name).write_text(content, "utf-8")
        done = bistro_here("surprisal", files / "english.bistro", name, *options)
        assert done.code == 0 and done.out, done.err
        return done.err

    return call


def word_rows(items: int) -> str:
    """Return a table with one row per word, two versions per item, and a time for every word."""
    rows = ["item,cond,word,part,rt"]
    for item in range(items):
        for version, text in VERSIONS.items():
            for place, word in enumerate(text.split()):
                rows.append(f"{item},{version},{word},{'ab'[place > 2]},{300 + place * item}")
    return "\n".join(rows) + "\n"


# ---- tables with one word per row --------------------------------------------------------------
def test_a_forgotten_sentence_column_is_named(notes: Notes) -> None:
    command = ("--text", "word", "--sentence", "item", "--split-punct")
    told = notes(word_rows(3), *command)
    assert (
        "items.csv: the column 'cond' changes inside 3 of 3 sentences, where a new sentence seems "
        "to begin: if its values belong to different sentences, add --sentence cond\n"
    ) in told
    assert "changes inside" not in notes(word_rows(3), *command, "--sentence", "cond")


def test_the_column_of_regions_is_not_named(notes: Notes) -> None:
    table = "item,word,part\n" + "".join(
        f"{item},{word},{part}\n"
        for item in range(3)
        for word, part in (("It", "a"), ("rained.", "a"), ("The", "b"), ("dog", "b"))
    )
    command = ("--text", "word", "--sentence", "item", "--split-punct")
    assert "the column 'part' changes inside 3 of 3" in notes(table, *command)
    assert "changes inside" not in notes(table, *command, "--region", "part")


def test_a_name_with_a_space_is_quoted(notes: Notes) -> None:
    table = word_rows(2).replace("cond", "my cond", 1)
    told = notes(table, "--text", "word", "--sentence", "item", "--split-punct")
    assert "add --sentence 'my cond'\n" in told


def test_a_table_of_words_without_sentences_is_noted(notes: Notes) -> None:
    told = notes(word_rows(3), "--text", "word", "--split-punct")
    assert (
        "items.csv: 30 of 30 cells of the column 'word' contain a single word, which is scored as "
        "a sentence: in a table with one word per row, name the columns that identify a sentence "
        "with --sentence COLUMN\n"
    ) in told
    few = "word\nDogs\nCats\n"
    assert "single word" not in notes(few, "--text", "word")


# ---- tables with one sentence per row ----------------------------------------------------------
def test_several_sentences_in_a_cell_are_noted(notes: Notes) -> None:
    told = notes("text\nThe dog sleeps. The cat sleeps.\n", "--text", "text", "--split-punct")
    assert (
        "items.csv: 1 of 1 cells of the column 'text' seem to contain several sentences "
        "('sleeps. The'), which are scored as one sentence: give each sentence a row of its own\n"
    ) in told
    few = "text\n" + "The dog sleeps.\n" * 3 + "The dog sleeps. The cat sleeps.\n"
    assert "several sentences" not in notes(few, "--text", "text", "--split-punct")


def test_brackets_that_are_read_as_words_are_noted(notes: Notes) -> None:
    text = "The old [dog] sleeps\nThe [old dog] [sleeps]\nIt rained\n"
    told = (
        "items.{}: 2 of 3 sentences contain square brackets, which are scored as words: if they "
        "mark regions, add --brackets\n"
    )
    assert told.format("csv") in notes("text\n" + text, "--text", "text")
    assert told.format("txt") in notes(text, name="items.txt")
    assert "square" not in notes("text\n" + text, "--text", "text", "--brackets")
    assert "square" not in notes(text, "--brackets", name="items.txt")
    assert "square" not in notes(text + "A dog [ sleeps\n", name="items.txt")


# ---- unknown words -----------------------------------------------------------------------------
def test_unknown_words_are_named_once(notes: Notes) -> None:
    told = notes("The zyzzyva zyzzyva\nA b1 b2 b3 b4 b5 b6 b1\n", name="items.txt")
    assert told.endswith("; unknown: 'zyzzyva', 'b1', 'b2', 'b3', 'b4' and 2 more\n")


def test_the_parts_of_a_cell_are_named(notes: Notes) -> None:
    table = "item,word\n1,The\n1,zyzzyva.\n"
    told = notes(table, "--text", "word", "--sentence", "item", "--split-punct")
    assert told.endswith("; unknown: 'zyzzyva'\n")


def test_words_that_one_model_of_a_mixture_does_not_know_are_named(
    bistro_here: Command, here: Path
) -> None:
    quick = ("--set", "sampler.sweeps=1", "--set", "sampler.samples=1", "--set", "unknown=spelling")
    for name, word in (("one", "dogs"), ("two", "cats")):
        (here / f"{name}.txt").write_text(f"The {word} bark .\n" * 5, "utf-8")
        assert bistro_here("train", "ngram", f"{name}.txt", *quick, "-o", name).code == 0
    mixture = ("--with", "two", "--weights", "0.5,0.5")
    told = bistro_here("surprisal", "one", *mixture, stdin=b"The dogs bark .\n").err
    assert "1 of 4 words are unknown" in told and told.endswith("; unknown: 'dogs'\n")


def test_upper_case_is_noted(notes: Notes) -> None:
    told = notes("THE OLD DOG ZYZZYVA .\n", name="items.txt").splitlines()
    assert told[-1] == (
        "3 of 4 different unknown words are known in lower case, such as 'the' for 'THE': write "
        "the sentences in upper and lower case as in ordinary text"
    )
    told = notes("THE OLD dog .\n", name="items.txt").splitlines()
    assert len(told) == 1 and "unknown: 'THE', 'OLD'" in told[0]


def test_good_tables_have_no_note(notes: Notes) -> None:
    words = ("--text", "word", "--sentence", "item", "--sentence", "cond", "--split-punct")
    assert notes("item,cond,word\n1,a,The\n1,a,dog\n1,b,The\n1,b,dog\n", *words) == ""
    assert notes("item,text\n1,The old dog\n", "--text", "text", "--id", "item") == ""
