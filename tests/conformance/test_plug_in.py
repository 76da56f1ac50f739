"""The family of docs/add-a-model.md, in a package of its own, keeps the laws as the page says."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bistro

from .laws import check_model

PAGE = Path(__file__).resolve().parents[2] / "docs" / "add-a-model.md"
BLOCK = re.compile(r"(<!-- not run: [^\n]* -->\n)?```python\n(.*?)```\n", re.DOTALL)
FILE = re.compile(r"# (bistro_toy/\w+\.py)\n")
HERE = "tests/conformance/test_plug_in.py"


@pytest.fixture
def installed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    install_kind: Callable[[str, str], None],
) -> Iterator[None]:
    """Put the package of the page where Python finds it."""
    for _, code in BLOCK.findall(PAGE.read_text("utf-8")):
        if named := FILE.match(code):
            path = tmp_path / named[1]
            path.parent.mkdir(exist_ok=True)
            path.write_text(code, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(Path(__file__).parents[1])  # for the laws
    install_kind("toy", "bistro_toy:KIND")
    yield
    for name in [name for name in sys.modules if name.startswith("bistro_toy")]:
        del sys.modules[name]


@pytest.mark.usefixtures("installed")
def test_the_check_of_the_page_runs() -> None:
    (code,) = [c for skipped, c in BLOCK.findall(PAGE.read_text("utf-8")) if HERE in skipped]
    names: dict[str, object] = {}
    exec(code, names)
    assert isinstance(names["checked"], list)
    assert "Sentence i of a draw depends on the seed and i alone" in names["checked"]
    model = bistro.train("toy", bistro.builtin(sentences=10, seed=1))
    without = check_model(model, bistro.builtin(sentences=2, seed=2), without=["generate"])
    assert set(without) < set(names["checked"])
