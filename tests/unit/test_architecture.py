"""A folder imports only from folders to its left."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "bistro"
CHARTS = "inference.grammar"
"""Charts of grammars: a model is built on them, while the rest of `inference` trains models."""
FLOW = ["treebank", "encoding", CHARTS, "models", "inference", "decode", "evaluate", "report"]
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


def folder_of(parts: Sequence[str]) -> str:
    """Return the folder that a path or a module inside `bistro` belongs to."""
    return CHARTS if ".".join(parts[:2]) == CHARTS else parts[0]


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
    used = {folder_of(part[1:]) for part in parts if part[0] == "bistro" and len(part) > 1}
    return sorted(used - allowed(folder))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_flow_one_way(path: Path) -> None:
    folder = folder_of(path.relative_to(PACKAGE).parts)
    if path == PACKAGE / "__init__.py":
        return  # the front door shows names of every folder
    assert violations(path, folder) == []


def test_a_wrong_import_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from bistro.report.arcs import draw_arcs\nimport bistro.errors\n")
    assert violations(wrong, "models") == ["report"]
    wrong.write_text("def late():\n    from bistro.inference.grammar.exact import english\n")
    assert violations(wrong, "treebank") == [CHARTS]
    assert violations(wrong, "models") == []
