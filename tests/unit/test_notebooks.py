"""The notebooks of the documentation run, and show what is stored in them."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

import bistro
from bistro.pitman_yor import PitmanYor
from bistro.report.diagnostics import chains_of

PROJECT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((PROJECT / "docs" / "notebooks").glob("*.ipynb"))
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    """`tools/run_notebooks.py` as a module."""
    path = PROJECT / "tools" / "run_notebooks.py"
    spec = importlib.util.spec_from_file_location("run_notebooks", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "chinese-restaurant",
        "kneser-ney",
        "treebank-to-parser",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_prints_what_is_stored(path: Path, runner: ModuleType) -> None:
    stored = json.loads(path.read_text("utf-8"))
    done = runner.run(stored, path.name)
    assert runner.texts(done) == runner.texts(stored), "run tools/run_notebooks.py"
    assert stored["nbformat"] == 4
    shown = [cell for cell in done["cells"] if cell["cell_type"] == "code" and cell["outputs"]]
    assert any("text/html" in o.get("data", {}) for cell in shown for o in cell["outputs"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    text = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    for target, _ in LINK.findall(text):
        assert (path.parent / target).exists(), target


# ---- what objects show of themselves -----------------------------------------------------------
def test_a_process_shows_its_seating() -> None:
    process = PitmanYor(1, outcomes=["a", "<b>"], seed=1)
    assert "nothing observed" in process._repr_html_()
    process.fit([["a", "<b>", "a", "a", "<b>"]])
    told = process._repr_html_()
    tables = sum(len(sizes) for _, row in process._restaurants() for sizes in row.values())
    assert told.count("<circle") == tables
    assert "after a" in told and "&lt;b&gt;" in told and "<b>" not in told


def test_a_posterior_and_chains_show_their_lines() -> None:
    process = PitmanYor(1, outcomes="ab", seed=1, chains=2).fit(["abbabba"])
    posterior = process.posterior(5)
    assert posterior._repr_html_().count("<polyline") % 2 == 0
    fixed = PitmanYor(0, outcomes="a", hyper="fixed").fit(["aa"]).posterior(2)
    assert "Nothing changes" in fixed._repr_html_() or "<svg" in fixed._repr_html_()
    trace = [{"log_likelihood": float(i)} for i in range(6)]
    assert chains_of([trace, trace], ["1", "2"], 0)._repr_html_().count("<polyline") == 2


def test_a_model_and_its_tables_show_themselves() -> None:
    treebank = bistro.builtin(sentences=60, seed=1)
    sampler = {"sweeps": 3, "samples": 1}
    parser = bistro.train("transition", treebank, seed=1, sampler=sampler)
    ngram = bistro.train("ngram", treebank, seed=1, sampler=sampler)
    words = ["The", "dog", "<x>", "."]
    assert "60 sentences, seed 1" in ngram._repr_html_() and "generate" in ngram._repr_html_()
    table = ngram.surprisal(words)._repr_html_()
    assert table.count("<tr>") == 6 and "&lt;x&gt;" in table and "entropy" not in table
    assert "entropy" in parser.surprisal(words)._repr_html_()
    reading = parser.follow(words)
    assert reading._repr_html_().count("<tr>") == len(reading.steps) + 1
