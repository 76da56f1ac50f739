"""`bistro next-word`: compute the probabilities of the next word in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import bistro
from bistro.cli import common, mixtures, odd_words, outputs, unknown_words
from bistro.cli.common import TABLE_SUFFIXES, argument, option
from bistro.errors import BistroError
from bistro.files import write_text

if TYPE_CHECKING:
    from bistro.tasks.cutting import Cutting
    from bistro.tasks.next_word import NextWordRow, Question

ARGUMENT = "CONTEXT"
"""The name of the argument, for messages about a context that is not in a table."""


def next_word(
    model: str = common.MODEL,
    context: str = argument(
        ARGUMENT, 'The first words of a sentence ("" for its beginning) or, with --text, a table.'
    ),
    top: int | None = option(
        "K", "Number of most likely words to show [default: 10; 0 with targets].", min=0
    ),
    targets: str | None = option("W1,W2...", "Words to show regardless of their probability."),
    text: str | None = option(
        "COLUMN", "Read CONTEXT as CSV or TSV, with the contexts in this column."
    ),
    target: str | None = option("COLUMN", "The column with the target words."),
    id: str | None = option("COLUMN", "The column with the names of the contexts."),
    split_punct: bool | None = typer.Option(
        None,
        "--split-punct/--no-split-punct",
        help="Split punctuation from words, or split at spaces only. By default, a pipeline "
        "splits text into words as in its treebank.",
    ),
    output: str = outputs.results(outputs.TABLE),
    json: bool = common.JSON,
    others: list[str] | None = mixtures.WITH,
    dev: str | None = mixtures.DEV,
    weights: str | None = mixtures.WEIGHTS,
    method: str | None = common.METHOD,
    particles: int | None = common.PARTICLES,
    repeats: int | None = common.REPEATS,
    seed: int = common.SEED,
) -> None:
    """Show the most likely next words after a context, and the probabilities of given words.

    The table, separated by tabs (the columns of a table of contexts come first):

    - context_id, context: name or number of the context, and its words
    - target: 1 for a target word, 0 for one of the likeliest words
    - rank: 1 plus the number of more probable words, classes of unknown words and sentence ends;
      NA for a target that is scored as its class of unknown words
    - word, oov: `</s>` is the end of the sentence; oov is 1 for a word unknown to the model
    - probability, surprisal, mc_se: surprisal in bits, and its standard error where it is estimated
    - tag, tag_probability: the likeliest tag of the word here, for parsers (--json shows all)
    - entropy, entropy_se: of the next word, in bits, and its standard error where it is estimated

    The attachment of the next word is not shown: a parser decides it only after later words.

        bistro next-word english.bistro "The horse raced"
        bistro next-word english.bistro "The horse raced" --targets past,fell --top 5
        bistro next-word english.bistro items.csv --text context --target target -o cloze.tsv
    """
    from bistro.tasks.cutting import at_spaces, cutting

    mixtures.require_mixture(others, dev, weights)
    if text is None and (target is not None or id is not None):
        raise BistroError("--target and --id need --text COLUMN")
    models = [bistro.load(path) for path in (model, *(others or ()))]
    trained = models[0]
    choices: dict[str, Any] = {"method": method, "particles": particles, "repeats": repeats}
    choices |= {"tags_seen": False, "seed": seed}
    reader: Any = trained
    settings: dict[str, Any] = {}
    if others:
        reader = mixtures.mixture_of(models, choices, dev, weights)
    else:
        settings = common.score_settings(trained, **choices)
        common.tell_reader(trained, settings)
    cut = cutting(trained, split_punct)
    columns, questions = _questions(cut, context, text, target, id, targets)
    if cut is at_spaces and split_punct is None:
        source = ARGUMENT if text is None else context
        odd_words.warn_of_uncut_contexts([q.context for q in questions], source, trained)
    _tell_unknown(models, questions)
    if json:
        content = {"model": model, "contexts": list(_objects(reader, questions, top, settings))}
        write_text(output, common.json_text(content) + "\n")
    else:
        _write_table(output, columns, reader, questions, top, settings)


def _questions(
    cut: Cutting,
    context: str,
    text: str | None,
    target: str | None,
    id: str | None,
    targets: str | None,
) -> tuple[list[str], list[Question]]:
    """Return the columns of a table of contexts, and the contexts with their target words."""
    from bistro.tasks.cutting import visible_text
    from bistro.tasks.next_word import Question, context_words, questions_of_table, single_word
    from bistro.tasks.stimuli import read_table
    from bistro.treebank.keeping import check_then_list

    more = [single_word(word, cut) for word in targets.split(",")] if targets else []
    if text is None:
        if context.lower().endswith(TABLE_SUFFIXES) and Path(context).is_file():
            raise BistroError(
                f"{context}: the file is a table: use --text COLUMN to name the column that "
                "contains the contexts"
            )
        return [], [Question("1", context_words(visible_text(context), cut), more)]
    table = read_table(context)
    questions = check_then_list(lambda: questions_of_table(table, text, target, id, cut))
    questions = [Question(q.name, q.context, [*q.targets, *more], q.cells) for q in questions]
    return table.columns, questions


def _tell_unknown(models: Sequence[bistro.Model], questions: Sequence[Question]) -> None:
    """Report the context words and target words that at least one model does not know."""
    from bistro.encoding.vocabulary import END_SYMBOL
    from bistro.models.abilities import SCORE

    vocabularies = [SCORE.of(model).vocabulary for model in models]

    def unknown(words: Iterable[str]) -> list[str]:
        return [word for word in words if any(v.is_unknown(word) for v in vocabularies)]

    unknown_words.tell_unknown(
        unknown(word for question in questions for word in question.context),
        "words in contexts that are",
    )
    meaning = f"; the model scores {vocabularies[0].scored_if_unknown}"
    if not vocabularies[0].is_open:
        meaning += ", so the probability is that of all such words together, and the rank is NA"
    unknown_words.tell_unknown(
        unknown(w for question in questions for w in question.targets if w != END_SYMBOL),
        "target words that are",
        meaning,
    )


def _write_table(
    output: str,
    columns: list[str],
    reader: Any,
    questions: list[Question],
    top: int | None,
    settings: dict[str, Any],
) -> None:
    from bistro.tasks.next_word import COLUMNS, answers, rows_of

    def rows() -> Iterator[list[Any]]:
        for question, answer in answers(reader, questions, **settings):
            for row in rows_of(question, answer, top):
                yield [*question.cells, *_cells(row)]

    ours = [f"bistro_{name}" if name in columns else name for name in COLUMNS]
    common.write_table(output, [*columns, *ours], rows())


def _cells(row: NextWordRow) -> list[Any]:
    """Format the cells of a row.

    Small probabilities are not rounded to zero.
    """
    return [
        f"{value:.6g}" if name.endswith("probability") and value is not None else value
        for name, value in vars(row).items()
    ]


def _objects(
    reader: Any, questions: list[Question], top: int | None, settings: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield one JSON object per context, with all the tags of every listed word."""
    from bistro.tasks.next_word import answers, number_shown

    for question, answer in answers(reader, questions, **settings):
        yield {
            "id": question.name,
            "context": question.context,
            "entropy": answer.entropy,
            "entropy_se": answer.entropy_se,
            "covered": answer.covered,
            "likeliest": [vars(word) for word in answer.top(number_shown(question, top))],
            "targets": [vars(word) for word in answer.of(question.targets)],
        }
