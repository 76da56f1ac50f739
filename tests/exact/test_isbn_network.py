"""The latent-variable parser against its plain twin, and its gradients against differences."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from isbn_twins import Tiny, Tree, batch, random_tree

from bistro import _core


def dropout_of(probability: float, purpose: int = 1, number: int = 1) -> Any:
    return _core.IsbnDropout(probability=probability, seed=1, purpose=purpose, pass_number=number)


NO_DROPOUT = dropout_of(0.0)
STILL: dict[str, Any] = {"at_once": 1, "rate": 0.0, "decay": 0.0}
KINDS: dict[str, dict[str, Any]] = {
    "one root": {},
    "several roots": {"single_root": False},
    "all features": {"elements": "all"},
    "decisions": {"elements": "local, decisions", "single_root": False},
    "decisions, no links": {"elements": "local, decisions", "linked": False},
    "no links": {"linked": False},
    "one label on the root": {"root_labels": 1},
    "mean field": {"mean_field": True},
    "mean field, all features": {"mean_field": True, "elements": "all", "single_root": False},
    "mean field, no links": {"mean_field": True, "linked": False},
}


def some_trees(tiny: Tiny, seed: int, number: int = 12) -> list[Tree]:
    rng = random.Random(seed)
    return [random_tree(rng, rng.randint(1, 6), tiny.symbols) for _ in range(number)]


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_derivations_have_the_probability_of_the_twin(kind: str, early: bool) -> None:
    tiny = Tiny.make(3, **KINDS[kind])
    for tree in some_trees(tiny, 5):
        data = tiny.derivations([tree], early=early)
        assert data.failed.size == 0
        ours = sum(tiny.trainer().log_probs(data))
        theirs = tiny.twin.log_prob(tree.words, tree.clusters, tree.heads, tree.labels, early=early)
        assert ours == pytest.approx(theirs, abs=1e-9)
        single = sum(tiny.trainer(_core.IsbnTrainer).log_probs(data))
        assert single == pytest.approx(theirs, abs=2e-4)


def test_given_lemmas_are_seen_instead_of_those_of_the_words() -> None:
    tiny = Tiny.make(3, elements="all")
    for tree in some_trees(tiny, 5, number=4):
        given = [(7 * i + 3) % 5 - 1 for i in range(len(tree.words))]
        both = []
        for lemmas in ([], given):
            tiny.twin.given_lemmas = lemmas
            sentence = batch([tree])
            if lemmas:
                sentence.set_lemmas(np.array(lemmas, np.int32))
            data = _core.IsbnDerivations(tiny.shape, sentence, early_reduce=False)
            ours = sum(tiny.trainer().log_probs(data))
            theirs = tiny.twin.log_prob(tree.words, tree.clusters, tree.heads, tree.labels)
            assert ours == pytest.approx(theirs, abs=1e-9)
            both.append(ours)
        assert both[0] != both[1]


def test_the_label_of_a_left_arc_reaches_later_states_through_decisions() -> None:
    """With local features and feed-forward means it reaches none without these edges."""
    changed = {}
    for elements in ("local", "local, decisions"):
        tiny = Tiny.make(5, elements=elements, root_labels=1)
        logs = []
        for label in (0, 1):
            tree = Tree([0, 1, 2], [0, 1, 0], [2, 0, 2], [label, 0, 2])
            logs.append(tiny.trainer().log_probs(tiny.derivations([tree])))
        # Actions, tags and words after the arc, in which its own label has no part.
        changed[elements] = [a != b for a, b in zip(*logs, strict=True)]
    assert changed["local"] == [False, True, False, False, False, False]
    assert all(changed["local, decisions"][i] for i in (0, 3, 5))


def parameter_groups(tiny: Tiny) -> dict[str, tuple[int, int]]:
    """Begin and end of every group of parameters."""
    shape, hidden = tiny.shape, 7
    groups = {"features": (0, shape.rows * hidden)}
    for relation in range(7):
        begin = shape.links_at(relation)
        groups[f"relation {relation + 1}"] = begin, begin + hidden**2
    for group in range(shape.groups):
        begin, bias = shape.group_at(group), shape.bias_at(group)
        groups[f"outcomes {group}"] = begin, bias
        groups[f"biases {group}"] = bias, bias + shape.outcomes(group)
    return groups


def differences(tiny: Tiny, data: Any, places: Any, dropout: Any) -> Any:
    """The gradient at some places by central differences."""
    found = []
    for place in places:
        values = []
        for step in (1e-5, -1e-5):
            moved = tiny.weights.copy()
            moved[place] += step
            trainer = _core.IsbnTrainer64(tiny.shape, moved, np.zeros_like(moved))
            # A rate of 0 changes nothing, and says what the trees are worth with their dropout.
            order = np.arange(len(data))
            still = {**STILL, "at_once": len(data)}
            values.append(-trainer.learn(data, order, **still, dropout=dropout))
        found.append((values[0] - values[1]) / 2e-5)
    return np.array(found)


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize(
    "kind",
    [
        "several roots",
        "all features",
        "decisions",
        "decisions, no links",
        "no links",
        "mean field",
        "mean field, all features",
        "mean field, no links",
    ],
)
def test_gradients_are_those_of_finite_differences(kind: str, dropout: float) -> None:
    tiny = Tiny.make(4, **KINDS[kind])
    data = tiny.derivations(some_trees(tiny, 6, number=8))
    chosen = dropout_of(dropout, 2, 3)
    gradient = tiny.trainer().gradient(data, chosen)
    rng = np.random.default_rng(1)
    for name, (begin, end) in parameter_groups(tiny).items():
        used = begin + np.flatnonzero(gradient[begin:end])
        unused = begin + np.flatnonzero(gradient[begin:end] == 0)
        places = np.concatenate([rng.permutation(used)[:8], rng.permutation(unused)[:2]])
        wanted = differences(tiny, data, places, chosen)
        assert gradient[places] == pytest.approx(wanted, abs=1e-6), name
        if name.startswith(("features", "relation")) and "no links" not in kind:
            assert used.size, name


def test_dropout_is_drawn_anew_by_every_stream() -> None:
    tiny = Tiny.make(8)
    data = tiny.derivations(some_trees(tiny, 2, number=1))
    plain, order = tiny.trainer(), np.arange(1)
    values = {
        plain.learn(data, order, **STILL, dropout=dropout_of(0.3, number=number))
        for number in range(20)
    }
    assert len(values) > 10
    whole = plain.learn(data, order, **STILL, dropout=NO_DROPOUT)
    assert plain.learn(data, order, **STILL, dropout=dropout_of(0.0, number=2)) == whole


@pytest.mark.parametrize("mean_field", [False, True])
def test_learning_does_not_depend_on_threads(mean_field: bool) -> None:
    tiny = Tiny.make(9, elements="all", single_root=False, mean_field=mean_field)
    data = tiny.derivations(some_trees(tiny, 7, number=30))
    order = np.random.default_rng(2).permutation(30)
    found = []
    for threads in (1, 2, 5):
        trainer = tiny.trainer(_core.IsbnTrainer)
        chosen = dropout_of(0.2, 2, 3)
        value = trainer.learn(
            data, order, at_once=7, rate=0.1, decay=0.01, dropout=chosen, threads=threads
        )
        found.append((value, trainer.weights.tobytes(), trainer.squares.tobytes()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("mean_field", [False, True])
def test_learning_makes_the_trees_more_probable(mean_field: bool) -> None:
    tiny = Tiny.make(10, mean_field=mean_field)
    data = tiny.derivations(some_trees(tiny, 8, number=20))
    trainer = tiny.trainer(_core.IsbnTrainer)
    before = sum(trainer.log_probs(data))
    for _ in range(30):
        trainer.learn(data, np.arange(20), at_once=5, rate=0.1, decay=0.0, dropout=NO_DROPOUT)
    assert sum(trainer.log_probs(data)) > 0.6 * before


def test_a_plain_step_goes_down_the_gradient() -> None:
    tiny = Tiny.make(10)
    data = tiny.derivations(some_trees(tiny, 8, number=4))
    trainer = tiny.trainer()
    wanted = tiny.weights - 0.01 * trainer.gradient(data, NO_DROPOUT)
    step: dict[str, Any] = {"at_once": 4, "rate": 0.01, "decay": 0.0, "adaptive": False}
    trainer.learn(data, np.arange(4), **step, dropout=NO_DROPOUT)
    assert trainer.weights == pytest.approx(wanted, abs=1e-12)
    assert not trainer.squares.any()


def test_trees_that_have_no_derivation_are_told() -> None:
    tiny = Tiny.make(11)
    crossing = Tree([0] * 4, [0] * 4, [3, 4, 0, 3], [0] * 4)
    two_roots = Tree([0] * 2, [0] * 2, [0, 0], [0] * 2)
    foreign = Tree([0], [0], [0], [2])
    fine = Tree([0], [0], [0], [1])
    assert tiny.derivations([fine, crossing, two_roots, foreign]).failed.tolist() == [1, 2, 3]


def test_damaged_numbers_are_refused() -> None:
    tiny = Tiny.make(12)
    with pytest.raises(ValueError, match="out of range"):
        tiny.derivations([Tree([9], [0], [0], [0])])
    with pytest.raises(ValueError, match="whole trees"):
        tiny.derivations([Tree([0], [0], [-1], [0])])
    wrong = batch([Tree([0], [0], [0], [0])])
    wrong.set_lemmas(np.array([9], np.int32))
    with pytest.raises(ValueError, match="lemma is out of range"):
        _core.IsbnDerivations(tiny.shape, wrong, early_reduce=False)
    with pytest.raises(ValueError, match="do not match"):
        wrong.set_lemmas(np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="do not fit"):
        _core.IsbnTrainer64(tiny.shape, np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="no such derivation"):
        tiny.trainer().learn(tiny.derivations([]), np.arange(1), **STILL, dropout=NO_DROPOUT)
