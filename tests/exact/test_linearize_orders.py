"""Orders of dependents against enumeration: they sum to 1, the best is the best, samples fit."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import bistro
from bistro.models.linearize import LinearizeModel
from bistro.models.linearize_orders import NgramOrders, UniformOrders, UnigramOrders
from bistro.models.linearize_search import best_orders
from bistro.models.linearize_trees import Family
from bistro.reference.linearize import STOP, all_orders, normaliser, weight
from bistro.rng import Stream
from bistro.treebank.sentence import Sentence

LABELS = ["nsubj", "obj", "obl", "advmod"]
TAGS = ["NOUN", "PRON", "ADV"]


def random_tree(stream: Stream, dependents: int) -> Sentence:
    """Return a verb with some dependents on either side, labels repeated among them."""
    size = dependents + 1
    head = 1 + stream.below(size)
    pick = [(TAGS[stream.below(3)], LABELS[stream.below(4)]) for _ in range(size)]
    upos = [t for t, _ in pick]
    deprels = [r for _, r in pick]
    upos[head - 1], deprels[head - 1] = "VERB", "root"
    heads = [0 if w == head else head for w in range(1, size + 1)]
    forms = [f"w{w}" for w in range(1, size + 1)]
    return Sentence.from_columns(forms, heads=heads, upos=upos, deprels=deprels)


def trained(**settings: object) -> LinearizeModel:
    stream = Stream(3, "test.linearize")
    trees = [random_tree(stream, 1 + stream.below(4)) for _ in range(120)]
    model = bistro.train("linearize", trees, seed=1, **settings)
    assert isinstance(model, LinearizeModel)
    return model


MIXED = {"models": ("oo", "n1", "n2", "n3"), "labellings": ("HDR", "R")}
SETTINGS = [
    *(
        {"models": (m,), "labellings": (x,), "smoothing": s}
        for m in ("oo", "n1", "n2", "n3", "n4")
        for x in ("HDR", "R")
        for s in ("add-k", "pitman-yor")
    ),
    {**MIXED, "smoothing": "add-k"},
    {**MIXED, "smoothing": "pitman-yor"},
    {**MIXED, "most_cells": 1},
]


def total_probability(model: LinearizeModel, tree: Sentence) -> float:
    """Sum over all orders of the words of a tree of one family."""
    (ordered,) = model.ordered_families(model.tree_of(tree))
    labels = ordered.labels
    summed: Counter[object] = Counter()
    for permutation in itertools.permutations(range(len(labels))):
        for cut in range(len(labels) + 1):
            names = tuple(labels[i] for i in permutation)
            summed[names, cut] += 1
    total = 0.0
    for (names, cut), words in summed.items():
        family = Family(ordered.family.head, tuple(range(cut)), tuple(range(cut, len(names))))
        logs = model.part_log_probs(ordered._replace(family=family, labels=names))
        total += words * float(model.weights @ np.exp(logs))
    return total


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_orders_of_words_sum_to_one(settings: dict[str, object]) -> None:
    model = trained(**settings)
    stream = Stream(5, "test.linearize.unseen")
    for dependents in (1, 2, 3, 5):
        assert total_probability(model, random_tree(stream, dependents)) == pytest.approx(1, 1e-9)


@pytest.mark.parametrize("smoothing", ["add-k", "pitman-yor"])
def test_orders_of_seven_dependents_sum_to_one(smoothing: str) -> None:
    model = trained(**MIXED, smoothing=smoothing)
    tree = Sentence.from_columns(
        [f"w{i}" for i in range(8)],
        heads=[0] + [1] * 7,
        upos=["VERB"] + ["NOUN"] * 5 + ["ADV"] * 2,
        deprels=["root", "nsubj", "obl", "obl", "obl", "new", "advmod", "advmod"],
    )
    assert total_probability(model, tree) == pytest.approx(1, 1e-9)


def random_steps(kinds: int, n: int, seed: int) -> np.ndarray:
    contexts = (kinds + 1) ** (n - 1)
    steps = np.random.default_rng(seed).gamma(0.5, size=(2, contexts, kinds + 1))
    return steps / steps.sum(axis=2, keepdims=True)


def step_of(steps: np.ndarray, kinds: int):
    def step(side: int, before: tuple[int, ...], label: int) -> float:
        context = sum((x + 1) * (kinds + 1) ** i for i, x in enumerate(before))
        return float(steps[side, context, kinds if label == STOP else label])

    return step


CASES = [([1], 2), ([2], 1), ([2, 1], 2), ([1, 1, 1], 3), ([3, 1, 2], 2), ([2, 2, 1], 4)]


@pytest.mark.parametrize(("counts", "n"), CASES)
def test_sums_best_and_ranking_agree_with_enumeration(counts: list[int], n: int) -> None:
    kinds = len(counts)
    steps = random_steps(kinds, n, seed=sum(counts) + n)
    orders = NgramOrders(np.array(counts), steps, n)
    labels = [kind for kind, count in enumerate(counts) for _ in range(count)]
    step = step_of(steps, kinds)
    words = math.prod(map(math.factorial, counts))
    assert math.exp(orders.log_total) * words == pytest.approx(normaliser(labels, step, n), 1e-9)
    expected = {order: weight(order, step, n) for order in all_orders(labels)}
    ranked = list(orders.ranked())
    assert {order for _, order in ranked} == set(expected)
    for log_weight, order in ranked:
        assert math.exp(log_weight) == pytest.approx(expected[order], 1e-9)
        assert orders.log_weight(order) == pytest.approx(log_weight, 1e-9)
    weights = [log_weight for log_weight, _ in ranked]
    assert all(a >= b - 1e-9 for a, b in itertools.pairwise(weights))


@pytest.mark.parametrize("counts", [[1], [4], [1, 1], [2, 1, 3], [1, 1, 1, 1, 2]])
def test_equation_3_is_the_general_recursion_at_n_1(counts: list[int]) -> None:
    steps = random_steps(len(counts), 1, seed=len(counts))
    closed = UnigramOrders(np.array(counts), steps)
    general = NgramOrders(np.array(counts), steps, 1)
    assert closed.log_total == pytest.approx(general.log_total, 1e-10)
    first, second = next(closed.ranked()), next(general.ranked())
    assert first[0] == pytest.approx(second[0], 1e-10)
    labels = [kind for kind, count in enumerate(counts) for _ in range(count)]
    assert len(list(UniformOrders(np.array(counts)).ranked())) == len(all_orders(labels))


def test_the_best_of_a_mixture_is_the_best_of_all_orders() -> None:
    counts = np.array([2, 1, 2])
    parts = [NgramOrders(counts, random_steps(3, n, seed=n), n) for n in (1, 2, 3)]
    parts.append(UnigramOrders(counts, random_steps(3, 1, seed=9)))
    log_weights = np.log([0.1, 0.4, 0.3, 0.2])
    truth = sorted(
        (
            float(np.logaddexp.reduce(log_weights + [p.log_prob(order) for p in parts]))
            for order in all_orders([0, 0, 1, 2, 2])
        ),
        reverse=True,
    )
    found = [log_prob for log_prob, _ in best_orders(parts, log_weights, 5)]
    assert found == pytest.approx(truth[:5], 1e-9)


def chi_square(draws: Counter, expected: dict, n: int) -> float:
    return sum((draws[o] - n * p) ** 2 / (n * p) for o, p in expected.items())


def test_samples_follow_the_probabilities_and_those_of_another_model_do_not() -> None:
    model = trained(**MIXED, smoothing="add-k")
    counts = np.array([2, 1])
    n = 4000
    controls = 0
    for part, x in model._mixed:
        labels = [1, 2]
        orders = part.orders(1, labels, counts)
        repeats = math.exp(orders.log_repeats)
        expected = {o: math.exp(orders.log_prob(o)) * repeats for o in all_orders([0, 0, 1])}
        stream = Stream(7, f"test.draws.{x}")
        draws = Counter(orders.sample(stream) for _ in range(n))
        # Eleven degrees of freedom: 31.3 is passed once in a thousand.
        likely = {o: p for o, p in expected.items() if p * n > 1}
        assert set(draws) <= set(expected)
        assert chi_square(draws, likely, n) < 45
        if max(likely.values()) < 2 * min(likely.values()):
            continue  # Never seen, so all orders are alike: uniform draws are right.
        controls += 1
        wrong = Counter(UniformOrders(counts).sample(stream) for _ in range(n))
        assert chi_square(wrong, likely, n) > 45
    assert controls >= 6
