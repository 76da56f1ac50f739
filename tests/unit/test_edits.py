"""Edit rules: what they do, and that every pair of strings has one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bistro.encoding.edits import EditRule, chosen_rules, possible_rules
from bistro.errors import ModelFileError

WORDS = st.text("abcABC'", min_size=1, max_size=9)


@given(WORDS, WORDS)
def test_every_rule_of_a_pair_turns_the_one_into_the_other(source: str, target: str) -> None:
    rules = list(possible_rules(source, target))
    assert rules
    assert {rule.apply(source) for rule in rules} == {target}
    assert all(EditRule.from_header(rule.to_header()) == rule for rule in rules)


@given(st.dictionaries(st.tuples(WORDS, WORDS), st.integers(1, 3), min_size=1, max_size=8))
def test_the_chosen_rule_of_a_pair_fits_it(pairs: dict[tuple[str, str], int]) -> None:
    for (source, target), rule in chosen_rules(pairs).items():
        assert rule.apply(source) == target


def test_the_rule_that_explains_most_pairs_is_chosen() -> None:
    pairs = {("don't", "do n't"): 1, ("won't", "wo n't"): 1, ("couldn't", "could n't"): 1}
    assert {str(rule) for rule in chosen_rules(pairs).values()} == {"-n't+ n't"}


def test_case_is_part_of_a_rule() -> None:
    (rule,) = set(chosen_rules({("The", "the"): 1, ("Dogs", "dogs"): 1}).values())
    assert str(rule) == "lower" and rule.apply("CATS") == "cats"
    assert str(EditRule()) == "same"


def test_a_rule_needs_its_ends() -> None:
    rule = EditRule(back="ies", new_back="y")
    assert rule.apply("flies") == "fly" and rule.apply("ies") is None and rule.apply("dog") is None


@pytest.mark.parametrize("fields", [None, [], ["", "a"], ["odd", "", "", "", "", False], [1] * 6])
def test_a_damaged_rule_is_refused(fields: object) -> None:
    with pytest.raises(ModelFileError):
        EditRule.from_header(fields)
