"""The Python of the documentation passes ``mypy --strict``, so that a reader's editor likes it too.

The blocks of a page, in the order in which `test_docs` runs them, are one module. Each line stands
where it stands in the page, so that a complaint of mypy names the page and its line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from test_docs import PAGES, PROJECT, blocks_of

SETTINGS = """\
[mypy]
strict = True
ignore_missing_imports = True
[mypy-bistro.*]
follow_imports = silent
[mypy-bistro._core]
disallow_any_generics = False
[mypy-arviz.*,dask.*,distributed.*]
follow_imports = skip
"""
"""Only pages are judged: `make check` checks Bistro; other packages may be absent or half typed."""


def module_of(text: str) -> str:
    """Return the Python of a page, every line at its own number."""
    lines = [""] * (text.count("\n") + 1)
    for block in blocks_of(text):
        if block.language == "python":
            code = block.code.splitlines()
            lines[block.line : block.line + len(code)] = code
    return "\n".join(lines) + "\n"


def complaints(texts: Mapping[str, str], folder: Path) -> list[str]:
    """Return what mypy says of pages, given by their names, with their names and lines."""
    names = {}
    for number, (name, text) in enumerate(texts.items()):
        module = f"page_{number}.py"
        names[module] = name
        (folder / module).write_text(module_of(text), "utf-8")
    settings = folder / "mypy.ini"
    settings.write_text(SETTINGS)
    command = [sys.executable, "-m", "mypy", "--config-file", str(settings), "--no-error-summary"]
    command += ["--cache-dir", str(PROJECT / ".mypy_cache" / "docs"), *names]
    environment = {**os.environ, "MYPYPATH": str(PROJECT / "src")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return list(_named(done.stdout.splitlines(), names))


def _named(lines: Iterable[str], names: Mapping[str, str]) -> Iterable[str]:
    for line in lines:
        module, colon, rest = line.partition(":")
        yield names.get(module, module) + colon + rest


def test_every_page_is_typed(tmp_path: Path) -> None:
    texts = {str(page.relative_to(PROJECT)): page.read_text("utf-8") for page in PAGES}
    found = complaints({n: t for n, t in texts.items() if module_of(t).strip()}, tmp_path)
    assert found == [], "\n".join(found)


# ---- the checker itself ------------------------------------------------------------------------
WRONG = """\
# A page
```python
import bistro

model = bistro.train("ngram", [["a", "rose"]])
```
Text in between.
```python
model.parse(["a"])
```
<!-- not run: is no Python -->
```python
what ever
```
"""


def test_lines_stay_where_they_are() -> None:
    lines = module_of(WRONG).splitlines()
    assert lines[2:5] == ["import bistro", "", 'model = bistro.train("ngram", [["a", "rose"]])']
    assert lines[8] == 'model.parse(["a"])'
    assert not any(lines[9:])


def test_a_wrong_call_is_found_in_its_page(tmp_path: Path) -> None:
    (found,) = complaints({"docs/wrong.md": WRONG}, tmp_path)
    assert found.startswith('docs/wrong.md:9: error: "NgramModel" has no attribute "parse"')
