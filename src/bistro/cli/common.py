"""Options that several commands share, and the functions that process them."""

from __future__ import annotations

import gc
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import bistro
from bistro.errors import BistroError, OutputError, printable
from bistro.files import write_text

if TYPE_CHECKING:
    from rich.console import Console

    from bistro.inference.workers import Workers
    from bistro.models.kinds import Kind

INTERRUPTED = 130
"""The exit code of a run that was stopped by Ctrl-C or SIGTERM."""
TABLE_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
CONVERTERS = {".png": "to_png", ".pdf": "to_pdf"}
"""The functions of `bistro.pictures.typeset` that convert SVG pictures to other formats."""
SPACES = str.maketrans("\t\r\n", "   ")
NUMBERS = ("N", "K")
"""Placeholders for numeric option values in help texts."""
LARGEST = 2**31 - 1
"""The maximum value of numeric options that do not set their own limit."""
Cells = Iterable[Sequence[Any]]


def _at_most(most: int) -> Callable[[Any], Any]:
    """Return a callback that rejects option values above a maximum."""

    def check(value: Any) -> Any:
        if isinstance(value, int) and value > most:
            raise typer.BadParameter(f"{value:.3g} is too large; at most {most:,}")
        return value

    return check


def option(metavar: str, meaning: str, *names: str, default: Any = None, **more: Any) -> Any:
    """Return an option that takes a value; by default, the option is named after its parameter."""
    if metavar in NUMBERS and "max" not in more:
        more.setdefault("callback", _at_most(LARGEST))
    return typer.Option(default, *names, metavar=metavar, help=meaning, **more)


def flag(name: str, meaning: str, *, default: bool = False, **more: Any) -> Any:
    """Return a command-line option that takes no value."""
    return typer.Option(default, name, help=meaning, **more)


def argument(metavar: str, meaning: str, *, default: Any = ...) -> Any:
    """Return a command-line argument, which is required unless it has a default value."""
    return typer.Argument(default, metavar=metavar, help=meaning)


MODEL = argument("MODEL", "A model file, or the name of an installed model.")
INPUT = argument(
    "INPUT", "CoNLL-U, CoNLL-X, or text with one sentence per line; - means stdin.", default="-"
)
THREADS = option(
    "N",
    "Number of threads; 0 uses all cores. The number of threads does not change the result.",
    default=0,
    min=0,
)
SEED = option(
    "N",
    "Random seed; the same seed gives the same result.",
    default=1,
    min=0,
    callback=_at_most(2**64 - 1),
)
JSON = flag("--json", "Print a JSON object with unrounded numbers.")
FORMAT = option(
    "FORMAT",
    "Input format: conllu, conllx, lines, or raw (running text); by default chosen by suffix "
    "(.conllu; .conll, .conllx; .txt) or content.",
    "--input",
)
ROOTS = option(
    "one|any", "Number of roots per sentence; default: one in CoNLL-U, any number in CoNLL-X."
)
METHOD = option("graph|exact|smc|search", "How parsers sum over analyses [default: graph].")
PARTICLES = option(
    "N",
    "Number of particles or nodes per word when summing over analyses [default: 100].",
    "--particles",
    min=1,
)
REPEATS = option("N", "Number of independent runs [default: 1, or 10 for smc].", "--repeats", min=1)
SELECTION = typer.Option(
    None,
    "--selection",
    help="How --method search divides the particles after each word: by weight, or as in Buys & "
    "Blunsom (2015).",
)
TAGS_PER_WORD = option(
    "N",
    "Maximum number of tags tried per word; 0 tries all tags [default: 0].",
    "--tags-per-word",
    min=0,
)
TAGS_SEEN = flag(
    "--tags-seen",
    "Try only the tags that a word had in training. This is faster than trying all tags, but the "
    "probabilities are then lower bounds.",
)
TAG_DICTIONARY = option(
    "soft|hard|none",
    "How transition parsers and committees treat tags that a word never had in training: give them "
    "less weight (soft), exclude them (hard), or treat them like other tags (none); default: soft.",
)
CLUSTER = option(
    "ADDRESS",
    "Run on Dask workers (tcp://HOST:PORT) or in N local processes (local:N); default: threads. "
    "The result does not depend on this option.",
)
TREEBANK = argument("FILE", "A treebank (CoNLL-U, CoNLL-X); - means stdin.")
CONFIG = option("FILE.toml", "A settings file, or the name of a preset.")
SET = option("KEY=VALUE", "One setting, as in order=3 or sampler.seating=minimal.", "--set")
DEV = option(
    "DEV",
    "Development data, on which a committee or reader fits its weights and isbn decides when to "
    "stop.",
)
TAGS = option(
    "joint|given",
    "Use the tags that the parser predicts (joint), or the tags in FILE (given).",
    default="joint",
)
BY = option(
    "sentence|document",
    "Divide the data by sentence or by document; a document begins with the comment # newdoc.",
    default="sentence",
)


@contextmanager
def cluster_workers(cluster: str | None) -> Iterator[Workers | None]:
    """Yield the workers of a cluster, or None if no cluster is specified."""
    if cluster is None:
        yield None
        return
    from bistro.inference.cluster import workers_for

    with workers_for(cluster, threads=1) as workers:
        yield workers


def say(message: str) -> None:
    """Print a message to stderr."""
    print(printable(message), file=sys.stderr)


def console(*, markup: bool = False, **options: Any) -> Console:
    """Return a console that prints text unchanged, even if it looks like markup (``[/q]``)."""
    from rich.console import Console

    return Console(highlight=False, markup=markup, emoji=False, **options)


def tell_reader(model: bistro.Model, settings: dict[str, Any]) -> None:
    """Report which part of a model scores words, unless the whole model does."""
    from bistro.models.abilities import SCORE

    reader = SCORE.of(model)
    if not SCORE.is_own(model):
        protocol = reader.score_protocol(**settings)
        say(f"words are scored by a part of the {model.kind}: {protocol}")


def print_json(figures: dict[str, Any]) -> None:
    """Print an object as JSON in the format of `json_text`."""
    print(json_text(figures))


def json_text(figures: dict[str, Any]) -> str:
    """Return an object as JSON, with infinite and undefined numbers as strings."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [plain(inner) for inner in value]
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        return value

    return json.dumps(plain(figures), ensure_ascii=False, indent=2)


def require_suffix(path: str | None, *suffixes: str) -> None:
    """Raise an error if a file name has a suffix that is not allowed."""
    suffix = Path(path or "").suffix
    if suffix and suffix.lower() not in suffixes:
        raise OutputError(
            f"{path}: the file is written as {suffixes[0]}, so its name cannot end in {suffix}"
            f"{_conversion(Path(path or ''), suffixes[0])}"
        )


def _conversion(path: Path, written: str) -> str:
    """Return a hint on how to convert an SVG picture to the format that a file name indicates."""
    converter = CONVERTERS.get(path.suffix.lower())
    if written != ".svg" or converter is None:
        return ""
    picture = path.with_suffix(written)
    return (
        f": write {picture}, and convert it with {converter} of bistro.pictures.typeset in Python"
    )


def score_settings(
    model: bistro.Model,
    method: str | None,
    particles: int | None,
    repeats: int | None,
    tags_seen: bool,
    seed: int,
    **search: Any,
) -> dict[str, Any]:
    """Return the arguments for `score` that correspond to the command-line options.

    `search` maps the names of further search options to their values.
    """
    from bistro.models.abilities import SCORE
    from bistro.models.defaults import chosen_options
    from bistro.models.options import a_model

    scorer = SCORE.of(model)
    options = scorer.score_options
    tags = "seen" if tags_seen else None
    settings = given(method=method, particles=particles, repeats=repeats, tags=tags, **search)
    known = options.names()
    if settings and not known:
        raise BistroError(
            f"{a_model(model.kind)} has no analyses to sum over; omit --method, --particles, "
            f"--repeats, --selection, --tags-per-word and --tags-seen"
        )
    if method not in (None, "graph", "exact", "smc", "search"):
        raise BistroError(f"--method must be graph, exact, smc or search, not '{method}'")
    if "seed" in known:
        settings["seed"] = seed
    whole = chosen_options(scorer, "score", settings)
    if "selection" in settings and whole.method != "search":
        raise BistroError("--selection can only be used with --method search")
    return settings


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were set on the command line, omitting those with default values."""
    return {name: value for name, value in options.items() if value is not None}


def chosen_tags(tags: str) -> Any:
    """Validate --tags."""
    if tags not in ("joint", "given"):
        raise BistroError(f"--tags must be 'joint' or 'given', not '{tags}'")
    return tags


def chosen_roots(roots: str | None) -> Any:
    """Validate --roots."""
    if roots not in (None, "one", "any"):
        raise BistroError(f"--roots must be 'one' or 'any', not '{roots}'")
    return roots


def chosen_config(kind: str, config: str | None, overrides: list[str] | None) -> tuple[Kind, Any]:
    """Return the `Kind` with a given name, and its settings from --config and --set."""
    from bistro.models.settings import chosen_settings

    return chosen_settings(kind, config, overrides or [])


def fitting_config(
    kind: Kind, settings: Any, config: str | None, overrides: list[str] | None, sentences: Any
) -> Any:
    """Return the settings of the preset that fits a treebank, unless --config is given."""
    preset = kind.fitting_preset(sentences) if config is None else None
    if preset is None:
        return settings
    say(f"settings of the preset {preset}, which fits the treebank; --config chooses others")
    return chosen_config(kind.name, preset, overrides)[1]


def development(
    kind: Kind, dev: str | None, format: str | None, roots: str | None = None
) -> bistro.Treebank | None:
    """Read the development set, or raise an error if this kind of model does not use one."""
    from bistro.models.data import SENTENCES
    from bistro.models.options import a_model

    if dev is None:
        return None
    if not kind.dev:
        raise BistroError(f"{a_model(kind.name)} does not use a development set: leave --dev out")
    return SENTENCES.read([dev], format=format, roots=chosen_roots(roots))


def write_table(output: str, columns: Sequence[str], rows: Cells) -> None:
    """Write a tab-separated table, with NA for unknown values.

    Cells that contain quotation marks are quoted as in CSV. Otherwise, R, pandas, spreadsheets and
    `bistro` itself would treat a quotation mark at the start of a cell as the beginning of a quoted
    field.
    """
    write_text(output, ("\t".join(map(_cell, row)) + "\n" for row in (columns, *rows)))


def _cell(value: str | int | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    if value is None:
        return "NA"
    text = str(value).translate(SPACES)
    return '"{}"'.format(text.replace('"', '""')) if '"' in text else text


@contextmanager
def rare_collection() -> Iterator[None]:
    """Run the garbage collector rarely, and never on objects that already exist.

    A long computation with a large model creates many small lists, but no reference cycles. If the
    garbage collector scanned the lists and the model repeatedly, the scans would take a tenth of
    the running time.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
