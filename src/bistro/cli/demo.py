"""`bistro demo`: train, test and use a parser in less than half a minute."""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal

import typer

import bistro
from bistro.cli import common
from bistro.cli.common import option, say
from bistro.cli.serve import PACKAGES
from bistro.errors import OutputError
from bistro.files import explain

if TYPE_CHECKING:
    from bistro.report.demo import DemoResult

SENTENCES_PRINTED = 4


def demo(
    treebank: Literal["english", "turkish"] = typer.Option(
        "english",
        help="The built-in English treebank, or 4,851 hand-annotated Turkish sentences.",
    ),
    output: str = option(
        "FOLDER", "Folder for the results.", "--output", "-o", default="bistro-demo"
    ),
    seed: int = common.SEED,
) -> None:
    """Train a parser on a built-in treebank, measure its accuracy, and write a report.

    The demo needs no data. The English treebank is sampled from a hand-written grammar with known
    probabilities, so the report can compare the probabilities of the models with the true
    probabilities. The Turkish one comes with `pip install turkish-treebanks==1.0.0`. FOLDER
    receives report.html, one page for any browser, and the models: demo.bistro, a parser and
    language model; committee.bistro, which parses best; and ngram.bistro.

        bistro demo
        bistro demo --treebank turkish -o turkish-demo
    """
    from bistro.report.demo import NGRAM, PARSER, demo_page, run_demo

    begin = time.monotonic()
    say(f"reading the {treebank} treebank ...")
    sentences = bistro.builtin(treebank, seed=seed)
    folder = _made(output)
    held_out = len(sentences) // 10
    data, test = sentences[:-held_out], sentences[-held_out:]
    say(f"training parsers and an n-gram model on {len(data):,} sentences ...")
    result = run_demo(data, test, seed=seed, is_english=treebank == "english")
    result.models[PARSER].save(folder / "demo.bistro")
    result.committee.save(folder / "committee.bistro")
    result.models[NGRAM].save(folder / "ngram.bistro")
    demo_page(result).write(folder / "report.html")
    _print(result)
    example = quote(" ".join(result.example.sentence.forms))
    say(
        f"\ndone in {time.monotonic() - begin:.0f} s. Look at {folder / 'report.html'}; then try\n"
        f"  bistro generate {folder / 'demo.bistro'} --seed 7\n"
        f"  echo {example} | bistro parse {folder / 'committee.bistro'} --marginals\n"
        f"  echo {example} | bistro surprisal {folder / 'demo.bistro'}\n"
        f"  bistro serve {folder / 'demo.bistro'}"
    )
    if not all(map(_is_installed, PACKAGES)):
        say(f"(serve needs three packages: pip install {' '.join(PACKAGES)})")


def _is_installed(package: str) -> bool:
    return find_spec(package.replace("-", "_")) is not None


def _made(output: str) -> Path:
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: the folder cannot be created: {explain(error)}") from error
    return folder


def _print(result: DemoResult) -> None:
    """Print the surprisal of one sentence, the scores and some generated sentences."""
    from rich.table import Table

    console = common.console(soft_wrap=True)
    table = Table("word", title="surprisal, bits")
    for name in result.bits:
        table.add_column(name, justify="right")
    for i, word in enumerate([*result.example.sentence.forms, "</s>"]):
        table.add_row(word, *(f"{bits[i]:.2f}" for bits in result.bits.values()))
    console.print(table)
    scores = result.scores
    console.print(
        f"parsing by the committee, {len(result.test):,} held-out sentences, own tags: "
        f"UAS {scores.uas:.1f}, LAS {scores.las:.1f}, tags {scores.upos:.1f} "
        "(all words, subtypes ignored)"
    )
    shown = ", ".join(f"{name} {f.perplexity:.1f}" for name, f in result.figures.items())
    words = next(iter(result.figures.values())).words
    console.print(f"perplexity, {words:,} held-out words and sentence ends: {shown}\n\ngenerated:")
    for sentence in result.generated[:SENTENCES_PRINTED]:
        console.print(f"  {sentence}", markup=False)
