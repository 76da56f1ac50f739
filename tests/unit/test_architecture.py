"""A folder imports only from folders to its left."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "bistro"
FLOW = ["treebank", "encoding", "models", "inference", "decode", "evaluate", "report"]
EVERYWHERE = {"_core", "config", "errors", "files", "modelfile", "rng", "version"}
OUTSIDE = {"cli", "integrations", "serve"}
FILES = sorted(path for path in PACKAGE.rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Yield the part of `bistro` that each import of a file names."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (names if node.module == "bistro" else [node.module])
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def allowed(folder: str) -> set[str]:
    if folder in OUTSIDE:
        return {*FLOW, *EVERYWHERE, *OUTSIDE}
    if folder == "reference":
        return {"reference", *EVERYWHERE}
    if folder in FLOW:
        return {*FLOW[: FLOW.index(folder) + 1], *EVERYWHERE}
    return EVERYWHERE


def violations(path: Path, folder: str) -> list[str]:
    parts = (name.split(".") for name in imports(path))
    used = {part[1] for part in parts if part[0] == "bistro" and len(part) > 1}
    return sorted(used - allowed(folder))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_flow_one_way(path: Path) -> None:
    folder = path.relative_to(PACKAGE).parts[0]
    if path == PACKAGE / "__init__.py":
        return  # the front door shows names of every folder
    assert violations(path, folder) == []


def test_a_wrong_import_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from bistro.pictures.arcs import draw_arcs\nimport bistro.errors\n")
    assert violations(wrong, "models") == ["report"]
