"""The committee against the mixture of enumerated posteriors, and its weights against a search."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from transition_twins import HUGE, LABELS, TAGS, Kind, Twin, summed, twin_of

from bistro.inference.mixture_weights import mixture_weights
from bistro.models.committee.mixture import Fit
from bistro.models.committee.model import CommitteeModel
from bistro.models.committee.weights import SHARPEST, accurate_weights, sharpness
from bistro.models.parsing.votes import Rows, mixed
from bistro.reference.arc_standard import Analysis
from bistro.treebank.sentence import Sentence
from bistro.treebank.validate import find_tree_problem

KINDS = [
    Kind(),
    Kind(direction="right-to-left"),
    Kind("first", "one", "joint", "right-to-left", sees_labels=True),
]
WEIGHTS = (0.5, 0.2, 0.3)
FORMS = ["a", "c", "b"]
EXHAUSTIVE = {**HUGE, "threads": 1}
FEW_LABELS_LEFT_OUT = 0.02
"""Labels of arcs of probability below 1/1000 are not asked for."""


def committee(sharp: float = 1.0) -> CommitteeModel:
    model = CommitteeModel.of([twin_of(kind).model for kind in KINDS])
    fit = Fit(WEIGHTS, WEIGHTS, sharp)
    model.fits = {"joint": fit, "given": fit}
    return model


def named(twin: Twin, analysis: Analysis) -> tuple[tuple[Any, ...], ...]:
    codec = twin.model.codec
    return (
        analysis[0],
        tuple(codec.labels[i] for i in analysis[1]),
        tuple(codec.tags[i] for i in analysis[2]),
    )


def mixture(forms: Sequence[str], tags: Sequence[str] | None = None) -> dict[Any, float]:
    """p(heads, labels, tags), by the enumeration of every member's posterior."""
    sums: dict[Any, float] = defaultdict(float)
    for kind, weight in zip(KINDS, WEIGHTS, strict=True):
        twin = twin_of(kind)
        table = twin.analyses(forms, tags)
        total = sum(table.values())
        for analysis, p in table.items():
            sums[named(twin, analysis)] += weight * p / total
    return sums


@pytest.mark.parametrize("forms", [["a"], ["b", "d"], FORMS], ids=" ".join)
def test_marginals_are_the_mixture_of_enumerated_ones(forms: list[str]) -> None:
    table = mixture(forms)
    marginals = committee().parse(forms, marginals=True, **EXHAUSTIVE).marginals
    assert marginals is not None
    for word in range(len(forms)):
        for column, row in ((0, marginals.heads[word]), (2, marginals.tags[word])):
            expected = summed(table, lambda a, w=word, c=column: a[c][w])  # type: ignore[misc]
            assert dict(row) == pytest.approx(expected, abs=1e-9)
        labels = summed(table, lambda a, w=word: a[1][w])  # type: ignore[misc]
        for label, p in marginals.labels[word]:
            assert labels[label] - FEW_LABELS_LEFT_OUT < p < labels[label] + 1e-9


def test_the_tree_has_the_least_risk_of_all_trees() -> None:
    table = mixture(FORMS)
    parse = committee().parse(FORMS, **EXHAUSTIVE)
    right = [summed(table, lambda a, w=word: a[0][w]) for word in range(3)]  # type: ignore[misc]
    trees = [h for h in product(range(4), repeat=3) if find_tree_problem(h, roots="one") is None]
    # All trees of three words with one root are projective but those whose arc passes the root.
    sums = {h: sum(right[i].get(h[i], 0.0) for i in range(3)) for h in trees}
    assert parse.analyses[0].expected_uas == pytest.approx(sums[tuple(parse.heads)] / 3)
    assert sums[tuple(parse.heads)] == pytest.approx(
        max(s for h, s in sums.items() if _is_projective(h)), abs=1e-9
    )
    for word, (head, label) in enumerate(zip(parse.heads, parse.labels, strict=True)):
        of_arc: dict[Any, float] = summed(
            table,
            lambda a, w=word: (a[0][w], a[1][w]),  # type: ignore[misc]
        )
        assert of_arc[head, label] == pytest.approx(
            max(p for (h, _), p in of_arc.items() if h == head)
        )


def _is_projective(heads: Sequence[int]) -> bool:
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def test_sharper_heads_keep_their_order_and_their_labels() -> None:
    plain, sharp = (
        committee(power).parse(FORMS, marginals=True, **EXHAUSTIVE).marginals for power in (1, 1.7)
    )
    assert plain is not None and sharp is not None
    for before, after in zip(plain.heads, sharp.heads, strict=True):
        raised = {head: p**1.7 for head, p in before}
        assert dict(after) == pytest.approx(
            {head: p / sum(raised.values()) for head, p in raised.items()}
        )
    assert plain.tags == sharp.tags


def test_evidence_reaches_every_member() -> None:
    given = Sentence.from_columns(FORMS, heads=[-1, -1, 1], deprels=["_", "_", LABELS[0]])
    table = mixture_given(given)
    parse = committee().parse(given, partial=True, marginals=True, **EXHAUSTIVE)
    assert parse.marginals is not None and not parse.relaxed
    assert parse.heads[2] == 1 and parse.labels[2] == LABELS[0]
    for word in range(3):
        expected = summed(table, lambda a, w=word: a[0][w])  # type: ignore[misc]
        assert dict(parse.marginals.heads[word]) == pytest.approx(expected, abs=1e-9)


def mixture_given(given: Sentence) -> dict[Any, float]:
    """The mixture of the members' posteriors, each given the heads and labels that are known."""
    sums: dict[Any, float] = defaultdict(float)
    for kind, weight in zip(KINDS, WEIGHTS, strict=True):
        twin = twin_of(kind)
        agreeing = {
            name: p
            for analysis, p in twin.analyses(given.forms).items()
            if _agrees(name := named(twin, analysis), given)
        }
        total = sum(agreeing.values())
        for name, p in agreeing.items():
            sums[name] += weight * p / total
    return sums


def _agrees(name: tuple[tuple[Any, ...], ...], given: Sentence) -> bool:
    heads = all(k in (-1, h) for h, k in zip(name[0], given.heads, strict=True))
    return heads and all(k in ("_", la) for la, k in zip(name[1], given.deprels, strict=True))


def test_given_tags() -> None:
    tags = [TAGS[0], TAGS[1], TAGS[2]]
    sentence = Sentence.from_columns(FORMS, upos=tags)
    parse = committee().parse(sentence, tags="given", marginals=True, **EXHAUSTIVE)
    table = mixture(FORMS, tags)
    assert parse.tags == tags and parse.marginals is not None
    for word in range(3):
        expected = summed(table, lambda a, w=word: a[0][w])  # type: ignore[misc]
        assert dict(parse.marginals.heads[word]) == pytest.approx(expected, abs=1e-9)


def test_the_best_trees_are_those_of_the_mixture() -> None:
    table = summed(mixture(FORMS), lambda a: (a[0], a[2]))
    parse = committee().parse(FORMS, kbest=10**6, **EXHAUSTIVE)
    assert len(parse.analyses) == len(table)
    shares = [analysis.posterior for analysis in parse.analyses]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    for analysis in parse.analyses:
        key = tuple(analysis.heads), tuple(analysis.tags)
        assert analysis.posterior == pytest.approx(table[key], abs=1e-9)


def frequencies_fit(model: CommitteeModel, draws: int) -> float:
    """The p-value of the frequencies of sampled trees against the mixture."""
    table = mixture(FORMS)
    parse = model.parse(FORMS, samples=draws, seed=3, **EXHAUSTIVE)
    counts = Counter((tuple(a.heads), tuple(a.labels), tuple(a.tags)) for a in parse.samples)
    assert sum(counts.values()) == draws and set(counts) <= set(table)
    common = [key for key, p in table.items() if p * draws >= 5]
    seen = [counts[key] for key in common] + [draws - sum(counts[key] for key in common)]
    expected = [table[key] * draws for key in common]
    return float(stats.chisquare(seen, [*expected, draws - sum(expected)]).pvalue)


def test_samples_have_the_frequencies_of_the_mixture() -> None:
    assert frequencies_fit(committee(), 20_000) > 1e-4
    wrong = committee()
    wrong.fits = {way: replace(fit, heads=(0.4, 0.3, 0.3)) for way, fit in wrong.fits.items()}
    assert frequencies_fit(wrong, 20_000) < 1e-4


def test_weights_by_em_are_those_of_a_direct_search() -> None:
    rng = np.random.default_rng(1)
    events = rng.beta(0.5, 0.5, size=(3, 400)) * np.array([[1.0], [0.8], [0.5]])

    def loss(free: np.ndarray[Any, Any]) -> float:
        weights = np.exp(np.append(free, 0.0))
        return float(-np.log(weights / weights.sum() @ events).sum())

    best = optimize.minimize(loss, [0.0, 0.0], method="Nelder-Mead", tol=1e-10).fun
    weights = mixture_weights(events)
    assert weights.sum() == pytest.approx(1)
    assert float(-np.log(weights @ events).sum()) == pytest.approx(best, abs=1e-3)


def test_accurate_weights_are_as_good_as_any_on_a_grid() -> None:
    rng = np.random.default_rng(5)
    words, entries = 400, 3
    gold = rng.integers(entries, size=words)
    members = []
    for skill in (0.5, 0.8, 0.3):
        scores = rng.exponential(size=(words, entries))
        scores[np.arange(words), gold] += skill * rng.exponential(size=words) * 2
        scores /= scores.sum(axis=1, keepdims=True)
        begin = np.arange(words + 1) * entries
        members.append(Rows(begin, np.tile(np.arange(entries), words), scores.reshape(-1)))

    def right(weights: Sequence[float]) -> int:
        return int((mixed(members, weights).likeliest() == gold).sum())

    grid = [(a, b, 1.0) for a in np.geomspace(0.1, 10, 15) for b in np.geomspace(0.1, 10, 15)]
    found = accurate_weights(members, gold)
    assert found.sum() == pytest.approx(1)
    assert right([1.0] * 3) < right(found.tolist())
    assert right(found.tolist()) >= 0.98 * max(right(weights) for weights in grid)


def test_weights_where_members_know_nothing() -> None:
    assert mixture_weights(np.zeros((2, 5))).tolist() == [0.5, 0.5]
    assert mixture_weights(np.array([[0.0, 0.0], [0.0, 0.7]])).tolist() == pytest.approx([0, 1])


def test_the_sharpness_is_that_of_the_truth() -> None:
    """Gold heads drawn from p^2 / Σ p^2 want a power of 2."""
    rng = np.random.default_rng(2)
    first = rng.uniform(0.05, 0.95, size=20_000)
    raised = first**2 / (first**2 + (1 - first) ** 2)
    gold = np.where(rng.uniform(size=first.size) < raised, 0, 1)
    rows = Rows(
        np.arange(first.size + 1) * 2,
        np.tile([0, 1], first.size),
        np.stack([first, 1 - first], axis=1).reshape(-1),
    )
    assert math.isclose(sharpness(rows, gold), 2, abs_tol=0.1)
    assert sharpness(rows, rows.likeliest()) == SHARPEST
    assert sharpness(rows, np.full(first.size, 7)) == 1 / SHARPEST
