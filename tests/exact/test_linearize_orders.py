"""Orders of dependents against enumeration: they sum to 1, the best is the best, samples fit."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

import bistro
from bistro._core import order_table
from bistro.models.linearize.model import LinearizeModel
from bistro.models.linearize.observed import ObservedOrders, counted_orders
from bistro.models.linearize.orders import NgramOrders, Orders, UniformOrders, UnigramOrders
from bistro.models.linearize.permutations import random_permutations
from bistro.models.linearize.search import best_orders
from bistro.models.results.structures import Family
from bistro.reference.linearize import STOP, Order, Step, all_orders, normaliser, weight
from bistro.rng import Stream
from bistro.treebank.sentence import Sentence

LABELS = ["nsubj", "obl"]
TAGS = ["NOUN", "PRON"]
MOST = 7
LOT = Stream(1, "test.lot")


def random_tree(stream: Stream, dependents: int, labels: Sequence[str] = LABELS) -> Sentence:
    """Return a verb with some dependents on either side, labels repeated among them."""
    size = dependents + 1
    head = 1 + stream.below(size)
    upos = [TAGS[stream.below(len(TAGS))] for _ in range(size)]
    deprels = [labels[stream.below(len(labels))] for _ in range(size)]
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
MIXTURES = [("oo",), ("n1", "n2", "n3"), ("oo", "n2"), MIXED["models"]]
SETTINGS = [
    {"models": models, "labellings": labellings, "smoothing": smoothing}
    for smoothing in ("add-k", "pitman-yor")
    for models, labellings in (
        *(((m,), (x,)) for m in ("oo", "c", "n2", "n3", "n4") for x in ("HDR", "R")),
        *((models, ("HDR", "R")) for models in MIXTURES),
    )
]
FALLBACKS = [{**MIXED, "smoothing": s, "most_cells": 1} for s in ("add-k", "pitman-yor")]
AS_PUBLISHED = {**MIXED, "smoothing": "add-k", "leaves": "counted"}


def total_probability(model: LinearizeModel, tree: Sentence) -> float:
    """Sum over all orders of the words of a tree of one family."""
    (ordered,) = model.ordered_families(model.tree_of(tree))
    size = len(ordered.labels)
    words_of = Counter(
        tuple(ordered.labels[i] for i in permutation)
        for permutation in itertools.permutations(range(size))
    )
    total = 0.0
    for (names, words), cut in itertools.product(words_of.items(), range(size + 1)):
        family = Family(ordered.family.head, tuple(range(cut)), tuple(range(cut, size)))
        logs = model.part_log_probs(ordered._replace(family=family, labels=names))
        total += words * float(model.weights @ np.exp(logs))
    return total


@pytest.mark.parametrize("settings", [*SETTINGS, *FALLBACKS, AS_PUBLISHED], ids=str)
def test_orders_of_words_sum_to_one(settings: dict[str, object]) -> None:
    model = trained(**settings)
    stream = Stream(5, "test.linearize.unseen")
    repeated = 0
    for dependents in range(1, MOST + 1):
        tree = random_tree(stream, dependents)
        repeated += len(set(zip(tree.upos, tree.deprels, strict=True))) < dependents + 1
        assert total_probability(model, tree) == pytest.approx(1, 1e-9)
    assert repeated > 2
    unseen = random_tree(stream, 4, [*LABELS, "new", "newer"])
    assert total_probability(model, unseen) == pytest.approx(1, 1e-9)


def random_steps(kinds: int, n: int, seed: int) -> NDArray[np.float64]:
    contexts = (kinds + 1) ** (n - 1)
    shape = (2, contexts, kinds + 1)
    weights = np.random.default_rng(seed).gamma(0.5, size=shape)
    steps: NDArray[np.float64] = weights / weights.sum(axis=2, keepdims=True)
    return steps


def step_of(steps: NDArray[np.float64], kinds: int) -> Step:
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
    ranked = list(orders.ranked(LOT))
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
    first, second = list(closed.ranked(LOT)), list(general.ranked(LOT))
    assert [x for x, _ in first] == pytest.approx([x for x, _ in second], 1e-9)
    assert sorted(order for _, order in first) == sorted(order for _, order in second)
    assert all(closed.log_weight(order) == pytest.approx(x, 1e-9) for x, order in first)
    labels = [kind for kind, count in enumerate(counts) for _ in range(count)]
    assert len(set(UniformOrders(np.array(counts)).ranked(LOT))) == len(all_orders(labels))


def test_impossible_steps_leave_the_other_orders() -> None:
    steps = random_steps(2, 2, seed=4)
    steps[0, :, 0] = 0.0  # The first type never stands on the left.
    orders = NgramOrders(np.array([2, 1]), steps, 2)
    assert math.exp(orders.log_total) * 2 == pytest.approx(
        normaliser([0, 0, 1], step_of(steps, 2), 2), 1e-12
    )
    assert all(0 not in left for _, (left, _) in orders.ranked(LOT))
    steps[1, :, 0] = 0.0
    assert NgramOrders(np.array([2, 1]), steps, 2).log_total == -math.inf


@pytest.mark.parametrize("counts", [[400], [90, 80]])
def test_weights_below_the_range_of_floats_are_summed(counts: list[int]) -> None:
    steps = random_steps(len(counts), 1, seed=2) * 0.02
    closed = UnigramOrders(np.array(counts), steps)
    assert closed.log_total < -710
    assert NgramOrders(np.array(counts), steps, 1).log_total == pytest.approx(closed.log_total)


def test_tables_that_do_not_fit_are_refused() -> None:
    steps = random_steps(2, 2, seed=1).reshape(-1)
    with pytest.raises(ValueError, match="do not match"):
        order_table(np.array([1, 1]), steps[1:], 3, maximise=False)
    with pytest.raises(ValueError, match="too many multisets"):
        order_table(np.array([2**20, 2**20]), steps, 3, maximise=False)
    with pytest.raises(ValueError, match="too many multisets"):
        order_table(np.array([-1, 1]), steps, 3, maximise=False)


def test_the_best_of_a_mixture_is_the_best_of_all_orders() -> None:
    counts = np.array([2, 1, 2])
    parts: list[Orders] = [
        *(NgramOrders(counts, random_steps(3, n, seed=n), n) for n in (1, 2, 3)),
        UnigramOrders(counts, random_steps(3, 1, seed=9)),
    ]
    log_weights = np.log([0.1, 0.4, 0.3, 0.2])
    truth = sorted(
        (
            float(np.logaddexp.reduce(log_weights + [p.log_prob(order) for p in parts]))
            for order in all_orders([0, 0, 1, 2, 2])
        ),
        reverse=True,
    )
    found = [log_prob for log_prob, _ in best_orders(parts, log_weights, 5, LOT)]
    assert found == pytest.approx(truth[:5], 1e-9)


def chi_square(draws: Counter[Order], expected: dict[Order, float], n: int) -> float:
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


TIED = np.full((2, 4, 3), 1 / 3)
"""A 2-gram of two types for which all orders of as many dependents are alike."""


@pytest.mark.parametrize(
    "orders",
    [
        UniformOrders(np.array([2, 1])),
        UnigramOrders(np.array([2, 1]), TIED[:, :1]),
        ObservedOrders(counted_orders({}, 1, 0.01), None, 2).orders(1, [1, 2], np.array([2, 1])),
    ],
    ids=lambda orders: type(orders).__name__,
)
def test_which_of_equal_orders_comes_first_is_drawn(orders: Orders) -> None:
    """Both sides and all places of the head come up: an order fixed once would fail."""
    n = 3000
    expected = dict.fromkeys(all_orders([0, 0, 1]), 1 / 12)
    if isinstance(orders, UnigramOrders):  # Each type is on one side, and all orders of a side.
        expected = {((), (0, 0, 1)): 1 / 12, ((0, 0, 1), ()): 1 / 12, ((0, 0), (1,)): 1 / 4}
    first = Counter(next(orders.ranked(Stream(i, "test.first")))[1] for i in range(n))
    assert chi_square(first, expected, n) < 45
    fixed = Counter([next(orders.ranked(LOT))[1]] * n)
    assert chi_square(fixed, expected, n) > 45


def test_equal_orders_of_an_ngram_and_of_what_was_seen_are_drawn_too() -> None:
    counts = np.array([2, 1])
    ngram = NgramOrders(counts, TIED[:, :3], 2)
    seen = {(1, ((1, 1), (2,))): 3, (1, ((2,), (1, 1))): 3, (1, ((), (1, 2, 1))): 1}
    observed = ObservedOrders(counted_orders(seen, 1, 0.01), None, 2).orders(1, [1, 2], counts)
    firsts = [
        {next(orders.ranked(Stream(i, "test.first")))[1] for i in range(200)}
        for orders in (ngram, observed)
    ]
    assert firsts[0] == set(all_orders([0, 0, 1]))
    assert firsts[1] == {((0, 0), (1,)), ((1,), (0, 0))}


@pytest.mark.parametrize("items", [[], [0], [0, 0], [0, 1, 2], [0, 0, 1, 1, 2]])
def test_random_permutations_are_all_permutations(items: list[int]) -> None:
    drawn = list(random_permutations(items, LOT))
    assert sorted(drawn) == sorted(set(itertools.permutations(items)))


@pytest.mark.parametrize("models", [("oo",), ("n1",), ("oo", "n2")])
def test_ties_go_to_the_input_where_it_is_one_of_the_best(models: tuple[str, ...]) -> None:
    model = trained(models=models, labellings=("HDR",), smoothing="add-k")
    stream = Stream(6, "test.ties")
    kept = 0
    for _ in range(40):
        tree = random_tree(stream, 1 + stream.below(5), [*LABELS, "new"])
        best, own = model.linearize(tree, kbest=3), model.score_order(tree).log_prob
        taken = model.linearize(tree, kbest=3, ties="input")
        assert [x.log_prob for x in taken] == pytest.approx([x.log_prob for x in best])
        is_best = own == pytest.approx(best[0].log_prob)
        assert is_best == (taken[0].order == sorted(taken[0].order))
        kept += is_best
    assert 0 < kept < 40
