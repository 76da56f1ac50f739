"""`bistro info`: what a model file holds and how it was made."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from bistro.cli.common import JsonOption, ModelArgument, print_json


def info(model: ModelArgument, json: JsonOption = False) -> None:
    """Show a model's kind, size, settings, seed and training data.

    bistro info english.bistro
    bistro info english.bistro --json
    """
    from bistro.models.base import load

    trained = load(model)
    facts = {
        "kind": trained.kind,
        "seed": trained.origin.seed,
        "treebank": trained.origin.treebank,
        "summary": trained.summary(),
        "config": trained.header()["config"],
    }
    if json:
        print_json({"model": model, **facts, "trace": trained.origin.trace})
        return
    table = Table(show_header=False, title=model)
    for name, value in facts.items():
        if isinstance(value, dict):
            for key, inner in value.items():
                table.add_row(f"{name}.{key}", str(inner))
        else:
            table.add_row(name, str(value))
    if trained.origin.trace:
        table.add_row("log-likelihood", f"{trained.origin.trace[-1]['log_likelihood']:,.1f}")
    Console().print(table)
