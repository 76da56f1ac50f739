"""What a model is: its kind, what it learned from, its seed and its settings.

>>> import bistro
>>> model = bistro.train("ngram", [["to", "be"]], seed=1, order=2)
>>> "order" in "".join(about_blocks(model))
True
"""

from __future__ import annotations

from typing import Any

from bistro import config as configuration
from bistro.models.base import Model
from bistro.report.html import Cell, facts, folded, paragraph, table
from bistro.tasks.train import config_class

KINDS = {
    "ngram": "a hierarchical Pitman-Yor n-gram model: words given the words before them",
    "transition": "a generative transition parser: trees and words built from left to right, four "
    "hierarchical Pitman-Yor processes (actions, labels, tags, words)",
    "eisner": "Eisner's generative model: children generated outward from their heads, with an "
    "exact chart over all projective trees",
    "isbn": "a latent-variable parser: its states are vectors, linked by the tree so far",
    "committee": "a committee: several generative parsers of one treebank that parse together",
    "topics": "syntactic topics: latent states between words and their dependents",
    "linearize": "a model of word order: the orders of an unordered tree, with probabilities",
    "infinite": "a model with unbounded contexts: every rule sees all that stands above it",
    "grammar": "a grammar read off constituency trees, with Pitman-Yor back-off",
}


def about_blocks(model: Model) -> list[str]:
    """Return what the model says of itself: where it comes from, and how it was set."""
    treebank = model.origin.treebank
    tiles: dict[str, Cell] = {"kind": model.kind, "seed": str(model.origin.seed)}
    for name in ("sentences", "words"):
        if name in treebank:
            tiles[f"{name} of training"] = treebank[name]
    source = f" of {treebank['name']}" if "name" in treebank else ""
    settings = dict(flattened(model.header()["config"]))
    usual = dict(flattened(configuration.to_dict(config_class(model.kind)())))
    changed = [(name, value) for name, value in settings.items() if usual.get(name) != value]
    told = "All settings are the usual ones." if not changed else "Settings other than the usual:"
    blocks = [paragraph(f"{model.kind.capitalize()}{source}: {KINDS[model.kind]}."), facts(tiles)]
    blocks += [paragraph(told)]
    if changed:
        blocks.append(table(("setting", "value"), changed, dense=True))
    rest = [*flattened(treebank, "treebank."), *flattened(model.summary())]
    return [
        *blocks,
        folded("What it learned from, and its size", table(("", ""), rest, dense=True)),
        folded("All settings", table(("setting", "value"), settings.items(), dense=True)),
    ]


def flattened(facts: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return the leaves of nested facts by dotted names.

    >>> flattened({"order": 5, "sampler": {"sweeps": 60}, "members": ["left", "right"]})
    [('order', '5'), ('sampler.sweeps', '60'), ('members', 'left, right')]
    """
    rows: list[tuple[str, str]] = []
    for key, value in facts.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            value = {str(number): item for number, item in enumerate(value, start=1)}
        if isinstance(value, dict):
            rows += flattened(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple):
            rows.append((f"{prefix}{key}", ", ".join(map(str, value))))
        else:
            rows.append((f"{prefix}{key}", str(value)))
    return rows
