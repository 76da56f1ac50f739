"""`bistro train`: from a treebank or text to a model file."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bistro.cli.common import (
    FormatOption,
    SeedOption,
    ThreadsOption,
    chosen_config,
    require_writable,
    say,
    tell_odd_words,
)
from bistro.cli.watcher import Watcher
from bistro.errors import BistroError, OutputError

if TYPE_CHECKING:
    from bistro.inference.checkpoint import Checkpoint
    from bistro.models.base import Model
    from bistro.treebank.examples import Examples
    from bistro.treebank.treebank import Treebank

INTERRUPTED = 130
_COMPRESSED = (".gz", ".xz", ".zst")


Kind = Annotated[
    str,
    typer.Argument(
        metavar="KIND",
        help="The kind: ngram, transition, eisner, isbn, committee, topics, linearize, infinite "
        "or grammar.",
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TRAIN",
        help="Treebanks (CoNLL-U, CoNLL-X) or, for ngram, texts, a sentence a line; - is stdin.",
        show_default=False,
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="RAW",
        help="Raw text, a sentence a line, to learn words from beside the treebank (transition).",
        show_default=False,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Who parses the raw text: tcp://HOST:PORT (Dask) or local:N; otherwise threads.",
        show_default=False,
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="MODEL",
        help="The model file to write; needed, and by custom named *.bistro.",
        show_default=False,
    ),
]
Dev = Annotated[
    str | None,
    typer.Option(
        "--dev",
        metavar="DEV",
        help="Held-out data: committee and linearize fit weights on it, isbn learns until it is "
        "best there; scores on it end the run.",
    ),
]
Config = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE.toml", help="Settings: a file or a preset."),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="One setting, as in order=3 or sampler.seating=minimal.",
    ),
]
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="tags|trees|morphology",
        help="What an infinite model learns; the same as --set task=...",
        show_default=False,
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on from the checkpoint of an interrupted run.")
]
CheckpointSeconds = Annotated[
    float,
    typer.Option(
        metavar="S", min=0, help="How often the checkpoint is renewed; 0: after every sweep."
    ),
]
ShowConfig = Annotated[
    bool, typer.Option("--show-config", help="Print all settings as TOML and stop.")
]


def train(
    kind: Kind,
    data: Data = None,
    text: Text = None,
    output: Output = None,
    dev: Dev = None,
    config: Config = None,
    overrides: Overrides = None,
    task: TaskOption = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    cluster: Cluster = None,
    format: FormatOption = None,
    resume: Resume = False,
    checkpoint_seconds: CheckpointSeconds = 20.0,
    show_config: ShowConfig = False,
) -> None:
    """Train a model on a treebank or a text.

    Several files are read as one. Settings come from --config, then --set; --show-config prints
    them all with their meanings, ready to be edited. They are saved whole in the model.

    While it trains, the state is kept beside the model (MODEL.checkpoint). After Ctrl-C, a crash or
    a power cut, the same command with --resume goes on and ends with exactly the model that an
    unbroken run gives.

        bistro train committee train.conllu --dev dev.conllu -o english.bistro
        bistro train transition train.conllu -o parser.bistro
        bistro train transition train.conllu --text news.txt.gz --text more.txt -o parser.bistro
        bistro train ngram news.txt.gz more.txt -o news.bistro --set order=3 --seed 7
        bistro train infinite --task trees train.mrg -o trees.bistro
        bistro train grammar train.mrg -o grammar.bistro
        bistro train transition --show-config > parser.toml
        bistro train transition train.conllu -o parser.bistro --config parser.toml
    """
    from bistro import config as configuration
    from bistro.inference.chains import Session
    from bistro.inference.checkpoint import Checkpoint, StoppedError
    from bistro.inference.cluster import workers_for
    from bistro.models.committee.model import CommitteeModel
    from bistro.models.linearize.model import LinearizeModel
    from bistro.tasks.train import USES_DEV
    from bistro.tasks.train import train as run

    tasks = [f"task={task}"] if task else []
    settings = chosen_config(kind, config, [*(overrides or []), *tasks])
    if show_config:
        print(configuration.to_toml(settings), end="")
        return
    path = _checked_output(output)
    if cluster and not text:
        raise BistroError("--cluster parses raw text: name some with --text")
    treebank = read_data(kind, settings, data or [], format)
    held_out = read_data(kind, settings, [dev], format, held_out=True) if dev else None
    checkpoint = Checkpoint.beside(path, checkpoint_seconds)
    _mention(checkpoint, resume)
    watcher = Watcher()
    session = Session(
        checkpoint,
        resume,
        watcher.on_start,
        watcher.on_sweep,
        watcher.on_words,
        say,
        lambda: watcher.stopped,
        threads or os.cpu_count() or 1,
    )
    try:
        with watcher, workers_for(cluster, threads) as session.workers:
            fitting = {"dev": held_out} if kind in USES_DEV else {}
            model = run(
                kind,
                treebank,
                config=settings,
                seed=seed,
                session=session,
                text=text or (),
                **fitting,
            )
            model.save(path)
    except StoppedError as interruption:
        say(f"{interruption}; the same command with --resume goes on from there")
        raise typer.Exit(INTERRUPTED) from None
    checkpoint.discard()
    sources = " + ".join([treebank.label, *map(os.path.basename, text or ())])
    say(f"{path}: {kind} model of {sources}, seed {seed}")
    if isinstance(model, CommitteeModel | LinearizeModel):
        say(model.describe())
    elif held_out is not None:
        _report(model, held_out, f"{path} on {dev}")


def read_data(
    kind: str, settings: Any, paths: list[str], format: str | None, *, held_out: bool = False
) -> Treebank | Examples[Any]:
    """Read the data of a kind of model, and say of training data what a user may not expect."""
    from bistro.models.grammar.model import GrammarModel
    from bistro.models.unbounded.model import InfiniteModel, model_class
    from bistro.treebank.examples import joined
    from bistro.treebank.tree_files import read_examples

    if kind == InfiniteModel.kind:
        if not paths:
            raise BistroError("there is nothing to train on: name the files of the task")
        examples: Examples[Any] = model_class(settings.home).task_class.read(
            paths, settings, format
        )
        for problem in getattr(examples, "problems", ()):
            say(f"{problem}; the word is left out")
        return examples
    if kind == GrammarModel.kind:
        if not paths:
            raise BistroError("there is nothing to train on: name files of bracketed trees")
        return joined([read_examples(path, format) for path in paths])
    treebank = read_together(paths, format)
    if not held_out:
        tell_odd_words(treebank)
    return treebank


def _report(model: Model, held_out: Treebank | Examples[Any], title: str) -> None:
    """Print how well a model predicts held-out text, or parses it if that is what it is for."""
    from bistro.cli.perplexity import print_figures
    from bistro.evaluate.development import DevelopmentSet, default_metric
    from bistro.evaluate.text import text_figures
    from bistro.models.grammar.model import GrammarModel
    from bistro.models.isbn.model import IsbnModel
    from bistro.models.parsing.parser import ParsingAbility
    from bistro.treebank.constituents import simplified

    sentences: list[Any] = list(held_out)
    if isinstance(model, GrammarModel):
        sentences = [simplified(tree).leaves() for tree in sentences]
    if hasattr(model, "figures"):
        figures = model.figures(sentences)
    elif not isinstance(model, ParsingAbility) or (
        hasattr(model, "score") and not isinstance(model, IsbnModel)
    ):
        print_figures(text_figures(model, sentences), title)
        return
    else:
        metric = default_metric(sentences, model.config.labels)
        figures = DevelopmentSet(sentences, metric=metric)(model)
        del figures["score"]
    print(title)
    for name, value in figures.items():
        print(f"{name:<20} {value:6.2f}")


def read_together(paths: list[str], format: str | None) -> Treebank:
    """Read several files as one treebank, whose hash is that of their hashes in a row."""
    from bistro.treebank.treebank import Treebank, read

    if not paths:
        raise BistroError("there is nothing to train on: name a treebank or a text, or - for stdin")
    parts = [read(path, format=format) for path in paths]
    if len(parts) == 1:
        return parts[0]
    return Treebank(
        [sentence for part in parts for sentence in part],
        name=" + ".join(part.label for part in parts),
        sha256=hashlib.sha256("".join(part.sha256 for part in parts).encode()).hexdigest(),
    )


def _checked_output(output: str | None) -> str:
    """Return the model's file name, if a model can be written there."""
    if output is None:
        raise BistroError("the model needs a name: give one with -o, as in -o english.bistro")
    if output == "-":
        raise OutputError("a model is a file of its own: name it with -o, stdout cannot hold it")
    if output.endswith(_COMPRESSED):
        raise OutputError(f"{output}: a model file is not compressed: choose another name")
    require_writable(output)
    return output


def _mention(checkpoint: Checkpoint, resume: bool) -> None:
    """Say what the user may not expect of the checkpoint that is there, or is not."""
    if checkpoint.path.exists() and not resume:
        say(f"{checkpoint.path}: from an interrupted run; --resume would have continued it")
    if resume and not checkpoint.path.exists():
        say(f"{checkpoint.path}: there is none, so training starts from the beginning")
