"""Readings of English: a garden path, tables, and what cannot be read."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable

import pytest

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.models.results.readings import Live, Step
from bistro.models.transition.model import TransitionModel
from bistro.treebank.treebank import Treebank

GARDEN_PATH = ["The", "horse", "raced", "past", "the", "barn", "fell", "."]
QUICK = {"sampler": {"sweeps": 6, "samples": 2}}


@pytest.fixture(scope="module")
def parser() -> TransitionModel:
    return bistro.train("transition", bistro.builtin(sentences=5000, seed=1), seed=1, **QUICK)


@pytest.fixture(scope="module")
def small() -> Treebank:
    return bistro.builtin(sentences=200, seed=1)


def share(step: Step, test: Callable[[Live], bool]) -> float:
    return sum(live.probability for live in step.analyses if test(live))


# ---- a garden path -----------------------------------------------------------------------------
def test_a_garden_path_is_left_at_the_word_that_cannot_follow(parser: TransitionModel) -> None:
    reading = parser.follow(GARDEN_PATH, analyses=10**6)
    main_verb = [share(step, lambda live: live.heads[1] == 3) for step in reading.steps[3:]]
    reduced = [share(step, lambda live: live.heads[2] == 2) for step in reading.steps[3:]]
    tokens = [step.token for step in reading.steps[3:]]
    assert tokens == ["past", "the", "barn", "fell", ".", "</s>"]
    assert min(main_verb[:3]) > 0.99  # horse is the subject of raced
    assert max(reduced[:3]) < 0.01
    assert main_verb[3] < 0.9
    assert reduced[3] > 0.1  # raced is a part of the subject
    assert main_verb[-1] < 0.5 < reduced[-1]
    best = reading.steps[-1].analyses[0]
    assert best.heads == [2, 7, 2, 6, 6, 3, 0, 7]
    assert best.labels[2] == "acl"


def test_the_likeliest_analysis_before_the_word_is_no_ancestor_of_the_last(
    parser: TransitionModel,
) -> None:
    reading = parser.follow(GARDEN_PATH)
    by_id = {live.id: live for step in reading.steps for live in step.analyses}
    line = [reading.steps[-1].analyses[0]]
    while line[-1].parent is not None:
        line.append(by_id[line[-1].parent])
    at_barn = line[len(GARDEN_PATH) + 1 - 6]
    assert len(at_barn.heads) == 6
    assert at_barn.id != reading.steps[5].analyses[0].id


# ---- tables ------------------------------------------------------------------------------------
def test_a_table_has_a_row_an_analysis_a_step(parser: TransitionModel) -> None:
    reading = parser.follow(GARDEN_PATH, analyses=3)
    table = reading.to_pandas()
    assert len(table) == sum(len(step.analyses) for step in reading.steps)
    assert table.columns.tolist() == [
        *("word", "token", "surprisal", "entropy", "alive", "rank"),
        *("id", "parent", "probability", "heads", "labels", "tags", "stack"),
    ]
    firsts = table[table["rank"] == 1]
    assert firsts.token.tolist() == [*GARDEN_PATH, "</s>"]
    assert firsts.surprisal.tolist() == [step.surprisal for step in reading.steps]
    assert table.parent.isna().tolist()[0]
    assert table.id.is_unique


def test_steps_are_ready_for_json(parser: TransitionModel) -> None:
    reading = parser.follow(GARDEN_PATH)
    again = json.loads(json.dumps(dataclasses.asdict(reading), allow_nan=False))
    assert again["steps"][-1]["token"] == "</s>"
    assert again["steps"][3]["analyses"][0]["heads"] == [2, 3, -1, -1]
    assert "10,000 particles" in again["protocol"]


# ---- labels that stand for crossing arcs, unknown words ----------------------------------------
def test_labels_of_lifted_arcs_are_decoded(small: Treebank) -> None:
    crossing = [
        s.replace(heads=[3, 4, 0, 3], deprels=["det", "nsubj", "root", "obl"]) if len(s) == 4 else s
        for s in small
    ]
    model = bistro.train("transition", crossing, seed=1, **QUICK)
    assert any("↑" in label for label in model.codec.labels)
    words = next(s.forms for s in small if len(s) == 4)
    for step in model.follow(words, analyses=100).steps:
        assert not any("↑" in label for live in step.analyses for label in live.labels)


def test_spelled_words_have_the_surprisal_of_the_scores(small: Treebank) -> None:
    model = bistro.train("transition", small, seed=1, unknown="spelling", **QUICK)
    words = ["The", "zyzzyva", "sleeps", "."]
    found = [step.surprisal for step in model.follow(words, particles=200).steps]
    rows = model.surprisal(words, method="search", particles=200)
    assert found == pytest.approx([row.surprisal for row in rows], abs=1e-9)


# ---- what cannot be read -----------------------------------------------------------------------
def test_what_cannot_be_read_is_refused(parser: TransitionModel, small: Treebank) -> None:
    with pytest.raises(BistroError, match="at least one word"):
        parser.follow([])
    with pytest.raises(BistroError, match="split the text first"):
        parser.follow("The dog sleeps .")
    for wrong in ({"analyses": 0}, {"particles": 0}, {"tags": "some"}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            parser.follow(["Dogs"], **wrong)
    backwards = bistro.train("transition", small, seed=1, direction="right-to-left", **QUICK)
    with pytest.raises(BistroError, match="from right to left"):
        backwards.follow(["Dogs"])
    assert not hasattr(bistro.train("ngram", small, seed=1, **QUICK), "follow")
