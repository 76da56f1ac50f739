"""Store a small model of every family in the current version of the model file.

    PYTHONPATH=src .venv/bin/python tools/store_models.py

`tests/data/models` has one file per family and version of the format, such as ``tags-2.bistro``,
and ``expected.json`` has the results of each model when it was written. A test loads every stored
file, so that the models of users can still be loaded and give the same results.

When the format of a family changes, increase `format_version` of its model class, write the
conversion from the old header to the new one (`bistro.models.upgrades`), name the version in
`tests/conformance/test_stored_models.py`, and run this program. It writes the files of the new
version, and does not change existing files: a file that a later version wrote would no longer test
its own version. (The files of version 1 were written by commit 1dd2532, the last one that wrote
`tags`, `trees` and `morphology` as kind `infinite`.)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT / "tests" / "data" / "models"
EXPECTED = FOLDER / "expected.json"
LARGEST = 50_000
"""Maximum bytes of a file, because the folder is part of every clone."""

sys.path.insert(0, str(PROJECT / "tests"))

from conformance.recipes import RECIPES, Recipe  # noqa: E402
from conformance.stored_figures import figures_of  # noqa: E402


def store(recipe: Recipe, expected: dict[str, Any]) -> None:
    """Train the model of a recipe and store it, unless there is a file of its version."""
    model = recipe.train()
    path = FOLDER / f"{recipe.name}-{getattr(model, 'format_version', 1)}.bistro"
    if path.exists():
        print(f"{path.name}: exists already")
        return
    content = model.to_bytes()
    if len(content) > LARGEST:
        raise SystemExit(f"{path.name}: {len(content)} bytes are more than {LARGEST}")
    expected[path.name] = figures_of(model)
    path.write_bytes(content)
    print(f"{path.name}: {len(content)} bytes")


def main() -> None:
    """Store the missing models."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    expected: dict[str, Any] = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    for recipe in RECIPES:
        if recipe.stored:
            store(recipe, expected)
    lines = (f"{json.dumps(name)}: {json.dumps(expected[name])}" for name in sorted(expected))
    EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
