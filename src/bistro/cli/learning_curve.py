"""`bistro learning-curve`: measure and forecast scores for growing training sets."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, Any, cast

from bistro.cli import common, odd_words, outputs
from bistro.cli.common import argument, option, say
from bistro.errors import BistroError
from bistro.files import write_text

if TYPE_CHECKING:
    from bistro.evaluate.learning_curve import LearningCurve


def learning_curve(
    kind: str = argument(
        "KIND", "The kind of model: transition, eisner, isbn, committee, topics or tags."
    ),
    treebank: str = common.TREEBANK,
    test: str | None = option("TEST", "Test data; default: folds of FILE."),
    folds: int | None = option(
        "K",
        "Number of folds if --test is not given. Each model is then trained on at most (K - 1) / K "
        "of FILE; default: 5.",
        "-k",
        "--folds",
    ),
    by: str = common.BY,
    parts: str = option(
        "A,B,…",
        "Sizes of the training sets, as shares of the training data.",
        default="1/16,1/8,1/4,1/2,1",
    ),
    draws: int = option("N", "Number of random subsets of each size.", default=3),
    tags: str = common.TAGS,
    plot: str | None = outputs.output(outputs.PICTURE, "OUT.svg", "Also write a picture."),
    dev: str | None = common.DEV,
    config: str | None = common.CONFIG,
    overrides: list[str] | None = common.SET,
    format: str | None = common.FORMAT,
    roots: str | None = common.ROOTS,
    threads: int = common.THREADS,
    cluster: str | None = common.CLUSTER,
    seed: int = common.SEED,
) -> None:
    """Train models on growing parts of FILE, and print their scores with a forecast.

    The output is a table (TSV) with one line per size. Two more lines give predictions from a
    fitted power law, a - b n^-c. The hindcast is the score at the largest size, predicted from the
    smaller sizes. The forecast is the score at twice the largest size. The columns whose
    names end in _sd contain standard deviations. With --test, the largest part is all of FILE; with
    K folds, the largest part is FILE without one fold. The column `sentences` gives the size of
    each part.

        bistro learning-curve eisner treebank.conllu > curve.tsv
        bistro learning-curve transition train.conllu --test dev.conllu --plot curve.svg
        bistro learning-curve committee treebank.conllu -k 3 --parts 1/8,1/4,1/2,1 --draws 1
    """
    from bistro.evaluate.learning_curve import USUAL_FOLDS, check_learner
    from bistro.evaluate.learning_curve import learning_curve as run
    from bistro.models.data import SENTENCES

    way: Any = common.chosen_tags(tags)
    family, settings = common.chosen_config(kind, config, overrides)
    check_learner(family.name, settings)
    if test is not None and (folds is not None or by != "sentence"):
        raise BistroError("-k and --by are for folds of FILE: leave them out if --test is given")
    shares = _shares(parts)
    allowed = common.chosen_roots(roots)
    common.require_suffix(plot, ".svg")
    sentences = SENTENCES.read([treebank], format=format, roots=allowed)
    odd_words.tell_odd_words(sentences)
    settings = common.fitting_config(family, settings, config, overrides, sentences)
    with common.cluster_workers(cluster) as workers:
        curve = run(
            family.name,
            sentences,
            test=SENTENCES.read([test], format=format, roots=allowed) if test else None,
            k=USUAL_FOLDS if folds is None else folds,
            by=cast(Any, by),
            shares=shares,
            draws=draws,
            tags=way,
            seed=seed,
            threads=threads,
            workers=workers,
            config=settings,
            dev=common.development(family, dev, format, roots),
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
        raise BistroError(
            f"--parts must be a list of shares such as 1/4,1/2,1, not '{parts}'"
        ) from None


def _draw(curve: LearningCurve, path: str) -> None:
    from bistro.report.plots import line_chart

    measured = [fmean(part.scores(curve.figure)) for part in curve.parts]
    doubled, nan = curve.doubled, math.nan
    sizes = [part.words for part in curve.parts] + [doubled.size]
    before = [nan] * (len(measured) - 1)
    series = {
        "measured": [*measured, nan],
        "expected, with the interval of 90 %": [*before, measured[-1], doubled.mean],
    }
    low, high = ([*before, measured[-1], end] for end in (doubled.low, doubled.high))
    svg = line_chart(
        series,
        x=sizes,
        x_label="words of training data",
        y_label=curve.figure.upper(),
        band=("90 %", low, high),
    )
    write_text(path, svg)
