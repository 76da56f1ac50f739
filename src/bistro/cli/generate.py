"""`bistro generate`: sentences drawn from a model."""

from __future__ import annotations

from typing import Annotated, Any

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
    temperature: Annotated[
        float,
        typer.Option(
            metavar="T", help="Draw by p^(1/T): below 1 the likely, above 1 the unlikely gain."
        ),
    ] = 1.0,
    prefix: Annotated[
        str, typer.Option(metavar="WORDS", help="What every sentence begins with.")
    ] = "",
) -> None:
    """Draw sentences from a model, one a line, words separated by spaces.

    The same seed gives the same sentences; the first ten of twenty are those of -n 10. An unknown
    word appears as its class, such as `<unk-lower-ing>`; a model trained with unknown=spelling
    spells a new one. A parser goes on from a prefix under an analysis drawn for each sentence anew.

        bistro generate english.bistro -n 20 --seed 3
        bistro generate english.bistro --prefix "The old man" --temperature 0.7
    """
    from bistro.files import writing
    from bistro.models.base import load
    from bistro.treebank.treebank import write

    trained = load(model)
    options: dict[str, Any] = {"temperature": temperature, "prefix": prefix.split()}
    if trees:
        write(trained.require("generate_trees")(number, seed, **options), output)
        return
    draw = trained.require("generate")
    with writing(output) as stream:
        for words in draw(number, seed, **options):
            stream.write((" ".join(words) + "\n").encode())
