"""`bistro generate`: sentences drawn from a model."""

from __future__ import annotations

from typing import Annotated

import typer

from bistro.cli.common import ModelArgument, OutputOption, SeedOption


def generate(
    model: ModelArgument,
    number: Annotated[
        int, typer.Option("--number", "-n", metavar="N", min=1, help="How many sentences.")
    ] = 10,
    seed: SeedOption = 1,
    output: OutputOption = "-",
) -> None:
    """Draw sentences from a model, one a line, words separated by spaces.

    The same seed gives the same sentences; the first ten of twenty are those of -n 10. An unknown
    word appears as its class, such as `<unk-lower-ing>`.

        bistro generate english.bistro -n 20 --seed 3
    """
    from bistro.files import writing
    from bistro.models.base import load

    draw = load(model).require("generate")
    with writing(output) as stream:
        for words in draw(number, seed):
            stream.write((" ".join(words) + "\n").encode())
