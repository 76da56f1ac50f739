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
    trees: Annotated[
        bool, typer.Option("--trees", help="CoNLL-U with the trees they were generated with.")
    ] = False,
) -> None:
    """Draw sentences from a model, one a line, words separated by spaces.

    The same seed gives the same sentences; the first ten of twenty are those of -n 10. An unknown
    word appears as its class, such as `<unk-lower-ing>`.

        bistro generate english.bistro -n 20 --seed 3
    """
    from bistro.files import writing
    from bistro.models.base import load
    from bistro.treebank.treebank import write

    trained = load(model)
    if trees:
        write(trained.require("generate_trees")(number, seed), output)
        return
    draw = trained.require("generate")
    with writing(output) as stream:
        for words in draw(number, seed):
            stream.write((" ".join(words) + "\n").encode())
