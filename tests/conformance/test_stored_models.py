"""Model files of every version load, and say what they said when they were written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bistro
from bistro.modelfile import FORMAT_VERSION, read_model
from bistro.models import kinds
from bistro.models.base import from_bytes

from .recipes import BY_NAME
from .stored_figures import digest, figures_of, same

FOLDER = Path(__file__).resolve().parents[1] / "data" / "models"
STORED = sorted(path.name for path in FOLDER.glob("*.bistro"))
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())
SECOND = ("tags", "trees", "morphology", "topics")
"""Families that were written in version 2 of the format; most were in versions 1 and 3."""
THIRD = ("columns", "constituents", "pipeline", "reader")
"""Families whose first files have version 3."""
EXACT = 1e-12
TOLERANCES = {"topics": 1e-5, "isbn": 1e-6, "committee": 1e-6}
"""Arcs of topics are products in single precision, whose last digits differ between machines.
Figures of latent-variable parsers, alone and in committees, are the same on all machines, but a
faster search may add them up in another order."""


@pytest.fixture(scope="module", params=STORED)
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def test_a_stored_model_gives_its_figures(name: str) -> None:
    model = bistro.load(FOLDER / name)
    found, expected = figures_of(model), EXPECTED[name]
    tolerance = TOLERANCES.get(model.kind, EXACT)
    assert found.keys() == expected.keys()
    for figure, value in expected.items():
        assert same(found[figure], value, tolerance), (figure, found[figure], value)


def test_a_small_change_of_a_figure_is_noticed() -> None:
    expected = EXPECTED["ngram-1.bistro"]
    changed = {**expected, "score": [expected["score"][0] * (1 + 1e-11), *expected["score"][1:]]}
    assert same(expected, expected, EXACT)
    assert not same(changed, expected, EXACT)
    assert not same({**expected, "arrays": "0"}, expected, EXACT)


def test_a_stored_model_is_saved_again(name: str, tmp_path: Path) -> None:
    model = bistro.load(FOLDER / name)
    model.save(tmp_path / "again.bistro")
    again = bistro.load(tmp_path / "again.bistro")
    assert digest(again) == EXPECTED[name]["arrays"]
    assert repr(again) == repr(model)
    assert again.config == model.config
    assert again.to_bytes() == from_bytes(model.to_bytes()).to_bytes()
    header = read_model(tmp_path / "again.bistro").header
    assert header["format_version"] == model.format_version
    assert header["kind"] == model.kind


def test_every_version_of_every_family_is_stored() -> None:
    found = set()
    for name in STORED:
        recipe, _, version = name.removesuffix(".bistro").rpartition("-")
        assert read_model(FOLDER / name).header["format_version"] == int(version)
        assert BY_NAME[recipe].kind == bistro.load(FOLDER / name).kind
        found.add((recipe, int(version)))
    for kind in kinds.BUILT_IN:
        versions = (3,) if kind in THIRD else (1, 2, 3) if kind in SECOND else (1, 3)
        recipes = [r.name for r in BY_NAME.values() if r.kind == kind and r.stored]
        assert recipes, f"no stored recipe of {kind}"
        assert versions[-1] == kinds.find(kind).model_class().format_version
        expected = {(recipe, version) for recipe in recipes for version in versions}
        assert {(r, version) for r, version in expected if version >= BY_NAME[r].since} <= found
    assert max(version for _, version in found) == FORMAT_VERSION


def test_stored_models_are_small() -> None:
    assert sorted(EXPECTED) == STORED
    assert all((FOLDER / name).stat().st_size < 50_000 for name in STORED)
