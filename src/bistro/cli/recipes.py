"""Options of commands that train models of their own: crossval, doctor and others like them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.models.kinds import Kind
    from bistro.treebank.treebank import Treebank

KindArgument = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="The kind of model: transition, eisner, isbn, committee, topics, ngram or tags.",
    ),
]
KindOption = Annotated[
    str,
    typer.Option(
        "--kind", metavar="KIND", help="The parser: eisner (quick), transition, isbn or committee."
    ),
]
TreebankArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A treebank (CoNLL-U, CoNLL-X); - is stdin.")
]
TagsOption = Annotated[
    str,
    typer.Option("--tags", metavar="joint|given", help="Parsers find tags too, or use FILE's."),
]
DevOption = Annotated[
    str | None,
    typer.Option(
        "--dev",
        metavar="DEV",
        help="For every model: committee fits weights on it, isbn learns until it is best there.",
        show_default=False,
    ),
]


def development(kind: Kind, dev: str | None, format: str | None) -> Treebank | None:
    """Read a development set, which only some kinds can use."""
    from bistro.models.data import SENTENCES
    from bistro.models.options import a_model

    if dev is None:
        return None
    if not kind.dev:
        raise BistroError(f"--dev: {a_model(kind.name)} learns nothing from it: leave it out")
    return SENTENCES.read([dev], format=format)


def shown(figures: dict[str, float]) -> str:
    """Return figures in a line."""
    return ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
