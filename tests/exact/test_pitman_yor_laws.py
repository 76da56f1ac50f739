"""Laws of the public process, for random shapes: depth, outcomes, seating, base and data."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bistro.errors import BistroError
from bistro.pitman_yor import Characters, PitmanYor
from bistro.reference.exact import Priors as ExactPriors
from bistro.reference.exact import arrangements, predictive

Data = list[tuple[str, str]]

depths = st.one_of(st.none(), st.integers(0, 3))
seatings = st.sampled_from(["gibbs", "minimal", "maximal"])
outcome_sets = st.integers(1, 4).map(lambda n: "abcd"[:n])
positive = st.floats(0.05, 0.95)


@st.composite
def shapes(draw: st.DrawFn, seating: Any = seatings) -> tuple[PitmanYor, Data]:
    """A process without data, and events for it."""
    outcomes = draw(outcome_sets)
    kind = draw(st.sampled_from(["uniform", "given", "process", "unbounded process"]))
    chosen = draw(seating)
    base: Any = None
    if kind == "given":
        weights = np.array([draw(positive) for _ in outcomes])
        base = dict(zip(outcomes, (weights / weights.sum()).tolist(), strict=True))
    elif kind != "uniform":
        depth = None if kind == "unbounded process" else 0
        base = PitmanYor(depth, outcomes=outcomes, seating=chosen, hyper="fixed", seed=3)
    process = PitmanYor(
        draw(depths),
        outcomes=outcomes,
        base=base,
        discount=draw(positive),
        strength=draw(st.floats(0.0, 3.0)),
        seating=chosen,
        hyper="fixed",
        seed=draw(st.integers(0, 99)),
    )
    context = st.text(outcomes + "xy", max_size=5)
    data = draw(st.lists(st.tuples(context, st.sampled_from(outcomes)), max_size=25))
    return process, data


def learn(process: PitmanYor, data: Data) -> None:
    if data:
        process.observe_all([context for context, _ in data], [outcome for _, outcome in data])


def contexts_of(data: Data) -> list[str]:
    return ["", "a", "xa", "ya", "bab", *(context for context, _ in data)]


@settings(max_examples=120, deadline=None)
@given(shape=shapes())
def test_predictions_sum_to_one(shape: tuple[PitmanYor, Data]) -> None:
    process, data = shape
    for context in ("", "ab"):
        assert math.isclose(sum(process.predict(context).values()), 1, abs_tol=1e-12)
    learn(process, data)
    process.sweep(2)
    for context in contexts_of(data):
        distribution = process.predict(context)
        assert min(distribution.values()) > 0
        assert math.isclose(sum(distribution.values()), 1, abs_tol=1e-9)
        logs = process.log_probs([context] * len(distribution), list(distribution))
        assert np.allclose(np.exp(logs), list(distribution.values()), rtol=1e-12)


@settings(max_examples=80, deadline=None)
@given(shape=shapes(st.sampled_from(["minimal", "maximal"])), order=st.randoms())
def test_the_order_of_events_does_not_matter(
    shape: tuple[PitmanYor, Data], order: random.Random
) -> None:
    """Without chance the seating depends on what was observed, not on when."""
    process, data = shape
    learn(process, data)
    before = [process.predict(context) for context in contexts_of(data)]
    shuffled = list(data)
    order.shuffle(shuffled)
    other = PitmanYor(**{**process.get_params(), "base": fresh(process.base)})
    learn(other, shuffled)
    for context, expected in zip(contexts_of(data), before, strict=True):
        assert np.allclose(list(other.predict(context).values()), list(expected.values()))


def fresh(base: Any) -> Any:
    return PitmanYor(**base.get_params()) if isinstance(base, PitmanYor) else base


@settings(max_examples=80, deadline=None)
@given(shape=shapes(st.sampled_from(["minimal", "maximal"])), more=st.data())
def test_observing_and_forgetting_is_the_identity(
    shape: tuple[PitmanYor, Data], more: st.DataObject
) -> None:
    process, data = shape
    learn(process, data)
    before = [process.predict(context) for context in contexts_of(data)]
    outcomes = process.outcomes_
    added = more.draw(st.lists(st.tuples(st.text("abx", max_size=5), st.sampled_from(outcomes))))
    learn(process, added)
    for context, outcome in added:
        process.forget(outcome, context)
    for context, expected in zip(contexts_of(data), before, strict=True):
        assert np.allclose(list(process.predict(context).values()), list(expected.values()))


@settings(max_examples=80, deadline=None)
@given(shape=shapes(), order=st.randoms())
def test_a_process_that_forgets_everything_is_as_before(
    shape: tuple[PitmanYor, Data], order: random.Random
) -> None:
    process, data = shape
    before = process.predict("")
    learn(process, data)
    process.sweep(2)
    order.shuffle(data)
    for context, outcome in data:
        process.forget(outcome, context)
    assert all(customers == tables == 0 for _, customers, tables in process.counts())
    for context in contexts_of(data):
        assert np.allclose(list(process.predict(context).values()), list(before.values()))
    for context, outcome in data[:1]:
        with pytest.raises(BistroError, match="an outcome can be forgotten only"):
            process.forget(outcome, context)


@settings(max_examples=60, deadline=None)
@given(shape=shapes())
def test_an_event_that_was_not_observed_is_refused_and_nothing_changes(
    shape: tuple[PitmanYor, Data],
) -> None:
    process, data = shape
    learn(process, data)
    # The context of a longer one has customers that stand for tables; they are no events.
    shorter = [(c[1:], x) for c, x in data if c]
    depth = process.depth

    def cut(context: str) -> str:
        return context if depth is None else context[len(context) - min(depth, len(context)) :]

    seen = {(cut(context), outcome) for context, outcome in data}
    before = [process.predict(context) for context in contexts_of(data)]
    counts = process.counts()
    for context, outcome in shorter:
        if (cut(context), outcome) not in seen:
            with pytest.raises(BistroError, match="an outcome can be forgotten only"):
                process.forget(outcome, context)
    if process.seating != "gibbs":
        assert process.counts()[0] == counts[0]
        after = [process.predict(context) for context in contexts_of(data)]
        assert all(
            np.allclose([*a.values()], [*b.values()]) for a, b in zip(before, after, strict=True)
        )


EVENTS: Data = [("a", "a"), ("a", "a"), ("ba", "b"), ("ba", "a"), ("b", "b"), ("bba", "b")]
NUMBERS = {"a": 0, "b": 1}


def exact_priors(process: PitmanYor, length: int) -> tuple[list[float], list[float]]:
    """Discounts and strengths of all lengths of contexts."""
    (discounts,), (strengths,) = process.discounts.tolist(), process.strengths.tolist()
    if process.depth is not None:
        return discounts, strengths
    every = [discounts[min(k, len(discounts) - 1)] for k in range(length + 1)]
    thetas = [strengths[0]]
    for discount in every[1:]:
        thetas.append(thetas[-1] * discount)
    return every, thetas


def numbered(context: str, depth: int | None) -> tuple[int, ...]:
    """The nearest element first, as the plain reference has it."""
    near = tuple(NUMBERS[x] for x in reversed(context))
    return near if depth is None else near[:depth]


def priors(process: PitmanYor) -> dict[str, list[float]]:
    discount, strength = exact_priors(process, 4)
    return {"base": [0.3, 0.7], "discount": discount, "strength": strength}


def posterior_process(depth: int | None, seed: int) -> PitmanYor:
    levels = 11 if depth is None else depth + 1
    discount = [0.6, 0.35, 0.7, 0.5, *[0.8] * 7][:levels]
    strength = [0.8] if depth is None else [0.8, 0.4, 1.1, 0.2][:levels]
    return PitmanYor(
        depth,
        base={"a": 0.3, "b": 0.7},
        discount=discount,
        strength=strength,
        hyper="fixed",
        seed=seed,
    )


def sampled(process: PitmanYor, queries: list[tuple[str, str]], draws: int) -> np.ndarray[Any, Any]:
    contexts, outcomes = [c for c, _ in queries], [x for _, x in queries]
    rows = []
    for _ in range(draws):
        process.sweep()
        rows.append(np.exp(process.log_probs(contexts, outcomes)))
    return np.array(rows)


@pytest.mark.parametrize("depth", [0, 1, 2, None])
def test_the_posterior_is_that_of_all_seatings(depth: int | None) -> None:
    process = posterior_process(depth, seed=2)
    learn(process, EVENTS)
    queries = [("a", "a"), ("ba", "b"), ("b", "a"), ("bba", "b"), ("", "a")]
    rows = sampled(process, queries, 6000)
    batches = rows.reshape(60, 100, -1).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / math.sqrt(60)
    events = [(numbered(context, depth), NUMBERS[x]) for context, x in EVENTS]
    expected = [
        predictive(events, (numbered(context, depth), NUMBERS[x]), **priors(process))
        for context, x in queries
    ]
    assert np.all(np.abs(batches.mean(axis=0) - expected) < 4.5 * error + 1e-12)
    # A sampler of another posterior is found out.
    wrong = {**priors(process), "discount": [0.9 * d for d in priors(process)["discount"]]}
    other = [
        predictive(events, (numbered(context, depth), NUMBERS[x]), **wrong)
        for context, x in queries
    ]
    assert np.any(np.abs(batches.mean(axis=0) - other) > 4.5 * error)


@pytest.mark.parametrize("depth", [0, 2, None])
def test_events_are_exchangeable(depth: int | None) -> None:
    """In any order, the product of the predictions has the probability of the data as its mean."""
    events = [(numbered(context, depth), NUMBERS[x]) for context, x in EVENTS]
    exact = ExactPriors(**priors(posterior_process(depth, 0)))
    probability = sum(weight for weight, _ in arrangements(events, exact))
    for order in (EVENTS, EVENTS[::-1], [*EVENTS[3:], *EVENTS[:3]]):
        products = []
        for seed in range(1500):
            process = posterior_process(depth, seed)
            logs = process.observe_all([c for c, _ in order], [x for _, x in order])
            products.append(math.exp(logs.sum()))
        error = np.std(products) / math.sqrt(len(products))
        assert abs(np.mean(products) - probability) < 4.5 * error


def test_every_string_has_a_probability_and_all_sum_to_one() -> None:
    process = PitmanYor(1, base=Characters(depth=1), seed=4)
    words = [["ab", "b"], ["ab", "a", "ab"]]
    process.fit(words)
    assert math.isfinite(process.log_prob("never seen", ("ab",)))
    known = sum(process.predict(("ab",)).values())
    assert known < 1
    # All strings over two letters up to a length, the known ones among them, come close to 1.
    process = PitmanYor(1, base=Characters(depth=1, discount=0.0, strength=0.001), hyper="fixed")
    process.observe_all(words * 5)
    letters = [chr(97 + i) for i in range(2)]
    strings = [""]
    for _ in range(8):
        strings += [s + x for s in strings for x in letters if s + x not in strings]
    total = sum(math.exp(process.log_prob(s, ("ab",))) for s in set(strings))
    assert 0.999 < total <= 1 + 1e-9
