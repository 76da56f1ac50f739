"""`bistro suite`: run test suites of minimal pairs and of predictions about surprisal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import argument, flag, option, say, score_settings, write_table
from bistro.errors import BistroError
from bistro.files import write_text

if TYPE_CHECKING:
    from bistro.tasks.suite_results import SuiteResult

COLUMNS = {
    "suite": ("suite", "items", "right", "accuracy", "low", "high", "unknown", "ties", "tie_share"),
    "item": ("suite", "item", "prediction", "margin", "right", "unknown", "tie"),
    "region": ("suite", "item", "condition", "region", "surprisal", "right", "tie"),
}


def suite(
    model: str = common.MODEL,
    suites: list[str] | None = argument(
        "SUITE",
        "Suite files (JSON, JSON lines, CSV, TSV), or names of built-in suites; default: all "
        "built-in suites.",
        default=None,
    ),
    by: str = option(
        "suite|item|region", "The unit that each row of the table describes.", default="suite"
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
    shows the margin of every prediction in bits, above 0 where it holds; **--by region** shows the
    surprisals.

        bistro suite english.bistro
        bistro suite english.bistro garden-path --by item
        bistro suite english.bistro pairs.csv number.json -o results.tsv
    """
    from bistro.tasks.suite import own_suites

    if by not in COLUMNS:
        raise BistroError(f"--by must be suite, item or region, not '{by}'")
    read = [bistro.read_suite(name, split_punct=split_punct) for name in suites or own_suites()]
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
    if json:
        rows = {one.suite.name: _figures(one, by) for one in results}
        content = {"model": model, "by": by, "suites": rows}
        write_text(output, common.json_text(content) + "\n")
        return
    write_table(output, COLUMNS[by], (row for result in results for row in _rows(result, by)))


def _rows(result: SuiteResult, by: str) -> Iterator[list[Any]]:
    from bistro.tasks.suite_results import TIE_WITHIN

    name = result.suite.name
    if by == "suite":
        right = sum(item.right for item in result.items)
        unknown = sum(item.unknown for item in result.items)
        ties = (result.ties, result.tie_share)
        yield [name, len(result.items), right, result.accuracy, *result.interval, unknown, *ties]
    elif by == "item":
        for item in result.items:
            for formula, margin in zip(result.suite.predictions, item.margins, strict=True):
                signs = (int(margin > TIE_WITHIN), item.unknown, int(abs(margin) <= TIE_WITHIN))
                yield [name, item.name, formula.text, margin, *signs]
    else:
        for item in result.items:
            for (condition, region), bits in item.bits.items():
                of_item = (int(item.right), int(item.tied))
                yield [name, item.name, condition, region, bits, *of_item]


def _figures(result: SuiteResult, by: str) -> Any:
    """Return the rows of a suite as dictionaries, or one dictionary if `by` is "suite"."""
    rows = [dict(zip(COLUMNS[by], row, strict=True)) for row in _rows(result, by)]
    return rows[0] if by == "suite" else rows
