"""`bistro perplexity`: how well a model predicts a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bistro.cli.common import (
    FormatOption,
    InputArgument,
    JsonOption,
    MethodOption,
    ModelArgument,
    ParticlesOption,
    RepeatsOption,
    SeedOption,
    TagsSeenOption,
    print_json,
    score_settings,
)

if TYPE_CHECKING:
    from bistro.evaluate.language import LanguageFigures


def perplexity(
    model: ModelArgument,
    input: InputArgument = "-",
    json: JsonOption = False,
    format: FormatOption = None,
    method: MethodOption = None,
    particles: ParticlesOption = None,
    repeats: RepeatsOption = None,
    tags_seen: TagsSeenOption = False,
    seed: SeedOption = 1,
) -> None:
    """Print perplexity, bits per word and per character, and the rate of unknown words.

    The end of each sentence is an event like a word; figures with and without it are printed, each
    with what it counts. An unknown word has the probability of its class, so figures of models with
    different vocabularies cannot be compared. A parser's probabilities are sums over analyses,
    estimated by sequential Monte Carlo (unbiased) or bounded from below by --method search.

        bistro perplexity english.bistro test.conllu
        bistro perplexity english.bistro test.txt.gz --json
        bistro generate english.bistro -n 1000 | bistro perplexity english.bistro
    """
    from bistro.evaluate.text import text_figures
    from bistro.models.base import load
    from bistro.treebank.treebank import read

    trained = load(model)
    trained.require("score")
    settings = score_settings(trained, method, particles, repeats, tags_seen, seed)
    figures = text_figures(trained, read(input, format=format), **settings)
    summed = {name: vars(options) for name, options in settings.items()}
    if json:
        print_json({"model": model, "input": input, **figures.to_dict(), **summed})
    else:
        print_figures(figures, f"{model} on {input}")


def print_figures(figures: LanguageFigures, title: str) -> None:
    """Print a table of the figures, each with what it counts."""
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", title=title)
    table.add_column("value", justify="right")
    table.add_column("what is counted")
    for name, value, protocol in (
        ("perplexity", f"{figures.perplexity:.2f}", "words and sentence ends"),
        ("perplexity_no_eos", f"{figures.perplexity_no_eos:.2f}", "words"),
        ("perplexity_known", f"{figures.perplexity_known:.2f}", "known words and sentence ends"),
        ("bits_per_word", f"{figures.bits_per_word:.4f}", "words and sentence ends"),
        ("bits_per_char", f"{figures.bits_per_char:.4f}", "characters, one space a token"),
        ("oov_rate", f"{100 * figures.oov_rate:.2f} %", "words; each scored as its class"),
        ("words", f"{figures.words:,}", f"in {figures.sentences:,} sentences"),
        ("log_prob", f"{figures.log_prob:,.1f}", "natural logarithm, sentence ends included"),
    ):
        table.add_row(name, value, protocol)
    Console(highlight=False).print(table)
