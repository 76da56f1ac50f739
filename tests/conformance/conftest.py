"""Fixtures of the conformance tests: every recipe, and its model."""

from __future__ import annotations

import pytest

from bistro.models.base import Model

from .recipes import RECIPES, Recipe
from .trained_models import trained


@pytest.fixture(params=RECIPES, ids=lambda recipe: recipe.name)
def recipe(request: pytest.FixtureRequest) -> Recipe:
    found: Recipe = request.param
    return found


@pytest.fixture
def model(recipe: Recipe) -> Model:
    return trained(recipe.name)
