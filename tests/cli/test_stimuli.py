"""`bistro surprisal` on stimulus tables and multiword tokens: nothing lost, nothing shifted."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bistro

from .program import Command

ITEMS = '''item,condition,text
1,ambiguous,"The horse raced past the barn fell."
1,clear,The horse that was raced past the barn fell .
2,"quoted ""one""",The zyzzyva sleeps
'''
WORDS = """item,cond,word,rt
1,a,The,301
1,a,dog,250
1,a,sleeps.,410
1,b,The,299
1,b,cat.,333
2,a,Dogs,280
2,a,the old,1
2,a,bark.,2
"""
CLEAR = ["The", "horse", "that", "was", "raced", "past", "the", "barn", "fell", "."]
FIGURES = ("sent_id", "word_id", "token", "oov", "surprisal")


def rows_of(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table), delimiter="\t"))


Score = Callable[..., Any]
"""From a table and options to rows, or to what is said of an error."""


@pytest.fixture
def score(bistro_here: Command, files: Path, here: Path) -> Score:
    def call(content: str | bytes, *options: object, name: str = "items.csv", code: int = 0) -> Any:
        data = content if isinstance(content, bytes) else content.encode()
        (here / name).write_bytes(data)
        done = bistro_here("surprisal", files / "english.bistro", name, *options)
        assert done.code == code, done.err
        if code:
            assert done.out == ""
            assert done.err.count("\n") == 1
            return done.err
        return rows_of(done.out)

    return call


# ---- a sentence a row --------------------------------------------------------------------------
def test_own_columns_come_first_and_are_kept(score: Score) -> None:
    rows = score(ITEMS, "--text", "text", "--id", "item")
    assert list(rows[0])[:8] == ["item", "condition", "text", *FIGURES]
    assert [row["token"] for row in rows[:8]] == [
        *("The", "horse", "raced", "past", "the", "barn", "fell.", "</s>")
    ]
    assert {row["text"] for row in rows[:8]} == {"The horse raced past the barn fell."}
    assert [row["sent_id"] for row in rows] == ["1"] * 19 + ["2"] * 4
    assert rows[-1]["condition"] == 'quoted "one"'
    assert {"fell.", "zyzzyva"} <= {row["token"] for row in rows if row["oov"] == "1"}


def test_sentences_are_numbered_without_names(score: Score) -> None:
    rows = score(ITEMS, "--text", "text", "--no-eos")
    assert [row["sent_id"] for row in rows] == ["1"] * 7 + ["2"] * 10 + ["3"] * 3
    assert "</s>" not in [row["token"] for row in rows]


def test_punctuation_is_split_on_demand(score: Score) -> None:
    rows = score(ITEMS, "--text", "text", "--split-punct")
    assert [row["token"] for row in rows[:9]][-3:] == ["fell", ".", "</s>"]
    text = 'text\n"He said, ""don\'t ... (go)!"""\n'
    rows = score(text, "--text", "text", "--split-punct", "--no-eos")
    assert [row["token"] for row in rows] == [
        *("He", "said", ",", '"', "don't", "...", "(", "go", ")", "!", '"')
    ]


def test_figures_are_those_of_the_sentence_alone(score: Score, files: Path) -> None:
    rows = score(ITEMS, "--text", "text")
    model = bistro.load(files / "english.bistro")
    alone = model.surprisal(CLEAR)
    assert [row["surprisal"] for row in rows if row["sent_id"] == "2"] == [
        f"{row.surprisal:.6f}" for row in alone
    ]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (ITEMS.replace(",", "\t").replace("\t ", ", "), "items.tsv"),
        ("\ufeff" + ITEMS.replace("\n", "\r\n"), "items.csv"),
        (ITEMS.replace(",", ";"), "items.csv"),
        (gzip.compress(ITEMS.encode()), "items.csv.gz"),
        (ITEMS.replace("\n1,clear", "\n\n ,, \n1,clear") + "\n\n", "items.csv"),
    ],
    ids=["tabs", "Windows", "semicolons", "compressed", "blank lines"],
)
def test_other_tables_give_the_same(score: Score, content: str | bytes, name: str) -> None:
    found = score(content, "--text", "text", "--id", "item", name=name)
    assert found == score(ITEMS, "--text", "text", "--id", "item")


def test_a_table_from_stdin(bistro_here: Command, files: Path) -> None:
    command = ("surprisal", files / "english.bistro", "--text", "text")
    done = bistro_here(*command, stdin=ITEMS.encode())
    assert len(rows_of(done.out)) == 23


def test_columns_of_the_same_name_are_both_kept(score: Score) -> None:
    rows = score("token,sent_id,text\nA,B,The dog\n", "--text", "text")
    assert (rows[0]["token"], rows[0]["sent_id"]) == ("A", "B")
    assert (rows[0]["bistro_token"], rows[0]["bistro_sent_id"]) == ("The", "1")


def test_line_breaks_and_tabs_in_a_cell_do_not_break_the_table(score: Score) -> None:
    rows = score('note,text\n"two\nlines\there","The\ndog"\nx,A cat\n', "--text", "text")
    assert [row["note"] for row in rows] == ["two lines here"] * 3 + ["x"] * 3
    assert [row["token"] for row in rows][:2] == ["The", "dog"]


# ---- a word a row ------------------------------------------------------------------------------
def test_rows_of_one_sentence_are_scored_together(score: Score, files: Path) -> None:
    options = ("--text", "word", "--sentence", "item", "--sentence", "cond", "--split-punct")
    rows = score(WORDS, *options)
    assert [row["sent_id"] for row in rows] == ["1.a"] * 4 + ["1.b"] * 3 + ["2.a"] * 4
    assert [row["rt"] for row in rows[:4]] == ["301", "250", "410", "NA"]
    assert [row["cond"] for row in rows[:4]] == ["a"] * 4
    assert [row["word_id"] for row in rows[:4]] == ["1", "2", "3-4", "5"]
    assert [row["word_id"] for row in rows[-4:]] == ["1", "2-3", "4-5", "6"]
    assert [row["token"] for row in rows[-4:]] == ["Dogs", "the old", "bark.", "</s>"]
    alone = bistro.load(files / "english.bistro").surprisal(["The", "dog", "sleeps", ".", "."][:4])
    assert float(rows[2]["surprisal"]) == pytest.approx(
        alone[2].surprisal + alone[3].surprisal, abs=1e-5
    )
    assert float(rows[2]["prefix_log2_prob"]) == pytest.approx(alone[3].prefix_log2_prob, abs=1e-5)


def test_without_ends_every_row_of_the_table_has_one_row(score: Score) -> None:
    rows = score(WORDS, "--text", "word", "--sentence", "item", "--sentence", "cond", "--no-eos")
    own = list(csv.DictReader(io.StringIO(WORDS)))
    assert [{name: row[name] for name in own[0]} for row in rows] == own


# ---- what cannot be scored is said with its line -----------------------------------------------
@pytest.mark.parametrize(
    ("content", "options", "told"),
    [
        (
            ITEMS,
            ("--text", "txt"),
            "items.csv: the table has no column 'txt' (did you mean 'text'?)",
        ),
        (ITEMS, ("--text", "text", "--id", "itm"), "(did you mean 'item'?)"),
        (WORDS, ("--text", "word", "--sentence", "itme"), "(did you mean 'item'?)"),
        (ITEMS + "3,empty,\n", ("--text", "text"), "items.csv:5: column 'text' has no word"),
        (ITEMS + "3,short\n", ("--text", "text"), "items.csv:5: the row has 2 cells"),
        (ITEMS + '3,x,"open\n', ("--text", "text"), "items.csv:5: the file is not a table"),
        (WORDS + "1,a,again,5\n", ("--text", "word", "--sentence", "item"), "items.csv:10: sent"),
        (WORDS + "3,a, ,5\n", ("--text", "word", "--sentence", "item"), "items.csv:10: column"),
        (ITEMS + "3,x,a \u200b dog\n", ("--text", "text"), "items.csv:5: a word is invisible"),
        ("a,a\n1,2\n", ("--text", "a"), "items.csv:1: two columns are called 'a'"),
        ("text\n", ("--text", "text"), "contains no stimuli"),
        ("", ("--text", "text"), "contains no stimuli"),
        (b"text\nok\n\xff\xfe\n", ("--text", "text"), "items.csv:3: the file is not valid UTF-8"),
        (ITEMS, (), "is a table: use --text COLUMN to name"),
        (ITEMS, ("--id", "item", "--input", "text"), "need --text"),
        (
            ITEMS,
            ("--text", "text", "--id", "item", "--sentence", "item"),
            "leave it out if --sentence is given",
        ),
    ],
)
def test_errors_name_file_and_line(
    score: Score, content: str | bytes, options: tuple[str, ...], told: str
) -> None:
    assert told in score(content, *options, code=2)


# ---- odd text ----------------------------------------------------------------------------------
def test_zero_width_characters_are_left_out_and_told(
    bistro_here: Command, files: Path, here: Path
) -> None:
    (here / "odd.txt").write_text("The\u200b dog\ufeff sleeps .\n\n \nA cat .\n", "utf-8")
    done = bistro_here("surprisal", files / "english.bistro", "odd.txt")
    assert "zero-width characters were left out of the words: 2" in done.err
    rows = rows_of(done.out)
    assert [row["sent_id"] for row in rows] == ["1"] * 5 + ["2"] * 4
    assert rows[0]["token"] == "The\u200b"
    assert [row["oov"] for row in rows[:2]] == ["0", "0"]
    (here / "unseen.txt").write_text("A dog .\nThe \u200b dog .\n", "utf-8")
    done = bistro_here("surprisal", files / "english.bistro", "unseen.txt")
    assert (done.code, done.out) == (2, "")
    assert "unseen.txt:2: a word is invisible (U+200B)" in done.err


@pytest.mark.parametrize("command", ["surprisal", "perplexity"])
def test_spaces_that_end_no_word_are_told(
    bistro_here: Command, files: Path, here: Path, command: str
) -> None:
    (here / "odd.txt").write_text("The\u00a0dog sleeps\u3000now .\nA caf\u00e9 .\n", "utf-8")
    done = bistro_here(command, files / "english.bistro", "odd.txt")
    first, *_ = done.err.splitlines()
    assert first == "words that contain an unusual space, which does not separate words: 2"


def test_a_line_of_five_thousand_words(score: Score) -> None:
    rows = score("text\n" + "the zyzzyva " * 2500 + "\n", "--text", "text")
    assert len(rows) == 5001
    assert [row["oov"] for row in rows[:2]] == ["0", "1"]


MULTIWORD = b"""\
# sent_id = s1
1\tThe\t_\t_\t_\t_\t_\t_\t_\t_
2\tdog\t_\t_\t_\t_\t_\t_\t_\t_
3-4\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
3\tdid\t_\t_\t_\t_\t_\t_\t_\t_
4\tn't\t_\t_\t_\t_\t_\t_\t_\t_
5\tsleep\t_\t_\t_\t_\t_\t_\t_\t_

"""


def test_multiword_tokens_get_the_sum_of_their_words(bistro_here: Command, files: Path) -> None:
    command = ("surprisal", files / "english.bistro", "--input", "conllu")
    joined = rows_of(bistro_here(*command, stdin=MULTIWORD).out)
    single = rows_of(bistro_here(*command, "--words", stdin=MULTIWORD).out)
    assert [row["token"] for row in joined] == ["The", "dog", "didn't", "sleep", "</s>"]
    assert [row["word_id"] for row in joined] == ["1", "2", "3-4", "5", "6"]
    assert [row["token"] for row in single] == ["The", "dog", "did", "n't", "sleep", "</s>"]
    parts = [float(single[i]["surprisal"]) for i in (2, 3)]
    assert float(joined[2]["surprisal"]) == pytest.approx(sum(parts), abs=1e-5)
    assert joined[2]["prefix_log2_prob"] == single[3]["prefix_log2_prob"]


def test_the_critical_region_of_a_column(score: Score, bistro_here: Command, files: Path) -> None:
    items = "item,text,verb,at\n1,The old dog sleeps.,sleeps,4\n2,It rained.,,\n"
    command = ("--text", "text", "--split-punct", "--no-eos")
    rows = score(items, *command, "--critical", "verb")
    assert [(row["region"], row["token"]) for row in rows] == [
        ("NA", "The old dog"),
        ("1", "sleeps"),
        ("NA", "."),
        ("NA", "It rained."),
    ]
    placed = score(items, *command, "--critical", "at")
    assert [row["token"] for row in placed] == ["The old dog", "sleeps.", "It rained."]
    sums = [float(row["surprisal"]) for row in rows]
    assert float(placed[1]["surprisal"]) == pytest.approx(sums[1] + sums[2], abs=1e-5)
    assert "give only one of them" in score(
        items, *command, "--critical", "at", "--brackets", code=2
    )
    assert "need --text" in score(items, "--critical", "at", code=2)
    told = bistro_here("surprisal", files / "english.bistro", "items.csv", *command[:2]).err
    assert "this looks like running text, with words such as 'sleeps.'" in told
    assert "--split-punct" in told


def test_rows_of_regions_are_not_counted_as_words(
    bistro_here: Command, files: Path, here: Path
) -> None:
    (here / "items.csv").write_text("text\nThe zyzzyva [xyzzy] was\n", encoding="utf-8")
    command = ("surprisal", files / "english.bistro", "items.csv", "--text", "text")
    told = bistro_here(*command, "--brackets").err
    assert told == (
        "2 of 3 rows have words that are unknown to the model (column oov): the model scores their "
        "class, not their spelling; unknown: 'zyzzyva', 'xyzzy'\n"
    )


def test_a_workbook_is_recognised(score: Score) -> None:
    told = score(b"PK\x03\x04\x14\x00", "--text", "text", name="items.xlsx", code=2)
    assert "items.xlsx: the file is a workbook: save it as CSV" in told
