"""The tables of published papers: the paper's figures, Bistro's as published, and Bistro's best.

    python -m experiments.paper                          # the papers and their tables
    python -m experiments.paper buys-blunsom-2015        # all tables of one paper
    python -m experiments.paper shareghi-2015 table3     # some of them

"As published" means the preset of the paper (``bistro train transition FILE --config
buys-blunsom-2015``), which follows its text exactly. Every table names its data. The environment
variable BISTRO_DATA is the folder with the treebanks.
"""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module

from experiments import papers
from experiments.papers.table import Paper, print_table


def known_papers() -> dict[str, Paper]:
    """Return all papers by key."""
    names = [m.name for m in pkgutil.iter_modules(papers.__path__)]
    modules = [import_module(f"{papers.__name__}.{name}") for name in names]
    found = [module.PAPER for module in modules if hasattr(module, "PAPER")]
    return {paper.key: paper for paper in found}


def listing(known: dict[str, Paper]) -> str:
    """Return the papers, their presets and the names of their tables as text."""
    lines = []
    for paper in known.values():
        lines += [paper.key, f"  {paper.citation}", f"  presets: {', '.join(paper.presets)}"]
        lines += [f"  {table.name:<12} {table.title}" for table in paper.tables]
    return "\n".join(lines)


def main() -> None:
    known = known_papers()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paper", nargs="?", choices=sorted(known), help="default: list all papers")
    parser.add_argument("tables", nargs="*", help="names of tables; default: all of the paper")
    options = parser.parse_args()
    if options.paper is None:
        print(listing(known))
        return
    paper = known[options.paper]
    tables = {table.name: table for table in paper.tables}
    unknown = [name for name in options.tables if name not in tables]
    if unknown:
        parser.error(f"{paper.key} has no {unknown[0]}: its tables are {', '.join(tables)}")
    print(f"## {paper.citation}")
    for name in options.tables or tables:
        print_table(tables[name])


if __name__ == "__main__":
    main()
