"""Reading times: regression beside plain least squares, gains, tables, page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError
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
    gain = found.gains["one"]
    assert f"{gain.mean:.6f}" in page and "gain, nats per row" in page and "millinats" not in page


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


def test_the_order_of_rows_does_not_matter(
    tmp_path: Path, words: list[list[str]], bits: Floats
) -> None:
    header, *rows = as_table(simulated(words, bits, participants=8, seed=3)).splitlines()
    np.random.default_rng(1).shuffle(rows)
    path = tmp_path / "times.csv"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    shuffled = read_reading_data(path)
    assert [shuffled.items[text] for text in shuffled.texts_by_name] == [
        str(number) for number in range(1, 41)
    ]
    of_item = dict(zip(map(str, range(1, 41)), np.split(bits, _starts(words)), strict=True))
    mixed = np.concatenate([of_item[item] for item in shuffled.items])
    one = study(simulated(words, bits, participants=8, seed=3), {"m": bits}).gains["m"]
    two = study(shuffled, {"m": mixed}).gains["m"]
    assert (two.mean, two.low, two.high) == pytest.approx((one.mean, one.low, one.high))


def test_texts_can_be_scored_in_another_order(words: list[list[str]]) -> None:
    """Each text has its own random numbers, so estimates depend on the order of scoring."""
    parser = bistro.train(
        "transition", bistro.builtin(sentences=60, seed=2), seed=1,
        sampler={"sweeps": 3, "samples": 1},
    )  # fmt: skip
    texts, order = words[:6], [3, 1, 5, 0, 2, 4]
    moved = [texts[text] for text in order]
    again = item_scores(parser, texts, order=order, particles=5).surprisal
    plain = item_scores(parser, moved, particles=5).surprisal
    pieces = np.split(plain, _starts(moved))
    assert again.tolist() == np.concatenate([pieces[order.index(i)] for i in range(6)]).tolist()


def _starts(words: list[list[str]]) -> list[int]:
    starts: list[int] = np.cumsum([len(own) for own in words])[:-1].tolist()
    return starts


def test_surprisal_of_a_control_belongs_to_the_baseline(
    words: list[list[str]], bits: Floats
) -> None:
    data = simulated(words, bits, participants=12, effect=4.0, seed=3)
    noisy = bits + np.random.default_rng(1).normal(0, 1, len(bits))
    unknown = {name: np.zeros(len(bits), np.bool_) for name in ("m", "c")}
    alone = study(data, {"m": noisy})
    found = study(data, {"m": noisy}, controls={"c": bits}, unknown=unknown)
    assert alone.gains["m"].verdict == "gain" and found.gains["m"].verdict == "no gain"
    controls = ("control c", "control c, 1 before")
    assert found.fits["m"].names[-4:] == (*controls, "surprisal", "surprisal, 1 before")
    assert "length, surprisal under c of the word and of 1 before" in found.protocol
    columns = tidy_columns(data, found)
    expected = ["control_c", "control_c_1_before", "surprisal", "surprisal_1_before"]
    assert columns[-7:] == [*expected, "oov_m", "oov_c", "used"]
    assert all(len(row) == len(columns) for row in tidy_rows(data, found))
    assert "control c, 3 before" in found.spill_over["m"].names
    assert reading_page(found, "times", unit="ms").render().count('class="dot ') == 1 + 4


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
    rows = f"{len(data.times):,}"
    too_fast = rf"\(below 100 or above 3000 ms: {rows}\)"
    unit = "the median time is 5, but times must be in milliseconds, not in seconds"
    with pytest.raises(BistroError, match=f"all rows of the table are .*{too_fast}: {unit}"):
        study(late, {"m": bits})
    with pytest.raises(BistroError, match=r"above 1 ms: .*: check the column of times and"):
        study(data, {"m": bits}, fastest=0.0, slowest=1.0)


def test_one_participant_and_few_times(words: list[list[str]], bits: Floats) -> None:
    found = study(simulated(words, bits, participants=1, seed=3), {"m": bits})
    assert " rows, 1 participant, 40 items; " in found.protocol
    x, groups = np.arange(2.0)[:, None], np.zeros(2, np.int64)
    with pytest.raises(BistroError, match=r"times \(2\) to .* 1 predictor and 1 participant"):
        fit(x[:, 0], x, ["a"], groups, groups)
