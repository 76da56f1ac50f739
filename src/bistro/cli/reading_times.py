"""`bistro reading-times`: measure how well surprisal predicts reading times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import typer

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import argument, flag, option, say
from bistro.cli.documents import tell_memory
from bistro.cli.named_models import model_names
from bistro.cli.unknown_words import case_note, quoted_words
from bistro.errors import BistroError
from bistro.progress import number_of

if TYPE_CHECKING:
    from bistro.encoding.vocabulary import Vocabulary
    from bistro.evaluate.reading.data import ReadingData
    from bistro.evaluate.reading.scores import ItemScores
    from bistro.evaluate.reading.study import ReadingStudy


def reading_times(
    data: str = argument(
        "DATA", "A table of reading times (CSV or TSV) with one row per participant and word."
    ),
    models: list[str] = argument("MODEL...", "Models that score words (files or names)."),
    word: str | None = option("COLUMN", "The words [default: word]."),
    item: str | None = option(
        "COLUMN", "Column that identifies the sentence or text of each word [default: item]."
    ),
    condition: str | None = option(
        "COLUMN",
        "Column that gives the version in which an item was read [default: condition or "
        "cond, if present].",
    ),
    time: str | None = option(
        "COLUMN", "Column with the reading times in milliseconds [default: rt or time]."
    ),
    position: str | None = option(
        "COLUMN",
        "Column with the position of each word in its item [default: position; without it, the "
        "order of rows].",
    ),
    participant: str | None = option(
        "COLUMN",
        "Column that identifies the participant [default: participant or subject; without it, "
        "times are means].",
    ),
    only: list[str] | None = option(
        "COLUMN=VALUE", "Use only rows that have this value in a column (may be repeated)."
    ),
    document: list[str] | None = option(
        "COLUMN",
        "Use the memory of readers. Items with the same value in this column form a document, such "
        "as a story, and are read in the order of DATA (may be repeated).",
    ),
    split_punct: bool | None = typer.Option(
        None,
        "--split-punct/--no-split-punct",
        help="Whether to split punctuation from words [default: split]. A pipeline splits text "
        "into words as in its treebank.",
    ),
    known_only: bool = flag(
        "--known-only", "Leave out words that a model does not know, and the words after them."
    ),
    control: list[str] | None = option(
        "MODEL",
        "A model whose surprisal is part of the baseline, for example an n-gram model (may be "
        "repeated).",
    ),
    frequencies: str | None = option(
        "FILE", "A text or treebank whose word frequencies are part of the baseline."
    ),
    before: int = option(
        "N",
        "Number of preceding words that are also used to predict the time of a word.",
        default=1,
        min=0,
    ),
    fastest: float = option("MS", "Leave out shorter times.", default=100.0, min=0.0),
    slowest: float = option("MS", "Leave out longer times.", default=3000.0, min=0.0),
    log: bool = flag("--log", "Predict the logarithms of the times."),
    output: str | None = outputs.output(
        outputs.PAGE, "OUT.html", "Also write an HTML page with plots.", "--output", "-o"
    ),
    coefficients: str | None = outputs.output(
        outputs.TABLE, "OUT.tsv", "Also write all coefficients with their intervals."
    ),
    table: str | None = outputs.output(
        outputs.TABLE,
        "OUT.tsv",
        "Also write a table for lme4, with all predictors and one row per reading time.",
    ),
    keep: list[str] | None = option(
        "COLUMN", "Column of DATA to copy to --table (may be repeated)."
    ),
    method: str | None = common.METHOD,
    particles: int | None = common.PARTICLES,
    repeats: int | None = common.REPEATS,
    seed: int = common.SEED,
) -> None:
    """Measure how well surprisal under a model predicts reading times.

    DATA has a header row, followed by one row per participant and word, or one row per word if the
    times are means. Common column names, including those of Ibex, PCIbex and jsPsych, are
    recognised. A message on stderr lists the columns that are used. Each MODEL scores every item
    once in each of its conditions. A word of DATA may be several words of a model: *barn.* gets the
    sum of its parts. If one MODEL is a pipeline, all models score the words that the pipeline
    finds. The baseline has an intercept per participant. The predictors of the baseline are the
    position, the length and, with --frequencies, the frequency of each word and of the word before
    it. With --control, the baseline also contains the surprisal of both words under a control
    model, and the gain is what a MODEL adds to this baseline.

    The table on stdout has one row per model. Each row contains the model's gain over the baseline
    in predicting the reading times of held-out items. The gain is given in nats per row of DATA,
    with a 95 % interval. A verdict of "gain" means that the interval lies above 0. If there are
    several models, a comparison of the models goes to stderr.

        bistro reading-times times.csv english.bistro -o study.html
        bistro reading-times times.csv ngram.bistro parser.bistro --frequencies text.txt
        bistro reading-times times.csv parser.bistro --control ngram.bistro
        bistro reading-times times.csv english.bistro --table rows.tsv       # for lme4 in R
        bistro reading-times pcibex.csv english.bistro --only "Controller name=DashedSentence"
    """
    from bistro.evaluate.reading.data import read_reading_data
    from bistro.evaluate.reading.predictors import word_counts
    from bistro.evaluate.reading.study import study
    from bistro.evaluate.reading.tables import GAINS, gain_rows

    if fastest >= slowest:
        raise BistroError(f"--fastest {fastest:g} must be less than --slowest {slowest:g}")
    names = {"word": word, "item": item, "condition": condition, "time": time}
    names |= {"position": position, "participant": participant}
    columns = dict.fromkeys([*(keep or ()), *(document or ())])
    reading_data = read_reading_data(data, keep=tuple(columns), only=only or (), **names)
    counts = None
    if frequencies is not None:
        counts = word_counts([sentence.forms for sentence in bistro.read(frequencies)])
    names_of_models = model_names([*models, *(control or ())])
    trained = {name: bistro.load(path) for name, path in names_of_models.items()}
    say("columns: " + ", ".join(f"{name} ({what})" for what, name in reading_data.columns.items()))
    options = {"method": method, "particles": particles, "repeats": repeats}
    choices = {**options, "tags_seen": False, "seed": seed}
    scores = _scores(
        trained, reading_data, split_punct, choices, reading_data.documents(document or ())
    )
    surprisal = {name: own.surprisal for name, own in scores.items()}
    result = study(
        reading_data,
        dict(islice(surprisal.items(), len(models))),
        controls=dict(islice(surprisal.items(), len(models), None)),
        counts=counts,
        before=before,
        fastest=fastest,
        slowest=slowest,
        logarithm=log,
        unknown={name: own.unknown for name, own in scores.items()},
        known_only=known_only,
        seed=seed,
    )
    common.write_table("-", GAINS, gain_rows(result))
    _say(reading_data, result)
    _write(reading_data, result, output, coefficients, table, log)


def _scores(
    models: Mapping[str, bistro.Model],
    data: ReadingData,
    split_punct: bool | None,
    options: dict[str, Any],
    documents: Sequence[str] | None,
) -> dict[str, ItemScores]:
    """Score the words in the data with each model, and report the unknown words."""
    from bistro.evaluate.reading.scores import item_scores
    from bistro.models.abilities import REMEMBER, SCORE
    from bistro.tasks.cutting import common_cutting
    from bistro.tasks.memory import memory_of

    cut = common_cutting(list(models.values()), split_punct)
    if documents is not None and not any(map(REMEMBER.is_of, models.values())):
        memory_of(next(iter(models.values())))  # Raises an error that says what to do.
    # A memory needs the order of the data. All other scores depend on the names of items only.
    order = data.texts_by_name if documents is None else None
    scores = {}
    for name, model in models.items():
        settings = common.score_settings(model, **options)
        common.tell_reader(model, settings)
        if documents is not None and REMEMBER.is_of(model):
            tell_memory(model, len(set(documents)))
            settings["documents"] = documents
        own = scores[name] = item_scores(model, data.words, cut=cut, order=order, **settings)
        if own.unknown.any():
            _tell_unknown(name, own, SCORE.of(model).vocabulary)
    return scores


def _tell_unknown(name: str, scores: ItemScores, vocabulary: Vocabulary) -> None:
    """Report how many words are unknown to a model, with examples and a note on their case."""
    parts = scores.unknown_parts
    say(
        f"{int(scores.unknown.sum()):,} of {len(scores.unknown):,} words are unknown to {name} "
        f"({quoted_words(parts)}): the model scores {vocabulary.scored_if_unknown}; --known-only "
        "leaves them out"
    )
    if note := case_note(parts, vocabulary.is_unknown):
        say(note)


def _say(data: ReadingData, result: ReadingStudy) -> None:
    from bistro.evaluate.reading.study import wrong_unit

    for pair in result.comparisons:
        gap = pair.difference
        say(
            f"{pair.first} less {pair.second}: {gap.mean:.6f} nats per row "
            f"({gap.low:.6f} to {gap.high:.6f}), p = {pair.probability:.4f}"
        )
    for why, number in result.left_out.items():
        if number:
            say(f"{number_of(number, 'row')} left out: {why}")
    if problem := wrong_unit(data.times):
        say(f"{data.path}: {problem}")
    say(result.protocol)


def _write(
    data: ReadingData,
    result: ReadingStudy,
    output: str | None,
    coefficients: str | None,
    table: str | None,
    log: bool,
) -> None:
    from bistro.evaluate.reading.tables import (
        COEFFICIENTS,
        coefficient_rows,
        tidy_columns,
        tidy_rows,
    )
    from bistro.report.reading_page import reading_page

    if coefficients is not None:
        common.write_table(coefficients, COEFFICIENTS, coefficient_rows(result))
    if table is not None:
        common.write_table(table, tidy_columns(data, result), tidy_rows(data, result))
    if output is not None:
        reading_page(result, PurePath(data.path).name, unit="log ms" if log else "ms").write(output)
        say(f"{output}: open it in a browser")
