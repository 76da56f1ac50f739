"""The compressed suffix trie against those that store every context: plain Python, a franchise.

Contexts are drawn from few symbols, so that they branch, and end inside one another; some are long
and seen once, so that edges are long too.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from bistro import _core
from bistro.reference.infinite import Context, PlainTrie

Event = tuple[Context, int]
RULES = 12
LEFT = 3
DEEP = [(0.3, 2.0), (0.6, 0.5), (0.1, 4.0), (0.8, -0.3)]
EDGES = [(0.0, 1.0), (0.99, 0.01), (0.5, 30.0)]
PARAMETERS = [DEEP, EDGES, [(0.5, 1.0)], [(0.2 + 0.05 * i, 0.5 * i + 0.1) for i in range(12)]]
BOUNDS = [None, 1, 2, 3, 5]


@cache
def events(seed: int = 1, number: int = 400) -> tuple[Event, ...]:
    """Rule r has left side r mod LEFT, which is the first element of its context."""
    rng = np.random.default_rng(seed)
    found: list[Event] = []
    for _ in range(number):
        rule = int(rng.zipf(1.6)) % RULES
        length = int(rng.choice([0, 1, 2, 3, 4, 6, 9, 25]))
        behind = tuple(int(x) % 4 for x in rng.zipf(1.4, length))
        found.append(((rule % LEFT, *behind), rule))
    return tuple(found)


def ragged(contexts: list[Context]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    offsets = np.cumsum([0, *map(len, contexts)]).astype(np.int64)
    return np.array([e for context in contexts for e in context], np.int32), offsets


def counted(given: tuple[Event, ...], bound: int | None) -> _core.ContextTrie:
    contexts, rules = ragged([c for c, _ in given]), np.array([r for _, r in given], np.int32)
    return _core.ContextTrie.of_events(*contexts, rules, depth=-1 if bound is None else bound)


def base() -> NDArray[np.float64]:
    weights = np.arange(1.0, RULES + 1)
    return weights / np.bincount(np.arange(RULES) % LEFT, weights)[np.arange(RULES) % LEFT]


def frozen(
    trie: _core.ContextTrie, parameters: list[tuple[float, float]], bound: int | None
) -> _core.RuleTrie:
    discount, strength = (np.array(column) for column in zip(*parameters, strict=True))
    arrays = trie.freeze(base(), discount, strength)
    bounded = -1 if bound is None else bound
    return _core.RuleTrie(
        **arrays, base=base(), discount=discount, strength=strength, depth=bounded
    )


def questions() -> list[Context]:
    """Known contexts, all their cuts, strangers that leave an edge in its middle, and others."""
    known = {context for context, _ in events()}
    cuts = {context[:k] for context in known for k in range(1, len(context) + 1)}
    strangers = {(*cut, 3 - cut[-1], 2, 7) for cut in cuts}
    return sorted(cuts | strangers | set(product(range(LEFT), range(5), range(3))) | {(2, 9, 9)})


@pytest.mark.parametrize("parameters", PARAMETERS, ids=["deep", "edges", "one", "many"])
@pytest.mark.parametrize("bound", BOUNDS)
def test_probabilities_are_those_of_the_plain_trie(
    parameters: list[tuple[float, float]], bound: int | None
) -> None:
    plain = PlainTrie(events(), base().tolist(), parameters, bound)
    trie = frozen(counted(events(), bound), parameters, bound)
    pairs = [(c, rule) for c in questions() for rule in range(c[0], RULES, LEFT)]
    found = trie.probabilities(
        *ragged([c for c, _ in pairs]), np.array([r for _, r in pairs], np.int32)
    )
    expected = np.array([plain.probability(c, r) for c, r in pairs])
    np.testing.assert_allclose(found, expected, rtol=3e-6)
    sums = found.reshape(-1, RULES // LEFT).sum(axis=1)
    np.testing.assert_allclose(sums, 1.0, rtol=3e-6)


@pytest.mark.parametrize("bound", BOUNDS)
def test_places_are_the_longest_known_contexts(bound: int | None) -> None:
    plain = PlainTrie(events(), base().tolist(), DEEP, bound)
    trie = frozen(counted(events(), bound), DEEP, bound)
    known = [
        max((k for k in range(1, len(c) + 1) if c[:k] in plain.customers), default=0)
        for c in questions()
    ]
    assert trie.depths(*ragged(questions())).tolist() == known


def test_what_is_not_stored_is_counted() -> None:
    plain = PlainTrie(events(), base().tolist(), DEEP)
    trie = counted(events(), None)
    contexts, entries = trie.plain_size
    assert contexts == len(plain.customers)
    assert entries == sum(map(len, plain.customers.values()))
    # What is stored: contexts where an event ends, or that two longer ones pass through.
    ends = {context for context, _ in events()}
    longer: dict[Context, int] = {}
    for context in plain.customers:
        longer[context[:-1]] = longer.get(context[:-1], 0) + 1
    stored = {c for c in plain.customers if c in ends or longer[c] > 1}
    assert trie.num_nodes == len(stored) + 1 < contexts / 2


@pytest.mark.parametrize("parameters", PARAMETERS[:3], ids=["deep", "edges", "one"])
@pytest.mark.parametrize("bound", [None, 2, 5])
def test_likelihoods_are_those_of_the_plain_trie(
    parameters: list[tuple[float, float]], bound: int | None
) -> None:
    plain = PlainTrie(events(), base().tolist(), parameters, bound)
    levels = counted(events(), bound).level_likelihoods(len(parameters))
    for level, (likelihood, pair) in enumerate(zip(levels, parameters, strict=True)):
        assert likelihood(*pair) == pytest.approx(plain.log_likelihood(level), rel=1e-11)


def test_gradients_are_finite_differences() -> None:
    small = 1e-6
    for likelihood, (d, c) in zip(counted(events(), None).level_likelihoods(4), DEEP, strict=True):
        _, by_discount, by_strength = likelihood.gradient(d, c)
        up, down = likelihood(d + small, c), likelihood(d - small, c)
        assert by_discount == pytest.approx((up - down) / (2 * small), rel=1e-5)
        up, down = likelihood(d, c + small), likelihood(d, c - small)
        assert by_strength == pytest.approx((up - down) / (2 * small), rel=1e-5)


@pytest.mark.parametrize("bound", [3, 25])
def test_the_franchise_with_minimal_seating_is_the_same(bound: int) -> None:
    contexts = [c[:bound] for c, _ in events()]
    rules = np.array([r for _, r in events()], np.int32)
    levels = max(map(len, contexts)) + 1
    core = _core.Franchise(_core.RuleBase(base().tolist()), levels, "minimal")
    # The empty context is its base: a restaurant as strong as that has no opinion of its own.
    core.set_parameters(0, 0.0, 1e18)
    for level in range(1, levels):
        core.set_parameters(level, *DEEP[min(level, len(DEEP)) - 1])
    ids = _core.resolve_contexts(core, *ragged(contexts), rules)
    core.add(ids, _core.Stream(1, 2, 3))

    trie = counted(events(), bound)
    found = frozen(trie, DEEP, bound).probabilities(*ragged([c for c, _ in events()]), rules)
    np.testing.assert_allclose(found, core.entry_probabilities(ids), rtol=3e-6)
    plain = core.level_likelihoods()
    ours = trie.level_likelihoods(len(DEEP))
    for level, pair in enumerate(DEEP[:-1], start=1):
        assert ours[level - 1](*pair) == pytest.approx(plain[level](*pair), rel=1e-11, abs=1e-9)
    deep = sum(likelihood(*DEEP[-1]) for likelihood in plain[len(DEEP) :])
    assert ours[-1](*DEEP[-1]) == pytest.approx(deep, rel=1e-11, abs=1e-9)
    sizes = core.counts_by_level()[1:]
    assert trie.plain_size[0] == sum(restaurants for restaurants, _, _ in sizes)


@pytest.mark.parametrize("seed", range(2, 8))
def test_tries_of_few_events(seed: int) -> None:
    given = events(seed, seed)
    plain = PlainTrie(given, base().tolist(), DEEP)
    trie = frozen(counted(given, None), DEEP, None)
    pairs = [(context[:k], r) for context, r in given for k in range(1, len(context) + 1)]
    found = trie.probabilities(
        *ragged([c for c, _ in pairs]), np.array([r for _, r in pairs], np.int32)
    )
    np.testing.assert_allclose(found, [plain.probability(*pair) for pair in pairs], rtol=3e-6)


def test_very_long_edges_and_very_small_weights() -> None:
    context = (0, *[1] * 3000)
    given = ((context, 0), ((0, 2), 3))
    for parameters in ([(1e-9, 1e-12)] * 40, DEEP, [(0.999, 1.0)]):
        plain = PlainTrie(given, base().tolist(), parameters)
        trie = frozen(counted(given, None), parameters, None)
        cuts = [context[:k] for k in (1, 2, 5, 41, 70, 900)]
        for rule in (0, 3, 6):
            found = trie.probabilities(*ragged(cuts), np.full(len(cuts), rule, np.int32))
            expected = [plain.probability(cut, rule) for cut in cuts]
            np.testing.assert_allclose(found, expected, rtol=3e-6)
            assert all(map(math.isfinite, found))


def test_impossible_events_are_refused() -> None:
    rule = np.zeros(1, np.int32)
    for elements, offsets, bound in (
        ([0], [0, 0], -1),  # an empty context
        ([-1], [0, 1], -1),
        ([0], [0, 1], 0),
        ([0], [0, 2], -1),
        ([0, 1], [0, 1, 2], -1),
    ):
        with pytest.raises(ValueError, match=r"context|offsets|element"):
            _core.ContextTrie.of_events(
                np.array(elements, np.int32), np.array(offsets, np.int64), rule, depth=bound
            )
    trie = frozen(counted(events(), None), DEEP, None)
    with pytest.raises(ValueError, match="no such rule"):
        trie.probabilities(*ragged([(0,)]), np.array([RULES], np.int32))
    with pytest.raises(ValueError, match="negative"):
        trie.probabilities(*ragged([(0, -1)]), rule)


def test_damaged_arrays_are_refused() -> None:
    given = {"base": base(), "discount": np.array([0.5]), "strength": np.array([1.0])}
    arrays = counted(events(), None).freeze(**given)
    _core.RuleTrie(**arrays, **given, depth=-1)
    for name, place, value in (
        ("length", 5, 0),
        ("label", 3, 2**31),
        ("link_next", 2, 2**31),
        ("child_begin", 1, 2**31),
        ("child_begin", 1, 0),
        ("probability", 0, -1),
        ("dish", 0, RULES),
    ):
        wrong = {key: array.copy() for key, array in arrays.items()}
        wrong[name][place] = value
        with pytest.raises(ValueError, match="arrays"):
            _core.RuleTrie(**wrong, **given, depth=-1)
    with pytest.raises(ValueError, match="arrays"):
        _core.RuleTrie(**arrays, **{**given, "base": base()[:1]}, depth=-1)


def left_out(blocks: NDArray[np.int32], bound: int | None) -> _core.LeftOut:
    contexts, rules = ragged([c for c, _ in events()]), np.array([r for _, r in events()], np.int32)
    cut = -1 if bound is None else bound
    trie = _core.ContextTrie.of_events(*contexts, rules, depth=cut, blocks=blocks)
    return _core.LeftOut(trie, int(blocks.max()) + 1, base())


@pytest.mark.parametrize("parameters", PARAMETERS[:3], ids=["deep", "edges", "one"])
@pytest.mark.parametrize("bound", [None, 1, 3])
@pytest.mark.parametrize("number", [2, 7, 40])
def test_left_out_blocks_are_predicted_by_a_trie_of_the_others(
    parameters: list[tuple[float, float]], bound: int | None, number: int
) -> None:
    blocks = (np.arange(len(events())) * 7919 % number).astype(np.int32)
    found = left_out(blocks, bound)
    expected, predicted = 0.0, 0
    for block in range(number):
        others = [e for e, b in zip(events(), blocks, strict=True) if b != block]
        plain = PlainTrie(others, base().tolist(), parameters, bound)
        known = {rule for _, rule in others}
        for event, own in zip(events(), blocks, strict=True):
            if own == block and event[1] in known:
                expected += math.log(plain.probability(*event))
                predicted += 1
    discount, strength = (np.array(column) for column in zip(*parameters, strict=True))
    value, _, _ = found.gradient(discount, strength)
    assert value == pytest.approx(expected, rel=1e-11)
    assert found.num_events == predicted
    assert found.num_terms < predicted


def test_gradient_of_left_out_blocks() -> None:
    found = left_out((np.arange(len(events())) % 5).astype(np.int32), None)
    parameters = [np.array(column) for column in zip(*DEEP, strict=True)]
    _, *gradient = found.gradient(*parameters)
    small = 1e-6
    for which, level in product((0, 1), range(len(DEEP))):
        values = []
        for sign in (1, -1):
            moved = [column.copy() for column in parameters]
            moved[which][level] += sign * small
            values.append(found.gradient(*moved)[0])
        difference = (values[0] - values[1]) / (2 * small)
        assert gradient[which][level] == pytest.approx(difference, rel=1e-6)
