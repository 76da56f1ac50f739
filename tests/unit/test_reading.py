"""Reading times: reading of tables, regression beside plain least squares, gains, tables, page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, TreebankError
from bistro.evaluate.reading.data import ReadingData, read_reading_data
from bistro.evaluate.reading.gain import deal, held_out_likelihoods, mean_gain
from bistro.evaluate.reading.predictors import build, word_counts
from bistro.evaluate.reading.regression import Floats, fit
from bistro.evaluate.reading.scores import item_scores, item_surprisal
from bistro.evaluate.reading.simulation import as_table, simulated
from bistro.evaluate.reading.study import study
from bistro.evaluate.reading.tables import coefficient_rows, tidy_columns, tidy_rows
from bistro.models.abilities import TOKENISE
from bistro.models.ngram.model import NgramModel
from bistro.report.reading_page import reading_page
from bistro.tasks.cutting import common_cutting

TABLE = "participant,item,position,word,time\n"
ITEMS = [["The", "dog", "sleeps", "."], ["A", "cat", "sees", "it", "."]]


@pytest.fixture(scope="module")
def model() -> NgramModel:
    return bistro.train("ngram", bistro.builtin(sentences=200, seed=2), seed=1)


@pytest.fixture(scope="module")
def words() -> list[list[str]]:
    return [list(sentence.forms) for sentence in bistro.builtin(sentences=40, seed=1)]


@pytest.fixture(scope="module")
def bits(model: NgramModel, words: list[list[str]]) -> Floats:
    return item_surprisal(model, words)


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


def test_regression_equals_least_squares_with_a_column_per_participant() -> None:
    """The slow twin: dummy columns, and the clustered covariance written out with loops."""
    random = np.random.default_rng(1)
    readers, items = random.integers(0, 6, 200), random.integers(0, 8, 200)
    x = random.normal(size=(200, 2))
    y = 3 * x[:, 0] - x[:, 1] + 10.0 * readers + random.normal(size=200)
    found = fit(y, x, ["a", "b"], readers, items)
    dummies = (readers[:, None] == np.arange(6)).astype(float)
    whole = np.column_stack((x, dummies))
    solution = np.linalg.lstsq(whole, y, rcond=None)[0]
    assert found.estimates == pytest.approx(solution[:2])
    noise = y - whole @ solution
    bread = np.linalg.inv(whole.T @ whole)

    def middle(groups: list[tuple[int, ...]]) -> Floats:
        names = sorted(set(groups))
        total = np.zeros((8, 8))
        for name in names:
            rows = [i for i, group in enumerate(groups) if group == name]
            score = np.sum([whole[i] * noise[i] for i in rows], axis=0)
            total += np.outer(score, score)
        return total * len(names) / (len(names) - 1)

    by_reader = middle([(int(r),) for r in readers])
    by_item = middle([(int(i),) for i in items])
    both = middle(list(zip(readers.tolist(), items.tolist(), strict=True)))
    two = np.diag(bread @ (by_reader + by_item - both) @ bread)[:2]
    ways = [np.diag(bread @ m @ bread)[:2] for m in (by_reader, by_item)]
    largest = max(ways, key=lambda v: float(v.sum()))
    assert found.errors**2 == pytest.approx(np.maximum(two, largest), rel=1e-6)


def test_predictors_that_say_nothing_or_the_same_are_refused() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(50, 1))
    groups = np.arange(50) % 5
    with pytest.raises(BistroError, match="collinear"):
        fit(x[:, 0], np.hstack((x, 2 * x)), ["a", "b"], groups, groups)
    with pytest.raises(BistroError, match="cannot be used: b"):
        fit(x[:, 0], np.hstack((x, np.ones((50, 1)))), ["a", "b"], groups, groups)
    with pytest.raises(BistroError, match="too few"):
        fit(x[:3, 0], x[:3], ["a"], np.arange(3), np.arange(3))


def test_held_out_likelihoods_are_those_of_the_other_folds() -> None:
    random = np.random.default_rng(2)
    items = np.arange(120) // 10
    readers = np.arange(120) % 2
    x = random.normal(size=(120, 1))
    y = 2 * x[:, 0] + readers + random.normal(size=120)
    folds = deal(items, 3, random)
    assert all(len(set(folds[items == item])) == 1 for item in range(12))
    found = held_out_likelihoods(y, x, readers, folds)
    learned = folds != 0
    whole = np.column_stack((x, readers == 0, readers == 1)).astype(float)
    solution, *_ = np.linalg.lstsq(whole[learned], y[learned], rcond=None)
    noise = y - whole @ solution
    variance = (noise[learned] ** 2).sum() / (learned.sum() - 3)
    expected = -0.5 * (np.log(2 * np.pi * variance) + noise[~learned] ** 2 / variance)
    assert found[~learned] == pytest.approx(expected)
    with pytest.raises(BistroError, match="at least two items"):
        deal(np.zeros(5, np.int64), 3, random)


def test_an_interval_covers_the_mean_of_what_was_drawn() -> None:
    random = np.random.default_rng(3)
    items = np.repeat(np.arange(50), 4)
    gain = mean_gain(random.normal(1.0, 1.0, 200), items, random)
    assert gain.low < 1.0 < gain.high and gain.verdict == "gain"
    assert mean_gain(random.normal(0.0, 1.0, 200), items, random).verdict == "no gain"


def test_words_before_belong_to_the_same_item() -> None:
    data = simulated(ITEMS, np.arange(9.0), participants=1, seed=1)
    found = build(data, {"m": np.arange(9.0)}, word_counts([["the", "dog."], ["The"]]), 2)
    before = found.surprisal["m"]["surprisal, 2 before"]
    assert np.isnan(before[[0, 1, 4, 5]]).all() and before[[2, 6]].tolist() == [0.0, 4.0]
    frequency = found.baseline["log2 frequency"]
    assert frequency[0] > frequency[1] > frequency[2] == frequency[5]


def test_planted_effects_are_found(words: list[list[str]], bits: Floats) -> None:
    data = simulated(words, bits, participants=20, effect=4.0, spill_over=2.0, seed=3)
    shuffled = np.random.default_rng(1).permutation(bits)
    found = study(data, {"right": bits, "wrong": shuffled}, seed=1)
    fitted = found.fits["right"]
    for name, planted in (("surprisal", 4.0), ("surprisal, 1 before", 2.0), ("length", 8.0)):
        place = fitted.names.index(name)
        assert fitted.low[place] < planted < fitted.high[place]
    assert found.gains["right"].verdict == "gain" and found.gains["wrong"].verdict == "no gain"
    [pair] = found.comparisons
    assert pair.difference.low > 0 and pair.probability < 0.05
    curve = found.spill_over["right"]
    assert curve.low[curve.names.index("surprisal, 3 before")] < 0
    assert sum(found.left_out.values()) == int((~found.used).sum())
    again = study(data, {"right": bits, "wrong": shuffled}, seed=1)
    assert again.gains == found.gains


def test_tables_and_page(words: list[list[str]], bits: Floats) -> None:
    data = simulated(words, bits, participants=5, seed=3)
    found = study(data, {"one": bits, "two": bits[::-1].copy()}, logarithm=True)
    columns = tidy_columns(data, found)
    rows = list(tidy_rows(data, found))
    assert len(rows) == len(data.times) and all(len(row) == len(columns) for row in rows)
    assert all(name.replace("_", "").isalnum() for name in columns)
    assert {row[0] for row in coefficient_rows(found)} == {"one", "two"}
    page = reading_page(found, "times <1>", unit="log ms").render()
    assert "times &lt;1&gt;" in page and page.count("<svg") == 3 and "one − two" in page


def test_cells_of_several_words_have_their_sum(model: NgramModel) -> None:
    whole = item_scores(model, [["The", "dog", '"sleeps."']])
    parts = item_surprisal(model, [["The", "dog", '"', "sleeps", ".", '"']])
    assert whole.surprisal[:2].tolist() == parts[:2].tolist()
    assert whole.surprisal[2] == pytest.approx(parts[2:].sum())
    uncut = item_scores(model, [["The", "dog", "sleeps."]], cut=common_cutting([model], False))
    assert uncut.unknown.tolist() == [False, False, True]


def test_all_models_score_the_words_of_a_pipeline(model: NgramModel) -> None:
    trees = bistro.builtin(sentences=60, seed=1)
    pipeline = bistro.train("pipeline", trees, seed=1, parser="transition")
    cells = ["The", "dog", "sleeps."]
    learned = TOKENISE.of(pipeline).cut_cells
    assert common_cutting([model, pipeline]) == learned
    scores = item_scores(model, [cells], cut=learned).surprisal
    assert scores.tolist() == item_scores(model, [cells]).surprisal.tolist()
    [[token]] = common_cutting([model])(["don't"])
    assert token.words == ("don't",)


def test_unknown_words_and_the_words_after_them_can_be_left_out(words: list[list[str]]) -> None:
    bits = np.random.default_rng(5).gamma(2.0, 3.0, sum(map(len, words)))
    data = simulated(words, bits, participants=6, seed=3)
    unknown = np.zeros(len(bits), np.bool_)
    lost = int(data.starts[1]) + 2  # the third word of the second item
    unknown[lost] = True
    found = study(data, {"m": bits}, unknown={"m": unknown}, known_only=True)
    assert found.left_out["a word is unknown"] == 2 * 6
    assert sorted(set(data.token[~found.used])) == sorted({*data.starts.tolist(), lost, lost + 1})
    rows = [
        dict(zip(tidy_columns(data, found), row, strict=True)) for row in tidy_rows(data, found)
    ]
    assert [row["oov"] for row in rows[: len(bits)]] == unknown.astype(int).tolist()
    kept = study(data, {"m": bits}, unknown={"m": unknown})
    assert int(kept.used.sum()) == int(found.used.sum()) + 12
    assert found.protocol.endswith(f"unknown words, left out: 1 of {len(bits)} for m")
    assert kept.protocol.endswith(f"unknown words, used: 1 of {len(bits)} for m")


def test_versions_of_an_item_are_one_cluster(words: list[list[str]], bits: Floats) -> None:
    """The same texts, as 40 items and as 20 items in two conditions."""
    data = simulated(words, bits, participants=8, seed=3)
    pairs = ReadingData(
        **{
            **vars(data),
            "items": [str(number // 2) for number in range(40)],
            "conditions": ["a", "b"] * 20,
        }
    )
    found, apart = study(pairs, {"m": bits}), study(data, {"m": bits})
    assert "20 items in 40 versions" in found.protocol and "40 items;" in apart.protocol
    assert found.fits["m"].estimates == pytest.approx(apart.fits["m"].estimates)
    numbers = pairs.item_of_token[pairs.token[found.used]]
    table = found.predictors.table("m")[pairs.token[found.used]]
    readers = pairs.reader[found.used]
    again = fit(pairs.times[found.used], table, found.fits["m"].names, readers, numbers)
    assert found.fits["m"].errors == pytest.approx(again.errors)
    assert found.fits["m"].errors != pytest.approx(apart.fits["m"].errors)
    rows = list(tidy_rows(pairs, found))
    assert tidy_columns(pairs, found)[:4] == ["participant", "item", "condition", "word"]
    assert rows[0][1:3] == ("0", "a")


def test_p_values_are_those_of_the_intervals(words: list[list[str]], bits: Floats) -> None:
    fitted = study(simulated(words, bits, participants=8, seed=3), {"m": bits}).fits["m"]
    outside = (fitted.low > 0) | (fitted.high < 0)
    assert ((fitted.p_values < 0.05) == outside).all() and fitted.freedom == 7


def test_nothing_to_study(words: list[list[str]], bits: Floats) -> None:
    data = simulated(words, bits, participants=2, seed=3)
    with pytest.raises(BistroError, match="needs at least one model"):
        study(data, {})
    late = ReadingData(**{**vars(data), "times": np.full(len(data.times), 5.0)})
    with pytest.raises(BistroError, match="no row has a reading time"):
        study(late, {"m": bits})
