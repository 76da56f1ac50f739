"""Training of every family: seeds, threads, interruptions; settings and data that are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from typing import Any

import pytest
from _pytest.mark import ParameterSet

import bistro
from bistro.errors import BistroError, ConfigError
from bistro.models import kinds
from bistro.treebank.sentence import Sentence

from .laws.training import check_seed, check_stops, check_threads
from .recipes import RECIPES, Recipe, data

WORDS_ALONE = ("ngram",)
"""Families that learn from lists of words too."""


def test_the_seed_decides_every_byte(recipe: Recipe) -> None:
    check_seed(recipe.train, draws=recipe.draws)


def test_threads_change_nothing(recipe: Recipe) -> None:
    check_threads(recipe.train)


def test_a_stopped_run_ends_like_an_unbroken_one(recipe: Recipe) -> None:
    check_stops(recipe.train, stops=recipe.stops)


@pytest.mark.parametrize("hyper", ["slice", "map", "fixed"])
@pytest.mark.parametrize("seating", ["gibbs", "minimal", "maximal"])
def test_every_sampler_can_be_stopped(seating: str, hyper: str) -> None:
    sampler = {"seating": seating, "hyper": hyper, "sweeps": 6, "samples": 4}
    train = partial(bistro.train, "ngram", data("sentences"), order=2, sampler=sampler)
    draws = seating == "gibbs" or hyper == "slice"
    assert check_stops(train, stops=draws) == (5 if draws else 0)
    check_seed(train, draws=draws)


@pytest.mark.parametrize("kind", kinds.BUILT_IN)
def test_unknown_settings_are_refused_with_the_nearest(kind: str) -> None:
    recipe = next(recipe for recipe in RECIPES if recipe.kind == kind)
    for field in fields(kinds.find(kind).config_class()):
        with pytest.raises(ConfigError, match=f"did you mean '{field.name}'") as refused:
            bistro.train(kind, data(recipe.data), **{field.name + "x": 1})
        assert "\n" not in str(refused.value)
        with pytest.raises(ConfigError):
            bistro.train(kind, data(recipe.data), **{field.name: object()})


WRONG: dict[str, Callable[[], Any]] = {
    "nothing": list,
    "empty sentences": lambda: [[], []],
    "a string": lambda: "no such file",
    "strings": lambda: ["The dog sleeps .", "A cat runs ."],
    "None": lambda: None,
    "numbers": lambda: [1, 2, 3],
    "lists of numbers": lambda: [[1, 2], [3]],
    "lists of words": lambda: [["The", "dog", "sleeps"], ["A", "cat"]],
    "sentences without annotation": lambda: [Sentence.from_columns(["The", "dog"])],
    "dependency trees": lambda: data("sentences"),
    "constituency trees": lambda: data("trees"),
    "segmented words": lambda: data("words"),
}
SAID = {"nothing": "nothing to train on", "lists of words": "tree|segmented"}
"""What is said of some of them by every family."""
RIGHT: dict[str, tuple[str, ...]] = {
    "sentences": ("dependency trees",),
    "few sentences": ("dependency trees",),
    "trees": ("constituency trees",),
    "words": ("segmented words",),
    "utterances": ("segmented words",),
}


def refusals() -> Iterator[ParameterSet]:
    """Yield every recipe that is a family's first with data that it cannot learn from."""
    for recipe in RECIPES:
        right = RIGHT[recipe.data]
        if recipe.kind in WORDS_ALONE:
            right = (*right, "lists of words", "sentences without annotation")
        for name in WRONG if recipe.name == recipe.kind else ():
            if name not in right:
                yield pytest.param(recipe, name, id=f"{recipe.name}-{name}")


@pytest.mark.parametrize(("recipe", "name"), list(refusals()))
def test_data_of_the_wrong_kind_are_refused(recipe: Recipe, name: str) -> None:
    with pytest.raises(BistroError, match=SAID.get(name)) as refused:
        bistro.train(recipe.kind, WRONG[name](), **recipe.settings)
    assert "\n" not in str(refused.value)


def test_a_seed_that_is_none_is_refused(recipe: Recipe) -> None:
    for seed in (-1, 2**64):
        with pytest.raises(BistroError, match="seed"):
            recipe.train(seed=seed)


@pytest.mark.parametrize("kind", kinds.BUILT_IN)
def test_what_a_family_does_not_learn_from_is_refused(kind: str) -> None:
    recipe = next(recipe for recipe in RECIPES if recipe.kind == kind)
    record = kinds.find(kind)
    if not record.dev:
        with pytest.raises(BistroError, match="does not use a development set"):
            bistro.train(kind, data(recipe.data), dev=[])
    if not record.text_trainer:
        with pytest.raises(BistroError, match="cannot learn from raw text") as refused:
            bistro.train(kind, data(recipe.data), text="no such file")
        assert "transition" in str(refused.value)
