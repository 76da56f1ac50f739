"""Model cards, which show the kind, training data, figures and checksum of a model.

The figures and their protocols are the same as those on the page that ``bistro report`` writes. If
a model was not tested, its card says so and has no figures. A card is JSON for programs
(``card.json`` in a model package) and Markdown for people.

>>> import bistro
>>> model = bistro.train("ngram", bistro.builtin(sentences=20, seed=1), seed=1)
>>> about = About("bistro-en-toy", "1.0.0", "MIT")
>>> card = make_card(model, about)
>>> card["name"], card["kind"], card["licence"]
('bistro-en-toy', 'ngram', 'MIT')
>>> print(card_markdown(card).splitlines()[0])
# bistro-en-toy 1.0.0
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bistro import config as configuration
from bistro.models import kinds
from bistro.models.base import Model
from bistro.models.installed import CARD_FORMAT
from bistro.report.about import flattened
from bistro.report.html import Page, Percent, show
from bistro.version import __version__

ABOUT_ITSELF = ("The model",)
"""Report sections whose tiles describe the model instead of showing test results."""


@dataclass(frozen=True)
class About:
    """Metadata that the author of a package provides.

    Attributes
    ----------
    name
        The name of the package, for ``bistro.load``.
    version
        Its version.
    licence
        The licence of the treebank, which is also the licence of the model.
    """

    name: str
    version: str
    licence: str


def make_card(
    model: Model, about: About, page: Page | None = None, *, test: str | None = None
) -> dict[str, Any]:
    """Return the card of a model as a dictionary that can be written as JSON.

    Parameters
    ----------
    model
        The model.
    about
        The name, the version and the licence.
    page
        The report of a test; without it, the card has no figures.
    test
        The name of the test file.
    """
    card: dict[str, Any] = _plain(
        {
            "format": CARD_FORMAT,
            **vars(about),
            "kind": model.kind,
            "treebank": dict(model.origin.treebank),
            "seed": model.origin.seed,
            "settings": configuration.to_dict(model.config),
            "bistro_version": __version__,
            "test": test if page else None,
            "results": _results(page) if page else [],
        }
    )
    return card


def _results(page: Page) -> list[dict[str, Any]]:
    """Return the figures and the protocol of each report section that has test results."""
    return [
        {
            "section": heading,
            "figures": figures,
            "protocol": " ".join(page.protocols.get(heading, [])),
        }
        for heading, figures in page.figures.items()
        if heading not in ABOUT_ITSELF
    ]


def _plain(value: Any) -> Any:
    """Convert nested values to values that can be written as JSON.

    Infinite and undefined numbers become None.
    """
    if isinstance(value, Percent):
        value = value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def summary_of(card: Mapping[str, Any]) -> str:
    """Return a one-line summary of a model."""
    source = card["treebank"].get("name", "unnamed data")
    return f"Bistro model of kind {card['kind']}, trained on {source}"


def card_markdown(card: Mapping[str, Any]) -> str:
    """Return a card as a Markdown page."""
    family = kinds.find(card["kind"])
    lines = [
        f"# {card['name']} {card['version']}",
        "",
        f"{summary_of(card)}: {family.about}.",
        "",
        *_table(("", ""), _fact_rows(card)),
        "",
        "## Use",
        "",
        "```python",
        "import bistro",
        "",
        f'model = bistro.load("{card["name"]}")',
        "```",
        "",
        f"Every command that takes a model accepts the name `{card['name']}`.",
        "",
        "## Figures",
        "",
        *_result_lines(card),
        "## Settings",
        "",
        *_table(("setting", "value"), flattened(card["settings"])),
    ]
    return "\n".join(lines) + "\n"


def _fact_rows(card: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = [("kind", card["kind"]), ("licence", card["licence"]), ("seed", str(card["seed"]))]
    rows += flattened(card["treebank"], "treebank ")
    rows.append(("made by", f"Bistro {card['bistro_version']}"))
    if "sha256" in card:
        rows += [("bytes", f"{card['bytes']:,}"), ("SHA-256", card["sha256"])]
    return rows


def _result_lines(card: Mapping[str, Any]) -> list[str]:
    if not card["results"]:
        return ["This model was not tested when the package was created.", ""]
    lines = [f"Test file: {card['test']}.", ""]
    for result in card["results"]:
        rows = [(name, show(value)) for name, value in result["figures"].items()]
        lines += [f"### {result['section']}", "", *_table(("figure", "value"), rows), ""]
        if result["protocol"]:
            lines += [result["protocol"], ""]
    return lines


def _table(headers: tuple[str, str], rows: list[tuple[str, str]]) -> list[str]:
    """Return a Markdown table with two columns."""
    escaped = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return [
        f"| {headers[0]} | {headers[1]} |",
        "|---|---|",
        *(f"| {first} | {second} |" for first, second in escaped),
    ]
