"""Tables of reading times: their columns, missing values, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bistro.errors import BistroError, TreebankError
from bistro.evaluate.reading.data import read_reading_data
from bistro.evaluate.reading.simulation import as_table, simulated

TABLE = "participant,item,position,word,time\n"
ITEMS = [["The", "dog", "sleeps", "."], ["A", "cat", "sees", "it", "."]]


def written(path: Path, text: str) -> Path:
    file = path / "times.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_simulated_table_comes_back(tmp_path: Path) -> None:
    data = simulated(ITEMS, np.arange(9.0), participants=3, seed=1)
    again = read_reading_data(written(tmp_path, as_table(data)))
    assert again.items == data.items and again.words == data.words
    assert again.participants == data.participants
    assert (again.times == data.times).all() and (again.token == data.token).all()
    assert (again.reader == data.reader).all()


def test_rows_may_come_in_any_order_and_without_positions(tmp_path: Path) -> None:
    rows = "a;1;The;300\nb;1;The;310\na;1;dog;NA\nb;1;dog;\na;2;It;333\n"
    data = read_reading_data(written(tmp_path, "subject;sentence;token;rt\n" + rows))
    assert data.words == [["The", "dog"], ["It"]] and data.participants == ["a", "b"]
    assert data.token.tolist() == [0, 0, 1, 1, 2]
    assert np.isnan(data.times[2:4]).all()


@pytest.mark.parametrize("cell", ["", " ", "NA", "NaN", "nan", "NULL", ".", " . "])
def test_cells_that_stand_for_a_missing_time(tmp_path: Path, cell: str) -> None:
    data = read_reading_data(written(tmp_path, f"{TABLE}a,1,1,The,300\na,1,2,dog,{cell}\n"))
    assert data.times[0] == 300 and np.isnan(data.times[1])


def test_a_participant_has_one_time_for_each_word(tmp_path: Path) -> None:
    rows = "a,1,1,The,300\nb,1,1,The,310\na,1,2,dog,320\n\nb,1,1,The,310\na,1,2,dog,320\n"
    problem = (
        "times.csv:6: item 1 has a time of participant b at position 1 in line 3 already: remove "
        "one of the two rows, or, .*, --participant COLUMN"
    )
    with pytest.raises(TreebankError, match=problem):
        read_reading_data(written(tmp_path, TABLE + rows))
    versions = "a,1,x,1,The,300\na,1,y,1,The,310\na,1,y,1,The,310\n"
    with pytest.raises(
        TreebankError, match=":4: item 1 in condition y has a time of participant a"
    ):
        header = "participant,item,condition,position,word,time\n"
        read_reading_data(written(tmp_path, header + versions))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            "a,1,1,The,300\nb,1,1,A,300\n",
            "times.csv:3: item 1 has 'A' at position 1, but 'The' in line",
        ),
        ("a,1,1,The,300\na,1,3,dog,300\n", "item 1 has no word at position 2"),
        ("a,1,one,The,300\n", "times.csv:2: column 'position' has 'one'"),
        ("a,1,1,The,fast\n", "times.csv:2: column 'time' has 'fast'"),
        ("a,1,1,The\n", "times.csv:2: the row has 4 cells"),
        ("a,1,1, ,300\n", "times.csv:2: the row has no word"),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, rows: str, told: str) -> None:
    with pytest.raises(TreebankError, match=told):
        read_reading_data(written(tmp_path, TABLE + rows))


def test_columns_of_experiment_software_are_recognised(tmp_path: Path) -> None:
    pcibex = (
        "Results reception time,MD5 hash of participant's IP address,Controller name,Item,"
        "Condition,Parameter,Value,Reading time\n"
        "1,ab,DashedSentence,7,reduced,1,Then%2C,300\n"
        "1,ab,DashedSentence,7,reduced,2,it.,310\n"
        "1,ab,Question,7,reduced,NULL,Yes,1200\n"
        "1,cd,DashedSentence,7,full,1,Now,333\n"
    )
    path = written(tmp_path, pcibex)
    data = read_reading_data(path, only=["Controller name=DashedSentence"], keep=["Condition"])
    assert data.words == [["Then,", "it."], ["Now"]] and data.items == ["7", "7"]
    assert data.conditions == ["reduced", "full"] and data.participants == ["ab", "cd"]
    assert data.text_of_token.tolist() == [0, 0, 1] and data.item_of_token.tolist() == [0, 0, 0]
    assert data.kept == {"Condition": ["reduced", "reduced", "full"]}
    with pytest.raises(TreebankError, match=r"'NULL', which is not a whole number.*--only"):
        read_reading_data(path)
    with pytest.raises(TreebankError, match="no row has Item=8; values are 7"):
        read_reading_data(path, only=["Item=8"])
    with pytest.raises(BistroError, match="--only must have the form COLUMN=VALUE, not 'Item'"):
        read_reading_data(path, only=["Item"])
    with pytest.raises(TreebankError, match="has no column 'List'"):
        read_reading_data(path, keep=["List"])
    jspsych = "subject_id,item,cond,word,word_number,rt_word,time\n3,7,a,It,1,299.5,88123\n"
    data = read_reading_data(written(tmp_path, jspsych.replace(",time", ",when")))
    assert data.times.tolist() == [299.5] and data.participants == ["3"]


def test_numbers_of_a_table_with_semicolons_may_have_a_decimal_comma(tmp_path: Path) -> None:
    table = "\ufeffitem;word;rt\r\n1;It;300,5\r\n1;is;301.5\r\n"
    data = read_reading_data(written(tmp_path, table))
    assert data.times.tolist() == [300.5, 301.5]
    with pytest.raises(TreebankError, match="'1,234', which is not a number"):
        read_reading_data(written(tmp_path, 'item,word,rt\n1,It,"1,234"\n'))


def test_rows_of_several_participants_are_not_taken_for_means(tmp_path: Path) -> None:
    rows = "x,1,It,300\nx,2,She,300\ny,1,It,310\n"
    remedy = "name their column, --participant COLUMN"
    with pytest.raises(TreebankError, match=f":4: item 1 continues here.*line 2: .*{remedy}"):
        read_reading_data(written(tmp_path, "who,item,word,rt\n" + rows))
    with pytest.raises(TreebankError, match=f":4: item 1 has a time at position 1.*{remedy}"):
        rows = "x,1,1,It,300\nx,2,1,She,300\ny,1,1,It,310\n"
        read_reading_data(written(tmp_path, "who,item,position,word,rt\n" + rows))


def test_versions_of_an_item_and_lost_rows_are_suspected(tmp_path: Path) -> None:
    rows = "a,1,1,The,300\nb,1,1,A,300\n"
    with pytest.raises(TreebankError, match="name their column, --condition COLUMN"):
        read_reading_data(written(tmp_path, TABLE + rows))
    rows = "a,1,The,300\na,1,dog,310\nb,1,dog,300\n"
    with pytest.raises(TreebankError, match="column of positions, --position COLUMN"):
        read_reading_data(written(tmp_path, "subject,item,word,rt\n" + rows))


def test_missing_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match="has no column rt or time"):
        read_reading_data(written(tmp_path, "word,item\nThe,1\n"))
    with pytest.raises(TreebankError, match="did you mean 'word'"):
        read_reading_data(written(tmp_path, TABLE + "a,1,1,The,300\n"), word="wrod")
    with pytest.raises(TreebankError, match="contains no reading times"):
        read_reading_data(written(tmp_path, "\n"))
