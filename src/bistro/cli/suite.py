"""`bistro suite`: does a model find surprising what should be surprising?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import argument, flag, option, say, score_settings, write_table
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.tasks.suite_results import SuiteResult

COLUMNS = {
    "suite": ("suite", "items", "right", "accuracy", "low", "high", "unknown"),
    "item": ("suite", "item", "prediction", "margin", "right", "unknown"),
    "region": ("suite", "item", "condition", "region", "surprisal", "right"),
}


def suite(
    model: str = common.MODEL,
    suites: list[str] | None = argument(
        "[SUITE]...",
        "Files (JSON, JSON lines, CSV, TSV) or names of built-in suites; default: all built-in "
        "suites.",
        default=None,
    ),
    by: str = option("suite|item|region", "Unit of the rows of the table.", default="suite"),
    split_punct: bool = flag(
        "--split-punct/--no-split-punct",
        "Split punctuation from words (a pipeline: as it has learned), or leave it.",
        default=True,
    ),
    output: str = outputs.results(outputs.TABLE),
    method: str | None = common.METHOD,
    particles: int | None = common.PARTICLES,
    repeats: int | None = common.REPEATS,
    tags_seen: bool = common.TAGS_SEEN,
    seed: int = common.SEED,
) -> None:
    """Run test suites: minimal pairs, or predictions about regions in the notation of SyntaxGym.

    A pair is right if the good sentence is the more probable one. SUITE is a file of pairs (CSV or
    TSV with the columns good and bad; JSON lines with sentence_good and sentence_bad), a suite in
    the JSON of SyntaxGym, or one of our own: agreement, garden-path, subordination.

    The table, separated by tabs: items, how many are right (all predictions hold), the share with
    its 95 % interval (Wilson), and how many words the model does not know. **--by item** tells
    the margin of every prediction in bits, above 0 where it holds; **--by region** the surprisals.

        bistro suite english.bistro
        bistro suite english.bistro garden-path --by item
        bistro suite english.bistro pairs.csv number.json -o results.tsv
    """
    from bistro.tasks.suite import own_suites

    if by not in COLUMNS:
        raise BistroError(f"--by is suite, item or region, not '{by}'")
    read = [bistro.read_suite(name, split_punct=split_punct) for name in suites or own_suites()]
    trained = bistro.load(model)
    settings = score_settings(trained, method, particles, repeats, tags_seen, seed)
    results = [bistro.run_suite(trained, one, **settings) for one in read]
    for result in results:
        if result.suite.about:
            say(f"{result.suite.name}: {result.suite.about}")
    common.tell_reader(trained, settings)
    write_table(output, COLUMNS[by], (row for result in results for row in _rows(result, by)))


def _rows(result: SuiteResult, by: str) -> Iterator[list[Any]]:
    name = result.suite.name
    if by == "suite":
        right = sum(item.right for item in result.items)
        unknown = sum(item.unknown for item in result.items)
        yield [name, len(result.items), right, result.accuracy, *result.interval, unknown]
    elif by == "item":
        for item in result.items:
            for formula, margin in zip(result.suite.predictions, item.margins, strict=True):
                yield [name, item.name, formula.text, margin, int(margin > 0), item.unknown]
    else:
        for item in result.items:
            for (condition, region), bits in item.bits.items():
                yield [name, item.name, condition, region, bits, int(item.right)]
