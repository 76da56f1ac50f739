"""`bistro train`: train a model on a treebank or a text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import typer

import bistro
from bistro.cli import common, odd_words, outputs
from bistro.cli.common import argument, flag, option, say
from bistro.cli.plain_help import under
from bistro.cli.watcher import Watcher
from bistro.destination import is_special
from bistro.errors import BistroError, OutputError
from bistro.models import kinds
from bistro.models.options import a_model
from bistro.progress import phase

if TYPE_CHECKING:
    from bistro.inference.checkpoint import Checkpoint
    from bistro.models.kinds import Kind
    from bistro.treebank.examples import Examples

SETTINGS, INPUT, LONG_RUNS = "Settings", "Input", "Long runs"
_COMPRESSED = (".gz", ".xz", ".zst")


def train(
    kind: str = argument("KIND", "The kind of model; see the list at the end of this help."),
    data: list[str] | None = argument(
        "TRAIN",
        "Treebanks (CoNLL-U, CoNLL-X); bracketed trees for grammar, trees and constituents; text "
        "with one sentence per line for ngram; - means stdin.",
        default=None,
    ),
    output: str | None = outputs.output(
        outputs.MODEL,
        "MODEL",
        "The model file to write (required), by convention named *.bistro.",
        "--output",
        "-o",
    ),
    dev: str | None = option(
        "DEV",
        "Development data, used by committee, reader and linearize to fit weights, and by isbn to "
        "decide when to stop. Models that do not fit weights are scored on the development data "
        "after training.",
    ),
    fast: bool = flag(
        "--fast",
        "For committee and pipeline: use the preset 'fast', which has two members. Training and "
        "parsing are much faster than with the default members, but accuracy is lower.",
    ),
    best: bool = flag(
        "--best",
        "For committee and pipeline: use the preset 'best', which has seven members. This preset "
        "gives the most accurate parser, but training and parsing are slow.",
    ),
    text: list[str] | None = option(
        "RAW",
        "Raw text with one sentence per line, as additional training data (ngram, transition, "
        "isbn, reader, committee, pipeline).",
    ),
    config: str | None = under(SETTINGS, common.CONFIG),
    overrides: list[str] | None = under(SETTINGS, common.SET),
    units: str | None = option(
        "UNIT",
        "Unit that an ngram model predicts: words, characters or bytes. For characters and bytes, "
        "the context is unbounded unless --set order limits it.",
        rich_help_panel=SETTINGS,
    ),
    task: str | None = option(
        "tags|trees|morphology",
        "Task of the former kind 'infinite', which has been replaced by one kind per task.",
        hidden=True,
    ),
    seed: int = common.SEED,
    threads: int = common.THREADS,
    cluster: str | None = option(
        "ADDRESS",
        "Parse raw text, or train the members of a committee or reader, on Dask workers "
        "(tcp://HOST:PORT) or in N local processes (local:N); default: threads.",
        rich_help_panel=LONG_RUNS,
    ),
    counts_on_disk: str | None = option(
        "FOLDER",
        "Keep counts in temporary files in FOLDER until training ends, for a text that is too "
        "large for memory. This option does not change the model.",
        rich_help_panel=LONG_RUNS,
    ),
    format: str | None = under(INPUT, common.FORMAT),
    roots: str | None = under(INPUT, common.ROOTS),
    resume: bool = flag(
        "--resume", "Continue an interrupted run from its checkpoint.", rich_help_panel=LONG_RUNS
    ),
    checkpoint_seconds: float = option(
        "S",
        "Seconds between checkpoints; 0 writes a checkpoint after every sweep.",
        default=20.0,
        min=0,
        rich_help_panel=LONG_RUNS,
    ),
    show_config: bool = flag(
        "--show-config", "Print all settings as TOML and exit.", rich_help_panel=SETTINGS
    ),
) -> None:
    """Train a model on a treebank or a text.

    Several files are read as one data set. Settings are read from --config, then from --set.
    --show-config prints all settings with comments, ready to be edited. All settings are saved in
    the model.

    During training, the state is saved next to the model (MODEL.checkpoint). After Ctrl-C, a crash
    or a power cut, the same command with --resume continues the run and produces exactly the same
    model as an uninterrupted run.

        bistro train committee train.conllu --dev dev.conllu -o english.bistro
        bistro train pipeline train.conllu --dev dev.conllu --best -o english.bistro
        bistro train transition train.conllu -o parser.bistro
        bistro train transition train.conllu --text news.txt.gz --text more.txt -o parser.bistro
        bistro train ngram news.txt.gz more.txt -o news.bistro --set order=3 --seed 7
        bistro train ngram news.txt.gz -o bytes.bistro --units bytes
        bistro train trees train.mrg -o trees.bistro
        bistro train grammar train.mrg -o grammar.bistro
        bistro train transition --show-config > parser.toml
        bistro train transition train.conllu -o parser.bistro --config parser.toml
    """
    from bistro import config as configuration
    from bistro.inference.chains import Session
    from bistro.inference.checkpoint import Checkpoint, StoppedError
    from bistro.inference.cluster import workers_for
    from bistro.inference.counts_on_disk import counts_in
    from bistro.tasks.train import train as run

    tasks = [f"task={task}"] if task else []
    if units:
        unbounded = [] if units == "words" or config else ["order=0"]
        overrides = [f"units={units}", *unbounded, *(overrides or [])]
    if fast or best:
        config, overrides = _with_speed(kind, fast=fast, best=best, config=config, sets=overrides)
    family, settings = common.chosen_config(kind, config, [*(overrides or []), *tasks])
    if show_config:
        print(configuration.to_toml(settings), end="")
        return
    path = _checked_output(output)
    _check_cluster(cluster, family, text)
    treebank = read_data(family, settings, data or [], format, roots)
    settings = common.fitting_config(family, settings, config, overrides, treebank)
    held_out = None
    if dev:
        held_out = read_data(family, settings, [dev], format, roots, held_out=True)
    checkpoint = Checkpoint.beside(path, checkpoint_seconds)
    _mention(checkpoint, resume)
    watcher = Watcher()
    session = Session(
        checkpoint,
        resume,
        on_start=watcher.on_start,
        on_words=watcher.on_words,
        on_note=say,
        stop_requested=lambda: watcher.stopped,
        threads=threads or os.cpu_count() or 1,
        share=1 - family.reading,
    )
    try:
        kept = counts_in(counts_on_disk)
        with watcher, kept, workers_for(cluster, threads) as session.workers:
            model = run(
                family.name,
                treebank,
                config=settings,
                seed=seed,
                session=session,
                text=text or (),
                dev=held_out if family.dev else None,
            )
            model.save(path)
    except StoppedError as interruption:
        say(f"{interruption}; the same command with --resume continues from there")
        raise typer.Exit(common.INTERRUPTED) from None
    checkpoint.discard()
    sources = " + ".join([treebank.label, *map(os.path.basename, text or ())])
    say(f"{path}: {family.name} model of {sources}, seed {seed}")
    if description := model.describe():
        say(description)
    elif held_out is not None:
        _report(model, family.judged_by, list(held_out), f"{path} on {dev}")


def epilog() -> str:
    """Return the names and descriptions of all model kinds, for the help text."""
    return "\n\n".join(f"- **{kind.name}**: {kind.help}" for kind in kinds.every())


def read_data(
    kind: Kind,
    settings: Any,
    paths: list[str],
    format: str | None,
    roots: str | None = None,
    *,
    held_out: bool = False,
) -> bistro.Treebank | Examples[Any]:
    """Read the training or test data for a kind of model, and report unusual words in training
    data.
    """
    from bistro.treebank.treebank import refuse_text

    if kind.needs_annotation and not held_out:
        refuse_text(paths, format)
    with phase("", share=0.0 if held_out else kind.reading):
        data = kind.data().read(paths, settings, format, common.chosen_roots(roots))
    for problem in data.problems:
        say(f"{problem}; the word is left out")
    if kind.items == "sentences" and not held_out:
        odd_words.tell_odd_words(data)
    return data


def _report(model: bistro.Model, ability: str, held_out: list[Any], title: str) -> None:
    """Print the main scores of a model on the development data."""
    from bistro.cli.perplexity import print_figures
    from bistro.evaluate.development import DevelopmentSet, default_metric
    from bistro.evaluate.text import text_figures
    from bistro.models.abilities import FIGURES, PARSE

    if ability == "score":
        print_figures(text_figures(model, held_out), title)
        return
    if ability == "parse":
        parser = PARSE.of(model)
        metric = default_metric(held_out, labelled=parser.is_labelled)
        figures = DevelopmentSet(held_out, metric=metric)(parser)
        del figures["score"]
    else:
        figures = FIGURES.of(model).figures(held_out)
    print(title)
    for name, value in figures.items():
        print(f"{name:<20} {value:6.2f}")


def _with_speed(
    kind: str, *, fast: bool, best: bool, config: str | None, sets: list[str] | None
) -> tuple[str | None, list[str]]:
    """Return the values of --config and --set, with the preset that --fast or --best selects."""
    name = "fast" if fast else "best"
    if fast and best:
        raise BistroError("--fast and --best cannot be combined: choose one of them")
    setting = kinds.find(kind).speeds
    if not setting:
        able = " and ".join(one.name for one in kinds.every() if one.speeds)
        raise BistroError(f"--{name} is available for {able}; {a_model(kind)} has no such preset")
    if setting != "config":
        return config, [f"{setting}={name}", *(sets or [])]
    if config:
        raise BistroError(f"--{name} is short for --config {name}: leave out --config")
    return name, sets or []


def _check_cluster(cluster: str | None, kind: Kind, text: list[str] | None) -> None:
    if cluster and not text and not kind.has_members:
        raise BistroError(
            "--cluster is for parsing raw text, or for training the members of a committee or "
            "reader: name the raw text with --text"
        )


def _checked_output(output: str | None) -> str:
    """Return the model's file name, or raise an error if a model cannot be written to this file."""
    if output is None:
        raise BistroError(
            "the model needs a file name; specify it with -o, as in -o english.bistro"
        )
    if output == "-":
        raise OutputError("a model cannot be written to stdout: give the name of a file with -o")
    if is_special(output):
        raise OutputError(f"{output}: a model must be a regular file, not a device or a pipe")
    if output.endswith(_COMPRESSED):
        raise OutputError(
            f"{output}: a model file cannot be compressed: choose a name without the suffix of a "
            "compressed file"
        )
    return output


def _mention(checkpoint: Checkpoint, resume: bool) -> None:
    """Report that a checkpoint is missing, or that it exists but is not used."""
    if checkpoint.path.exists() and not resume:
        say(f"{checkpoint.path}: from an interrupted run; --resume would have continued it")
    if resume and not checkpoint.path.exists():
        say(f"{checkpoint.path}: there is no such file, so training starts from the beginning")
