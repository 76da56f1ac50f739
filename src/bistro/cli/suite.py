"""`bistro suite`: run test suites of minimal pairs and of predictions about surprisal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import bistro
from bistro.cli import common, outputs, unknown_words
from bistro.cli.common import argument, flag, option, say, score_settings, write_table
from bistro.files import write_text

if TYPE_CHECKING:
    from bistro.tasks.suite_results import SuiteResult

FIGURES = ("items", "right", "accuracy", "low", "high", "unknown", "ties", "tie_share")
COLUMNS = {
    "suite": ("suite", *FIGURES),
    "item": ("suite", "item", "prediction", "margin", "right", "unknown", "tie"),
    "region": ("suite", "item", "condition", "region", "surprisal", "right", "tie"),
}
GROUP_COLUMNS = ("suite", "group", *FIGURES)
"""The columns of the table if pairs are grouped by a column in their file."""


def suite(
    model: str = common.MODEL,
    suites: list[str] | None = argument(
        "SUITE",
        "Suite files (JSON, JSON lines, CSV, TSV), or names of built-in suites; default: all "
        "built-in suites.",
        default=None,
    ),
    by: str = option(
        "suite|item|region|COLUMN",
        "The unit that each row of the table describes. The name of a column in a file of pairs "
        "groups the pairs by the values in that column.",
        default="suite",
    ),
    split_punct: bool = flag(
        "--split-punct/--no-split-punct",
        "Whether to split punctuation from words. By default, a pipeline splits text into words "
        "as in its treebank.",
        default=True,
    ),
    output: str = outputs.results(outputs.TABLE),
    json: bool = common.JSON,
    method: str | None = common.METHOD,
    particles: int | None = common.PARTICLES,
    repeats: int | None = common.REPEATS,
    tags_seen: bool = common.TAGS_SEEN,
    seed: int = common.SEED,
) -> None:
    """Run test suites of minimal pairs, or of predictions in SyntaxGym notation.

    A pair is correct if the good sentence is more probable than the bad one. SUITE is a file of
    pairs, a suite in SyntaxGym's JSON format, or a built-in suite (agreement, garden-path,
    main-verb, np-s, np-z, subordination). A file of pairs is a CSV or TSV table with the columns
    good and bad, or JSON lines with sentence_good and sentence_bad. For your own stimuli in two
    conditions, use **bistro effects**.

    The table, separated by tabs: the number of items, the number of correct items (all predictions
    hold), their share with its 95 % interval (Wilson), the number of unknown words, and the number
    of ties (two sides equally probable, which counts as wrong) with their share. **--by item**
    shows the margin of every prediction in bits, above 0 where it holds, and the sentences;
    **--by region** shows the surprisals. **--by COLUMN** shows one row per value of a column of the
    files of pairs, such as a column `phenomenon`.

        bistro suite english.bistro
        bistro suite english.bistro garden-path --by item
        bistro suite english.bistro pairs.csv number.json -o results.tsv
        bistro suite english.bistro pairs.csv --by phenomenon
    """
    from bistro.tasks.suite import own_suites

    group = None if by in COLUMNS else by
    read = [
        bistro.read_suite(name, split_punct=split_punct, group=group)
        for name in suites or own_suites()
    ]
    trained = bistro.load(model)
    settings = score_settings(trained, method, particles, repeats, tags_seen, seed)
    results = [bistro.run_suite(trained, one, **settings) for one in read]
    for result in results:
        if result.suite.about:
            say(f"{result.suite.name}: {result.suite.about}")
    common.tell_reader(trained, settings)
    tied = [result for result in results if result.ties]
    if tied:
        shown = ", ".join(f"{one.suite.name} {one.ties} ({one.tie_share:.0%})" for one in tied)
        say(f"ties, counted as wrong: {shown}")
    _tell_unknown(trained, results)
    if json:
        rows = {one.suite.name: list(_rows(one, by)) for one in results}
        figures = {name: own[0] for name, own in rows.items()} if by == "suite" else rows
        content = {"model": model, "by": by, "suites": figures}
        write_text(output, common.json_text(content) + "\n")
        return
    columns = _columns(results, by)
    rows_of_all = (row for result in results for row in _rows(result, by))
    write_table(output, columns, ([row.get(name) for name in columns] for row in rows_of_all))


def _tell_unknown(model: bistro.Model, results: list[SuiteResult]) -> None:
    """List the words in the suites that are unknown to the model."""
    from bistro.models.abilities import SCORE

    unknown_words.tell_unknown(
        (word for result in results for item in result.items for word in item.unknown_words),
        "words in the suites that are",
        f"; the model scores {SCORE.of(model).vocabulary.scored_if_unknown}",
    )


def _columns(results: list[SuiteResult], by: str) -> list[str]:
    """Return the columns of the table. Tables of items have an extra column for each condition."""
    columns = COLUMNS.get(by, GROUP_COLUMNS)
    conditions = [name for result in results for name in _conditions(result)]
    return [*columns, *dict.fromkeys(f"sentence_{c}" for c in conditions if by == "item")]


def _conditions(result: SuiteResult) -> Iterator[str]:
    for item in result.suite.items:
        for condition in item.conditions:
            yield condition.name


def _rows(result: SuiteResult, by: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a suite, which have values for some or all of the columns."""
    if by == "item":
        yield from _item_rows(result)
    elif by == "region":
        for item in result.items:
            for (condition, region), bits in item.bits.items():
                of_item = (int(item.right), int(item.tied))
                row = (result.suite.name, item.name, condition, region, bits, *of_item)
                yield dict(zip(COLUMNS[by], row, strict=True))
    elif by == "suite":
        yield {"suite": result.suite.name, **_figures(result)}
    else:
        for group, own in result.groups().items():
            yield {"suite": result.suite.name, "group": group, **_figures(own)}


def _item_rows(result: SuiteResult) -> Iterator[dict[str, Any]]:
    """Yield one row per item and prediction, with the sentences of the item."""
    from bistro.tasks.suite_results import TIE_WITHIN

    for item, found in zip(result.suite.items, result.items, strict=True):
        sentences = {f"sentence_{c.name}": " ".join(c.words) for c in item.conditions}
        for formula, margin in zip(result.suite.predictions, found.margins, strict=True):
            signs = (int(margin > TIE_WITHIN), found.unknown, int(abs(margin) <= TIE_WITHIN))
            row = (result.suite.name, item.name, formula.text, margin, *signs)
            yield dict(zip(COLUMNS["item"], row, strict=True)) | sentences


def _figures(result: SuiteResult) -> dict[str, Any]:
    """Return the accuracy of a model on a suite or a group, with the numbers it is based on."""
    right = sum(item.right for item in result.items)
    unknown = sum(item.unknown for item in result.items)
    ties = (result.ties, result.tie_share)
    row = (len(result.items), right, result.accuracy, *result.interval, unknown, *ties)
    return dict(zip(FIGURES, row, strict=True))
