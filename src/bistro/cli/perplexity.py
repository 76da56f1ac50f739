"""`bistro perplexity`: how well a model predicts a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
    tell_odd_words,
)
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.evaluate.language import LanguageFigures

ScoreChoices = dict[str, Any]


def perplexity(
    model: ModelArgument,
    input: InputArgument = "-",
    other: Annotated[
        str | None,
        typer.Option("--with", metavar="MODEL2", help="Mix the model with this one, word by word."),
    ] = None,
    dev: Annotated[
        str | None, typer.Option(metavar="DEV", help="The text that decides the mixing weight.")
    ] = None,
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
    different vocabularies cannot be compared. Models trained with unknown=spelling give every
    string a probability: their bits per character can. A parser's probabilities are sums over
    analyses, estimated by sequential Monte Carlo (unbiased) or bounded from below by --method
    search.

    --with mixes two models of one vocabulary, p = λ p1 + (1 - λ) p2, with the λ that is best on
    DEV, and prints the figures of both and of the mixture.

        bistro perplexity english.bistro test.conllu
        bistro perplexity english.bistro test.txt.gz --json
        bistro perplexity parser.bistro --with ngram.bistro --dev dev.conllu test.conllu
        bistro generate english.bistro -n 1000 | bistro perplexity english.bistro
    """
    from bistro.evaluate.text import text_figures
    from bistro.models.base import load
    from bistro.treebank.treebank import read

    if (other is None) != (dev is None):
        raise BistroError("a mixture needs both: --with MODEL2 and --dev DEV")
    choices: ScoreChoices = {"method": method, "particles": particles, "repeats": repeats}
    choices |= {"tags_seen": tags_seen, "seed": seed}
    if other is not None and dev is not None:
        _mixture([model, other], dev, input, format, choices, json)
        return
    trained = load(model)
    trained.require("score")
    settings = score_settings(trained, **choices)
    sentences = read(input, format=format)
    tell_odd_words(sentences)
    figures = text_figures(trained, sentences, **settings)
    summed = {name: vars(options) for name, options in settings.items()}
    if json:
        print_json({"model": model, "input": input, **figures.to_dict(), **summed})
    else:
        print_figures(figures, f"{model} on {input}")


def _mixture(
    paths: Sequence[str], dev: str, test: str, format: str | None, choices: ScoreChoices, json: bool
) -> None:
    """Print the figures of two models and of their mixture."""
    from bistro.evaluate.interpolation import (
        mixed,
        mixing_weight,
        require_same_events,
        same_scores,
        vocabulary_of,
    )
    from bistro.evaluate.language import count_characters, language_figures
    from bistro.models.base import as_words, load
    from bistro.treebank.treebank import read

    models = [load(path) for path in paths]
    for trained in models:
        trained.require("score")
    require_same_events(*models)
    nothing = {"method": None, "particles": None, "repeats": None, "tags_seen": False}
    asked = [m.score_options is not None for m in models]
    # Options of sums go to the parser; where there is none they are refused as ever.
    settings = [
        score_settings(m, **(choices if sums or not any(asked) else {**choices, **nothing}))
        for m, sums in zip(models, asked, strict=True)
    ]
    pairs = list(zip(models, settings, strict=True))
    tuned = same_scores(pairs, read(dev, format=format))
    weight = mixing_weight(tuned[0].log_probs, tuned[1].log_probs)
    sentences = read(test, format=format)
    tell_odd_words(sentences)
    scores = same_scores(pairs, sentences)
    first, second = (s.log_probs for s in scores)
    characters = count_characters(as_words(sentences))
    figures = {
        name: language_figures(
            logs,
            scores[0].is_eos,
            scores[0].is_oov,
            characters,
            open_vocabulary=vocabulary_of(models[0]).is_open,
        )
        for name, logs in (
            ("mixture", mixed(first, second, weight)),
            (paths[0], first),
            (paths[1], second),
        )
    }
    if json:
        parts = {name: f.to_dict() for name, f in list(figures.items())[1:]}
        told = {"models": list(paths), "input": test, "dev": dev, "weight": weight}
        print_json({**told, **figures["mixture"].to_dict(), "parts": parts})
    else:
        title = f"{test}: {weight:.3f} {paths[0]} + {1 - weight:.3f} {paths[1]} (λ from {dev})"
        _print_side_by_side(figures, title)


def print_figures(figures: LanguageFigures, title: str) -> None:
    """Print a table of the figures, each with what it counts."""
    _print_side_by_side({"value": figures}, title)


def _print_side_by_side(figures: dict[str, LanguageFigures], title: str) -> None:
    """Print a table with a column of figures a model, each figure with what it counts."""
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", title=title)
    for name in figures:
        table.add_column(name, justify="right")
    table.add_column("what is counted")
    one = next(iter(figures.values()))
    spelled = one.open_vocabulary
    for name, shape, protocol in (
        ("perplexity", "{:.2f}", "words and sentence ends"),
        ("perplexity_no_eos", "{:.2f}", "words"),
        ("perplexity_known", "{:.2f}", "known words and sentence ends"),
        ("bits_per_word", "{:.4f}", "words and sentence ends"),
        (
            "bits_per_char",
            "{:.4f}",
            "characters, one space a token" + ("" if spelled else "; unknown words not spelled"),
        ),
        ("oov_rate", "{:.2%}", f"words; each {'spelled' if spelled else 'scored as its class'}"),
        ("words", "{:,}", f"in {one.sentences:,} sentences"),
        ("log_prob", "{:,.1f}", "natural logarithm, sentence ends included"),
    ):
        table.add_row(name, *(shape.format(getattr(f, name)) for f in figures.values()), protocol)
    Console(highlight=False).print(table)
