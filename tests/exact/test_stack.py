"""Stacked decisions in the core against a slow twin: features, probabilities, steps of learning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import stack_twins as twins

from bistro._core import (
    STACK_FORMS,
    ComputationStopped,
    StackBatch,
    StackLearner,
    StackTemplates,
    StackWeights,
    StopFlag,
    stack_probabilities,
)
from bistro.models.committee.templates import COLUMNS, WORDS, compiled, lines, usual

BITS = 12
LENGTHS = (1, 7, 31)
VOTERS = 3
ORDER = np.arange(len(LENGTHS))


def random_batch(task: str, seed: int) -> dict[str, Any]:
    """Return sentences with trees, tags, candidates and votes, all drawn at random."""
    rng = np.random.default_rng(seed)
    words = sum(LENGTHS)
    lengths = np.repeat(LENGTHS, LENGTHS)
    forms = rng.integers(0, 6, (words, STACK_FORMS)).astype(np.int32)
    forms[:, -1] = rng.random(words) < 0.2
    sizes = rng.integers(1, 4, words)
    begin = np.concatenate(([0], np.cumsum(sizes)))
    row = np.repeat(np.arange(words), sizes)
    position = np.concatenate([np.arange(1, length + 1) for length in LENGTHS])
    heads = rng.integers(0, lengths)
    heads += heads >= position  # No word is its own head.
    what = rng.integers(0, (lengths + 1)[row] if task == "heads" else 5, row.size)
    context = rng.integers(0, (lengths + 1)[row] if task == "labels" else 5, row.size)
    votes = rng.random((row.size, VOTERS)) * (rng.random((row.size, VOTERS)) < 0.7)
    return {
        "offsets": np.concatenate(([0], np.cumsum(LENGTHS))).astype(np.int64),
        "forms": forms.reshape(-1),
        "tags": rng.integers(0, 4, words).astype(np.int32),
        "heads": heads.astype(np.int32),
        "labels": rng.integers(0, 5, words).astype(np.int32),
        "begin": begin.astype(np.int64),
        "what": what.astype(np.int32),
        "with_": context.astype(np.int32),
        "votes": votes.astype(np.float32).reshape(-1),
        "words": rng.integers(0, 6, words * len(WORDS)).astype(np.int32),
    }


def usual_templates(task: str) -> StackTemplates:
    """Return the templates of a decision, with those that see classes of words."""
    return compiled(*usual(classes=True)[task])


def features_of(
    task: str, batch: dict[str, Any], *, by_templates: bool
) -> list[list[list[twins.Feature]]]:
    """Return the features of all candidates, word by word, by the twin."""
    own, of_votes = map(lines, usual(classes=True)[task])
    found = []
    forms = batch["forms"].reshape(-1, STACK_FORMS)
    votes = batch["votes"].reshape(-1, VOTERS)
    for a, b in zip(batch["offsets"][:-1], batch["offsets"][1:], strict=True):
        columns = (batch[name][a:b].tolist() for name in ("tags", "heads", "labels"))
        view = twins.View(forms[a:b].tolist(), *columns)
        words = batch["words"].reshape(-1, len(WORDS))[a:b].tolist()
        templates = twins.Templates(own, of_votes, COLUMNS, words) if by_templates else None
        for word in range(a, b):
            places = range(batch["begin"][word], batch["begin"][word + 1])
            table = [votes[c].tolist() for c in places]
            bits = twins.first_choices(table)
            found.append(
                [
                    twins.features(
                        task,
                        view,
                        int(word - a) + 1,
                        int(batch["what"][c]),
                        int(batch["with_"][c]),
                        row,
                        first,
                        BITS,
                        templates,
                    )
                    for c, row, first in zip(places, table, bits, strict=True)
                ]
            )
    return found


def expected(weights: Any, words: list[list[list[twins.Feature]]]) -> list[float]:
    """Return the probabilities of all candidates by the twin."""
    found: list[float] = []
    for word in words:
        scores = [sum(float(weights[p]) * v for p, v in candidate) for candidate in word]
        found += twins.softmax(scores)
    return found


@pytest.mark.parametrize("task", ["tags", "heads", "labels"])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("by_templates", [False, True])
def test_probabilities(task: str, threads: int, by_templates: bool) -> None:
    templates = usual_templates(task) if by_templates else None
    weights = np.random.default_rng(1).normal(size=1 << BITS).astype(np.float32)
    batch = random_batch(task, seed=2)
    found = stack_probabilities(
        batch=StackBatch(**batch), task=task, weights=weights, threads=threads, templates=templates
    )
    words = features_of(task, batch, by_templates=by_templates)
    np.testing.assert_allclose(found, expected(weights, words), rtol=1e-5)
    wrong = random_batch(task, seed=2)
    wrong["tags"][10] += 1
    other = stack_probabilities(
        batch=StackBatch(**wrong), task=task, weights=weights, threads=1, templates=templates
    )
    assert not np.allclose(found, other)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_weights_that_are_0_need_not_be_kept(share: float) -> None:
    rng = np.random.default_rng(3)
    weights = rng.normal(size=1 << BITS).astype(np.float32)
    weights[rng.random(1 << BITS) >= share] = 0
    places = np.flatnonzero(weights).astype(np.uint32)
    sparse = StackWeights(size=weights.size, places=places, values=weights[places])
    assert sparse.size == weights.size
    assert (sparse.places() == places).all() and (sparse.values() == weights[places]).all()
    for task in ("tags", "heads", "labels"):
        asked: dict[str, Any] = {"task": task, "threads": 1}
        asked |= {"batch": StackBatch(**random_batch(task, seed=2))}
        found = stack_probabilities(**asked, weights=sparse)
        assert (found == stack_probabilities(**asked, weights=weights)).all()


@pytest.mark.parametrize(
    ("places", "values"), [([3, 2], [1, 1]), ([2, 2], [1, 1]), ([64], [1]), ([1], [1, 1])]
)
def test_places_are_in_order_and_within_the_table(places: list[int], values: list[int]) -> None:
    arrays: dict[str, Any] = {"places": np.array(places, np.uint32)}
    arrays["values"] = np.array(values, np.float32)
    with pytest.raises(ValueError, match="place"):
        StackWeights(size=64, **arrays)
    with pytest.raises(ValueError, match="power of 2"):
        StackWeights(size=63, **arrays)


@pytest.mark.parametrize("task", ["tags", "heads", "labels"])
@pytest.mark.parametrize("by_templates", [False, True])
def test_steps(task: str, by_templates: bool) -> None:
    """AdaGrad, word by word: each weight moves against its gradient, scaled by those before."""
    batch, rate = random_batch(task, seed=3), 0.1
    sizes = np.diff(batch["begin"])
    gold = np.where(np.arange(sizes.size) % 5 == 4, -1, np.arange(sizes.size) % sizes)
    learner = StackLearner(bits=BITS, rate=rate)
    order = np.array([2, 0, 1])
    loss = learner.learn(
        batch=StackBatch(**batch),
        task=task,
        gold=gold.astype(np.int32),
        order=order,
        templates=usual_templates(task) if by_templates else None,
    )
    weights, squares = np.zeros(1 << BITS), np.full(1 << BITS, 0.01)
    words, total = features_of(task, batch, by_templates=by_templates), 0.0
    for sentence in order:
        for word in range(batch["offsets"][sentence], batch["offsets"][sentence + 1]):
            if sizes[word] < 2 or gold[word] < 0:
                continue
            probabilities = expected(weights, [words[word]])
            total -= math.log(probabilities[gold[word]])
            for c, (candidate, p) in enumerate(zip(words[word], probabilities, strict=True)):
                error = p - (c == gold[word])
                for place, value in candidate if abs(error) >= 1e-3 else ():
                    squares[place] += (error * value) ** 2
                    weights[place] -= rate * error * value / math.sqrt(squares[place])
    assert loss == pytest.approx(total, rel=1e-4)
    np.testing.assert_allclose(learner.weights(), weights, atol=1e-4)


def test_dropout_leaves_features_out() -> None:
    """A share of the features counts more, the others not at all, in a first step from zero."""
    batch = random_batch("tags", seed=5)
    gold = np.where(np.diff(batch["begin"]) > 1, 0, -1).astype(np.int32)
    moved = {}
    for dropout in (0.0, 0.5):
        learner = StackLearner(bits=20, rate=0.1, dropout=dropout, seed=3)
        templates = usual_templates("tags")
        for _ in range(2):
            learner.learn(
                batch=StackBatch(**batch), task="tags", gold=gold, order=ORDER, templates=templates
            )
        moved[dropout] = np.count_nonzero(learner.weights())
        again = StackLearner(bits=20, rate=0.1, dropout=dropout, seed=3)
        for _ in range(2):
            again.learn(
                batch=StackBatch(**batch), task="tags", gold=gold, order=ORDER, templates=templates
            )
        assert (again.weights() == learner.weights()).all()
    # Of features that are seen in two passes, three quarters are left in at least once.
    assert 0.65 < moved[0.5] / moved[0.0] < 0.9


def test_damaged_batches_are_refused() -> None:
    for name, value in (("heads", 40), ("begin", -1)):
        batch = random_batch("heads", seed=4)
        batch[name][-1] = value
        with pytest.raises(ValueError, match=r"outside its sentence|do not match"):
            StackBatch(**batch)
    batch = random_batch("heads", seed=4)
    batch["what"][-1] = 99
    weights = np.zeros(1 << BITS, dtype=np.float32)
    with pytest.raises(ValueError, match="outside its sentence"):
        stack_probabilities(batch=StackBatch(**batch), task="heads", weights=weights, threads=1)
    good = StackBatch(**random_batch("heads", seed=4))
    with pytest.raises(ValueError, match=r"power of 2"):
        stack_probabilities(batch=good, task="heads", weights=weights[:-1], threads=1)
    with pytest.raises(ValueError, match="no such decision"):
        stack_probabilities(batch=good, task="head", weights=weights, threads=1)


def test_learning_hears_its_stop_flag() -> None:
    batch = random_batch("heads", 1)
    gold = np.zeros(sum(LENGTHS), dtype=np.int32)
    learner = StackLearner(bits=BITS, rate=0.1)
    flag = StopFlag()
    flag.set()
    with flag, pytest.raises(ComputationStopped):
        learner.learn(
            batch=StackBatch(**batch), task="heads", gold=gold, order=np.arange(len(LENGTHS))
        )
    assert not learner.weights().any()


def test_damaged_templates_are_refused() -> None:
    begin, elements = np.array([0, 1], dtype=np.int32), np.array([0, 99], dtype=np.int32)
    with pytest.raises(ValueError, match="unknown element"):
        StackTemplates(
            begin=begin, elements=elements, vote_begin=begin, vote_elements=elements, columns=4
        )
    few = np.array([0, 1, 2], dtype=np.int32)
    with pytest.raises(ValueError, match="damaged"):
        StackTemplates(
            begin=few, elements=elements, vote_begin=begin, vote_elements=elements, columns=4
        )
    batch = random_batch("heads", seed=4)
    batch["words"] = batch["words"][: batch["tags"].size]
    weights = np.zeros(1 << BITS, dtype=np.float32)
    with pytest.raises(ValueError, match="do not match"):
        stack_probabilities(
            batch=StackBatch(**batch),
            task="heads",
            weights=weights,
            threads=1,
            templates=usual_templates("heads"),
        )
