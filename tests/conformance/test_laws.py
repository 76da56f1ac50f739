"""Every model keeps the laws of what it can do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

import bistro
from bistro.errors import ModelFileError
from bistro.models import kinds
from bistro.models.abilities import ABILITIES, PARSE, PARSE_TREES
from bistro.models.base import Model, from_bytes

from .laws import LAWS, Law, laws_of
from .recipes import RECIPES, Recipe
from .stored_figures import figures_of
from .trained_models import held_out, trained


def cases() -> Iterator[ParameterSet]:
    """Yield every recipe with every law of its family."""
    for recipe in RECIPES:
        kind = kinds.find(recipe.kind)
        for law in LAWS:
            if not law.ability or (kind.can(law.ability) and law.ability not in recipe.without):
                yield pytest.param(recipe, law, id=f"{recipe.name}-{law.check.__name__}")


@pytest.mark.parametrize(("recipe", "law"), list(cases()))
def test_a_law_holds(recipe: Recipe, law: Law) -> None:
    law(trained(recipe.name), held_out(recipe.data))


def test_every_law_of_a_model_is_tested(recipe: Recipe, model: Model) -> None:
    kind = kinds.find(recipe.kind)
    expected = [
        law
        for law in LAWS
        if not law.ability or (kind.can(law.ability) and law.ability not in recipe.without)
    ]
    assert list(laws_of(model, recipe.without)) == expected


def test_every_family_has_a_recipe() -> None:
    assert {recipe.kind for recipe in RECIPES} == set(kinds.BUILT_IN)


@pytest.mark.parametrize("kind", kinds.BUILT_IN)
def test_a_record_declares_the_abilities_that_models_have(kind: str) -> None:
    models = [trained(recipe.name) for recipe in RECIPES if recipe.kind == kind]
    found = {
        ability.name for ability in ABILITIES.values() for model in models if ability.is_own(model)
    }
    assert found == set(kinds.find(kind).abilities)


def test_a_saved_model_is_the_same_file(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "m.bistro"
    model.save(path)
    assert path.read_bytes() == model.to_bytes()
    bistro.load(path).save(tmp_path / "again.bistro")
    assert (tmp_path / "again.bistro").read_bytes() == path.read_bytes()


def test_a_damaged_file_is_named(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "m.bistro"
    path.write_bytes(model.to_bytes()[:-1])
    with pytest.raises(ModelFileError, match=r"m\.bistro: the file is cut short"):
        bistro.load(path)


def test_a_loaded_model_gives_the_same_results(recipe: Recipe, model: Model) -> None:
    again = from_bytes(model.to_bytes())
    found, expected = (figures_of(one, recipe.without) for one in (again, model))
    assert len(expected) > 1
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("name", [r.name for r in RECIPES if kinds.find(r.kind).can("parse")])
def test_trees_of_the_treebank_are_kept_as_evidence(name: str) -> None:
    """The law allows a search to give up; on these sentences, none has to."""
    parser = PARSE.of(trained(name))
    for parse in parser.parse_all(held_out("sentences"), partial=True):
        assert not parse.relaxed
        assert parse.heads == parse.sentence.heads


@pytest.mark.parametrize("name", ["trees", "trees-gibbs"])
@pytest.mark.parametrize("search", ["mcmc", "astar-nodes", "astar-literal", "astar-full", "cyk"])
def test_threads_find_the_same_constituents(name: str, search: str) -> None:
    parser = PARSE_TREES.of(trained(name))
    options: dict[str, Any] = {"search": search, "samples": 200}
    one, two = (
        [
            (parse.log_prob, parse.tree.leaves())
            for parse in parser.parse_trees(held_out("trees"), threads=threads, **options)
        ]
        for threads in (1, 2)
    )
    assert one == two
