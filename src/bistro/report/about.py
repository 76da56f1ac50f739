"""Facts about a model: its kind, its training data, its seed and its settings.

>>> import bistro
>>> model = bistro.train("ngram", [["to", "be"]], seed=1, order=2)
>>> "order" in "".join(about_blocks(model))
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bistro import config as configuration
from bistro.models import kinds
from bistro.models.base import Model
from bistro.report.html import Cell, facts, folded, paragraph, table


def about_blocks(model: Model) -> list[str]:
    """Return the blocks that describe the origin and the settings of a model."""
    family, treebank = kinds.find(model.kind), model.origin.treebank
    tiles: dict[str, Cell] = {"kind": model.kind, "seed": str(model.origin.seed)}
    for name in ("sentences", "words"):
        if name in treebank:
            tiles[f"{name} of training"] = treebank[name]
    source = f" of {treebank['name']}" if "name" in treebank else ""
    settings = dict(flattened(configuration.to_dict(model.config)))
    usual = dict(flattened(configuration.to_dict(family.config_class()())))
    changed = [(name, value) for name, value in settings.items() if usual.get(name) != value]
    description = (
        "Settings that differ from the defaults:"
        if changed
        else "All settings have their default values."
    )
    blocks = [paragraph(f"{model.kind.capitalize()}{source}: {family.about}."), facts(tiles)]
    blocks += [paragraph(description)]
    if changed:
        blocks.append(table(("setting", "value"), changed, dense=True))
    rest = [*flattened(treebank, "treebank."), *flattened(model.summary())]
    return [
        *blocks,
        folded("Training data and size", table(("", ""), rest, dense=True)),
        folded("All settings", table(("setting", "value"), settings.items(), dense=True)),
    ]


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def flattened(
    facts: dict[str, Any], prefix: str = "", shown: Callable[[Any], str] = _shown
) -> list[tuple[str, str]]:
    """Flatten nested dictionaries into a list of values with dotted names, as in --set.

    >>> flattened({"order": 5, "sampler": {"sweeps": 60}, "members": ["left", "right"]})
    [('order', '5'), ('sampler.sweeps', '60'), ('members', 'left, right')]
    """
    rows: list[tuple[str, str]] = []
    for key, value in facts.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            value = {str(number): item for number, item in enumerate(value, start=1)}
        if isinstance(value, dict):
            rows += flattened(value, f"{prefix}{key}.", shown)
        else:
            rows.append((f"{prefix}{key}", shown(value)))
    return rows
