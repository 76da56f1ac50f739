"""Pieces that several commands share."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from bistro.errors import OutputError
from bistro.files import explain

ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
InputArgument = Annotated[
    str,
    typer.Argument(
        metavar="INPUT", help="CoNLL-U, CoNLL-X, or text with a sentence a line; - is stdin."
    ),
]
OutputOption = Annotated[
    str, typer.Option("--output", "-o", metavar="OUT", help="Where to write; - is stdout.")
]
SeedOption = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="Decides every random choice: the same seed, the same result.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object, unrounded.")]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--input",
        metavar="FORMAT",
        help="conllu, conllx or text; otherwise by suffix (.conllu; .conll, .conllx; .txt) or "
        "content.",
        show_default=False,
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
        if isinstance(value, list | tuple):
            return [plain(inner) for inner in value]
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        return value

    print(json.dumps(plain(figures), ensure_ascii=False, indent=2))


def require_writable(path: str) -> None:
    """Refuse a place where a file could not be written: before hours of work, not after them."""
    if Path(path).is_dir():
        raise OutputError(f"{path}: is a folder, where a file was to be written")
    folder = Path(path).parent
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be written: the folder {folder}: {explain(error)}"
        ) from error
