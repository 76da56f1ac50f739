"""`bistro models`: list the models that were installed with pip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from bistro.cli import common
from bistro.cli.common import flag, print_json, say
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.models.installed import Installed

SHOWN_DIGITS = 12
"""The number of checksum digits that the table shows.

The JSON has all digits.
"""


def models(
    check: bool = flag("--check", "Compare every model file with its checksum."),
    json: bool = common.JSON,
) -> None:
    """List the installed models: name, version, kind, treebank, licence, size and checksum.

    Every command that takes a model file also accepts the name of an installed model. A package
    that cannot be used is listed on stderr, and the exit code is then 2.

        bistro models
        bistro models --check --json
    """
    from bistro.models.installed import DamagedPackageError, every

    models, problems = [], []
    for one in every():
        try:
            if isinstance(one, DamagedPackageError):
                raise one
            if check:
                one.check()
            models.append(_facts(one))
        except BistroError as error:
            problems.append(str(error))
    if json:
        print_json({"models": models, "problems": problems})
    elif models:
        _print_table(models)
    elif not problems:
        say("no model is installed; bistro package makes a package of a model")
    for problem in problems:
        say(f"bistro: {problem}")
    if problems:
        raise typer.Exit(2)


def _facts(one: Installed) -> dict[str, Any]:
    treebank = one.card.get("treebank")
    return {
        "name": one.name,
        "version": one.version,
        "kind": one.card["kind"],
        "treebank": treebank.get("name") if isinstance(treebank, dict) else None,
        "licence": one.card["licence"],
        "bytes": one.path.stat().st_size if one.path.is_file() else None,
        "sha256": one.sha256,
        "path": str(one.path),
    }


def _print_table(models: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table()
    for name in ("name", "version", "kind", "treebank", "licence"):
        table.add_column(name, no_wrap=name in ("name", "kind"), overflow="fold")
    table.add_column("MB", justify="right", no_wrap=True)
    table.add_column("SHA-256", overflow="fold")
    for facts in models:
        size = "–" if facts["bytes"] is None else f"{facts['bytes'] / 1e6:.1f}"
        names = ("name", "version", "kind", "treebank", "licence")
        cells = [str(facts[name] or "–") for name in names]
        table.add_row(*cells, size, facts["sha256"][:SHOWN_DIGITS])
    common.console().print(table)
