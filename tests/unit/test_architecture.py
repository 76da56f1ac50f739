"""The shape of the code: who may import whom, who may know a family, how large things may be."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "bistro"
FLOW = [
    "treebank",
    "encoding",
    "pictures",
    "inference",
    "pitman_yor",
    "models",
    "tasks",
    "evaluate",
    "report",
]
SHARED = {"compression", "config", "destination", "errors", "files", "modelfile", "rng"}
EVERYWHERE = {"_core", "data_frames", "progress", "scratch", "sums", "system", "version", *SHARED}
OUTSIDE = {"cli", "integrations", "serve"}
HOLDERS = {"committee", "constituents", "pipeline", "reader"}
"""Families that hold models of other families."""
FILES = sorted(PACKAGE.rglob("*.py"))
FAMILIES = {path.parent.name for path in PACKAGE.glob("models/*/train.py")} - {"unbounded"}
REFERENCE = re.compile(r"bistro(\.\w+)+:\w+")
MOST_LINES, MOST_IN_FUNCTION, MOST_LOADED = 400, 60, 80


def name_of(path: Path) -> str:
    """Return the dotted name of a module, without ``bistro.``."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def for_types_only(tree: ast.Module) -> set[int]:
    """Return the lines under ``if TYPE_CHECKING``, which never run."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in node.body
        for line in range(inner.lineno, (inner.end_lineno or inner.lineno) + 1)
    }


def imports(path: Path, *, types: bool = True) -> Iterator[str]:
    """Yield the modules that a file imports, at once, lazily or by name in a string."""
    tree = tree_of(path)
    skipped = set() if types else for_types_only(tree)
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif types and isinstance(node, ast.Constant) and REFERENCE.fullmatch(str(node.value)):
            yield str(node.value).partition(":")[0]


def allowed(folder: str) -> set[str]:
    if folder in OUTSIDE:
        return {*FLOW, *EVERYWHERE, folder, *({"serve"} if folder == "cli" else ())}
    if folder == "__main__":  # python -m bistro
        return {"cli"}
    if folder == "reference":
        return {"reference", *EVERYWHERE}
    if folder in FLOW:
        return {*FLOW[: FLOW.index(folder) + 1], *EVERYWHERE}
    return EVERYWHERE


def violations(path: Path, folder: str) -> list[str]:
    parts = (name.split(".") for name in imports(path))
    used = {part[1] for part in parts if part[0] == "bistro" and len(part) > 1}
    return sorted(used - allowed(folder))


def test_imports_flow_one_way() -> None:
    wrong = [
        (name_of(path), found)
        for path in FILES
        # The front door shows names of every folder; the back door is the command line.
        if path not in (PACKAGE / "__init__.py", PACKAGE / "__main__.py")
        if (found := violations(path, path.relative_to(PACKAGE).parts[0].removesuffix(".py")))
    ]
    assert wrong == []


def test_a_wrong_import_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import bistro.errors\n"
        "def later():\n"
        "    from bistro.report.html import Page\n"
        "HOME = 'bistro.cli.main:run'\n"
    )
    assert violations(wrong, "models") == ["cli", "report"]


def family_of(name: str) -> str | None:
    parts = name.removeprefix("bistro.").split(".")
    return parts[1] if parts[0] == "models" and len(parts) > 1 and parts[1] in FAMILIES else None


def test_a_family_imports_no_other() -> None:
    wrong = [
        (name_of(path), other)
        for path in FILES
        if (own := family_of(name_of(path))) and own not in HOLDERS
        for other in imports(path)
        if other.startswith("bistro.") and family_of(other) not in (None, own)
    ]
    assert wrong == []


def test_shared_parts_of_models_know_no_family() -> None:
    shared = [p for p in FILES if name_of(p).startswith("models") and not family_of(name_of(p))]
    wrong = [
        (name_of(path), other)
        for path in shared
        for other in imports(path)
        if other.startswith("bistro.") and family_of(other)
    ]
    assert wrong == []


def test_there_are_no_import_cycles() -> None:
    names = {name_of(path) for path in FILES}
    graph: dict[str, set[str]] = {}
    for path in FILES:
        if path.name == "__init__.py" and path.parent == PACKAGE:
            continue
        used = graph.setdefault(name_of(path), set())
        for name in imports(path, types=False):
            short = name.removeprefix("bistro.")
            for target in (short, short.rpartition(".")[0]):
                if name.startswith("bistro.") and target in names and target != name_of(path):
                    used.add(target)
                    break
    assert list(cycles(graph)) == []


def cycles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """Yield the groups of modules that import each other (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            group = [stack.pop()]
            while group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    yield from found


def test_a_cycle_is_found() -> None:
    assert list(cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == [["b", "c"]]


@cache
def model_classes() -> dict[str, str]:
    """Return the family of every class that is a model."""
    found = {}
    for path in FILES:
        if family := family_of(name_of(path)):
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.ClassDef) and node.name.endswith("Model"):
                    found[node.name] = family
    return found


def leaks(path: Path) -> Iterator[str]:
    """Yield what a file outside a family's folder knows of the family."""
    own, classes = family_of(name_of(path)), model_classes()
    kinds = {*FAMILIES, "infinite"} - {own}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called == "isinstance" and len(node.args) == 2:
                tested = set(re.findall(r"\w+", ast.unparse(node.args[1])))
                yield from (n for n in sorted(tested & set(classes)) if classes[n] != own)
            if called.endswith(".require"):
                yield called
        if isinstance(node, ast.Compare) and re.search(r"\bkind\b", ast.unparse(node)):
            sides = [node.left, *node.comparators]
            for side in sides:
                values = [side, *getattr(side, "elts", ())]
                for value in values:
                    if isinstance(value, ast.Constant) and value.value in kinds:
                        yield ast.unparse(node)
                    is_kind = isinstance(value, ast.Attribute) and value.attr == "kind"
                    if is_kind and ast.unparse(value).split(".")[0] in classes:
                        yield ast.unparse(node)


def test_families_are_known_by_their_abilities() -> None:
    assert [(name_of(path), leak) for path in FILES for leak in leaks(path)] == []


def test_a_leak_is_found(tmp_path: Path) -> None:
    wrong = PACKAGE / "wrong.py"  # never written: only its name is looked at
    code = "if isinstance(model, NgramModel) or model.kind == 'isbn': model.require('x')"
    tree_of.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "tree_of", lambda path: ast.parse(code))
        patch.setattr(sys.modules[__name__], "model_classes", lambda: {"NgramModel": "ngram"})
        assert len(list(leaks(wrong))) == 3


def test_parsing_loads_few_modules_and_no_other_family(tmp_path: Path) -> None:
    code = (
        "import sys, bistro\n"
        "model = bistro.load(sys.argv[1])\n"
        "import bistro.cli.main\n"
        "bistro.cli.main.run(['parse', sys.argv[1], sys.argv[2], '-o', sys.argv[3]])\n"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] == 'bistro'))\n"
    )
    import bistro

    treebank = bistro.builtin(sentences=20, seed=1)
    model = tmp_path / "m.bistro"
    bistro.train("transition", treebank, sampler={"sweeps": 2, "samples": 1}).save(model)
    bistro.write(treebank[:2], tmp_path / "in.conllu")
    arguments = [str(model), str(tmp_path / "in.conllu"), str(tmp_path / "out.conllu")]
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    loaded = run.stdout.split()
    others = {family for name in loaded if (family := family_of(name))} - {"transition"}
    assert others == set()
    assert len(loaded) <= MOST_LOADED


def too_large(path: Path) -> Iterator[str]:
    lines = len(path.read_text("utf-8").splitlines())
    if lines > MOST_LINES:
        yield f"{name_of(path)}: {lines} lines"
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # The options of a command are a list, however long, and so is its help.
            has_text = ast.get_docstring(node) is not None
            first = node.body[1 if has_text and len(node.body) > 1 else 0]
            length = (node.end_lineno or 0) - first.lineno + 1
            if length > MOST_IN_FUNCTION:
                yield f"{name_of(path)}.{node.name}: {length} lines"


def test_files_and_functions_are_small() -> None:
    assert [found for path in FILES for found in too_large(path)] == []
