"""Notes on sentences that are probably not read as their author intended."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bistro.cli.common import say
from bistro.files import STANDARD_STREAM

if TYPE_CHECKING:
    from bistro.encoding.vocabulary import Vocabulary
    from bistro.tasks.stimuli import Table
    from bistro.tasks.table_checks import TextCounts

MANY_ROWS = 10
"""A note that a table seems to have one word per row requires at least this many rows."""
NEARLY_ALL, MOST, MANY = 0.9, 0.5, 0.25
"""Thresholds for notes, as proportions of all texts."""


def tell_joined_sentences(
    table: Table, text: str, sentence: Sequence[str], region: str | None
) -> None:
    """Report a column that probably has to be added to --sentence."""
    from bistro.tasks.table_checks import joining_column

    if column := joining_column(table, text, sentence, region=region):
        say(
            f"{_name(table.path)}: the column '{column.name}' changes inside {column.inside:,} of "
            f"{column.sentences:,} sentences, where a new sentence seems to begin: if its "
            f"values belong to different sentences, add --sentence {shlex.quote(column.name)}"
        )


def tell_odd_cells(table: Table, text: str, vocabulary: Vocabulary, *, brackets: bool) -> None:
    """Report cells in a table of sentences that do not look like single sentences.

    `brackets` is true if brackets mark regions. The vocabulary shows which
    words with a full stop are abbreviations.
    """
    from bistro.tasks.table_checks import count_texts

    place = table.column(text)
    texts = (cells[place] for _, cells in table.rows)
    counts = count_texts(texts, lambda word: not vocabulary.is_unknown(word))
    if counts.texts >= MANY_ROWS and counts.single_words >= NEARLY_ALL * counts.texts:
        say(
            f"{_name(table.path)}: {counts.single_words:,} of {counts.texts:,} cells of the column "
            f"'{text}' contain a single word, which is scored as a sentence: in a table with one "
            "word per row, name the columns that identify a sentence with --sentence COLUMN"
        )
    if counts.several_sentences > MANY * counts.texts:
        say(
            f"{_name(table.path)}: {counts.several_sentences:,} of {counts.texts:,} cells of the "
            f"column '{text}' seem to contain several sentences ('{counts.first_break}'), which "
            "are scored as one sentence: give each sentence a row of its own"
        )
    if not brackets:
        _tell_brackets(counts, table.path)


def tell_brackets_in_lines(lines: Iterable[str], path: str) -> None:
    """Report that most lines of a text contain brackets, which are read as words."""
    from bistro.tasks.table_checks import count_texts

    _tell_brackets(count_texts(lines), path)


def _tell_brackets(counts: TextCounts, path: str) -> None:
    if counts.bracketed > MOST * counts.texts:
        say(
            f"{_name(path)}: {counts.bracketed:,} of {counts.texts:,} sentences contain square "
            "brackets, which are scored as words: if they mark regions, add --brackets"
        )


def _name(path: str) -> str:
    return "<stdin>" if path == STANDARD_STREAM else path
