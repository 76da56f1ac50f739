"""Test suites: formulas, files, results."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.encoding.vocabulary import Vocabulary
from bistro.errors import BistroError, TreebankError
from bistro.models.results.scores import TextScores
from bistro.models.scoring import Scoring
from bistro.tasks.suite import own_suites, pairs_suite, read_suite
from bistro.tasks.suite_formulas import parse_formula
from bistro.tasks.suite_results import run_suite

BITS = {("a", "1"): 2.0, ("a", "2"): 3.0, ("a", "$"): 7.0, ("b", "1"): 5.0, ("b", "2"): 1.0}


@pytest.mark.parametrize(
    ("formula", "margin"),
    [
        ("(1;%a%) < (1;%b%)", 3.0),
        ("(1;%a%)>(1;%b%)", -3.0),
        ("(*;%a%) > 4", 1.0),
        ("(*;%a%) + ($;%a%) > 4", 8.0),
        ("(1;%a%) + 2 * (2;%a%) - 1 < 10 / 2 + 3", 1.0),
        ("((1;%a%) - (1;%b%)) < ((2;%a%) - (2;%b%))", 5.0),
        ("[(1;%a%) < (1;%b%)] & [(2;%a%) < (2;%b%)]", -2.0),
        ("[(1;%a%) < (1;%b%)] | [(2;%a%) < (2;%b%)]", 3.0),
        ("(1;%a%) < 1 | (1;%a%) > 1 & (1;%b%) > 1", 1.0),
        ("(1;%a%) = 2.0001", 0.0009),
    ],
)
def test_margins(formula: str, margin: float) -> None:
    assert parse_formula(formula).margin(BITS) == pytest.approx(margin)


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("(1;%a%)", "there is no comparison"),
        ("(1;%a%) < ", "ends too early"),
        ("((1;%a%) < 2", "not closed"),
        ("[(1;%a%) < 2)", "not closed"),
        ("(1;%a%) < 2 < 3", "'<' is not expected"),
        ("[(1;%a%) < 2] < 3", "cannot be chained"),
        ("[(1;%a%) < 2] + 3 > 1", "needs numbers"),
        ("(1;%a%) & 3 > 1", "joins predictions"),
        ("(x;%a%) < 2", "cannot be read"),
        ("* 3 < 2", "'*' is not expected"),
    ],
)
def test_bad_formulas_are_explained(formula: str, reason: str) -> None:
    with pytest.raises(BistroError, match="cannot be understood") as caught:
        parse_formula(formula)
    assert reason in str(caught.value)


def suite_json(**changes: Any) -> dict[str, Any]:
    condition = {"condition_name": "a", "regions": [{"region_number": 1, "content": "The dog."}]}
    content = {
        "meta": {"name": "small", "metric": "mean"},
        "predictions": [{"type": "formula", "formula": "(1;%a%) > 1"}],
        "items": [{"item_number": 4, "conditions": [condition]}],
    }
    return {**content, **changes}


def test_all_kinds_of_files(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(suite_json()))
    suite = read_suite(tmp_path / "s.json")
    assert (suite.name, suite.metric, suite.items[0].name) == ("small", "mean", "4")
    assert suite.items[0].conditions[0].words == ["The", "dog", "."]
    pair = {"sentence_good": "Dogs bark.", "sentence_bad": "Dogs barks.", "UID": "x"}
    for lines in (1, 3):
        (tmp_path / "p.jsonl").write_text("\n".join([json.dumps(pair)] * lines))
        assert len(read_suite(tmp_path / "p.jsonl").items) == lines
    (tmp_path / "p.csv").write_text('item,good,bad\n1,"Dogs bark.","Dogs barks."\n')
    [item] = read_suite(tmp_path / "p.csv").items
    assert [c.words for c in item.conditions] == [["Dogs", "bark", "."], ["Dogs", "barks", "."]]
    [item] = read_suite(tmp_path / "p.csv", split_punct=False).items
    assert item.conditions[0].words == ["Dogs", "bark."]
    for name, column, group in (("p.csv", "item", "1"), ("p.jsonl", "UID", "x")):
        assert {item.group for item in read_suite(tmp_path / name, group=column).items} == {group}
    with pytest.raises(TreebankError, match="only files of pairs"):
        read_suite(tmp_path / "s.json", group="item_number")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (json.dumps({"items": []}), "'meta' is missing"),
        (json.dumps(suite_json(items=[])), "has no items"),
        (json.dumps(suite_json(items=3)), "is not a suite"),
        (json.dumps([1, 2]), "is not a suite: its JSON is not an object"),
        ("", "is empty"),
        ("\n \n", "is empty"),
        (json.dumps(suite_json(predictions=[{"formula": "(7;%a%) > 1"}])), "no region 7"),
        (json.dumps(suite_json(predictions=[{"formula": "(1;%z%) > 1"}])), "no condition 'z'"),
        ('{"sentence_good": "a"}\n', ":1: expected a suite"),
        ('{"sentence_good": "a", "sentence_bad": "b"}\nnonsense\n', ":2: expected a suite"),
        ('{"sentence_good": " ", "sentence_bad": "b"}\n', "has no word"),
    ],
)
def test_bad_files_are_explained(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "bad.json").write_text(content)
    with pytest.raises(TreebankError) as caught:
        read_suite(tmp_path / "bad.json")
    assert reason in str(caught.value)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(BistroError, match=r"did you mean 'agreement'.*garden-path"):
        read_suite("agrement")


def test_regions_sum_to_the_sentence() -> None:
    model = bistro.train("ngram", bistro.builtin(sentences=300, seed=1), seed=1)
    for name in own_suites():
        suite = read_suite(name)
        result = run_suite(model, suite)
        for item, found in zip(suite.items, result.items, strict=True):
            for condition in item.conditions:
                bits = sum(b for (c, _), b in found.bits.items() if c == condition.name)
                whole = model.score([condition.words]).log_probs.sum()
                assert bits == pytest.approx(-whole / math.log(2))


def test_an_item_is_right_if_all_its_predictions_hold() -> None:
    class Uniform(bistro.Model, Scoring):  # each word costs its length in bits
        kind = "lengths"
        vocabulary = Vocabulary.build([["a"]])

        def score(self, sentences: Iterable[Any], **options: Any) -> TextScores:
            lengths = [[*map(len, words), 0] for words in sentences]
            flat = [size for row in lengths for size in row]
            ends = np.cumsum([0, *map(len, lengths)])
            false = np.zeros(len(flat), dtype=bool)
            return TextScores(-np.array(flat) * math.log(2), false, false, ends)

        def header(self) -> Any: ...
        def arrays(self) -> Any: ...
        def summary(self) -> Any: ...
        @classmethod
        def from_parts(cls, config: Any, header: Any, arrays: Any, origin: Any) -> Any: ...

    result = run_suite(Uniform(), pairs_suite([("a b", "aaa b"), ("aa b", "a b"), ("a", "a")]))
    assert [item.right for item in result.items] == [True, False, False]
    assert [item.margins for item in result.items] == [[2.0], [-1.0], [0.0]]
    assert [item.tied for item in result.items] == [False, False, True]
    assert result.ties == 1 and result.tie_share == pytest.approx(1 / 3)
    assert result.accuracy == pytest.approx(1 / 3)
    low, high = result.interval
    assert [low, high] == pytest.approx([0.0615, 0.7923], abs=1e-3)
    frame = result.to_pandas()
    assert frame.groupby("item").tie.first().tolist() == [False, False, True]
    assert frame.groupby(["item", "condition"]).surprisal.sum()["1", "bad"] == pytest.approx(4)


def test_a_parser_sees_garden_paths_and_an_ngram_does_not() -> None:
    treebank = bistro.builtin(sentences=2000, seed=1)
    suite = read_suite("garden-path")
    settings = {"sampler": {"sweeps": 10, "samples": 3}}
    parser = run_suite(bistro.train("transition", treebank, seed=1, **settings), suite)
    ngram = run_suite(bistro.train("ngram", treebank, seed=1, **settings), suite)
    assert parser.accuracy >= 0.8 > 0.3 >= ngram.accuracy
