"""Charts of rules against enumeration: sums, best trees, draws, words without rules, long texts."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from rule_twins import (
    both,
    lattice,
    p_value,
    random_grammar,
    random_texts,
    sentences,
    trees_of,
    with_trees,
)

from bistro import _core
from bistro.reference.pcfg import Rule
from bistro.rng import purpose_key

PURPOSE = purpose_key("rules.test")


def test_sums_and_best_trees() -> None:
    cases = list(with_trees(range(150), [1, 2, 3, 3, 4]))
    for grammar, text, trees in cases:
        assert len(trees) == grammar.twin.number_of_trees(text)
        weights = {tree.rules: grammar.twin.log_weight(tree) for tree in trees}
        total = grammar.core.log_inside(sentences([text]))[0]
        best = grammar.core.best(sentences([text]))
        assert total == pytest.approx(grammar.twin.log_inside(text), rel=1e-12)
        assert best["log_prob"][0] == pytest.approx(max(weights.values()), rel=1e-12)
        assert weights[trees_of(best)[0]] == pytest.approx(max(weights.values()), rel=1e-12)
    assert len(cases) > 150


def test_sentences_without_a_tree_say_so() -> None:
    without = 0
    for seed in range(40):
        grammar = random_grammar(seed)
        text = random_texts(seed, grammar.words, [3])[0]
        if not grammar.twin.number_of_trees(text):
            assert grammar.core.log_inside(sentences([text]))[0] == -math.inf
            best = grammar.core.best(sentences([text, text]))
            assert trees_of(best) == [(), ()]
            assert np.isneginf(best["log_prob"]).all()
            without += 1
    assert without > 10


def test_cycles_are_left_out_in_the_same_way() -> None:
    cut = 0
    for seed in range(40):
        grammar = random_grammar(seed, symbols=6, density=0.5)
        used = set(range(len(grammar.twin.rules))) - set(grammar.core.left_out.tolist())
        assert used == set(grammar.twin.used)
        cut += len(grammar.core.left_out)
    assert cut > 100


def test_a_loop_of_two_unary_rules_keeps_the_likelier() -> None:
    rules = [Rule(0, 1, -1), Rule(1, 0, -1), Rule(0, -1, -1), Rule(1, -1, -1)]
    grammar = both(rules, [math.log(p) for p in (0.2, 0.6, 0.8, 0.4)], symbols=2, words=1)
    assert grammar.core.left_out.tolist() == [0]
    assert np.exp(grammar.core.log_inside(sentences([[0]])))[0] == pytest.approx(0.8)


def test_words_without_rules_and_empty_sentences_have_no_tree() -> None:
    grammar = random_grammar(3)
    texts = [[], [grammar.words - 1], [0, grammar.words - 1, 0], [-1], [grammar.words + 5]]
    assert np.isneginf(grammar.core.log_inside(sentences(texts))).all()
    assert trees_of(grammar.core.best(sentences(texts))) == [()] * len(texts)
    drawn = grammar.core.draws(sentences(texts), 2, seed=1, purpose=PURPOSE)
    assert trees_of(drawn) == [()] * 2 * len(texts)


def test_words_between_positions() -> None:
    parsed = 0
    for seed in range(220):
        grammar = random_grammar(seed)
        rng = np.random.default_rng(seed)
        edges = {
            (int(start), int(end), int(word))
            for start, end, word in rng.integers(0, [5, 6, 2], (9, 3))
            if start < end <= 5
        }
        if max(grammar.twin.number_of_trees([word] * 5) for word in (0, 1)) > 10**4:
            continue
        twins = grammar.twin.lattice_trees(5, sorted(edges))
        read = lattice(5, sorted(edges))
        total, best = grammar.core.log_inside(read)[0], grammar.core.best(read)
        if not twins:
            assert total == -math.inf
            continue
        parsed += 1
        weights = [grammar.twin.log_weight(tree) for tree in twins]
        assert total == pytest.approx(math.log(math.fsum(map(math.exp, weights))), rel=1e-12)
        assert best["log_prob"][0] == pytest.approx(max(weights), rel=1e-12)
    assert parsed >= 10


def test_draws_have_the_law_of_the_trees() -> None:
    cases = list(with_trees(range(60), [3, 4], least=3, most=60))
    for grammar, text, trees in cases:
        counts = Counter(
            trees_of(grammar.core.draws(sentences([text]), 5000, seed=1, purpose=PURPOSE))
        )
        total = grammar.twin.log_inside(text)
        law = np.array([math.exp(grammar.twin.log_weight(t) - total) for t in trees])
        assert set(counts) <= {t.rules for t in trees}
        assert p_value([counts[t.rules] for t in trees], law) > 1e-4 / len(cases)
    assert len(cases) >= 10


def test_log_prob_of_a_draw_is_that_of_its_rules() -> None:
    grammar, text, _ = next(with_trees(range(60), [4], least=10))
    result = grammar.core.draws(sentences([text]), 50, seed=7, purpose=PURPOSE)
    for rules, score in zip(trees_of(result), result["log_prob"], strict=True):
        assert score == pytest.approx(sum(grammar.twin.log_prob[r] for r in rules), rel=1e-12)


def test_draws_do_not_depend_on_threads() -> None:
    grammar, text, _ = next(with_trees(range(60), [4], least=10))
    texts = sentences([text] * 6)
    one = grammar.core.draws(texts, 20, seed=9, purpose=PURPOSE, threads=1)
    three = grammar.core.draws(texts, 20, seed=9, purpose=PURPOSE, threads=3)
    assert (one["rules"] == three["rules"]).all()
    assert len(set(trees_of(one))) > 1


@pytest.mark.parametrize(("split", "rare"), [(0.4, 1e-3), (0.4, 1e-40), (1e-4, 1e-3)])
def test_long_sentences_do_not_vanish(split: float, rare: float) -> None:
    """One symbol, one word: the trees of n words are counted by the Catalan numbers."""
    words = 300
    log_prob = [math.log(split), math.log(rare), math.log(1 - split - rare)]
    grammar = both([Rule(0, 0, 0), Rule(0, -1, -1), Rule(0, -2, -1)], log_prob, 1, 2)
    catalan = math.lgamma(2 * words - 1) - math.lgamma(words) - math.lgamma(words + 1)
    each_tree = (words - 1) * math.log(split) + words * math.log(rare)
    total = grammar.core.log_inside(sentences([[0] * words]))[0]
    assert total == pytest.approx(catalan + each_tree, rel=1e-9)
    drawn = grammar.core.draws(sentences([[0] * words]), 1, seed=1, purpose=PURPOSE)
    assert drawn["log_prob"][0] == pytest.approx(each_tree, rel=1e-12)


def test_rules_that_cannot_be_are_refused() -> None:
    def grammar(*rule: int, log_prob: float = -1.0) -> None:
        left, first, second = (np.array([x], dtype=np.int32) for x in rule)
        columns = {"left": left, "first": first, "second": second, "log_prob": np.array([log_prob])}
        _core.RuleGrammar(num_symbols=2, num_words=1, root=0, **columns)

    grammar(0, 1, 1)
    for bad in ((2, 1, 1), (0, 2, 1), (0, 1, 2), (0, -2, -1), (0, -1, 1), (-1, 0, 0)):
        with pytest.raises(ValueError, match="out of range"):
            grammar(*bad)
    with pytest.raises(ValueError, match="above 0"):
        grammar(0, 1, 1, log_prob=0.5)
