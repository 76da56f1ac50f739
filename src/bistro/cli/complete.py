"""`bistro complete`: fill in the missing values in a partly annotated file."""

from __future__ import annotations

import os
from typing import Any

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import chosen_config, option, say
from bistro.errors import BistroError


def complete(
    treebank: str = common.TREEBANK,
    output: str = outputs.results(outputs.TREES),
    model: str | None = option(
        "MODEL",
        "A parser; by default, a parser is trained on the complete sentences in FILE.",
    ),
    kind: str | None = option(
        "KIND", "Kind of parser to train if --model is not given; default: committee."
    ),
    below: float = option(
        "P",
        "Do not fill in values with a probability below P; write them only to MISC (MaybeHead=…).",
        default=0.0,
        min=0.0,
        max=1.0,
    ),
    config: str | None = common.CONFIG,
    overrides: list[str] | None = common.SET,
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    seed: int = common.SEED,
) -> None:
    """Complete a partly annotated file by filling in every _ in HEAD, DEPREL and the tag columns.

    The annotated values are used as evidence and are written unchanged, byte for byte. MISC names
    every value that was filled in (Filled=Head,Deprel), with its probability (PHead=0.9312).

        bistro complete half-done.conllu -o done.conllu
        bistro complete half-done.conllu --below 0.8 -o sure.conllu
        bistro complete new.conllu --model english.bistro -o done.conllu
    """
    from bistro.inference.chains import Session
    from bistro.tasks.complete import USUAL_KIND
    from bistro.tasks.complete import complete as run

    if model and (kind or config or overrides):
        raise BistroError(
            "--kind, --config and --set are for training: leave them out if --model is given"
        )
    kind = kind or USUAL_KIND
    settings: Any = None if model else chosen_config(kind, config, overrides)[1]
    trained = bistro.load(model) if model else None
    sentences = bistro.read(treebank, format=format, roots="any", partial=True)
    done = run(
        sentences,
        trained,
        below=below,
        kind=kind,
        seed=seed,
        threads=threads,
        config=settings,
        session=Session(threads=threads or os.cpu_count() or 1),
    )
    bistro.write(done.sentences, output)
    say(done.summary())
