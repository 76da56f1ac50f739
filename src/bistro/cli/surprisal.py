"""`bistro surprisal`: word by word, in bits."""

from __future__ import annotations

from typing import Annotated

import typer

from bistro.cli.common import FormatOption, InputArgument, ModelArgument, OutputOption


def surprisal(
    model: ModelArgument,
    input: InputArgument = "-",
    output: OutputOption = "-",
    eos: Annotated[
        bool, typer.Option("--eos/--no-eos", help="With or without a row for each sentence's end.")
    ] = True,
    format: FormatOption = None,
) -> None:
    """Write a table with the surprisal of every word, -log2 p(word | words before it), in bits.

    Columns, separated by tabs, without quotes:

    - sent_id: the name of the sentence in its file, or its number from 1
    - word_id: the place of the word, from 1
    - token: the word as it stands in INPUT
    - oov: 1 if the model does not know the word, so that its class was scored; else 0
    - surprisal: in bits
    - prefix_log2_prob: log2 of the probability of the sentence up to this word

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
    rows = surprisal_rows(trained, sentences, names, eos=eos)
    with writing(output) as stream:
        stream.write(("\t".join(COLUMNS) + "\n").encode())
        for row in rows:
            fields = (row.sent_id.replace("\t", " "), str(row.word_id), row.token, str(row.oov))
            bits = f"{row.surprisal:.6f}", f"{row.prefix_log2_prob:.6f}"
            stream.write(("\t".join((*fields, *bits)) + "\n").encode())
