"""`bistro surprisal`: word by word, in bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import typer

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import flag, option
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.tasks.surprisal import ReadSentence

TABLE_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def surprisal(
    model: str = common.MODEL,
    input: str = common.INPUT,
    output: str = outputs.results(outputs.TABLE),
    text: str | None = option("COLUMN", "INPUT is CSV or TSV; this column has the sentences."),
    id: str | None = option("COLUMN", "The column that names each sentence."),
    sentence: list[str] | None = option(
        "COLUMN",
        "One word per row: rows with equal values here are one sentence (may be repeated).",
    ),
    split_punct: bool | None = typer.Option(
        None,
        "--split-punct/--no-split-punct",
        help="Split punctuation from the words of text, or take what is between spaces; a pipeline "
        "splits by default, by what it has learned.",
    ),
    words: bool = flag("--words", "Write a separate row for each word of a multiword token."),
    eos: bool = flag(
        "--eos/--no-eos", "Write a row for the end of each sentence, or not.", default=True
    ),
    format: str | None = common.FORMAT,
    method: str | None = common.METHOD,
    particles: int | None = common.PARTICLES,
    repeats: int | None = common.REPEATS,
    selection: Literal["weight", "paper"] | None = common.SELECTION,
    tags_per_word: int | None = common.TAGS_PER_WORD,
    tags_seen: bool = common.TAGS_SEEN,
    cluster: str | None = common.CLUSTER,
    seed: int = common.SEED,
) -> None:
    """Write a table with the surprisal of every word, -log2 p(word | words before it), in bits.

    Columns, separated by tabs, without quotes; those of a stimulus file come first:

    - sent_id: the name of the sentence in its file, or its number from 1
    - word_id: the place of the word, from 1; 3-4 for a token of two words, which gets their sum
    - token: the word as it is written in INPUT
    - oov: 1 if the model does not know the word: its class was scored, or its spelling; else 0
    - surprisal: in bits
    - surprisal_syn, surprisal_lex: its parts, how far the word moves the belief about the analysis
      (a Kullback-Leibler divergence) and the word itself given its analyses; they sum to it
    - entropy, entropy_reduction: over the analyses after the word, in bits
    - prefix_log2_prob: log2 of the probability of the sentence up to this word
    - mc_se: standard error of the surprisal where it is a Monte Carlo estimate

    NA means that a model has no such value (an n-gram model has no analyses).

    With the row of the sentence's end, `</s>`, surprisals sum to -log2 of its probability.

    A pipeline finds the words of a line or of a cell itself, as its treebank has them: the cell
    *don't.* gets the sum of *do*, *n't* and the full stop. Text has one sentence per line; with
    --input raw the pipeline finds the sentences too, with --input lines words are what is between
    spaces.

        echo "The dog sleeps ." | bistro surprisal english.bistro
        bistro surprisal english.bistro items.conllu -o items.tsv.gz
        bistro surprisal english.bistro items.csv --text sentence --id item --split-punct
        bistro surprisal english.bistro reading.csv --text word --sentence item -o reading.tsv
    """
    trained = bistro.load(model)
    search = {"selection": selection, "tags_per_word": tags_per_word}
    settings = common.score_settings(trained, method, particles, repeats, tags_seen, seed, **search)
    if text is not None:
        if id is not None and sentence:
            raise BistroError("--id names sentences of a row each: leave it out with --sentence")
    elif id is not None or sentence:
        raise BistroError("--id and --sentence need --text COLUMN")
    with common.cluster_workers(cluster) as workers:
        asked = {**settings, "eos": eos, "workers": workers}
        if text is not None:
            columns, rows = _of_stimuli(trained, input, text, id, sentence, split_punct, asked)
        else:
            given = _sentences(trained, input, format, split_punct, not words)
            columns, rows = _of_sentences(trained, given, asked)
        common.tell_reader(trained, settings)
        common.write_table(output, columns, rows)


def _sentences(
    model: bistro.Model, path: str, format: str | None, split_punct: bool | None, multiword: bool
) -> list[ReadSentence]:
    """Return the sentences of a file; the words of text are found as for the cells of a table."""
    from bistro.models.abilities import TOKENISE
    from bistro.tasks.cutting import cutting, file_sentences
    from bistro.tasks.surprisal import cut_sentence, read_sentence

    if format is None and path.lower().endswith(TABLE_SUFFIXES):
        raise BistroError(
            f"{path}: is a table: name the column that holds the sentences, --text COLUMN"
        )
    finds_words = TOKENISE.is_of(model) and split_punct is not False
    if finds_words and format == "raw":
        found = file_sentences(model, path)
        return [cut_sentence(t, str(i), multiword=multiword) for i, t in enumerate(found, start=1)]
    treebank = bistro.read(path, format=format, roots="any")
    is_cut = treebank.format == "text" and (split_punct or (finds_words and format is None))
    if split_punct and not is_cut:
        raise BistroError(f"{path}: has its words already: leave out --split-punct")
    common.tell_odd_words(treebank)
    sentences = treebank if is_cut else common.watch_words(treebank, path, model)
    cut = cutting(model, split_punct) if is_cut else None
    return [
        read_sentence(sentence, str(i), path, multiword=multiword, cut=cut)
        for i, sentence in enumerate(sentences, start=1)
    ]


def _of_sentences(
    model: bistro.Model, sentences: Sequence[ReadSentence], asked: dict[str, Any]
) -> tuple[Sequence[str], common.Cells]:
    from bistro.tasks.surprisal import COLUMNS, scored_rows

    rows = scored_rows(model, sentences, **asked)
    return COLUMNS, (list(vars(row).values()) for row in rows)


def _of_stimuli(
    model: bistro.Model,
    path: str,
    text: str,
    id: str | None,
    sentence: list[str] | None,
    split_punct: bool | None,
    asked: dict[str, Any],
) -> tuple[Sequence[str], common.Cells]:
    from bistro.tasks.cutting import cutting
    from bistro.tasks.stimuli import one_row_each, one_word_a_row, read_table
    from bistro.tasks.surprisal import stimulus_rows

    table = read_table(path)
    cut = cutting(model, split_punct)
    if sentence:
        found = list(one_word_a_row(table, text, sentence, cut=cut))
    else:
        found = list(one_row_each(table, text, name=id, cut=cut))
    place = table.column(text)
    common.tell_invisible(cells[place] for _, cells in table.rows)
    return stimulus_rows(model, table.columns, found, **asked)
