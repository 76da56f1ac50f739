"""`bistro surprisal`: word by word, in bits."""

from __future__ import annotations

from typing import Annotated

import typer

from bistro.cli.common import (
    FormatOption,
    InputArgument,
    MethodOption,
    ModelArgument,
    OutputOption,
    ParticlesOption,
    RepeatsOption,
    SeedOption,
    TagsSeenOption,
    score_settings,
)


def surprisal(
    model: ModelArgument,
    input: InputArgument = "-",
    output: OutputOption = "-",
    eos: Annotated[
        bool, typer.Option("--eos/--no-eos", help="With or without a row for each sentence's end.")
    ] = True,
    format: FormatOption = None,
    method: MethodOption = None,
    particles: ParticlesOption = None,
    repeats: RepeatsOption = None,
    tags_seen: TagsSeenOption = False,
    seed: SeedOption = 1,
) -> None:
    """Write a table with the surprisal of every word, -log2 p(word | words before it), in bits.

    Columns, separated by tabs, without quotes:

    - sent_id: the name of the sentence in its file, or its number from 1
    - word_id: the place of the word, from 1
    - token: the word as it stands in INPUT
    - oov: 1 if the model does not know the word, so that its class was scored; else 0
    - surprisal: in bits
    - surprisal_syn, surprisal_lex: its parts, how far the word moves the belief about the analysis
      (a Kullback-Leibler divergence) and the word itself given its analyses; they sum to it
    - entropy, entropy_reduction: over the analyses after the word, in bits
    - prefix_log2_prob: log2 of the probability of the sentence up to this word
    - mc_se: standard error of the surprisal where it is a Monte Carlo estimate

    NA stands where a model has no such value (an n-gram model has no analyses).

    With the row of the sentence's end, `</s>`, surprisals sum to -log2 of its probability.

        echo "The dog sleeps ." | bistro surprisal english.bistro
        bistro surprisal english.bistro items.conllu -o items.tsv.gz
    """
    from bistro.decode.surprisal import COLUMNS, surprisal_rows
    from bistro.files import writing
    from bistro.models.base import load
    from bistro.treebank.treebank import read

    trained = load(model)
    trained.require("score")
    sentences = read(input, format=format)
    names = [s.sent_id or str(i) for i, s in enumerate(sentences, start=1)]
    settings = score_settings(trained, method, particles, repeats, tags_seen, seed)
    rows = surprisal_rows(trained, sentences, names, eos=eos, **settings)
    with writing(output) as stream:
        stream.write(("\t".join(COLUMNS) + "\n").encode())
        for row in rows:
            cells = [_cell(getattr(row, column)) for column in COLUMNS]
            stream.write(("\t".join(cells) + "\n").encode())


def _cell(value: str | int | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    return "NA" if value is None else str(value).replace("\t", " ")
