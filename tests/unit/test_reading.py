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
from bistro.evaluate.reading.simulation import as_table, simulated
from bistro.evaluate.reading.study import item_surprisal, study
from bistro.evaluate.reading.tables import coefficient_rows, tidy_columns, tidy_rows
from bistro.models.ngram.model import NgramModel
from bistro.report.reading_page import reading_page

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
        ("a,1,1,The\n", "times.csv:2: 4 cells"),
        ("a,1,1, ,300\n", "times.csv:2: has no word"),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, rows: str, told: str) -> None:
    with pytest.raises(TreebankError, match=told):
        read_reading_data(written(tmp_path, TABLE + rows))


def test_missing_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match="has no column time or rt"):
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
    columns = tidy_columns(found)
    rows = list(tidy_rows(data, found))
    assert len(rows) == len(data.times) and all(len(row) == len(columns) for row in rows)
    assert all(name.replace("_", "").isalnum() for name in columns)
    assert {row[0] for row in coefficient_rows(found)} == {"one", "two"}
    page = reading_page(found, "times <1>", unit="log ms").render()
    assert "times &lt;1&gt;" in page and page.count("<svg") == 3 and "one − two" in page


def test_cells_of_several_words_have_their_sum(model: NgramModel) -> None:
    parts = item_surprisal(model, [["The", "dog", "sleeps."]])
    assert parts.shape == (3,)


def test_nothing_to_study(words: list[list[str]], bits: Floats) -> None:
    data = simulated(words, bits, participants=2, seed=3)
    with pytest.raises(BistroError, match="needs at least one model"):
        study(data, {})
    late = ReadingData(**{**vars(data), "times": np.full(len(data.times), 5.0)})
    with pytest.raises(BistroError, match="no row has a time"):
        study(late, {"m": bits})
