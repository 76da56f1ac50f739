"""`bistro complete`: a partly annotated file, with what it lacks filled in."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from bistro.cli.common import (
    FormatOption,
    OutputOption,
    SeedOption,
    ThreadsOption,
    chosen_config,
    require_writable,
    say,
)
from bistro.cli.recipes import TreebankArgument
from bistro.cli.train import Config, Overrides
from bistro.errors import BistroError

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A parser; otherwise one is trained on the sentences of FILE that lack nothing.",
        show_default=False,
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="The parser to train, without --model; usual: committee.",
        show_default=False,
    ),
]
Below = Annotated[
    float,
    typer.Option(
        "--below",
        metavar="P",
        min=0.0,
        max=1.0,
        help="Values that are less probable are not filled in; MISC names them (MaybeHead=…).",
    ),
]


def complete(
    treebank: TreebankArgument,
    output: OutputOption = "-",
    model: ModelOption = None,
    kind: Kind = None,
    below: Below = 0.0,
    config: Config = None,
    overrides: Overrides = None,
    format: FormatOption = None,
    threads: ThreadsOption = 0,
    seed: SeedOption = 1,
) -> None:
    """Complete a partly annotated file: every _ in HEAD, DEPREL and the tags is filled in.

    What FILE has is evidence, and stays as it is, byte for byte. MISC says of every value that was
    filled in that it was (Filled=Head,Deprel), and how probable it is (PHead=0.9312).

        bistro complete half-done.conllu -o done.conllu
        bistro complete half-done.conllu --below 0.8 -o sure.conllu
        bistro complete new.conllu --model english.bistro -o done.conllu
    """
    from bistro.inference.chains import Session
    from bistro.models.base import load
    from bistro.tasks.complete import USUAL_KIND
    from bistro.tasks.complete import complete as run
    from bistro.treebank.treebank import read, write

    if output != "-":
        require_writable(output)
    if model and (kind or config or overrides):
        raise BistroError("--kind, --config and --set say how to train: not with --model")
    chosen = kind or USUAL_KIND
    settings: Any = None if model else chosen_config(chosen, config, overrides)[1]
    trained = load(model) if model else None
    sentences = read(treebank, format=format, roots="any", partial=True)
    done = run(
        sentences,
        trained,
        below=below,
        kind=chosen,
        seed=seed,
        threads=threads,
        config=settings,
        session=Session(threads=threads or os.cpu_count() or 1),
    )
    write(done.sentences, output)
    say(done.summary())
