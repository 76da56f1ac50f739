"""A committee of constituency parsers: mixing, weights, what it returns and refuses."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bistro
from bistro.errors import BistroError, ConfigError, ModelFileError
from bistro.models.base import from_header
from bistro.models.constituents.config import ConstituentsConfig
from bistro.models.constituents.mixture import least_risk, likely_weights, log_prob, ranks_of
from bistro.models.constituents.model import ConstituentsModel
from bistro.models.span_votes import Name, SpanVotes, mixed
from bistro.treebank.brackets import Tree, format_tree, parse_tree

NOUNS = ("dog", "dog", "cat", "cat", "park", "park")
TREES = [
    parse_tree(
        f"((S (NP (DT the) (NN {noun})) (VP (VBZ sees) (NP (DT the) (NN {other})) "
        f"(PP (IN in) (NP (DT the) (NN park)))) (. .)))"
    )
    for noun in NOUNS
    for other in NOUNS
]
SENTENCE = ["the", "dog", "sees", "the", "cat", "in", "the", "park", "."]
QUICK = {"seating": "gibbs", "hyper": "slice", "sweeps": 3, "samples": 1}
TWO = ("head-left", "right-plain")


@pytest.fixture(scope="module")
def model() -> ConstituentsModel:
    return bistro.train("constituents", TREES, seed=1, members=TWO, sampler=QUICK)


def votes(*texts: str) -> SpanVotes:
    return SpanVotes.of_trees([parse_tree(text) for text in texts])


def shares(one: SpanVotes, sentence: int = 0) -> dict[tuple[Name, int, int], float]:
    return {(one.names[r.name], r.start, r.end): r.probability for r in one.rows(sentence)}


def test_constituents_of_a_tree_are_certain() -> None:
    found = shares(votes("(TOP (S (NP (NP (NN a)) (X b)) (NN c)))"))
    assert found == {
        (Name("S"), 0, 3): 1.0,
        (Name("NP"), 0, 2): 1.0,
        (Name("NP"), 0, 1): 1.0,
        (Name("NN", True), 0, 1): 1.0,
        (Name("X", True), 1, 2): 1.0,
        (Name("NN", True), 2, 3): 1.0,
    }


def test_mixed_votes_are_weighted_means() -> None:
    first = votes("(TOP (S (X a) (Y b)))", "(TOP (X a))")
    second = votes("(TOP (S (X a) (Z b)))", "(TOP (NP (X a)))")
    found = mixed([first, second], [0.75, 0.25])
    assert shares(found) == {
        (Name("S"), 0, 2): 1.0,
        (Name("X", True), 0, 1): 1.0,
        (Name("Y", True), 1, 2): 0.75,
        (Name("Z", True), 1, 2): 0.25,
    }
    assert shares(found, 1) == {(Name("X", True), 0, 1): 1.0, (Name("NP"), 0, 1): 0.25}


def test_a_member_without_a_tree_has_no_part() -> None:
    first = votes("(TOP (S (X a)))")
    nothing = np.zeros(0, dtype=np.int64)
    second = SpanVotes(
        *((), np.zeros(2, dtype=np.int64), nothing, nothing, nothing, np.zeros(0)),
        has_tree=np.zeros(1, dtype=bool),
        accepted=np.zeros(1),
    )
    assert shares(mixed([first, second], [0.1, 0.9])) == shares(first)
    assert not mixed([second, second], [0.5, 0.5]).has_tree[0]


def test_labels_over_the_same_words_are_nested_as_in_training() -> None:
    text = "(TOP (S (VP (VB go))))"
    trees = [parse_tree(text)]
    found = least_risk(votes(text), [["go"]], cost=0.5, ranks=ranks_of(trees))
    assert format_tree(found[0].tree) == text
    assert found[0].expected_f1 == 1.0


def test_the_cost_decides_what_is_worth_having() -> None:
    both = mixed([votes("(TOP (S (NP (X a)) (Y b)))"), votes("(TOP (S (X a) (Y b)))")], [0.4, 0.6])
    for cost, expected in ((0.5, "(TOP (S (X a) (Y b)))"), (0.3, "(TOP (S (NP (X a)) (Y b)))")):
        found = least_risk(both, [["a", "b"]], cost=cost, ranks={})[0]
        assert format_tree(found.tree) == expected
    assert found.expected_f1 == pytest.approx(2 * 1.4 / (2 + 1.4))


def test_log_probabilities_count_what_is_there_and_what_is_not() -> None:
    texts = ("(TOP (S (NP (X a)) (Y b)))", "(TOP (S (X a) (Y b)))")
    both = mixed([votes(text) for text in texts], [0.4, 0.6])
    for text, p in zip(texts, (0.4, 0.6), strict=True):
        assert log_prob(both, 0, parse_tree(text)) == pytest.approx(math.log(p), abs=1e-5)
    unseen = parse_tree("(TOP (Q (X a) (Y b)))")
    assert log_prob(both, 0, unseen) < log_prob(both, 0, parse_tree(texts[0])) - 10


def test_likely_weights_prefer_who_is_right() -> None:
    right, wrong = "(TOP (S (NP (X a)) (Y b)))", "(TOP (S (VP (X a)) (Y b)))"
    members = [votes(right, right, right), votes(right, wrong, wrong)]
    weights = likely_weights(members, [parse_tree(right)] * 3)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > 0.9


def test_a_sentence_is_parsed_with_its_marginals(model: ConstituentsModel) -> None:
    parse = model.parse_tree(SENTENCE, marginals=True)
    assert format_tree(parse.tree) == (
        "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat)) "
        "(PP (IN in) (NP (DT the) (NN park)))) (. .)))"
    )
    assert parse.is_found
    assert parse.marginals is not None and parse.expected_f1 is not None
    assert 0.9 < parse.expected_f1 <= 1
    assert ("NP", 3, 5) in {(one.label, one.start, one.end) for one in parse.marginals}
    falling = [one.probability for one in parse.marginals]
    assert falling == sorted(falling, reverse=True)
    assert model.parse_tree(SENTENCE).marginals is None


def test_a_sentence_without_a_tree_is_flat(model: ConstituentsModel) -> None:
    words = [".", ".", "the"]
    parse = model.parse_tree(words)
    assert not parse.is_found
    assert parse.log_prob == -math.inf
    assert format_tree(parse.tree) == "(TOP (. .) (. .) (DT the))"
    mixed_batch = list(model.parse_trees([SENTENCE, words]))
    assert [one.is_found for one in mixed_batch] == [True, False]


def test_sentences_do_not_depend_on_their_batch(model: ConstituentsModel) -> None:
    many = [SENTENCE] * 70
    found = list(model.parse_trees(many))
    assert format_tree(found[69].tree) == format_tree(model.parse_tree(SENTENCE, first=69).tree)


def test_weights_are_fitted_on_a_development_set() -> None:
    settings: dict[str, Any] = {"members": TWO, "sampler": QUICK}
    fitted = bistro.train("constituents", TREES, seed=1, dev=TREES[:5], **settings)
    equal = bistro.train("constituents", TREES, seed=1, dev=TREES[:5], weights="equal", **settings)
    assert math.fsum(fitted.weights) == pytest.approx(1.0)
    assert equal.weights == [0.5, 0.5]


def test_the_same_name_again_is_another_chain() -> None:
    model = bistro.train("constituents", TREES, members=("left", "left"), sampler=QUICK)
    first, second = (dict(member.arrays()) for member in model.members)
    assert any(not np.array_equal(array, second[name]) for name, array in first.items())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"members": ()}, "at least one member"),
        ({"members": ("middle",)}, "middle"),
        ({"gibbs_depth": 0}, "gibbs_depth"),
        ({"sampler": {"seating": "maximal"}}, "seating = 'minimal'"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        bistro.train("constituents", TREES, **settings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 0}, "samples"),
        ({"node_cost": 2}, "node_cost"),
        ({"node_costs": 0.5}, "did you mean 'node_cost'"),
        ({"search": "cyk"}, "no option 'search'"),
        ({"seed": -1}, "seed"),
    ],
)
def test_impossible_options_are_refused(
    model: ConstituentsModel, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        model.parse_tree(SENTENCE, **options)


def test_only_draws_give_votes() -> None:
    member = bistro.train("trees", TREES, seed=1)
    with pytest.raises(ConfigError, match="require search = 'mcmc'"):
        member.span_votes([SENTENCE], search="cyk")


def test_sentences_that_are_too_long_are_refused(model: ConstituentsModel) -> None:
    with pytest.raises(BistroError, match="at most 4,000: split the sentence"):
        model.parse_tree(["the"] * 4001)


def test_trees_are_needed() -> None:
    with pytest.raises(BistroError, match="nothing to train on"):
        bistro.train("constituents", [])


DAMAGES: dict[str, Any] = {
    "weights": [[1.0], [0.5, 0.6], [1.5, -0.5], [0.5, "x"], [math.nan, 0.5], {}],
    "ranks": [[], {"S": "x"}, {"S": math.inf}],
}


@pytest.mark.parametrize(
    ("entry", "value"), [(name, value) for name, values in DAMAGES.items() for value in values]
)
def test_damaged_headers_are_refused(model: ConstituentsModel, entry: str, value: Any) -> None:
    header = {**json.loads(json.dumps(model.whole_header())), entry: value}
    with pytest.raises(ModelFileError, match="weights"):
        from_header(header, model.arrays())


def test_settings_of_members_follow_their_names() -> None:
    config = ConstituentsConfig(unknown="single", gibbs_depth=4)
    found = config.of_member("head-right-plain")
    assert (found.binarisation, found.marks, found.unknown) == ("head-right", "none", "single")
    assert config.of_member("head-left-verbs").marks == "verbs"
    assert config.of_member("left") == replace(found, binarisation="left", marks="heads")


def test_a_tree_is_a_copy(model: ConstituentsModel) -> None:
    """Changing a result changes no later result."""
    parse = model.parse_tree(SENTENCE)
    parse.tree.children.append(Tree("X", word="y"))
    assert model.parse_tree(SENTENCE).tree.leaves() == SENTENCE
