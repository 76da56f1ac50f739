"""Names of context elements: order, complaints, and what the settings make of them."""

from __future__ import annotations

import pytest

from bistro import config as configuration
from bistro._core import LONGEST_CONTEXT
from bistro.encoding.contexts import NUMBERS, check_context, is_lexical, sees_labels
from bistro.errors import ConfigError
from bistro.models.transition.config import ContextSettings, TransitionConfig


def test_elements_are_ten_facts_of_four_stack_items_kinds_and_eight_others() -> None:
    assert len(NUMBERS) == 60
    assert [NUMBERS[name] for name in ("s1.tag", "s1.rval", "s2.tag", "s4.rval")] == [0, 9, 10, 39]
    assert [*NUMBERS][40:51] == [
        "b.tag",
        "p1.tag",
        "p1.word",
        "p2.tag",
        "p2.word",
        "distance",
        "action",
        "b.kind",
        "s1.kind",
        "s1.lc1.kind",
        "s1.rc1.kind",
    ]
    check_context([])


@pytest.mark.parametrize(
    ("name", "hint"),
    [("s1.tga", "s1.tag"), ("s1.lc.tag", "s1.lc1.tag"), ("distanc", "distance")],
)
def test_unknown_names_get_a_suggestion(name: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=rf"'{name}' \(did you mean '{hint}"):
        check_context(["s1.tag", name])


def test_a_context_has_an_end() -> None:
    names = list(NUMBERS)
    check_context(names[:LONGEST_CONTEXT])
    with pytest.raises(ConfigError, match="at most 31 elements, not 32"):
        check_context(names[: LONGEST_CONTEXT + 1])


def test_words_and_labels_are_told_by_their_names() -> None:
    assert [name for name in NUMBERS if is_lexical(name)][:3] == [
        "s1.word",
        "s1.lc1.word",
        "s1.rc1.word",
    ]
    assert sum(map(is_lexical, NUMBERS)) == 4 * 3 + 2
    assert sees_labels(["s1.tag", "s3.rc1.label"])
    assert not sees_labels(["s1.tag", "action", "s1.lval"])


@pytest.mark.parametrize(
    ("contexts", "told"),
    [
        ({"tags": ["b.kind"]}, "available only in the contexts of words"),
        ({"tags": ["b.tag"]}, "available only in the contexts of words"),
        ({"actions": ["s1.tag", "action"]}, "available only in the contexts of labels"),
        ({"words": ["s9.tag"]}, "unknown context element 's9.tag'"),
    ],
)
def test_settings_refuse_what_is_not_yet_known(contexts: dict[str, list[str]], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        configuration.from_dict(TransitionConfig, {"contexts": contexts}, "settings")


def test_settings_tell_whether_labels_are_seen() -> None:
    blind = dict.fromkeys(("actions", "labels", "tags", "words"), ("s1.tag",))
    assert not ContextSettings(**blind).see_labels
    for name in blind:
        assert ContextSettings(**{**blind, name: ("s1.tag", "s1.lc1.label")}).see_labels
