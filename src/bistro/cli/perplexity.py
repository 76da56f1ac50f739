"""`bistro perplexity`: measure how well a model predicts a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import bistro
from bistro.cli import common, documents, mixtures, odd_words
from bistro.cli.common import print_json, score_settings
from bistro.progress import number_of

if TYPE_CHECKING:
    from bistro.evaluate.language import LanguageFigures
    from bistro.tasks.mixture import Mixture


def perplexity(
    model: str = common.MODEL,
    input: str = common.INPUT,
    others: list[str] | None = mixtures.WITH,
    dev: str | None = mixtures.DEV,
    weights: str | None = mixtures.WEIGHTS,
    memory: bool = documents.MEMORY,
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
    """Print perplexity, bits per word, per character and per byte, and the rate of unknown words.

    The end of each sentence counts as an event, like a word. The table gives figures with and
    without sentence ends, and lists the events on which each figure is based. An unknown word has
    the probability of its word class, so models with different vocabularies cannot be compared.
    Models trained with unknown=spelling give every string a probability, so their bits per
    character can be compared. A parser's probabilities are sums over analyses. The sums are
    estimated without bias (--method graph or smc), computed exactly if this is feasible (exact), or
    bounded from below (search).

    --with mixes models with the same vocabulary, p = λ p1 + (1 - λ) p2, with the λ
    that is best on DEV or the --weights given, and prints the scores of each and of the mixture.

    With --memory, the probability of a word also depends on the earlier sentences in its document.

        bistro perplexity english.bistro test.conllu
        bistro perplexity english.bistro test.txt.gz --json
        bistro perplexity english.bistro test.txt --method search --particles 1000 --selection paper
        bistro perplexity reader.bistro test.conllu --memory
        bistro perplexity parser.bistro --with ngram.bistro --dev dev.conllu test.conllu
        bistro generate english.bistro -n 1000 | bistro perplexity english.bistro
    """
    from bistro.evaluate.text import text_figures
    from bistro.models.abilities import SCORE
    from bistro.models.defaults import chosen_options
    from bistro.tasks.annotate import read_sentences
    from bistro.tasks.memory import memory_of
    from bistro.treebank.documents import document_numbers

    mixtures.require_mixture(others, dev, weights)
    choices: dict[str, Any] = {"method": method, "particles": particles, "repeats": repeats}
    choices |= {"selection": selection, "tags_per_word": tags_per_word}
    choices |= {"tags_seen": tags_seen, "seed": seed}
    trained = bistro.load(model)
    documents.require_memory(memory, trained, others)
    if others:
        paths = [model, *others]
        models = [trained, *map(bistro.load, others)]
        mixture = mixtures.mixture_of(models, choices, dev, weights, format)
        texts = bistro.read(input, format=format, roots="any")
        odd_words.tell_odd_words(texts)
        facts = {"models": paths, "input": input, "dev": dev}
        _print_mixture(mixture, paths, texts, facts, json)
        return
    settings = score_settings(trained, **choices)
    items = read_sentences(trained, input, format, roots="any", checked=True)
    sentences = list(odd_words.watch_words(items, input, trained))
    odd_words.tell_odd_words(sentences)
    context = {"documents": document_numbers(sentences)} if memory else {}
    figures = text_figures(trained, sentences, **settings, **context)
    options = vars(chosen_options(SCORE.of(trained), "score", settings))
    summed = {"options": options} if options else {}
    protocol = {"memory": memory_of(trained).memory_protocol()} if memory else {}
    if json:
        print_json({"model": model, "input": input, **protocol, **figures.to_dict(), **summed})
    else:
        if memory:
            documents.tell_memory(trained, len(set(context["documents"])))
        print_figures(figures, f"{model} on {input}")


def _print_mixture(
    mixture: Mixture,
    paths: Sequence[str],
    sentences: Sequence[Any],
    facts: dict[str, Any],
    json: bool,
) -> None:
    """Print the figures for a mixture and for its models."""
    from bistro.evaluate.text import figures_of
    from bistro.models.inputs import as_words

    words = as_words(sentences)
    parts = [member.score(words) for member in mixture.members]
    figures = {
        "mixture": figures_of(mixture, words, mixture.combined(parts)),
        **{
            path: figures_of(member.scorer, words, scores)
            for path, member, scores in zip(paths, mixture.members, parts, strict=True)
        },
    }
    if json:
        of_parts = {name: f.to_dict() for name, f in list(figures.items())[1:]}
        weights = {"weight": mixture.weights[0], "weights": mixture.weights}
        print_json({**facts, **weights, **figures["mixture"].to_dict(), "parts": of_parts})
        return
    named = zip(mixture.weights, paths, strict=True)
    shares = " + ".join(f"{weight:.3f} {path}" for weight, path in named)
    source = f"weights from {facts['dev']}" if facts["dev"] else "weights as given"
    _print_side_by_side(figures, f"{facts['input']}: {shares} ({source})")


def print_figures(figures: LanguageFigures, title: str) -> None:
    """Print a table of figures, each with the events on which it is based."""
    _print_side_by_side({"value": figures}, title)


def _print_side_by_side(figures: dict[str, LanguageFigures], title: str) -> None:
    """Print a table with a column of figures per model, and a column that says what is counted."""
    from rich.table import Table

    table = Table(title=title)
    table.add_column("figure", no_wrap=True)
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
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
        ("words", "{:,}", f"in {number_of(one.sentences, 'sentence')}"),
        ("log_prob", "{:,.1f}", "natural logarithm, sentence ends included"),
    ):
        table.add_row(name, *(shape.format(getattr(f, name)) for f in figures.values()), protocol)
    common.console().print(table)
