"""`bistro perplexity`: how well a model predicts a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import bistro
from bistro.cli import common
from bistro.cli.common import option, print_json, score_settings, tell_odd_words
from bistro.errors import BistroError

if TYPE_CHECKING:
    from bistro.evaluate.language import LanguageFigures
    from bistro.models.results.scores import TextScores


def perplexity(
    model: str = common.MODEL,
    input: str = common.INPUT,
    other: str | None = option("MODEL2", "Mix the model with this one, word by word.", "--with"),
    dev: str | None = option("DEV", "The text on which the mixing weight is fitted."),
    json: bool = common.JSON,
    format: str | None = common.FORMAT,
    method: str | None = common.METHOD,
    particles: int | None = common.PARTICLES,
    repeats: int | None = common.REPEATS,
    selection: Literal["weight", "paper"] | None = common.SELECTION,
    tags_per_word: int | None = common.TAGS_PER_WORD,
    tags_seen: bool = common.TAGS_SEEN,
    seed: int = common.SEED,
) -> None:
    """Print perplexity, bits per word, character and byte, and the rate of unknown words.

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
        bistro perplexity english.bistro test.txt --method search --particles 1000 --selection paper
        bistro perplexity parser.bistro --with ngram.bistro --dev dev.conllu test.conllu
        bistro generate english.bistro -n 1000 | bistro perplexity english.bistro
    """
    from bistro.evaluate.text import text_figures
    from bistro.models.abilities import SCORE
    from bistro.models.defaults import chosen_options
    from bistro.tasks.annotate import read_sentences

    if (other is None) != (dev is None):
        raise BistroError("a mixture needs both: --with MODEL2 and --dev DEV")
    choices: dict[str, Any] = {"method": method, "particles": particles, "repeats": repeats}
    choices |= {"selection": selection, "tags_per_word": tags_per_word}
    choices |= {"tags_seen": tags_seen, "seed": seed}
    if other is not None and dev is not None:
        _mixture([model, other], dev, input, format, choices, json)
        return
    trained = bistro.load(model)
    settings = score_settings(trained, **choices)
    found = read_sentences(trained, input, format, roots="any")
    sentences = list(common.watch_words(found, input, trained))
    tell_odd_words(sentences)
    figures = text_figures(trained, sentences, **settings)
    chosen = vars(chosen_options(SCORE.of(trained), "score", settings))
    summed = {"options": chosen} if chosen else {}
    if json:
        print_json({"model": model, "input": input, **figures.to_dict(), **summed})
    else:
        print_figures(figures, f"{model} on {input}")


def _mixture(
    paths: Sequence[str],
    dev: str,
    test: str,
    format: str | None,
    choices: dict[str, Any],
    json: bool,
) -> None:
    """Print the figures of two models and of their mixture."""
    from bistro.evaluate.interpolation import mixed, mixing_weight, require_same_events
    from bistro.evaluate.text import figures_of
    from bistro.models.abilities import SCORE
    from bistro.models.inputs import as_words

    models = [bistro.load(path) for path in paths]
    scorers = [SCORE.of(trained) for trained in models]
    require_same_events(*scorers)
    nothing = {**dict.fromkeys(choices), "tags_seen": False, "seed": choices["seed"]}
    asked = [bool(scorer.score_options.names()) for scorer in scorers]
    # Options of sums go to the parser; where there is none they are refused as ever.
    settings = [
        score_settings(m, **(choices if sums or not any(asked) else {**choices, **nothing}))
        for m, sums in zip(models, asked, strict=True)
    ]

    def scores_of(sentences: Sequence[Sequence[str]]) -> list[TextScores]:
        pairs = zip(scorers, settings, strict=True)
        return [scorer.score(sentences, **options) for scorer, options in pairs]

    tuned = scores_of(as_words(bistro.read(dev, format=format, roots="any")))
    weight = mixing_weight(tuned[0].log_probs, tuned[1].log_probs)
    sentences = bistro.read(test, format=format, roots="any")
    tell_odd_words(sentences)
    words = as_words(sentences)
    first, second = scores_of(words)
    both = replace(first, log_probs=mixed(first.log_probs, second.log_probs, weight))
    named = {"mixture": both, paths[0]: first, paths[1]: replace(first, log_probs=second.log_probs)}
    figures = {name: figures_of(scorers[0], words, scores) for name, scores in named.items()}
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
    """Print a table with one column of figures per model, each figure with what it counts."""
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
            "characters, one space per token" + ("" if spelled else "; unknown words not spelled"),
        ),
        ("bits_per_byte", "{:.4f}", "the same in UTF-8 bytes"),
        ("oov_rate", "{:.2%}", f"words; each {'spelled' if spelled else 'scored as its class'}"),
        ("words", "{:,}", f"in {one.sentences:,} sentences"),
        ("log_prob", "{:,.1f}", "natural logarithm, sentence ends included"),
    ):
        table.add_row(name, *(shape.format(getattr(f, name)) for f in figures.values()), protocol)
    common.console().print(table)
