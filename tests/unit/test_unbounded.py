"""Models with unbounded contexts: trained, saved, loaded, asked; with a task of few trees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from toy_kind import TREES, ToyModel

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.models.unbounded.rules import Derivation
from bistro.models.unbounded.search import SearchName, SearchOptions
from bistro.reference.infinite import Context, PlainTrie
from bistro.treebank.brackets import Tree, parse_tree

GIBBS = {"seating": "gibbs", "hyper": "slice", "sweeps": 6, "samples": 3}


@pytest.fixture(autouse=True)
def _toy(install_kind: Callable[[str, str], None]) -> None:
    install_kind("toy", "toy_kind:KIND")


def trained(**settings: object) -> ToyModel:
    model = bistro.train("toy", map(parse_tree, TREES), seed=3, **settings)
    assert isinstance(model, ToyModel)
    return model


def derived(model: ToyModel, tree: Tree | str) -> Derivation:
    """The derivation of a tree that the grammar knows."""
    found: Derivation | None = model.task.derivation(
        parse_tree(tree) if isinstance(tree, str) else tree
    )
    assert found is not None
    return found


def events(model: ToyModel, tree: Derivation) -> list[tuple[Context, int]]:
    """The rules of a tree in their contexts, by the definition."""
    parents, found = model.rules.parents(tree), []
    for node, rule in enumerate(tree.tolist()):
        context = [int(model.rules.left[rule])]
        above = int(parents[node])
        while above >= 0:
            context.append(int(tree[above] if model.by_rules else model.rules.left[tree[above]]))
            above = int(parents[above])
        found.append((tuple(context), rule))
    return found


@pytest.mark.parametrize("contexts", ["symbols", "rules"])
@pytest.mark.parametrize("depth", [None, 1, 2])
@pytest.mark.parametrize("base", ["pcfg", "uniform"])
def test_a_tree_is_the_product_of_its_rules(contexts: str, depth: int | None, base: str) -> None:
    model = trained(contexts=contexts, depth=depth, base=base, shared_from=3)
    found = [derived(model, tree) for tree in TREES]
    arrays = model.arrays()
    pairs = list(zip(arrays["trie.discount"], arrays["trie.strength"], strict=True))
    assert len(pairs) == min(3, depth or 3)
    seen = [event for tree in found for event in events(model, tree)]
    plain = PlainTrie(seen, arrays["trie.base"].tolist(), pairs, depth)
    expected = [
        sum(np.log(plain.probability(*event)) for event in events(model, tree)) for tree in found
    ]
    np.testing.assert_allclose(model.log_prob(found), expected, rtol=1e-6)


@pytest.mark.parametrize("sampler", [{}, GIBBS])
def test_rules_of_a_symbol_sum_to_one_in_every_context(sampler: dict[str, object]) -> None:
    model = trained(sampler=sampler, base_smoothing=0.1)
    contexts = {context for tree in TREES for context, _ in events(model, derived(model, tree))}
    for context in [*contexts, (0, 1, 1, 1), (1, 99)]:
        rules = np.flatnonzero(model.rules.left == context[0]).astype(np.int32)
        elements = np.tile(np.array(context, np.int32), rules.size)
        offsets = np.arange(rules.size + 1) * len(context)
        assert model.trie.probabilities(elements, offsets, rules).sum() == pytest.approx(1.0)


def test_deep_contexts_help_and_one_that_is_cut_does_not_see_them() -> None:
    trees = [derived(model, tree) for model in [trained()] for tree in TREES]
    models = [trained(depth=d, fit="seating") for d in (1, 2, 3, None)]
    by_depth = [float(model.log_prob(trees).sum()) for model in models]
    assert by_depth == sorted(by_depth)
    assert trained(depth=2).trie.depth_bound == 2


def test_maximised_parameters_are_better_than_others() -> None:
    best = trained(fit="seating").origin.trace[-1]["log_likelihood"]
    for discount, strength in ((0.3, 1.0), (0.7, 1.0), (0.5, 3.0)):
        fixed = {"hyper": "fixed", "discount": discount, "strength": strength}
        assert trained(sampler=fixed).origin.trace[-1]["log_likelihood"] - strength < best


def test_parameters_fitted_to_what_is_left_out_predict_it_better() -> None:
    """Each tree in turn, by a model of the others whose parameters are those of all."""
    trees = [parse_tree(tree) for tree in TREES for _ in range(3)]
    figures: list[float] = []
    for fit in ("left-out", "seating"):
        model = bistro.train("toy", trees, fit=fit, blocks=4, shared_from=2)
        pairs = [model.arrays()[f"trie.{name}"].tolist() for name in ("discount", "strength")]
        assert isinstance(model, ToyModel)
        derivations = [derived(model, tree) for tree in trees]
        total = 0.0
        for i in range(4):
            held, rest = (
                derivations[3 * i : 3 * i + 3],
                derivations[: 3 * i] + derivations[3 * i + 3 :],
            )
            seen = [event for tree in rest for event in events(model, tree)]
            known = {rule for _, rule in seen}
            plain = PlainTrie(seen, model.pcfg.tolist(), list(zip(*pairs, strict=True)))
            found = [event for tree in held for event in events(model, tree) if event[1] in known]
            total += sum(np.log(plain.probability(*event)) for event in found)
        figures.append(total)
    assert figures[0] > figures[1]


@pytest.mark.parametrize("search", ["cyk", "astar-full", "astar-literal", "astar-nodes", "mcmc"])
@pytest.mark.parametrize("contexts", ["symbols", "rules"])
def test_trees_are_found_by_every_search(search: SearchName, contexts: str) -> None:
    model = trained(contexts=contexts)
    words = ["time flies", "flies like time", "like like", "time flies like time"]
    options = SearchOptions(search=search, samples=300, threads=1)
    found = list(model.decode([w.split() for w in words], options))
    assert found[0] == "(S (N time) (VP (V flies)))"
    assert found[2] is None
    for given, tree in zip(words, found, strict=True):
        if tree is not None:
            assert " ".join(parse_tree(tree).leaves()) == given
    terminals = [model.task.terminals(w.split()) for w in words]
    for one in model.tree_search.find(terminals, options):
        if one is not None and search != "cyk":
            assert one.log_prob == pytest.approx(float(model.log_prob([one.derivation])[0]))


def test_what_the_model_says_of_itself() -> None:
    model = trained()
    summary = model.summary()
    assert summary["rules"] == len(model.rules)
    assert summary["contexts stored"] < summary["contexts"]
    assert model.origin.treebank == {"sentences": 4, "words": 16}
    figures = model.figures([*map(parse_tree, TREES), parse_tree("(S (N arrow))")])
    assert (figures["trees"], figures["trees known"]) == (5, 4)
    total = model.log_prob([derived(model, tree) for tree in TREES]).sum()
    assert figures["bits per word"] == pytest.approx(-total / np.log(2) / 16)


def test_bad_requests() -> None:
    with pytest.raises(BistroError, match="nothing to train on"):
        bistro.train("toy", [])
    with pytest.raises(ConfigError, match=r"unknown setting 'fitt' .*did you mean 'fit'"):
        bistro.train("toy", map(parse_tree, TREES), fitt="seating")
    with pytest.raises(BistroError, match="a toy model does not use a development set"):
        bistro.train("toy", map(parse_tree, TREES), dev=[])
    with pytest.raises(BistroError, match=r"bistro\.read"):
        bistro.train("ngram", "train.txt")


def test_a_path_is_read_by_the_task(tmp_path: Path) -> None:
    path = tmp_path / "toy.mrg"
    path.write_text("\n".join(TREES))
    model = bistro.train("toy", path, seed=3)
    assert model.origin.treebank["name"] == "toy"
    assert model.header() == trained().header()
