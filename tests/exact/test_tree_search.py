"""Searches under rules in contexts against enumeration: A*, chains, minimum-risk trees."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from rule_twins import Grammars, random_grammar, random_texts, sentences, trees_of

from bistro import _core
from bistro.reference.infinite import PlainTrie
from bistro.reference.node_search import NodeSearch
from bistro.reference.pcfg import Tree, events
from bistro.reference.queue_search import QueueSearch
from bistro.rng import purpose_key

PURPOSE = purpose_key("search.test")
PARAMETERS = [(0.3, 0.5), (0.5, 0.2), (0.4, 0.1), (0.2, 0.3)]
PLENTY = 10**9


@dataclass(frozen=True)
class Case:
    """A sentence, all its trees, and what the model thinks of each."""

    grammar: Grammars
    trie: _core.RuleTrie
    plain: PlainTrie
    by_rules: bool
    text: list[int]
    trees: list[Tree]

    def log_prob(self, rules: tuple[int, ...]) -> float:
        table = self.grammar.twin.rules
        return math.fsum(self.model(*event) for event in events(table, rules, self.by))

    def law(self) -> NDArray[np.float64]:
        weights = np.array([self.log_prob(tree.rules) for tree in self.trees])
        law = np.exp(weights - weights.max())
        shares: NDArray[np.float64] = law / law.sum()
        return shares

    def search(self, agenda: str = "full", beam: int = PLENTY, **other: Any) -> dict[str, Any]:
        asked = {"completions": PLENTY, "expansions": PLENTY, **other}
        return _core.search_trees(
            self.grammar.core,
            self.trie,
            sentences([self.text]),
            contexts_of_rules=self.by_rules,
            agenda=agenda,
            beam=beam,
            **asked,
        )

    def plain_search(self, beam: int) -> NodeSearch:
        return NodeSearch(self.grammar.twin, self.model, self.text, beam, self.by)

    def plain_queue(self, beam: int, local: bool, everywhere: bool) -> QueueSearch:
        search = QueueSearch(self.grammar.twin, self.model, self.text, beam, self.by)
        search.local, search.everywhere = local, everywhere
        return search

    def model(self, context: tuple[int, ...], rule: int) -> float:
        return math.log(self.plain.probability(context, rule))

    @property
    def by(self) -> Literal["rules", "symbols"]:
        return "rules" if self.by_rules else "symbols"

    def draw(self, samples: int, subtrees: int = 0, burn_in: int = 0, **other: Any) -> Any:
        asked = {"seed": 1, "purpose": PURPOSE, "first": 0, "node_cost": 0.5, **other}
        return _core.draw_trees(
            self.grammar.core,
            self.trie,
            sentences([self.text]),
            contexts_of_rules=self.by_rules,
            samples=samples,
            burn_in=burn_in,
            subtrees=subtrees,
            **asked,
        )


def trained(grammar: Grammars, by_rules: bool, seed: int) -> tuple[_core.RuleTrie, PlainTrie]:
    """A model of trees drawn from the grammar, that differ in taste from the grammar itself."""
    texts = random_texts(seed, grammar.words, [2, 3, 3, 4, 4, 5, 5] * 4)
    drawn = trees_of(grammar.core.draws(sentences(texts), 1, seed=seed, purpose=PURPOSE))
    liked = [t for t in drawn if t and sum(t) % 3]
    by: Literal["rules", "symbols"] = "rules" if by_rules else "symbols"
    seen = [e for t in liked for e in events(grammar.twin.rules, t, by)]
    base = np.exp(np.array(grammar.twin.log_prob))
    offsets = np.cumsum([0, *(len(c) for c, _ in seen)]).astype(np.int64)
    elements = np.array([x for c, _ in seen for x in c], np.int32)
    counted = _core.ContextTrie.of_events(
        elements, offsets, np.array([r for _, r in seen], np.int32), depth=-1
    )
    levels = dict(zip(("discount", "strength"), np.array(PARAMETERS).T.copy(), strict=True))
    trie = _core.RuleTrie(**counted.freeze(base, **levels), base=base, **levels, depth=-1)
    return trie, PlainTrie(seen, base.tolist(), PARAMETERS)


def cases(
    by_rules: bool, seeds: range, least: int = 2, most: int = 200, length: int = 4
) -> Iterator[Case]:
    for seed in seeds:
        grammar = random_grammar(seed)
        text = random_texts(seed + 1000, grammar.words, [length])[0]
        if least <= grammar.twin.number_of_trees(text) <= most:
            trie, plain = trained(grammar, by_rules, seed)
            yield Case(grammar, trie, plain, by_rules, text, grammar.twin.trees(text))


AGENDAS = pytest.mark.parametrize(
    ("agenda", "everywhere"),
    [("full", False), ("full", True), ("local", False), ("local", True), ("nodes", False)],
)


@AGENDAS
@pytest.mark.parametrize("by_rules", [True, False], ids=["rules", "symbols"])
def test_astar_with_room_for_all_finds_the_best(
    by_rules: bool, agenda: str, everywhere: bool
) -> None:
    # Each tree in every order would be too many trees.
    found = list(cases(by_rules, range(300), most=20 if everywhere else 200))
    for case in found:
        result = case.search(agenda, everywhere=everywhere)
        best = max(case.log_prob(tree.rules) for tree in case.trees)
        assert result["log_prob"][0] == pytest.approx(best, rel=1e-5)
        assert case.log_prob(trees_of(result)[0]) == pytest.approx(best, rel=1e-5)
        assert result["complete"].tolist() == [1]
    assert len(found) > 10


def tied(search: NodeSearch) -> bool:
    """Whether ways of a node score alike, so that their order is anybody's."""
    scores = [[way.log_prob + way.guess for way in search.ways(node)] for node in search.tried]
    return any(a - b < 1e-6 for row in scores for a, b in pairwise(row))


@pytest.mark.parametrize("by_rules", [True, False], ids=["rules", "symbols"])
def test_nodes_are_searched_in_the_order_of_a_plain_search(by_rules: bool) -> None:
    looked = short = 0
    for case in cases(by_rules, range(300), least=3):
        best = max(case.log_prob(tree.rules) for tree in case.trees)
        for beam, completions, expansions in ((9, 1, 99), (2, 3, 99), (9, 4, 99), (9, 99, 11)):
            sizes = {"completions": completions, "expansions": expansions}
            result = case.search(agenda="nodes", beam=beam, forgetting=False, **sizes)
            plain = case.plain_search(beam)
            rules = plain.run(**sizes)
            if tied(plain):
                continue
            assert result["expansions"][0] == plain.rounds
            assert bool(result["complete"][0]) == (rules is not None)
            if rules is not None:
                assert case.log_prob(trees_of(result)[0]) == pytest.approx(case.log_prob(rules))
                short += case.log_prob(rules) < best - 1e-6
            looked += 1
    assert looked > 60
    assert short > 5  # sizes are small enough to tell the order


@pytest.mark.parametrize("everywhere", [False, True], ids=["leftmost", "all"])
@pytest.mark.parametrize("local", [False, True], ids=["equation 10", "equation 11"])
@pytest.mark.parametrize("by_rules", [True, False], ids=["rules", "symbols"])
def test_partial_trees_are_queued_as_in_a_plain_search(
    by_rules: bool, local: bool, everywhere: bool
) -> None:
    looked = short = 0
    for case in cases(by_rules, range(300), least=3, most=60):
        best = max(case.log_prob(tree.rules) for tree in case.trees)
        for beam, completions, expansions in ((9, 1, 99), (3, 3, 99), (50, 4, 99), (9, 99, 11)):
            sizes = {"completions": completions, "expansions": expansions}
            asked = {"everywhere": everywhere, "forgetting": False, **sizes}
            result = case.search("local" if local else "full", beam=beam, **asked)
            plain = case.plain_queue(beam, local, everywhere)
            rules = plain.run(**sizes)
            if plain.closest < 1e-6:
                continue
            assert result["expansions"][0] == plain.rounds
            assert bool(result["complete"][0]) == (rules is not None)
            if rules is not None:
                assert case.log_prob(trees_of(result)[0]) == pytest.approx(case.log_prob(rules))
                short += case.log_prob(rules) < best - 1e-6
            looked += 1
    assert looked > 20
    assert short > 3  # sizes are small enough to tell the order


def test_equation_11_is_not_equation_10() -> None:
    """The negative control: the twin of one heuristic refuses the core's other one."""
    different = 0
    for case in cases(False, range(300), least=3, most=60):
        sizes = {"completions": 1, "expansions": 99}
        plain = case.plain_queue(9, local=True, everywhere=False)
        plain.run(**sizes)
        result = case.search("full", beam=9, forgetting=False, **sizes)
        different += plain.rounds != result["expansions"][0]
    assert different > 5


def test_forgetting_does_not_change_what_all_rounds_find() -> None:
    for case in cases(False, range(60), length=5):
        long, short = (case.search("nodes", forgetting=known) for known in (False, True))
        assert long["log_prob"][0] == pytest.approx(short["log_prob"][0], rel=1e-6)
        assert short["expansions"][0] <= long["expansions"][0]


@AGENDAS
def test_astar_with_little_room_still_gives_a_tree(agenda: str, everywhere: bool) -> None:
    complete = 0
    for case in cases(False, range(100)):
        for beam, expansions in ((1, 3), (2, PLENTY), (3, 6)):
            sizes = {"beam": beam, "completions": 1, "expansions": expansions}
            result = case.search(agenda, everywhere=everywhere, **sizes)
            rules = trees_of(result)[0]
            assert rules in {tree.rules for tree in case.trees}
            assert result["log_prob"][0] == pytest.approx(case.log_prob(rules), rel=1e-5)
            assert result["expansions"][0] <= expansions
            complete += int(result["complete"][0])
    assert complete > 10


def test_the_best_way_down_stands_in_where_a_search_may_not_end() -> None:
    case = next(cases(False, range(150), least=20))
    result = case.search(expansions=1)
    assert result["complete"].tolist() == [0]
    assert trees_of(result)[0] in {tree.rules for tree in case.trees}


def integrated_autocorrelation(chain: NDArray[np.float64]) -> float:
    """How many steps of a chain are worth one independent draw, by batches."""
    batches = chain[: len(chain) // 50 * 50].reshape(50, -1)
    spread = batches.mean(axis=1).var(ddof=1) * batches.shape[1]
    return max(1.0, float(spread / max(chain.var(), 1e-12)))


def chain_of(result: Any, trees: list[Tree]) -> NDArray[np.int64]:
    """Which tree stood after each sample."""
    number = {tree.rules: i for i, tree in enumerate(trees)}
    visited = [number[rules] for rules in trees_of(result["visited"])]
    return np.repeat(visited, result["visited"]["times"])


def z_scores(chain: NDArray[np.int64], law: NDArray[np.float64]) -> list[float]:
    """How far each frequency is from its law, in errors of a chain that remembers."""
    scores = []
    for tree in np.flatnonzero((law > 0.01) & (law < 0.99)):
        here = (chain == tree).astype(np.float64)
        error = math.sqrt(
            law[tree] * (1 - law[tree]) * integrated_autocorrelation(here) / len(chain)
        )
        scores.append((here.mean() - law[tree]) / error)
    return scores


@pytest.mark.parametrize("subtrees", [0, 3])
@pytest.mark.parametrize("by_rules", [True, False], ids=["rules", "symbols"])
def test_chains_have_the_law_of_the_model(by_rules: bool, subtrees: int) -> None:
    scores: list[float] = []
    for case in cases(by_rules, range(110), least=3, most=60):
        result = case.draw(40_000, subtrees, burn_in=100, visited=True)
        chain = chain_of(result, case.trees)
        assert len(chain) == 39_900
        scores += z_scores(chain, case.law())
    assert len(scores) > 30
    assert max(map(abs, scores)) < 5


@pytest.mark.parametrize("wrong", ["always", "model only"])
def test_wrong_rules_of_acceptance_are_noticed(wrong: str) -> None:
    """The same gate stops chains that take every proposal, or forget who proposes."""
    noticed = looked = 0
    for case in cases(False, range(110), least=3, most=60):
        twin = case.grammar.twin
        proposal = np.array([math.exp(twin.log_weight(tree)) for tree in case.trees])
        proposal /= proposal.sum()
        law = case.law()
        ratio = np.ones_like(law) if wrong == "always" else law
        chain = plain_chain(proposal, ratio, 4000)
        scores = z_scores(chain, law)
        noticed += bool(scores) and max(map(abs, scores)) > 5
        looked += 1
    assert noticed > looked / 3
    case = next(cases(False, range(110), least=3, most=60))
    twin = case.grammar.twin
    proposal = np.array([math.exp(twin.log_weight(tree)) for tree in case.trees])
    right = plain_chain(proposal / proposal.sum(), case.law() / proposal, 4000)
    assert max(map(abs, z_scores(right, case.law()))) < 5


def plain_chain(
    proposal: NDArray[np.float64], weight: NDArray[np.float64], steps: int
) -> NDArray[np.int64]:
    """Metropolis and Hastings' rule over numbered trees; `weight` decides what is accepted."""
    rng = np.random.default_rng(7)
    proposed, lots = rng.choice(len(proposal), steps, p=proposal), rng.random(steps)
    chain, here = np.zeros(steps, dtype=np.int64), int(proposed[0])
    for step in range(steps):
        if lots[step] * weight[here] < weight[proposed[step]]:
            here = int(proposed[step])
        chain[step] = here
    return chain


@pytest.mark.parametrize("subtrees", [0, 2])
@pytest.mark.parametrize("cost", [0.0, 0.5, 0.7])
def test_least_risk_is_that_of_all_trees(cost: float, subtrees: int) -> None:
    looked = 0
    for case in cases(False, range(150), most=400):
        samples = 60
        result = case.draw(samples, subtrees, burn_in=10, node_cost=cost, counts=True, visited=True)
        _, symbol, start, end, count = result["counts"]
        spans = zip(symbol.tolist(), start.tolist(), end.tolist(), strict=True)
        counts = Counter(dict(zip(spans, count.tolist(), strict=True)))
        items = {tree.rules: tree.items for tree in case.trees}
        drawn: Counter[Any] = Counter()
        for rules, times in zip(
            trees_of(result["visited"]), result["visited"]["times"].tolist(), strict=True
        ):
            drawn.update(dict.fromkeys(items[rules], times))
        assert counts == drawn
        free = cost * (samples - 10)
        gains = {rules: sum(counts[i] - free for i in nodes) for rules, nodes in items.items()}
        rules = trees_of(result)[0]
        assert gains[rules] == pytest.approx(max(gains.values()))
        equal = [r for r, gain in gains.items() if gain > max(gains.values()) - 1e-6]
        prior = {r: sum(case.grammar.twin.log_prob[x] for x in r) for r in equal}
        assert prior[rules] == pytest.approx(max(prior.values()))
        assert result["log_prob"][0] == pytest.approx(case.log_prob(rules), rel=1e-5)
        looked += 1
    assert looked > 12


def test_the_best_drawn_tree_and_rates_of_acceptance() -> None:
    for case in cases(False, range(60)):
        result = case.draw(300, 2, visited=True)
        drawn = trees_of(result["visited"])
        assert result["best"]["log_prob"][0] == pytest.approx(
            max(map(case.log_prob, drawn)), rel=1e-5
        )
        assert 0 < result["accepted"][0] <= 1
        assert 0 < result["subtrees_accepted"][0] <= 1


@pytest.mark.parametrize("by_rules", [True, False], ids=["rules", "symbols"])
def test_forgetting_what_was_never_followed_changes_nothing(by_rules: bool) -> None:
    for case in cases(by_rules, range(100), length=5, most=2000):
        for subtrees in (0, 2):
            long, short = (
                case.draw(500, subtrees, visited=True, forgetting=forgetting)
                for forgetting in (False, True)
            )
            assert trees_of(long["visited"]) == trees_of(short["visited"])
            np.testing.assert_array_equal(long["visited"]["log_prob"], short["visited"]["log_prob"])


def test_sentences_without_trees_and_threads() -> None:
    case = next(cases(False, range(100), least=5))
    nothing = case.grammar.words - 1
    where = sentences([case.text, [nothing], [], case.text, case.text])
    model = case.grammar.core, case.trie
    asked: dict[str, Any] = {
        "contexts_of_rules": False,
        "samples": 50,
        "burn_in": 0,
        "subtrees": 1,
        "seed": 3,
        "purpose": PURPOSE,
        "node_cost": 0.5,
    }
    one = _core.draw_trees(*model, where, **asked, first=0, threads=1)
    three = _core.draw_trees(*model, where, **asked, first=0, threads=3)
    assert trees_of(one) == trees_of(three)
    assert [bool(rules) for rules in trees_of(one)] == [True, False, False, True, True]
    assert np.isneginf(one["log_prob"]).tolist() == [False, True, True, False, False]
    later = _core.draw_trees(*model, sentences([case.text]), **asked, first=4)
    assert trees_of(later)[0] == trees_of(one)[4]
    sizes: dict[str, Any] = {"beam": 10, "completions": 1, "expansions": 100}
    found = _core.search_trees(*model, where, contexts_of_rules=False, agenda="full", **sizes)
    assert [bool(rules) for rules in trees_of(found)] == [True, False, False, True, True]
