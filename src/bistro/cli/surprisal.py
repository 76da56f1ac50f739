"""`bistro surprisal`: word by word, in bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import flag, option
from bistro.errors import BistroError

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
    split_punct: bool = flag("--split-punct", "Split punctuation from the words of --text."),
    words: bool = flag("--words", "The words of a multiword token get rows of their own."),
    eos: bool = flag(
        "--eos/--no-eos", "With or without a row for each sentence's end.", default=True
    ),
    format: str | None = common.FORMAT,
    method: str | None = common.METHOD,
    particles: int | None = common.PARTICLES,
    repeats: int | None = common.REPEATS,
    selection: Literal["weight", "paper"] | None = common.SELECTION,
    tags_per_word: int | None = common.TAGS_PER_WORD,
    tags_seen: bool = common.TAGS_SEEN,
    seed: int = common.SEED,
) -> None:
    """Write a table with the surprisal of every word, -log2 p(word | words before it), in bits.

    Columns, separated by tabs, without quotes; those of a stimulus file come first:

    - sent_id: the name of the sentence in its file, or its number from 1
    - word_id: the place of the word, from 1; 3-4 for a token of two words, which gets their sum
    - token: the word as it stands in INPUT
    - oov: 1 if the model does not know the word: its class was scored, or its spelling; else 0
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
        bistro surprisal english.bistro items.csv --text sentence --id item --split-punct
        bistro surprisal english.bistro reading.csv --text word --sentence item -o reading.tsv
    """
    trained = bistro.load(model)
    search = {"selection": selection, "tags_per_word": tags_per_word}
    settings = common.score_settings(trained, method, particles, repeats, tags_seen, seed, **search)
    if text is not None:
        if id is not None and sentence:
            raise BistroError("--id names sentences of a row each: leave it out with --sentence")
        columns, rows = _of_stimuli(trained, input, text, id, sentence, split_punct, eos, settings)
    else:
        if id is not None or sentence or split_punct:
            raise BistroError("--id, --sentence and --split-punct need --text COLUMN")
        columns, rows = _of_sentences(trained, input, format, not words, eos, settings)
    common.write_table(output, columns, rows)


def _of_sentences(
    model: bistro.Model, path: str, format: str | None, multiword: bool, eos: bool, settings: Any
) -> tuple[Sequence[str], common.Cells]:
    from bistro.models.abilities import SCORE
    from bistro.tasks.stimuli import visible
    from bistro.tasks.surprisal import COLUMNS, written_tokens

    if format is None and path.lower().endswith(TABLE_SUFFIXES):
        raise BistroError(
            f"{path}: is a table: name the column that holds the sentences, --text COLUMN"
        )
    sentences = bistro.read(path, format=format)
    texts = [[visible(form, path, s.line) for form in s.forms] for s in sentences]
    names = [s.sent_id or str(i) for i, s in enumerate(sentences, start=1)]
    tokens = [written_tokens(s) for s in sentences] if multiword else None
    common.tell_odd_words(sentences)
    rows = SCORE.of(model).surprisal(texts, eos=eos, names=names, tokens=tokens, **settings)
    return COLUMNS, (list(vars(row).values()) for row in rows)


def _of_stimuli(
    model: bistro.Model,
    path: str,
    text: str,
    id: str | None,
    sentence: list[str] | None,
    split_punct: bool,
    eos: bool,
    settings: Any,
) -> tuple[Sequence[str], common.Cells]:
    from bistro.tasks.stimuli import one_row_each, one_word_a_row, read_table
    from bistro.tasks.surprisal import stimulus_rows

    table = read_table(path)
    if sentence:
        found = list(one_word_a_row(table, text, sentence, split_punct=split_punct))
    else:
        found = list(one_row_each(table, text, name=id, split_punct=split_punct))
    place = table.column(text)
    common.tell_invisible(cells[place] for _, cells in table.rows)
    return stimulus_rows(model, table.columns, found, eos=eos, **settings)
