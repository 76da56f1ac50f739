"""Options of commands that train models of their own: crossval, doctor and others like them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bistro.cli.train import read_together
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.treebank.treebank import Treebank

KindArgument = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="The kind of model: transition, eisner, isbn, committee, ngram, or infinite (tags).",
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


def development(kind: str, dev: str | None, format: str | None) -> Treebank | None:
    """Read a development set, which only some kinds can use."""
    from bistro.tasks.train import USES_DEV

    if dev is None:
        return None
    if kind not in USES_DEV:
        raise BistroError(f"--dev: a model of kind '{kind}' learns nothing from it: leave it out")
    return read_together([dev], format)


def shown(figures: dict[str, float]) -> str:
    """Return figures in a line."""
    return ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
