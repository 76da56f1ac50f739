"""`bistro surprisal`: word by word, in bits."""

from __future__ import annotations

from typing import Annotated

import typer

from bistro.cli.common import (
    FormatOption,
    InputArgument,
    ModelArgument,
    OutputOption,
    require_words,
)


def surprisal(
    model: ModelArgument,
    input: InputArgument = "-",
    output: OutputOption = "-",
    eos: Annotated[
        bool, typer.Option("--eos/--no-eos", help="A row for the end of each sentence.")
    ] = True,
    format: FormatOption = None,
) -> None:
    """Write a table with the surprisal of every word, -log2 p(word | words before it), in bits.

        echo "The dog sleeps ." | bistro surprisal english.bistro
        bistro surprisal english.bistro items.conllu -o items.tsv

    Columns, separated by tabs: sent_id, word_id (from 1), token, oov (1: the word is unknown and
    its class was scored), surprisal (bits), prefix_log2_prob (bits, cumulated). With the end of
    the sentence, `</s>`, the rows of a sentence sum to -log2 of its probability.
    """
    from bistro.decode.surprisal import COLUMNS, surprisal_rows
    from bistro.files import writing
    from bistro.models.base import load
    from bistro.treebank.treebank import read

    trained = load(model)
    trained.require("score")
    sentences = list(read(input, format=format))
    require_words(sentences, input)
    names = [s.sent_id or str(i) for i, s in enumerate(sentences, start=1)]
    rows = surprisal_rows(trained, [s.forms for s in sentences], names, eos=eos)
    with writing(output) as stream:
        stream.write(("\t".join(COLUMNS) + "\n").encode())
        for row in rows:
            fields = (row.sent_id, row.word_id, row.token, row.oov)
            bits = f"{row.surprisal:.6f}", f"{row.prefix_log2_prob:.6f}"
            stream.write(("\t".join((*map(str, fields), *bits)) + "\n").encode())
