"""`bistro info`: what a model file holds and how it was made."""

from __future__ import annotations

from typing import Any

from bistro.cli.common import JsonOption, ModelArgument, print_json


def info(model: ModelArgument, json: JsonOption = False) -> None:
    """Show a model's kind, size, settings, seed and training data.

    The JSON has the log-likelihood after every sweep as well. Settings can be given back to
    **bistro train** with --set; data and seed are named, so that anyone can train the model again.

        bistro info english.bistro
        bistro info english.bistro --json
    """
    from rich.console import Console
    from rich.table import Table

    from bistro.models.base import load

    trained = load(model)
    facts: dict[str, Any] = {
        "kind": trained.kind,
        "seed": trained.origin.seed,
        "treebank": trained.origin.treebank,
        "summary": trained.summary(),
        "config": trained.whole_header()["config"],
    }
    if json:
        print_json({"model": model, **facts, "trace": trained.origin.trace})
        return
    table = Table(show_header=False, title=model)
    for name, value in _flat("", facts):
        table.add_row(name, value)
    if trained.origin.trace:
        table.add_row("log-likelihood", f"{trained.origin.trace[-1]['log_likelihood']:,.1f}")
    Console(highlight=False).print(table)


def _flat(prefix: str, facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the leaves of nested facts by dotted names, those of --set for the settings."""
    rows: list[tuple[str, str]] = []
    for key, value in facts.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            value = {str(number): item for number, item in enumerate(value, start=1)}
        if isinstance(value, dict):
            rows += _flat(f"{prefix}{key}.", value)
        else:
            rows.append((f"{prefix}{key}", str(value)))
    return rows
