"""Experts that decide together, against the sum of their log-probabilities in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bistro._core import Frozen, product_scores
from bistro.inference.choices import ChoiceLearner
from bistro.inference.products import Candidates, Product, ProductLearner
from bistro.inference.settings import SamplerSettings

SETTINGS = SamplerSettings(sweeps=4, samples=2)
EXPERTS = {"first": (0, 1), "second": (2, 0, 1)}


def learned(seed: int = 1) -> tuple[Product, list[list[str]]]:
    """Return two experts that see the same three elements in different orders, and their places."""
    rng = np.random.default_rng(seed)
    elements = [rng.choice(list("abcd"), size=400).tolist() for _ in range(3)]
    outcomes = [f"o{int(rng.zipf(1.6)) % 30}{elements[0][i]}" for i in range(400)]
    contexts = {name: [elements[e] for e in order] for name, order in EXPERTS.items()}
    learner = ProductLearner(contexts, outcomes, SETTINGS, seed)
    for chain in learner.chains:
        chain.seat()
        for sweep in range(4):
            chain.step(sweep, keep=sweep > 1)
    return learner.product(), elements


def whole_scores(product: Product, row: list[str], prior: float) -> list[float]:
    """Return the score of every outcome at one place: the slow twin."""
    experts = [Frozen(**arrays, dishes=len(product.outcomes)) for arrays in product.parts.values()]
    shares = experts[0].distribution(np.zeros(0, np.int32))
    sums = -prior * np.log(shares)
    for expert, order in zip(experts, EXPERTS.values(), strict=True):
        context = product.elements.encode([[row[e] for e in order]])[0]
        sums += np.log(expert.distribution(context)) / len(experts)
    return [float(value) for value in sums]


@pytest.mark.parametrize("prior", [0.0, 0.3])
def test_scores_are_sums_over_experts(prior: float) -> None:
    product, elements = learned()
    places = [[column[i] for column in elements] for i in range(20)] + [["a", "z", "b"]]
    columns = list(map(list, zip(*places, strict=True)))
    contexts = {name: [columns[e] for e in order] for name, order in EXPERTS.items()}
    allowed: list[list[int]] = [[] for _ in places]
    allowed[3] = [0, 5, 7]
    found = product.candidates(contexts, allowed, prior=prior, most=4)
    ends = [*found.starts[1:].tolist(), len(found.outcomes)]
    for place, (start, end) in enumerate(zip(found.starts.tolist(), ends, strict=True)):
        expected = whole_scores(product, places[place], prior)
        own = found.outcomes[start:end].tolist()
        assert own == sorted(set(own))
        assert found.scores[start:end] == pytest.approx([expected[o] for o in own], abs=1e-5)
        if place == 3:
            assert own == [0, 5, 7]
        else:
            assert int(np.argmax(expected)) in own


def test_probabilities_and_the_best_of_each_place() -> None:
    found = Candidates(
        np.array([0, 2]), np.array([4, 7, 1, 2, 3], np.int32), np.log([1.0, 3.0, 2.0, 2.0, 1.0])
    )
    assert found.probabilities() == pytest.approx([0.25, 0.75, 0.4, 0.4, 0.2])
    assert found.best().tolist() == [1, 2]
    assert found.places.tolist() == [0, 0, 1, 1, 1]


def test_one_expert_is_a_plain_choice() -> None:
    rows = [("a", "b"), ("a", "c"), ("b", "b"), ("b", "c")] * 20
    outcomes = [x + y for x, y in rows]
    learner = ChoiceLearner("one", rows, outcomes, SETTINGS, 1)
    alone = ProductLearner({"one": list(map(list, zip(*rows, strict=True)))}, outcomes, SETTINGS, 1)
    for chain in (learner, *alone.chains):
        chain.seat()
        for sweep in range(4):
            chain.step(sweep, keep=sweep > 1)
    found = alone.product().candidates({"one": [["a"], ["b"]]}, [[]], prior=0.0, most=9)
    names = [alone.outcomes.names[o] for o in found.outcomes]
    assert math.isclose(np.exp(found.scores).sum(), 1.0, rel_tol=1e-5)
    logs = learner.choice().log_probabilities([("a", "b")] * len(names), names)
    assert found.scores == pytest.approx(logs, abs=1e-6)


def test_the_core_refuses_groups_that_do_not_fit() -> None:
    product, _ = learned()
    experts = [Frozen(**arrays, dishes=len(product.outcomes)) for arrays in product.parts.values()]
    contexts = [np.zeros((1, 2), np.int32), np.zeros((1, 3), np.int32)]
    one = np.zeros(1, np.int32)
    for group, begin, members in (
        (one, np.array([0, 2], np.int32), one),
        (one + 1, np.array([0, 1], np.int32), one),
        (one, np.array([0, 1], np.int32), one + 10_000),
        (np.zeros(2, np.int32), np.array([0, 1], np.int32), one),
    ):
        with pytest.raises(ValueError, match="groups"):
            product_scores(experts, contexts, group=group, begin=begin, members=members, most=3)
