"""The bracket scores of `bistro evaluate --brackets`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bistro.cli.common import print_json

if TYPE_CHECKING:
    from rich.table import Table

    from bistro.evaluate.brackets import BracketReport


def evaluate_brackets(gold: str, system: str, json: bool) -> None:
    """Score constituency trees and print the figures."""
    from rich.console import Console

    from bistro.evaluate.brackets import score_brackets
    from bistro.treebank.brackets import read_trees

    golds, systems = read_trees(gold), read_trees(system)
    report = score_brackets(golds, systems, gold_name=gold, system_name=system)
    if json:
        print_json({"gold": gold, "system": system, **report.to_dict()})
        return
    console = Console(highlight=False)
    console.print(_table(report, f"{system} against {gold}"))
    console.print(report.protocol, soft_wrap=True)


def _table(report: BracketReport, title: str) -> Table:
    from rich.table import Table

    from bistro.evaluate.brackets import SHORT

    sets = (report.all, report.short)
    table = Table("score", title=title)
    table.add_column("all", justify="right", no_wrap=True)
    table.add_column(f"≤ {SHORT} words", justify="right", no_wrap=True)
    table.add_column("what is counted")
    for kind in ("labelled", "unlabelled"):
        for name in ("precision", "recall", "f1"):
            figures = (getattr(getattr(one, kind), name) for one in sets)
            shown = name.upper() if name == "f1" else name
            table.add_row(f"{kind} {shown}", *map(_show, figures), "constituents, percent")
    table.add_section()
    for label, name, told in (
        ("exact match", "exact", "sentences with all constituents right, percent"),
        ("crossing", "crossing", "constituents that cross one of gold, a sentence"),
        ("no crossing", "no_crossing", "sentences without any, percent"),
        ("tags", "tags", "words without punctuation, percent"),
    ):
        table.add_row(label, *(_show(getattr(one, name)) for one in sets), told)
    table.add_section()
    for name in ("sentences", "words", "gold", "system"):
        told = "constituents" if name in ("gold", "system") else ""
        table.add_row(name, *(f"{getattr(one, name):,}" for one in sets), told)
    return table


def _show(figure: float | None) -> str:
    return "n/a" if figure is None else f"{figure:.2f}"
