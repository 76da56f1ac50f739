"""`bistro info`: show the contents and the origin of a model file."""

from __future__ import annotations

from typing import Any

import bistro
from bistro.cli import common
from bistro.cli.common import print_json


def info(model: str = common.MODEL, json: bool = common.JSON) -> None:
    """Show a model's kind, size, settings, seed, training data and checksum.

    The JSON output also contains the log-likelihood after every sweep. The settings can be passed
    to **bistro train** with --set. The training data and the seed are shown too, so that anyone can
    reproduce the model.

        bistro info english.bistro
        bistro info english.bistro --json
    """
    from rich.table import Table

    from bistro.models.installed import package_of, sha256_of
    from bistro.report.about import flattened

    trained = bistro.load(model)
    package = package_of(model)
    facts: dict[str, Any] = {
        "kind": trained.kind,
        "seed": trained.origin.seed,
        "treebank": trained.origin.treebank,
        "summary": trained.summary(),
        "config": trained.whole_header()["config"],
        "sha256": package.sha256 if package else sha256_of(model),
    }
    if package:
        facts["package"] = {"version": package.version, "licence": package.card["licence"]}
    if json:
        print_json({"model": model, **facts, "trace": trained.origin.trace})
        return
    table = Table(show_header=False, title=model)
    for name, value in flattened(facts, shown=str):
        table.add_row(name, value)
    if trained.origin.trace:
        table.add_row("log-likelihood", f"{trained.origin.trace[-1]['log_likelihood']:,.1f}")
    common.console().print(table)
