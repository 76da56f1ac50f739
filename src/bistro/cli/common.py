"""Pieces that several commands share."""

from __future__ import annotations

import json
import math
import sys
from typing import Annotated, Any

import typer

from bistro.errors import BistroError

ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
InputArgument = Annotated[
    str, typer.Argument(metavar="INPUT", help="CoNLL-U, CoNLL-X or text, a sentence a line.")
]
OutputOption = Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Decides every random choice.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object, unrounded.")]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--input", metavar="FORMAT", help="conllu, conllx or text; otherwise by name or content."
    ),
]


def say(message: str) -> None:
    """Tell the user something that is not a result."""
    print(message, file=sys.stderr)


def print_json(figures: dict[str, Any]) -> None:
    """Print one object; what is not finite becomes a text, since JSON has no such numbers."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        return value

    print(json.dumps(plain(figures), ensure_ascii=False, indent=2))


def require_words(sentences: list[Any], path: str) -> None:
    """Refuse an input in which there is nothing to work on."""
    if not sentences:
        raise BistroError(f"{path}: there is no sentence in it")
