"""`bistro report`: write a page that describes and tests a model."""

from __future__ import annotations

from pathlib import PurePath
from typing import Literal

import typer

import bistro
from bistro.cli import common, outputs
from bistro.cli.common import option, require_suffix, say
from bistro.errors import ConfigError


def report(
    model: str = common.MODEL,
    test: str = option("FILE", "Test data; - means stdin.", default=...),
    output: str = outputs.output(
        outputs.PAGE,
        "OUT.html",
        "The page; - means stdout.",
        "--output",
        "-o",
        default="report.html",
    ),
    tags: Literal["joint", "given"] | None = typer.Option(
        None,
        "--tags",
        help="Use tags predicted by the parser (joint, the default), or the tags in FILE (given).",
        show_default=False,
    ),
    by_sentences: list[str] | None = option(
        "N,N...", "Upper limits of the sentence-length classes; default: 10,20,30,40."
    ),
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    seed: int = common.SEED,
) -> None:
    """Test a model and write a full report as one HTML page.

    A parser's page has its accuracy overall, by relation, by length and by tag; the trace of its
    training with the hyper-parameters of every depth; calibration; surprisal; and the trees that
    are most certain, most doubtful and least accurate, with the correct and the predicted tree in
    one picture. The figures depend on the kind of model: perplexity and surprisal for n-gram
    models, tag accuracy for taggers, and so on. FILE must be of the same type as the training data:
    a treebank, bracketed trees, or a text for models that use only words. The page can be opened in
    any browser without a network connection, and can be printed.

        bistro report english.bistro --test test.conllu
        bistro report english.bistro --test test.conllu --tags given -o en.html
    """
    from bistro.evaluate.by_sentence import BORDERS
    from bistro.models.abilities import PARSE
    from bistro.models.options import a_model
    from bistro.report.model_report import ReportOptions, read_test, report_page

    require_suffix(output, ".html", ".htm")
    borders = _lengths(by_sentences) if by_sentences else BORDERS
    trained = bistro.load(model)
    if (tags or by_sentences) and not PARSE.is_of(trained):
        raise ConfigError(
            f"--tags and --by-sentences are for parsers: leave them out for {a_model(trained.kind)}"
        )
    items = read_test(trained, test, format)
    say(f"testing {model} ({trained.kind}) on {len(items):,} sentences of {test} ...")
    page = report_page(
        trained,
        items,
        ReportOptions(tags or "joint", borders, seed, threads),
        model_name=PurePath(model).name,
        test_name="standard input" if test == "-" else PurePath(test).name,
    )
    page.write(output)
    if output != "-":
        say(f"{output}: open it in a browser")


def _lengths(lists: list[str]) -> list[int]:
    """Read the limits of the sentence-length classes from comma-separated lists of numbers."""
    from bistro.evaluate.by_sentence import check_borders

    texts = [text.strip() for one in lists for text in one.split(",")]
    for text in texts:
        if not text.isdecimal():
            raise ConfigError(
                f"--by-sentences must be a list of whole numbers such as 10,20,40, not '{text}'"
            )
    lengths = [int(text) for text in texts]
    check_borders(lengths)
    return lengths
