"""`bistro demo`: the main job, done once, in under half a minute."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from bistro.cli.common import SeedOption, say
from bistro.errors import OutputError
from bistro.files import explain


def demo(
    treebank: Annotated[
        Literal["english", "turkish"],
        typer.Option(help="The built-in English one, or 4,851 hand-annotated Turkish sentences."),
    ] = "english",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="Where the results go.")
    ] = "bistro-demo",
    seed: SeedOption = 1,
) -> None:
    """Train a model on a built-in treebank, measure it, and write a report to look at.

        bistro demo
        bistro demo --treebank turkish

    Needs no data: the English treebank is sampled from a grammar of our own whose probabilities
    are known, so the report shows the model beside the truth. The Turkish one comes with
    `pip install 'bistro-syntax[samples]'`.
    """
    from rich.console import Console
    from rich.table import Table

    from bistro.inference.train import train
    from bistro.report.demo import demo_page, run_demo
    from bistro.treebank.samples import builtin

    begin = time.monotonic()
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {explain(error)}") from error
    say(f"reading the {treebank} treebank ...")
    sentences = builtin(treebank, seed=seed)
    held_out = len(sentences) // 10
    data, test = sentences[:-held_out], sentences[-held_out:]
    say(f"training an n-gram model on {len(data):,} sentences ...")
    model = train("ngram", data, seed=seed)
    say("scoring held-out sentences ...")
    result = run_demo(data, test, model, is_english=treebank == "english")
    model.save(folder / "demo.bistro")
    demo_page(result).write(folder / "report.html")

    table = Table(
        "word", "model", *(["truth"] if result.true_bits else []), title="surprisal, bits"
    )
    for i, word in enumerate([*result.example, "</s>"]):
        truth = [f"{result.true_bits[i]:.2f}"] if result.true_bits else []
        table.add_row(word, f"{result.example_bits[i]:.2f}", *truth)
    console = Console()
    console.print(table)
    best = (
        f" (the best possible: {result.true_figures.perplexity:.1f})" if result.true_figures else ""
    )
    console.print(
        f"perplexity of {result.figures.words:,} held-out words and their sentence ends: "
        f"{result.figures.perplexity:.1f}{best}",
        highlight=False,
    )
    console.print("\ngenerated: " + "\n           ".join(result.generated[:4]), highlight=False)
    say(
        f"\ndone in {time.monotonic() - begin:.0f} s. Look at {folder / 'report.html'}; then try\n"
        f"  echo 'The old man knew the answer .' | bistro surprisal {folder / 'demo.bistro'}"
    )
