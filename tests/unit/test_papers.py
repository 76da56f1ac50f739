"""The published papers: each has presets that load, tables with rows, and a page of results."""

from __future__ import annotations

from pathlib import Path

import pytest

from bistro.models.presets import presets
from experiments.paper import known_papers, listing
from experiments.papers.table import Paper, Row, Table, print_table

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("paper", known_papers().values(), ids=lambda paper: paper.key)
def test_a_paper_has_presets_tables_and_a_page(paper: Paper) -> None:
    assert paper.presets and set(paper.presets) <= set(presets())
    assert len({table.name for table in paper.tables}) == len(paper.tables) > 0
    page = (ROOT / "docs" / "results" / f"{paper.key}.md").read_text(encoding="utf-8")
    assert f"python -m experiments.paper {paper.key}" in page
    assert [t.title for t in paper.tables if t.title not in page] == []
    assert paper.citation in listing(known_papers())


def test_a_table_is_printed_as_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    rows = iter([Row("one", "90.1", "88.0", "91.2"), Row("two", published="1.0", note="new")])
    print_table(Table("table1", "Table 1: figures", "Protocol.", lambda: rows, best="all of it"))
    printed = capsys.readouterr().out
    assert "| one | 90.1 | 88.0 | 91.2 |  |" in printed
    assert "| two | - | 1.0 | - | new |" in printed
    assert "### Table 1: figures" in printed and "The column *at best*: all of it" in printed
