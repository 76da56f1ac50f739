"""Totals, trees and marginals of the compiled parser against the enumeration of all derivations."""

from __future__ import annotations

import math
import random
from typing import Literal

import numpy as np
import pytest
from scipy import stats
from transition_twins import (
    KINDS,
    SPECIAL,
    SYSTEMS,
    Kind,
    Twin,
    assert_same_marginals,
    random_analysis,
    settings,
    summed,
    twin_of,
)

import bistro
from bistro.models.transition.model import TransitionModel
from bistro.reference.arc_standard import Analysis, derivations
from bistro.treebank.sentence import Sentence

ALL_KINDS = [*KINDS, *SPECIAL]


def without_labels(analysis: Analysis) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return analysis[0], analysis[2]


@pytest.mark.parametrize("kind", ALL_KINDS, ids=str)
def test_everything_found_is_as_enumerated(kind: Kind) -> None:
    twin = twin_of(kind)
    for forms in (["a"], ["b", "d"], ["a", "c", "b"]):
        table = twin.analyses(forms)
        parse = twin.parse(forms, kbest=10**6, marginals=True)
        assert math.isclose(parse.log_total, math.log(sum(table.values())), abs_tol=1e-9)
        assert_same_marginals(parse, table, twin)
        # Labels that no later context sees are no part of a tree's identity.
        part = (lambda a: a) if kind.sees_labels else without_labels
        trees = summed(table, part)
        assert len(parse.analyses) == len(trees)
        for found in parse.analyses:
            key = twin.key(found)
            assert math.isclose(
                found.posterior, trees.pop(part(key)) / sum(table.values()), rel_tol=1e-9
            )
            assert math.isclose(found.log_prob, math.log(table[key]), abs_tol=1e-9)
        shares = [found.posterior for found in parse.analyses]
        assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[9], KINDS[14], KINDS[23]], ids=str)
def test_four_words(kind: Kind) -> None:
    twin = twin_of(kind)
    forms = ["a", "b", "d", "a"]
    table = twin.analyses(forms, tags=["X", "Y", "X", "Z"])
    tagged = Sentence.from_columns(forms, upos=["X", "Y", "X", "Z"])
    parse = twin.parse(tagged, tags="given", kbest=3, marginals=True)
    assert math.isclose(parse.log_total, math.log(sum(table.values())), abs_tol=1e-9)
    assert_same_marginals(parse, table, twin)
    trees = summed(table, without_labels)
    best = sorted(trees, key=trees.__getitem__, reverse=True)[:3]
    assert [without_labels(twin.key(found)) for found in parse.analyses] == best


@pytest.mark.parametrize("kind", ALL_KINDS, ids=str)
def test_the_probability_of_a_tree_is_the_sum_over_its_derivations(kind: Kind) -> None:
    """All of them are found, and none ends in a dead end: a beam of one derivation arrives."""
    twin = twin_of(kind)
    rng = random.Random(3)
    for _ in range(12):
        forms = rng.choices(["a", "b", "c", "d"], k=rng.randint(1, 5))
        heads, labels, tags = random_analysis(kind.system, len(forms), rng)
        analysis = heads, labels if kind.labels != "none" else (0,) * len(forms), tags
        written = twin.named(twin.turned(analysis), forms)
        words = twin.words(forms)
        each = [twin.plain.replay(d, words, analysis)[0] for d in derivations(kind.system, heads)]
        whole = twin.parse(written, tags="given", partial=True)
        assert math.isclose(whole.log_total, math.log(sum(each)), abs_tol=1e-9)
        assert math.isclose(whole.log_prob, math.log(sum(each)), abs_tol=1e-9)
        assert twin.key(whole.analyses[0]) == twin.turned(analysis)
        one = twin.parse(written, tags="given", partial=True, size=1)
        assert min(abs(one.log_total - math.log(p)) for p in each) < 1e-9
        assert not one.relaxed


@pytest.mark.parametrize("labels", ["joint", "two-step"])
@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_all_sentences_together_have_probability_one(
    system: Kind, labels: Literal["joint", "two-step"]
) -> None:
    """Sentences of up to three words, parsed; longer ones by the probabilities of prefixes."""
    kind = Kind(system.root, system.roots, labels)
    rng = random.Random(8)
    sentences = []
    for size in [1, 2, 2, 3, 1, 4, 2, 1, 3, 1, 1, 2]:
        heads, arcs, _ = random_analysis(kind.system, size, rng)
        names = ["kl"[label] for label in arcs]
        forms = rng.choices("ab", k=size)
        tree = Sentence.from_columns(forms, heads=heads, deprels=names, upos=["X"] * size)
        sentences.append(tree)
    model = bistro.train("transition", sentences, **settings(kind))
    assert isinstance(model, TransitionModel)
    twin = Twin(kind, model)
    texts = [list(t) for t in _texts(["a", "b", "unseen"], 3)]
    found = sum(math.exp(twin.parse(text).log_total) for text in texts)
    # Single precision in the saved distributions leaves 1e-7 or so.
    assert math.isclose(found + twin.plain.probability_of_more_than(3), 1.0, abs_tol=2e-6)
    assert 0.3 < found < 1


def _texts(words: list[str], longest: int) -> list[tuple[str, ...]]:
    texts: list[tuple[str, ...]] = [()]
    for text in texts:
        if len(text) < longest:
            texts += [(*text, word) for word in words]
    return texts[1:]


@pytest.mark.parametrize("kind", [KINDS[2], KINDS[7], KINDS[13], SPECIAL[0]], ids=str)
def test_samples_follow_the_posterior(kind: Kind) -> None:
    twin = twin_of(kind)
    forms = ["a", "c", "b"]
    table = twin.analyses(forms)
    number = 20_000
    parse = twin.parse(forms, samples=number, seed=4)
    assert len(parse.samples) == number
    counts: dict[Analysis, int] = {}
    for drawn in parse.samples:
        key = twin.key(drawn)
        counts[key] = counts.get(key, 0) + 1
        assert math.isclose(drawn.log_prob, math.log(table[key]), abs_tol=1e-9)
    total = sum(table.values())
    frequent = [key for key, p in table.items() if p / total * number >= 10]
    expected = [table[key] / total * number for key in frequent]
    observed = [counts.get(key, 0) for key in frequent]
    rest = number - sum(expected)
    if rest > 1:
        expected.append(rest)
        observed.append(number - sum(observed))
    scaled = np.array(expected) * sum(observed) / sum(expected)
    assert stats.chisquare(observed, scaled).pvalue > 1e-3
