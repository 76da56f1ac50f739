"""Simulated annotators: what is shown, and what is counted."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

import bistro
from bistro.models.abilities import PARSE, Parser
from bistro.treebank.sentence import Sentence

# The experiments are no part of the package: they are found from here.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from experiments import annotator_careers as careers
from experiments.annotator_careers import Point, Spent
from experiments.annotators import _append, print_table, reached, stored


@pytest.fixture(scope="module")
def treebank() -> list[Sentence]:
    return list(bistro.builtin(sentences=120, seed=4))


@pytest.fixture(scope="module")
def model(treebank: list[Sentence]) -> Parser:
    return PARSE.of(careers.trained(treebank[:40], seed=1))


def test_what_is_known_is_shown(treebank: list[Sentence]) -> None:
    sentence = treebank[0]
    right = careers.values_of(sentence)
    for known in range(len(right) + 1):
        shown = careers.values_of(careers._shown(sentence, known))
        assert shown[:known] == right[:known]
        assert set(shown[known:]) <= {"_", "-1"}


def test_corrections_are_those_of_one_sentence_after_the_other(
    treebank: list[Sentence], model: Parser
) -> None:
    batch = treebank[40:46]
    number = 0
    for sentence in batch:
        right, known = careers.values_of(sentence), 0
        while True:
            [shown] = careers.suggested(model, [careers._shown(sentence, known)])
            wrong = [i for i in range(known, len(right)) if shown[i] != right[i]]
            if not wrong:
                break
            number, known = number + 1, wrong[0] + 1
    assert careers.corrections(model, batch) == number > 0


def test_suggestions_are_counted_value_by_value(treebank: list[Sentence], model: Parser) -> None:
    spent, batch = Spent(), treebank[40:50]
    careers.annotate(model, batch, spent)
    wrong = sum(
        a != b
        for shown, sentence in zip(
            careers.suggested(model, careers.map_bare(batch)), batch, strict=True
        )
        for a, b in zip(shown, careers.values_of(sentence), strict=True)
    )
    assert (spent.words, spent.wrong) == (sum(map(len, batch)), wrong)
    assert spent.wrong_again == pytest.approx(careers.corrections(model, batch))
    values = 3 * spent.words
    assert spent.decisions("nothing", 0.2) == values
    assert spent.decisions("suggestions", 0.2) == pytest.approx(wrong + 0.2 * (values - wrong))


def test_a_career_annotates_the_words_that_are_wanted(
    treebank: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(careers, "START", 10)
    for strategy in ("random", "gain"):
        points = careers.career(treebank[:80], treebank[80:], strategy, 1, 400)
        words = [point.spent.words for point in points]
        assert words == sorted(words) and 400 <= words[-1] < 440
        assert all(point.spent.wrong < 3 * point.spent.words for point in points)


def test_the_goal_is_reached_on_a_line() -> None:
    points = [Point(1, 10 * math.log(words), Spent(words)) for words in (100, 200, 400)]
    assert reached(points, 10 * math.log(300), "nothing", 0.0) == pytest.approx(900)


def test_the_table_has_one_row_per_strategy(capsys: pytest.CaptureFixture[str]) -> None:
    spent = [{"words": words, "wrong": words, "wrong_again": words / 2} for words in (100, 200)]
    points = [{"sentences": 1, "las": 50.0 + 10 * i, "spent": one} for i, one in enumerate(spent)]
    rows = [{"treebank": "ewt", "seed": 0, "strategy": "goal", "las": 60.0, "words": 200}]
    rows += [
        {"treebank": "ewt", "seed": seed, "strategy": "doubt", "seconds": 1, "points": points}
        for seed in (1, 2)
    ]
    print_table("ewt", json.loads(json.dumps(rows)))
    told = capsys.readouterr().out
    assert "| `doubt` | 2 | 60.0 ± 0.0 | 100.0 ± 0.0 | 33.3 ± 0.0 |" in told


def test_the_store_is_read_back(tmp_path: Path) -> None:
    assert stored(tmp_path / "none") == []
    _append(tmp_path / "some", {"seed": 1})
    assert stored(tmp_path / "some") == [{"seed": 1}]
