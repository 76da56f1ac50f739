"""The chart over projective trees against enumeration: best, total, arcs, draws, k best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from chart_twins import Forest, random_forest
from scipy.stats import chi2

from bistro import _core
from bistro.rng import purpose_key

SHAPES: list[dict[str, Any]] = [
    {"words": words, "single_root": single_root, "most_candidates": most, "forbidden": forbidden}
    for words, most in ((1, 1), (2, 1), (3, 3), (4, 2), (5, 1), (6, 1))
    for single_root in (True, False)
    for forbidden in (0.0, 0.3)
]


def stream(seed: int = 1) -> _core.Stream:
    return _core.Stream(seed, purpose_key("chart.test"), 0)


def forests(**limits: int) -> Iterable[Forest]:
    for seed, shape in enumerate(SHAPES):
        if all(shape[name] <= most for name, most in limits.items()):
            yield random_forest(seed=seed, **shape)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_best_tree_and_total(shape: dict[str, Any]) -> None:
    for seed in range(3):
        forest = random_forest(seed=seed, **shape)
        nodes, heads, score = forest.chart().best()
        best = max(forest.trees, key=forest.trees.__getitem__)
        assert forest.tree(nodes, heads) == best
        assert score == pytest.approx(forest.trees[best], rel=1e-12)
        assert forest.chart().log_total() == pytest.approx(forest.log_total, rel=1e-12)


def arc_twins(forest: Forest, temperature: float) -> np.ndarray[Any, Any]:
    """Probabilities of arcs, summed over all trees."""
    arcs = np.zeros_like(forest.pairs)
    total = math.fsum(math.exp(w / temperature) for w in forest.trees.values())
    for (heads, nodes), weight in forest.trees.items():
        of = (0, *nodes)
        for word, head in enumerate(heads, start=1):
            arcs[of[head], of[word]] += math.exp(weight / temperature) / total
    return arcs


@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_arc_probabilities(temperature: float) -> None:
    for forest in forests(words=5):
        found = forest.chart().arc_probabilities(temperature).reshape(forest.pairs.shape)
        assert np.allclose(found, arc_twins(forest, temperature), atol=1e-12)
        by_word = np.bincount(forest.positions, found.sum(axis=0))[1:]
        assert np.allclose(by_word, 1)


def test_k_best_trees_in_order() -> None:
    for forest in forests(words=5):
        expected = sorted(forest.trees.values(), reverse=True)
        ranked = forest.chart().ranked(len(expected) + 5)
        found = [forest.tree(nodes, heads) for nodes, heads, _ in ranked]
        assert set(found) == set(forest.trees)
        assert len(found) == len(forest.trees)
        assert [score for _, _, score in ranked] == pytest.approx(expected, rel=1e-12)
        assert [score for *_, score in forest.chart().ranked(3)] == pytest.approx(expected[:3])


def misfit(forest: Forest, drawn: Iterable[tuple[Any, Any]], temperature: float = 1.0) -> float:
    """The p-value of the draws under the weights of the trees, rare trees together."""
    counts = Counter(drawn)
    number = sum(counts.values())
    total = math.fsum(math.exp(w / temperature) for w in forest.trees.values())
    expected = {t: number * math.exp(w / temperature) / total for t, w in forest.trees.items()}
    common = [tree for tree, mean in expected.items() if mean >= 10]
    pairs = [(counts[tree], expected[tree]) for tree in common]
    rest = number - sum(mean for _, mean in pairs)
    if rest > 1:
        pairs.append((number - sum(seen for seen, _ in pairs), rest))
    statistic = sum((seen - mean) ** 2 / mean for seen, mean in pairs)
    return float(chi2.sf(statistic, len(pairs) - 1))


def drawn_trees(forest: Forest, number: int, temperature: float) -> list[tuple[Any, Any]]:
    drawn = forest.chart().samples(number, stream(), temperature)
    for nodes, heads, score in drawn[:20]:
        assert score == pytest.approx(forest.trees[forest.tree(nodes, heads)], rel=1e-9)
    return [forest.tree(nodes, heads) for nodes, heads, _ in drawn]


@pytest.mark.parametrize("temperature", [1.0, 2.0])
@pytest.mark.parametrize("shape", [SHAPES[8], SHAPES[12], SHAPES[14], SHAPES[16]], ids=str)
def test_draws_follow_the_weights(shape: dict[str, Any], temperature: float) -> None:
    forest = random_forest(seed=5, **shape)
    drawn = drawn_trees(forest, 20_000, temperature)
    assert misfit(forest, drawn, temperature) > 1e-4


@pytest.mark.parametrize(
    "wrong",
    [
        lambda forest: drawn_trees(forest, 20_000, 1.3),
        lambda forest: greedy_draws(forest, 20_000),
    ],
    ids=["other temperature", "heads one by one"],
)
def test_wrong_samplers_are_found_out(
    wrong: Callable[[Forest], list[tuple[Any, Any]]],
) -> None:
    forest = random_forest(5, seed=5, single_root=True)
    assert misfit(forest, wrong(forest)) < 1e-6


def greedy_draws(forest: Forest, number: int) -> list[tuple[Any, Any]]:
    """Trees whose heads are drawn word by word from the marginals, again until they are a tree."""
    rng = np.random.default_rng(1)
    heads = arc_twins(forest, 1.0)[:, 1:]
    rows = np.stack([rng.choice(len(heads), size=8 * number, p=p / p.sum()) for p in heads.T]).T
    nodes = tuple(range(1, len(heads)))
    trees = [(tuple(row), nodes) for row in rows.tolist()]
    return [tree for tree in trees if tree in forest.trees][:number]


def flat_chart(words: int, *, single_root: bool) -> _core.TreeChart:
    """Every tree weighs 1."""
    steps = np.zeros((words + 1, 2, 2, 2))
    if single_root:
        steps[0, :, 1, 1] = -np.inf
    kinds = np.minimum(np.arange(words + 1), 1).astype(np.int32)
    positions = np.arange(words + 1, dtype=np.int32)
    return _core.TreeChart(
        positions=positions, kinds=kinds, pairs=np.zeros((words + 1, words + 1)), steps=steps
    )


@pytest.mark.parametrize("words", [1, 2, 3, 10, 40, 140])
def test_number_of_trees(words: int) -> None:
    """There are (3n choose n) / (2n + 1) projective trees; 140 words have more than 10^100."""
    trees = math.comb(3 * words, words) // (2 * words + 1)
    total = flat_chart(words, single_root=False).log_total()
    assert total == pytest.approx(math.log(trees), rel=1e-12)


def test_long_sentences_have_arcs_and_draws() -> None:
    """In logarithms, where plain numbers might overflow."""
    chart = flat_chart(140, single_root=True)
    arcs = chart.arc_probabilities().reshape(141, 141)
    assert np.allclose(arcs.sum(axis=0)[1:], 1)
    assert np.allclose(arcs[1:, 1:], arcs[1:, 1:][::-1, ::-1], atol=1e-9), "mirrored sentences"
    (nodes, heads, score) = chart.samples(1, stream())[0]
    assert len(nodes) == 140
    assert (heads == 0).sum() == 1
    assert score == 0


def test_a_sentence_without_any_tree_is_refused() -> None:
    pairs = np.full((2, 2), -np.inf)
    ends = np.arange(2, dtype=np.int32)
    steps = np.zeros((2, 2, 2, 2))
    with pytest.raises(ValueError, match="no tree"):
        _core.TreeChart(positions=ends, kinds=ends, pairs=pairs, steps=steps)
    with pytest.raises(ValueError, match="do not match"):
        _core.TreeChart(positions=ends[:1], kinds=ends, pairs=pairs, steps=steps)
