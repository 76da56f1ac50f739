"""`bistro learning-curve`: what a treebank has brought so far, and what more of it would bring."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bistro.cli.common import (
    FormatOption,
    SeedOption,
    ThreadsOption,
    chosen_config,
    chosen_tags,
    require_suffix,
    require_writable,
    say,
    tell_odd_words,
)
from bistro.cli.crossval import By
from bistro.cli.recipes import (
    DevOption,
    TagsOption,
    TreebankArgument,
    development,
)
from bistro.cli.train import Config, Overrides
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.evaluate.learning_curve import LearningCurve

Kind = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="The kind of model: transition, eisner, isbn, committee, topics or tags.",
    ),
]
Test = Annotated[
    str | None,
    typer.Option(
        "--test", metavar="TEST", help="Judge on this; otherwise on folds.", show_default=False
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        "-k",
        "--folds",
        metavar="K",
        help="Folds, without --test: all that is learned from is (K - 1) / K of FILE; usual: 5.",
        show_default=False,
    ),
]
Parts = Annotated[
    str, typer.Option("--parts", metavar="A,B,…", help="Shares of what there is to learn from.")
]
Draws = Annotated[int, typer.Option("--draws", metavar="N", help="Random parts of each size.")]
Plot = Annotated[
    str | None,
    typer.Option("--plot", metavar="OUT.svg", help="Also a picture.", show_default=False),
]


def learning_curve(
    kind: Kind,
    treebank: TreebankArgument,
    test: Test = None,
    folds: Folds = None,
    by: By = "sentence",
    parts: Parts = "1/16,1/8,1/4,1/2,1",
    draws: Draws = 3,
    tags: TagsOption = "joint",
    plot: Plot = None,
    dev: DevOption = None,
    config: Config = None,
    overrides: Overrides = None,
    format: FormatOption = None,
    threads: ThreadsOption = 0,
    seed: SeedOption = 1,
) -> None:
    """Draw a learning curve: scores of models of growing parts of FILE, and a forecast.

    Prints a table (TSV), a line a size; then what the smaller parts alone would have foretold for
    the largest (hindcast), and what twice the largest would bring (forecast): a power law,
    a - b n^-c, whose uncertainty stands in the columns _sd. With --test, the largest part is all of
    FILE; with K folds, (K - 1) / K of it: see the column sentences.

        bistro learning-curve eisner treebank.conllu > curve.tsv
        bistro learning-curve transition train.conllu --test dev.conllu --plot curve.svg
        bistro learning-curve committee treebank.conllu -k 3 --parts 1/8,1/4,1/2,1 --draws 1
    """
    from bistro.evaluate.learning_curve import USUAL_FOLDS, check_learner
    from bistro.evaluate.learning_curve import learning_curve as run
    from bistro.models.data import SENTENCES

    way: Any = chosen_tags(tags)
    family, settings = chosen_config(kind, config, overrides)
    check_learner(family.name, settings)
    if test is not None and (folds is not None or by != "sentence"):
        raise BistroError("-k and --by say how FILE is cut into folds: not with --test")
    shares = _shares(parts)
    if plot is not None:
        require_suffix(plot, ".svg")
    if plot not in (None, "-"):
        require_writable(str(plot))
    sentences = SENTENCES.read([treebank], format=format)
    tell_odd_words(sentences)
    grouping: Any = by
    curve = run(
        family.name,
        sentences,
        test=SENTENCES.read([test], format=format) if test else None,
        k=USUAL_FOLDS if folds is None else folds,
        by=grouping,
        shares=shares,
        draws=draws,
        tags=way,
        seed=seed,
        threads=threads,
        config=settings,
        dev=development(family, dev, format),
        on_model=lambda done, total: say(f"{done} of {total} models"),
    )
    print(curve.to_tsv(), end="")
    if plot is not None:
        _draw(curve, plot)
    say(f"{curve.summary()}; {curve.protocol}")


def _shares(parts: str) -> list[float]:
    try:
        return [float(Fraction(part.strip())) for part in parts.split(",")]
    except (ValueError, ZeroDivisionError):
        raise BistroError(f"--parts is a list of shares such as 1/4,1/2,1, not '{parts}'") from None


def _draw(curve: LearningCurve, path: str) -> None:
    from bistro.files import writing
    from bistro.report.plots import line_chart

    measured = [fmean(part.scores(curve.figure)) for part in curve.parts]
    doubled, nan = curve.doubled, math.nan
    sizes = [part.words for part in curve.parts] + [doubled.size]
    before = [nan] * (len(measured) - 1)
    series = {
        "measured": [*measured, nan],
        "expected": [*before, measured[-1], doubled.mean],
        "90 %, low": [*before, measured[-1], doubled.low],
        "90 %, high": [*before, measured[-1], doubled.high],
    }
    svg = line_chart(
        series, x=sizes, x_label="words of training data", y_label=curve.figure.upper()
    )
    with writing(path) as stream:
        stream.write(svg.encode())
