"""`bistro package`: package a model for pip."""

from __future__ import annotations

from pathlib import PurePath

import typer

import bistro
from bistro.cli import common
from bistro.cli.common import flag, option, say
from bistro.files import STANDARD_STREAM


def package(
    model: str = common.MODEL,
    output: str = option(
        "DIR",
        "Folder in which to write the wheel. The folder is created if it does not exist.",
        "--output",
        "-o",
        default=...,
    ),
    name: str | None = option(
        "NAME", "Name of the package; default: bistro- followed by the name of the treebank."
    ),
    version: str = option("V", "Version of the package.", default="1.0.0"),
    licence: str | None = option(
        "TEXT", "Licence of the treebank, as in 'CC BY-SA 4.0', if the model does not record it."
    ),
    test: str | None = option("FILE", "Test data for the scores on the card."),
    source: bool = flag("--source", "Also write the source folder of the package."),
    format: str | None = common.FORMAT,
    threads: int = common.THREADS,
    seed: int = common.SEED,
) -> None:
    """Package a model, so that pip can install it and **bistro.load** can find it by name.

    The package is a wheel that contains the model file, a card (kind, treebank, licence, settings,
    figures, checksum) and, with --test, the page that **bistro report** writes. The package
    contains no code, and building it requires no network connection. The path of the wheel goes to
    stdout.

        bistro package english.bistro -o dist --test test.conllu --licence 'CC BY-SA 4.0'
        pip install dist/bistro_en_ewt-1.0.0-py3-none-any.whl
        bistro parse bistro-en-ewt letter.txt
    """
    from bistro.models.installed import package_of
    from bistro.report.model_report import ReportOptions, read_test, report_page
    from bistro.report.package import checked_about, make_package

    trained = bistro.load(model)
    installed = package_of(model)
    path = str(installed.path) if installed else model
    about = checked_about(trained, model, name=name, version=version, licence=licence)
    page = test_name = None
    if test is None:
        say("no test file: the card has no figures (--test FILE adds them)")
    else:
        items = read_test(trained, test, format)
        test_name = "standard input" if test == STANDARD_STREAM else PurePath(test).name
        say(f"testing {model} ({trained.kind}) on {len(items):,} sentences of {test} ...")
        options = ReportOptions(seed=seed, threads=threads)
        page = report_page(trained, items, options, model_name=about.name, test_name=test_name)
    made = make_package(trained, path, about, page, test=test_name)
    wheel = made.write_wheel(output)
    typer.echo(wheel)
    if source:
        say(f"{made.write_source(output)}: the source folder")
    say(f"after pip install {wheel}, the name of the model is {made.name}")
