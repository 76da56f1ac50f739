"""A grammar whose symbols know their parents: its trees and shares, and chains it proposes to."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bistro import _core
from bistro.models.trees.config import TreesConfig
from bistro.models.trees.parents import DISCOUNT, STRENGTH, ParentCounts, ParentGrammar
from bistro.models.trees.task import TreesTask
from bistro.models.unbounded.rules import Derivation
from bistro.models.unbounded.task import relative_frequencies
from bistro.treebank.brackets import parse_tree

TREES = [
    "((S (NP (D a) (N b)) (VP (V c) (NP (N d)) (PP (P e) (NP (D a) (N b))))))",
    "((S (NP (N b)) (VP (V c) (NP (NP (D a) (N d)) (PP (P e) (NP (N d)))))))",
    "((S (VP (V c) (NP (D a) (N b)))))",
    "((S (NP (NP (N d)) (PP (P e) (NP (N b)))) (VP (V c))))",
    "((NP (NP (D a) (N d)) (PP (P e) (NP (N b)))))",
]
PURPOSE = 9


class Case:
    """Trees, their PCFG, the grammar with parents, and a trie of contexts of two symbols or all."""

    def __init__(self, depth: int) -> None:
        config = TreesConfig(unknown_below=1)
        self.task, self.trees = TreesTask.learn([parse_tree(t) for t in TREES], config)
        rules = self.rules = self.task.rules
        self.pcfg = relative_frequencies(rules, rules.counts(self.trees))
        self.core = _core.RuleGrammar(
            num_symbols=len(rules.symbols),
            num_words=len(rules.words),
            root=rules.top,
            **rules.arrays(),
            log_prob=np.log(self.pcfg),
        )
        self.parents = ParentGrammar.build(rules, self.pcfg, ParentCounts.of(rules, self.trees))
        self.finer = self.parents.over(self.core)
        trie = _core.ContextTrie.of_trees(**self.columns(self.trees), depth=depth, blocks=1)
        pair = {"discount": np.full(2, 0.5), "strength": np.full(2, 1.0)}
        arrays = trie.freeze(self.pcfg, pair["discount"], pair["strength"])
        self.trie = _core.RuleTrie(**arrays, base=self.pcfg, **pair, depth=depth)

    def lattice(self, text: str) -> _core.Lattices:
        words = self.task.terminals(text.split()).word
        return _core.Lattices.of_sentences(np.array([0, words.size], np.int64), words)

    def columns(self, trees: list[Derivation]) -> dict[str, Any]:
        offsets = np.cumsum([0, *(t.size for t in trees)]).astype(np.int64)
        joined = {"trees": np.concatenate(trees), "offsets": offsets}
        return {**self.rules.arrays(), **joined, "by_rules": False}

    def log_prob(self, trees: list[Derivation]) -> NDArray[np.float64]:
        return self.trie.log_probabilities(**self.columns(trees))


def split(found: dict[str, Any]) -> list[Derivation]:
    borders = found["offsets"]
    return [found["rules"][a:b] for a, b in pairwise(borders)]


def slow_share(case: Case, parent: int, rule: int) -> float:
    """q(rule | left side, parent) by the formula, from the trees themselves."""
    rules = case.rules
    under: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for tree in case.trees:
        for node, above in zip(tree.tolist(), rules.parents(tree).tolist(), strict=True):
            symbol = -1 if above < 0 else int(rules.left[tree[above]])
            under[int(rules.left[node]), symbol][node] += 1
    left = int(rules.left[rule])
    kinds = Counter(r for (a, _), counts in under.items() if a == left for r in counts)

    def smooth(counts: Counter[int], below: float) -> float:
        total, tables = counts.total(), len(counts)
        own = max(counts[rule] - DISCOUNT, 0.0)
        return (own + (STRENGTH + DISCOUNT * tables) * below) / (total + STRENGTH)

    return smooth(under[left, parent], smooth(kinds, float(case.pcfg[rule])))


def test_shares_are_those_of_the_formula_and_sum_to_one() -> None:
    case = Case(-1)
    rules, parents = case.rules, case.parents
    # A tree with each symbol once: its log-probability is the sum of the shares.
    text = "a b c"
    drawn = parents.grammar.draws(case.lattice(text), 50, seed=1, purpose=PURPOSE)
    for tree, log_prob in zip(split(drawn), drawn["log_prob"].tolist(), strict=True):
        own = parents.rule_of[tree]
        above = rules.parents(own)
        symbols = [-1 if a < 0 else int(rules.left[own[a]]) for a in above.tolist()]
        shares = [slow_share(case, p, r) for p, r in zip(symbols, own.tolist(), strict=True)]
        assert log_prob == pytest.approx(sum(map(math.log, shares)))
    for symbol in range(len(rules.symbols)):
        for parent in range(-1, len(rules.symbols)):
            of_symbol = np.flatnonzero(rules.left == symbol).tolist()
            assert sum(slow_share(case, parent, r) for r in of_symbol) == pytest.approx(1.0)


def test_it_has_the_trees_of_the_pcfg() -> None:
    case = Case(-1)
    for text in ("a b c d e a b", "c a b e d", "b c d e b"):
        plain = {
            t.tobytes()
            for t in split(case.core.draws(case.lattice(text), 4000, seed=1, purpose=PURPOSE))
        }
        finer = split(case.parents.grammar.draws(case.lattice(text), 4000, seed=2, purpose=PURPOSE))
        told = {case.parents.rule_of[t].tobytes() for t in finer}
        assert plain == told
        assert len(plain) > 1


@pytest.mark.parametrize("subtrees", [0, 3])
def test_chains_have_the_law_of_the_model_whoever_proposes(subtrees: int) -> None:
    case = Case(-1)
    lattice = case.lattice("a b c d e a b")
    trees = {t.tobytes(): t for t in split(case.core.draws(lattice, 4000, seed=1, purpose=PURPOSE))}
    exact = np.exp(case.log_prob(list(trees.values())))
    exact /= exact.sum()
    samples = 20_000
    found = _core.draw_trees(
        case.core,
        case.trie,
        lattice,
        contexts_of_rules=False,
        samples=samples,
        burn_in=100,
        subtrees=subtrees,
        seed=5,
        purpose=PURPOSE,
        first=0,
        node_cost=0.5,
        visited=True,
        finer=case.finer,
    )
    visited = split(found["visited"])
    times = Counter[bytes]()
    for tree, n in zip(visited, found["visited"]["times"].tolist(), strict=True):
        times[tree.tobytes()] += n
    assert set(times) <= set(trees)
    shares = np.array([times[key] for key in trees]) / (samples - 100)
    assert np.abs(shares - exact).sum() / 2 < 0.03
    # The grammar's own law is another one: the check would notice.
    proposal = np.zeros(len(trees))
    for i, tree in enumerate(trees.values()):
        proposal[i] = sum(math.log(case.pcfg[r]) for r in tree.tolist())
    proposal = np.exp(proposal) / np.exp(proposal).sum()
    assert np.abs(proposal - exact).sum() / 2 > 0.06
    given = case.log_prob(visited)
    np.testing.assert_allclose(found["visited"]["log_prob"], given, rtol=1e-5)


@pytest.mark.parametrize("agenda", ["nodes", "full", "local"])
def test_searches_find_the_best_tree_whoever_guesses(agenda: str) -> None:
    case = Case(-1)
    for text in ("a b c d e a b", "c a b e d", "d c"):
        lattice = case.lattice(text)
        trees = {
            t.tobytes(): t for t in split(case.core.draws(lattice, 4000, seed=1, purpose=PURPOSE))
        }
        best = float(case.log_prob(list(trees.values())).max())
        found = _core.search_trees(
            case.core,
            case.trie,
            lattice,
            contexts_of_rules=False,
            agenda=agenda,
            beam=10**6,
            completions=10**6,
            expansions=10**6,
            finer=case.finer,
        )
        assert found["log_prob"][0] == pytest.approx(best, rel=1e-5)
        assert split(found)[0].tobytes() in trees


def test_a_grammar_that_stands_for_nothing_is_refused() -> None:
    case = Case(-1)
    wrong = case.parents.rule_of.copy()
    wrong[0], wrong[-1] = wrong[-1], wrong[0]
    symbols, rules = case.parents.symbol_of, case.parents.rule_of
    for symbol_of, rule_of in ((symbols, wrong), (symbols[1:], rules)):
        with pytest.raises(ValueError, match="do not match the grammar of the model"):
            _core.FinerGrammar(
                case.parents.grammar, case.core, symbol_of=symbol_of, rule_of=rule_of
            )
